package stats

import "github.com/pktscope/pktscope/report/saved"

// SequenceCounts is what became of the values of a counter (@seq) that accepted packets carried, each sender to each
// receiver by itself.
type SequenceCounts struct {
	Received uint64 `json:"received"`
	// Lost values were skipped and did not come later either.
	Lost       uint64 `json:"lost"`
	Duplicated uint64 `json:"duplicated"`
	// Reordered values came after a larger one, up to 63 after; they are not lost.
	Reordered uint64 `json:"reordered"`
	// Strays are far from where the counter was: more than 1,024 ahead or 63 after. They are no loss.
	Strays uint64 `json:"strays"`
	// Restarts are two such values that follow each other: from there the counter goes on.
	Restarts uint64 `json:"restarts"`
	// Unsettled borders between two parts could not be followed exactly: the second began with strays, or with packets in
	// an order, beyond what its edge keeps.
	Unsettled uint64 `json:"unsettled,omitempty"`
}

// Merge adds what o has.
func (s *SequenceCounts) Merge(o SequenceCounts) {
	s.Received += o.Received
	s.Lost += o.Lost
	s.Duplicated += o.Duplicated
	s.Reordered += o.Reordered
	s.Strays += o.Strays
	s.Restarts += o.Restarts
	s.Unsettled += o.Unsettled
}

// since is what was counted after o. Lost can be "negative": a value that was missing then has come.
func (s SequenceCounts) since(o SequenceCounts) SequenceCounts {
	return SequenceCounts{
		Received: s.Received - o.Received, Lost: s.Lost - o.Lost, Duplicated: s.Duplicated - o.Duplicated,
		Reordered: s.Reordered - o.Reordered, Strays: s.Strays - o.Strays, Restarts: s.Restarts - o.Restarts,
		Unsettled: s.Unsettled - o.Unsettled,
	}
}

// times is what is counted when the same comes n times.
func (s SequenceCounts) times(n uint64) SequenceCounts {
	return SequenceCounts{s.Received * n, s.Lost * n, s.Duplicated * n, s.Reordered * n, s.Strays * n, s.Restarts * n, s.Unsettled * n}
}

func (s *SequenceCounts) code(c *coder) {
	c.uint(&s.Received, saved.MaxCount)
	c.uint(&s.Lost, 1024*saved.MaxCount)
	c.uint(&s.Duplicated, saved.MaxCount)
	c.uint(&s.Reordered, saved.MaxCount)
	c.uint(&s.Strays, saved.MaxCount)
	c.uint(&s.Restarts, saved.MaxCount)
	c.uint(&s.Unsettled, saved.MaxCount)
}

const (
	maxJump     = 1024 // ahead that is loss and not another counter
	maxBehind   = 63
	settled     = 128 // values that a counter advances until nothing before matters any more
	maxSeqEdge  = 256 // runs that an edge keeps
	windowWidth = 64
)

// sequence follows one counter of one sender to one receiver.
//
// It can be continued by a part that was counted elsewhere. What a counter's first values mean depends on what came
// before them, so they are kept (edge) until the counter has advanced so far that nothing of before is left in its
// state; merging counts them again after what was before, and then adds what was counted after them.
//
// How far the edge goes follows from its values alone (see climb), and never becomes longer by values before it. So
// parts that are merged have the edge of the whole.
type sequence struct {
	counts SequenceCounts
	state  seqState
	edge   []seqRun
	climb  climb // of the edge; while not closed
	// What holds after the edge; valid iff closed.
	closed     bool
	edgeState  seqState
	edgeCounts SequenceCounts
}

// seqRun is a value that came some times in a row. From the second time on it changes no state, and counts the same
// each time.
type seqRun struct {
	value, times uint64
	at           tick // of the first of them: the others lose nothing
}

// climb measures how far a counter got since it last jumped, by the steps between values that follow each other. It
// begins where a value was followed by the next one: there a counter that was astray is found again.
//
// Values before the first can only make it begin earlier, lower, so that it is never less for them.
type climb struct {
	any      bool
	begun    bool // low and high are valid
	last     uint64
	at       int64 // relative to where it began to be followed
	low      int64 // the least place where a value was followed by the next one
	high     int64
	finished bool
}

func (c *climb) add(v, modulus uint64) {
	ahead, behind, half := distance(v, c.last, modulus)
	switch {
	case !c.any:
		c.any = true
	case ahead <= min(half, maxJump):
		if ahead == 1 && (!c.begun || c.at < c.low) {
			if !c.begun {
				c.begun, c.high = true, c.at
			}
			c.low = c.at
		}
		c.at += int64(ahead)
		c.high = max(c.high, c.at)
	case behind <= maxBehind:
		c.at -= int64(behind)
	default:
		*c = climb{any: true}
	}
	c.last = v
	c.finished = c.begun && c.high-c.low >= settled
}

// seqState is all that decides what the next value means.
//
// Invariants: begun, else all is zero; bit 0 of seen is set; no bit is in both.
type seqState struct {
	begun    bool
	astray   bool
	high     uint64 // the largest value
	seen     uint64 // bit i: high-i came
	missing  uint64 // bit i: high-i is counted as lost
	expected uint64 // valid iff astray: what follows the stray value
}

// add counts a value; modulus is how many values the counter has, 0 for 2^64. It tells how many values it found lost,
// below 0 where it came late, and 0 while what came before the edge matters: see edgeLosses.
func (s *sequence) add(v, modulus uint64, at tick) (lost int64) {
	before := s.counts.Lost
	s.count(v, modulus)
	if s.closed {
		return int64(s.counts.Lost - before)
	}
	s.keep(v, modulus, at)
	return 0
}

// edgeLosses tells what the values of the edge found lost, if nothing came before it.
func (s *sequence) edgeLosses(modulus uint64, tell func(at tick, lost int64)) {
	var all sequence
	for _, r := range s.edge {
		before := all.counts.Lost
		all.count(r.value, modulus)
		tell(r.at, int64(all.counts.Lost-before))
	}
}

// keep adds a value that was counted to the edge.
func (s *sequence) keep(v, modulus uint64, at tick) {
	if n := len(s.edge); n > 0 && s.edge[n-1].value == v {
		s.edge[n-1].times++
		return
	}
	s.edge = append(s.edge, seqRun{v, 1, at})
	s.climb.add(v, modulus)
	if s.climb.finished || len(s.edge) == maxSeqEdge {
		s.close()
	}
}

// addRun counts a run as add does its values, of which only the first finds any lost.
func (s *sequence) addRun(r seqRun, modulus uint64) (lost int64) {
	lost = s.add(r.value, modulus, r.at)
	if r.times == 1 {
		return lost
	}
	before := s.counts
	s.add(r.value, modulus, r.at)
	each, left := s.counts.since(before), r.times-2
	s.counts.Merge(each.times(left))
	if !s.closed {
		s.edge[len(s.edge)-1].times += left
	}
	return lost
}

func (s *sequence) close() {
	s.closed, s.edgeState, s.edgeCounts, s.climb = true, s.state, s.counts, climb{}
}

// distance is how far v is ahead of a value and after it, and how far half of all values are: a step of so many is one
// ahead.
func distance(v, from, modulus uint64) (ahead, behind, half uint64) {
	ahead, behind, half = v-from, from-v, 1<<63
	if modulus != 0 {
		half = modulus / 2
		if v < from {
			ahead = modulus - behind
		} else if ahead > 0 {
			behind = modulus - ahead
		}
	}
	return ahead, behind, half
}

func (s *sequence) count(v, modulus uint64) {
	st, n := &s.state, &s.counts
	n.Received++
	if !st.begun {
		*st = seqState{begun: true, high: v, seen: 1}
		return
	}
	ahead, behind, half := distance(v, st.high, modulus)
	switch {
	case ahead == 0:
		n.Duplicated++
	case ahead <= min(half, maxJump):
		n.Lost += ahead - 1
		st.high, st.astray, st.expected = v, false, 0
		if ahead < windowWidth {
			st.seen = st.seen<<ahead | 1
			st.missing = st.missing<<ahead | (1<<(ahead-1)-1)<<1
		} else {
			st.seen, st.missing = 1, ^uint64(1)
		}
	case ahead > half && behind <= maxBehind:
		bit := uint64(1) << behind
		switch {
		case st.seen&bit != 0:
			n.Duplicated++
		case st.missing&bit != 0:
			n.Lost = max(n.Lost, 1) - 1
			n.Reordered++
		default: // from before the first
			n.Reordered++
		}
		st.seen |= bit
		st.missing &^= bit
	case st.astray && v == st.expected:
		n.Strays = max(n.Strays, 1) - 1
		n.Restarts++
		*st = seqState{begun: true, high: v, seen: 3}
	default:
		n.Strays++
		st.astray, st.expected = true, v+1
		if modulus != 0 && st.expected == modulus {
			st.expected = 0
		}
	}
}

// merge continues s with what another part counted after it. tell hears what o's edge found lost.
func (s *sequence) merge(o *sequence, modulus uint64, tell func(at tick, lost int64)) {
	for _, r := range o.edge {
		tell(r.at, s.addRun(r, modulus))
	}
	if !o.closed {
		return
	}
	if !s.closed {
		s.close() // as an edge of a part of an older version wants it
	}
	after := o.counts.since(o.edgeCounts)
	if s.state != o.edgeState {
		after.Unsettled++
	}
	s.counts.Merge(after)
	if int64(s.counts.Lost) < 0 { // not settled, or a part that tells lies
		s.counts.Lost = 0
	}
	s.state = o.state
}

// join continues s with o, of which nobody knows what came between them. tell is as in merge.
func (s *sequence) join(o *sequence, modulus uint64, tell func(at tick, lost int64)) {
	if !o.state.begun {
		return
	}
	o.edgeLosses(modulus, tell)
	if !s.closed {
		s.close()
	}
	s.counts.Merge(o.counts)
	s.state = o.state
}

func (s *sequence) code(c *coder, modulus uint64) {
	short := c.version >= 3 // an edge that is not closed says all
	if !short {
		s.counts.code(c)
		s.state.code(c, modulus)
	}
	c.bool(&s.closed)
	var closed sequence
	if s.closed {
		if short {
			s.counts.code(c)
			s.state.code(c, modulus)
		}
		s.edgeCounts.code(c)
		s.edgeState.code(c, modulus)
		closed = *s
	} else if !short {
		var advanced uint64
		c.uint(&advanced, settled)
	}
	n := c.length(len(s.edge), maxSeqEdge, 1)
	if c.writing {
		s.codeEdge(c, s.edge, modulus)
		return
	}
	edge := make([]seqRun, n)
	s.codeEdge(c, edge, modulus)
	if c.err != nil {
		return
	}
	*s = closed
	if s.closed {
		s.edge = edge
		return
	}
	for _, r := range edge {
		s.addRun(r, modulus)
	}
}

// codeEdge is an edge, its values as steps.
func (s *sequence) codeEdge(c *coder, edge []seqRun, modulus uint64) {
	last := uint64(0)
	for i := range edge {
		r := &edge[i]
		step := int64(r.value - last)
		c.int(&step)
		r.value = last + uint64(step)
		last = r.value
		c.check(modulus == 0 || last < modulus, "a counter has a value that it cannot have")
		r.times--
		if c.version >= 3 {
			c.uint(&r.times, saved.MaxCount)
		} else {
			r.times = 0
		}
		r.times++
		if c.timed {
			c.tick(&r.at)
		}
	}
}

func (s *seqState) code(c *coder, modulus uint64) {
	c.bool(&s.begun)
	if !s.begun {
		return
	}
	most := modulus - 1 // all ones for 0
	c.bool(&s.astray)
	c.uint(&s.high, most)
	c.uint(&s.seen, ^uint64(0))
	c.uint(&s.missing, ^uint64(0))
	c.check(s.seen&1 == 1 && s.seen&s.missing == 0, "a counter's state cannot be")
	if s.astray {
		c.uint(&s.expected, most)
	}
}
