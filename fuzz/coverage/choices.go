package coverage

import (
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
)

// Choice is a part of a plan that a packet has or not: a way of an `if`, an arm of a switch, an element of a list.
type Choice struct {
	points []uint32 // any of them
	Part   string
	Rule   string
	Way    []plan.Turn
}

// Choices lists those that nothing proves impossible, in the order of the plan.
func (c *Set) Choices() []Choice {
	m := c.points
	p := m.p
	var all []Choice
	add := func(at plan.Fork, block int, part string, points ...uint32) {
		points = slices.DeleteFunc(points, func(at uint32) bool { return m.possible[at/64]>>(at%64)&1 == 0 })
		if len(points) == 0 {
			return
		}
		if part == "" {
			part = m.part(points[0])
		}
		all = append(all, Choice{points, part, m.rule(at.At().Node), append(p.Around(at.At().ID), plan.Turn{At: at, Block: block})})
	}
	for _, s := range p.Steps {
		at, ok := s.(plan.Fork)
		if !ok {
			continue
		}
		first := m.itself[s.At().ID]
		if at.Flow() == plan.Repeat {
			var some []uint32
			for n := uint32(1); n < sizeBuckets(m.most[s.At().ID]); n++ {
				some = append(some, first+n)
			}
			add(at, 0, "an element", some...)
			continue
		}
		for i := range s.Blocks() {
			add(at, i, "", first+uint32(i))
		}
	}
	return all
}

// In reports whether a packet of a Set has it.
func (c *Choice) In(valid *Set) bool { return slices.ContainsFunc(c.points, valid.has) }
