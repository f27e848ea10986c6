package stats

import "slices"

// When what was answered: for each value that answers are followed by, a sketch for each stretch of time in which it
// was answered. Which of the values of a packet are the receiver's is known in the end only, so each has its own.
//
// All stretches of a Stats are equally wide: the narrowest with which there are at most maxCells sketches, or one for
// each value. That follows from the set of answers, so it does not depend on their order, nor on how they were cut into
// parts.

const (
	maxCells     = 1 << 13 // of a Stats
	maxCell      = 16      // buckets of a sketch
	maxTickShift = 37
)

// cellBound is how wide the stretches are that all cells of a Stats have, and how many there are.
type cellBound struct {
	shift uint8 // a stretch has 1<<shift units
	n     int
}

// cells are the answers of one value over time. Without a bound nothing is kept.
type cells struct {
	bound *cellBound
	list  []answerCell // by at, none empty
}

// answerCell is a stretch of time: number at, from the epoch.
type answerCell struct {
	at int64
	Sketch
}

// like is no cells, with a bound of their own: of what is summed up and not kept.
func (s *cells) like() cells {
	if s.bound == nil {
		return cells{}
	}
	return cells{bound: &cellBound{shift: s.bound.shift}}
}

// cell is a stretch, made where there is none. Most are the last one.
func (s *cells) cell(at int64) *Sketch {
	n := len(s.list)
	if n > 0 && s.list[n-1].at == at {
		return &s.list[n-1].Sketch
	}
	i, found := slices.BinarySearchFunc(s.list, at, func(c answerCell, at int64) int { return int(max(min(c.at-at, 1), -1)) })
	if !found {
		s.list = slices.Insert(s.list, i, answerCell{at: at})
		s.bound.n++
	}
	return &s.list[i].Sketch
}

// add counts an answer that took so many ns.
func (s *cells) add(at tick, ns uint64) {
	if s.bound == nil || at == 0 {
		return
	}
	c := s.cell(at.unit() >> s.bound.shift)
	c.Add(ns)
	c.coarsen(maxCell)
}

// merge adds others, whose stretches are not wider.
func (s *cells) merge(o *cells) {
	if s.bound == nil || o.bound == nil {
		return
	}
	for i := range o.list {
		from := &o.list[i]
		to := s.cell(from.at >> (s.bound.shift - o.bound.shift))
		to.Merge(&from.Sketch)
		to.coarsen(maxCell)
	}
}

// drop forgets all.
func (s *cells) drop() {
	if s.bound != nil {
		s.bound.n -= len(s.list)
		s.list = nil
	}
}

// widen makes neighbors one, as far as by says; the caller widens the bound.
func (s *cells) widen(by uint8) {
	kept := s.list[:0]
	for i := range s.list {
		c := s.list[i]
		c.at >>= by
		if n := len(kept); n > 0 && kept[n-1].at == c.at {
			kept[n-1].Merge(&c.Sketch)
			kept[n-1].coarsen(maxCell)
			s.bound.n--
			continue
		}
		kept = append(kept, c)
	}
	clear(s.list[len(kept):])
	s.list = kept
}

// code has the cells of a bound that was coded before.
func (s *cells) code(c *coder) {
	n := c.length(len(s.list), maxCells, 6)
	if !c.writing {
		s.list = make([]answerCell, n)
		s.bound.n += n
		c.check(s.bound.n <= maxCells || s.bound.shift == maxTickShift, "the saved part has too many answers over time")
	}
	last := int64(0)
	for i := range s.list {
		one := &s.list[i]
		step := one.at - last
		c.int(&step)
		one.at = last + step
		c.check(i == 0 || step > 0, "the answers of the saved part are not in order")
		c.unit(one.at, s.bound.shift)
		last = one.at
		one.Sketch.code(c)
		c.check(one.n > 0 && len(one.buckets) <= maxCell, "a sketch of the saved part is too fine")
		if c.err != nil {
			return
		}
	}
}

// eachAnswers yields what is followed of every peer, and of those that were left out.
func (s *peers) eachAnswers(yield func(*answers)) {
	for _, p := range s.table {
		for h := range p.halves {
			for _, list := range p.halves[h].acks {
				for _, a := range list {
					yield(a)
				}
			}
		}
	}
	for i := range s.rest.acks {
		yield(&s.rest.acks[i])
	}
}

// raise makes the stretches of answers so wide, at least.
func (s *peers) raise(shift uint8) {
	if s.timeline == nil || s.timeline.answered.shift >= shift {
		return
	}
	by := shift - s.timeline.answered.shift
	s.eachAnswers(func(a *answers) {
		if a.when.bound != nil {
			a.when.widen(by)
		}
	})
	s.timeline.answered.shift = shift
}

// fewAnswers makes the stretches of answers so wide that there are not too many.
func (s *peers) fewAnswers() {
	for s.timeline != nil && s.timeline.answered.n > maxCells && s.timeline.answered.shift < maxTickShift {
		s.raise(s.timeline.answered.shift + 1)
	}
}

// newAnswers are none yet.
func (s *peers) newAnswers() *answers { return &answers{when: s.newCells()} }

func (s *peers) newCells() cells {
	if s.timeline == nil {
		return cells{}
	}
	return cells{bound: &s.timeline.answered}
}
