package oracle

import (
	"fmt"
	"math"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// A smallest-three quaternion is sent as the index of its largest component and the codes of the others. A reader may
// give these, or what it makes of them: x, y, z and w. That stands for the same rotation as its negative does.

// quaternions compares those of a packet. Its leaves come to it one by one.
type quaternions struct {
	bits  map[int]int // of a component, by the last leaf of each
	codes [4]uint64   // of the last leaves, the latest last
}

func newQuaternions(p *plan.Plan) *quaternions {
	q := &quaternions{bits: map[int]int{}}
	for _, s := range p.Steps {
		if unit, ok := s.(*plan.Unit); ok {
			q.bits[int(unit.First)+3] = int(unit.Bits)
		}
	}
	return q
}

// components is the quaternion that ends with the leaf of an event, and how wide a step of a component is; ok is false
// where none does. known says of each component that its value is sure: of the largest it is not, where the packet has
// dropped another.
func (q *quaternions) components(ev *decode.Event) (v [4]float64, known [4]bool, step float64, ok bool) {
	copy(q.codes[:], q.codes[1:])
	q.codes[3] = ev.Raw
	n := q.bits[ev.Leaf]
	if n == 0 {
		return v, known, 0, false
	}
	_, canonical := wire.SmallestJudge(q.codes[1:], n)
	part := 1
	for i := range v {
		if known[i] = true; uint64(i) == q.codes[0] {
			v[i], known[i] = math.Sqrt(math.Max(0, float64(wire.SmallestLeft(q.codes[1:], n)))), canonical
			continue
		}
		v[i] = float64(wire.SmallestPart(q.codes[part], n))
		part++
	}
	return v, known, math.Sqrt2 / float64(wire.Mask(n)), true
}

// quaternion compares x, y, z and w, as many as are given, with the quaternion that ends with the leaf of an event.
func (c *comparison) quaternion(q *quaternions, ev *decode.Event) {
	want, known, step, ok := q.components(ev)
	if !ok {
		return
	}
	up := string(c.path[:len(c.path)-len(".c")])
	var got [4]float64
	given := known
	text := ""
	for i, name := range [4]string{".x", ".y", ".z", ".w"} {
		value, there := c.left[up+name]
		delete(c.left, up+name)
		if given[i] = given[i] && there; !there {
			continue
		}
		text += fmt.Sprintf(" %s = %s", name[1:], show(value))
		if got[i], there = real(value); !there {
			got[i] = math.NaN()
		}
	}
	near := func(sign float64) bool {
		for i, w := range want {
			if given[i] && !(math.Abs(sign*got[i]-w) <= step+1e-6+1e-5*math.Abs(w)) {
				return false
			}
		}
		return true
	}
	switch {
	case near(1) || near(-1):
	case c.trace.Plan.Nodes[ev.Node].Secret:
		c.add(up, secretDiffers)
	default:
		c.add(up, fmt.Sprintf("%s where the schema says x = %.5g y = %.5g z = %.5g w = %.5g, or the negative", text[1:], want[0], want[1], want[2], want[3]))
	}
}
