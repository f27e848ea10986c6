package budget

import (
	"fmt"
	"slices"
	"strings"
)

// Growth: what a number's range says of the session's length instead of the number.
//
// A counter rises from moment to moment and falls where it wraps or its sender begins again; what is bounded falls
// about as often as it rises. A ring rises too, but it always turns at the same place. The same holds upside down: what
// only fell was larger before. Whether it is a counter or something on its way, the numbers cannot say: the reason does
// not either. A range that is wide only in the second half of what was seen is not known yet, whatever the number is.
// With a few moments nothing is known but that it is a constant.

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

// trend is where a number went, "" where it goes up and down or around.
func (c *course) trend() string {
	switch {
	case c.ring:
	case c.rises >= max(leastRises, 3*c.falls):
		return "rose"
	case c.falls >= max(leastRises, 3*c.rises):
		return "fell"
	}
	return ""
}

func (t *track) course(column int) (c course) {
	var seen, tops, starts [mostMoments]uint64
	least := ^uint64(0)
	for i := range t.slots {
		if n := t.rows[i][column]; n > 0 {
			seen[c.moments] = n - 1
			c.moments++
			c.top = max(c.top, n-1)
			least = min(least, n-1)
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
			starts[c.rises] = n
			c.rises++
		case n < last:
			tops[c.falls] = last
			c.falls++
		}
	}
	turns, edge := tops[:c.falls], seen[max(c.moments, 1)-1]
	if c.falls > c.rises {
		turns, edge = starts[:c.rises], seen[0]
	}
	if len(turns) > 0 && edge == c.top {
		turns = append(turns, edge) // there it turns, beyond what was seen
	}
	c.ring = alike(turns, (c.top-min(least, c.top))/16)
	return c
}

// alike reports whether three in four of the places where a number turned are near the one in their middle; of fewer than
// leastTurns, whether two or three are the same. A counter that begins again has places all over.
func alike(turns []uint64, near uint64) bool {
	slices.Sort(turns)
	if len(turns) < leastTurns {
		return len(turns) > 1 && turns[0] == turns[len(turns)-1]
	}
	middle := turns[len(turns)/2]
	n := 0
	for _, at := range turns {
		if max(at, middle)-min(at, middle) <= near {
			n++
		}
	}
	return 4*n >= 3*len(turns)
}

// growth is why what was seen of a declaration says nothing of what it needs; "" where it does.
func (b *Budget) growth(d *declared) string {
	if d.clock() {
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
	return b.moments.growth(l, most)
}

// growth judges the columns of a leaf's declaration by their moments; most is the largest magnitude that was counted.
func (m *moments) growth(l *leaf, most uint64) string {
	all := m.all.course(int(l.column))
	switch {
	case all.moments == 0 || all.top < most || l.order >= 0 && !m.ordered:
		return "the saved results do not say when"
	case all.moments < leastMoments:
		return fmt.Sprintf("%d moments are too few to see whether it grows", all.moments)
	}
	by, bound := l.column, ""
	if l.order >= 0 {
		by, bound = l.order, "±"
	}
	if trend := m.trend(int(by)); trend != "" {
		return "it " + trend + ": longer sessions may have more"
	}
	if l.order >= 0 {
		if trend := m.trend(int(l.column)); strings.HasPrefix(trend, "rose") {
			return "its distance from 0 " + trend + ": longer sessions may have more"
		}
	}
	if all.top > all.before+all.before/2 {
		return fmt.Sprintf("the first half had at most %s%d", bound, all.before)
	}
	return ""
}

// trend is where the numbers of a column went, of all packets or of each sender's.
func (m *moments) trend(column int) string {
	all := m.all.course(column)
	if trend := all.trend(); trend != "" {
		return trend + " all along"
	}
	// Over many senders a counter of each looks bounded, by how long they stay.
	var together course
	went, moving := map[string]int{}, 0
	for i := range m.flows {
		c := m.flows[i].course(column)
		went[c.trend()]++
		if c.rises+c.falls > 0 {
			moving++
		}
		if !c.ring {
			together.rises += c.rises
			together.falls += c.falls
		}
	}
	for _, trend := range []string{"rose", "fell"} {
		if 5*went[trend] > moving || together.trend() == trend {
			return trend + " with each sender"
		}
	}
	return ""
}
