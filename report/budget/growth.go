package budget

import (
	"fmt"
	"slices"
)

// Growth: what a number's range says of the session's length instead of the number.
//
// A counter rises from moment to moment and falls where it wraps or its sender begins again; what is bounded falls about as often as
// it rises. A ring rises too, but it always turns at the same place. A range that is wide only in the second half of what was seen is
// not known yet, whatever the number is. With a few moments nothing is known but that it is a constant.

const (
	leastMoments = 8
	leastRises   = 8 // fewer say nothing
	leastTurns   = 4 // of a ring
)

// course is how a number went from moment to moment. It never needs more than the moments that a track keeps.
type course struct {
	moments     int
	rises       int
	falls       int
	ring        bool   // it turned at the same place again and again
	top, before uint64 // the largest number, of all and of the first half
}

func (t *track) course(column int) (c course) {
	var seen, turns [mostMoments]uint64
	for i := range t.slots {
		if n := t.rows[i][column]; n > 0 {
			seen[c.moments] = n - 1
			c.moments++
			c.top = max(c.top, n-1)
		}
	}
	for i, n := range seen[:c.moments] {
		if i < (c.moments+1)/2 {
			c.before = max(c.before, n)
		}
		if i == 0 {
			continue
		}
		switch last := seen[i-1]; {
		case n > last:
			c.rises++
		case n < last:
			turns[c.falls] = last
			c.falls++
		}
	}
	c.ring = alike(turns[:c.falls])
	return c
}

// alike reports whether three in four of the places where a number fell are within a sixteenth of the one in their middle. A counter
// that begins again has places all over.
func alike(turns []uint64) bool {
	if len(turns) < leastTurns {
		return false
	}
	slices.Sort(turns)
	middle := turns[len(turns)/2]
	n := 0
	for _, at := range turns {
		if max(at, middle)-min(at, middle) <= middle/16 {
			n++
		}
	}
	return 4*n >= 3*len(turns)
}

// counts tells a counter from what goes up and down.
func (c *course) counts() bool { return c.rises >= max(leastRises, 3*c.falls) && !c.ring }

// growth is why what was seen of a declaration says nothing of what it needs; "" where it does.
func (b *Budget) growth(d *declared) string {
	if n := d.facts.notes; n != nil && n.Time != 0 {
		return "a clock runs on"
	}
	if d.least == d.most {
		return ""
	}
	l := &b.shape.leaves[d.leaves[0]]
	most := d.most + l.base
	if l.mode == signed {
		most = max(magnitude(d.least^signBit), magnitude(d.most^signBit))
	}
	return b.moments.growth(int(l.column), most)
}

// growth judges a column by its moments; most is the largest number that was counted in it.
func (m *moments) growth(column int, most uint64) string {
	all := m.all.course(column)
	switch {
	case all.moments == 0 || all.top < most:
		return "the saved results do not say when"
	case all.moments < leastMoments:
		return fmt.Sprintf("%d moments are too few to see whether it grows", all.moments)
	case all.counts():
		return "it rose all along, as a counter does"
	}
	// Over many senders a counter of each looks bounded, by how long they stay.
	var together course
	counters, others := 0, 0
	for i := range m.flows {
		c := m.flows[i].course(column)
		switch {
		case c.counts():
			counters++
		case c.rises+c.falls > 0:
			others++
		}
		if !c.ring {
			together.rises += c.rises
			together.falls += c.falls
		}
	}
	switch {
	case 4*counters > others, together.counts():
		return "it rose with each sender, as a counter does"
	case all.top > all.before+all.before/2:
		return fmt.Sprintf("the first half had at most %d", all.before)
	}
	return ""
}
