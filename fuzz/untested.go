package fuzz

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// Untested is a part of a protocol of which nothing is known about the reader: no valid packet has it, or no packet was
// refused so, and nothing proves that none can be.
type Untested struct {
	Rule string      // as in Refusal
	Kind reject.Kind // of a way to be refused; None of what no valid packet has
	Part string      // of the latter: "case Ping", "if taken at line 12", "an element"; "" of everything
	Why  string      // of the latter: what stood in the way at last
	// Known says that the reader's owner accepts it: it is no reason to fail.
	Known bool
}

// What says in words what is missing.
func (u *Untested) What() string {
	switch {
	case u.Kind != reject.None:
		return u.Kind.String() + ": no packet was refused so, and nothing proves that none can be"
	case u.Part == "":
		return u.Why
	}
	return fmt.Sprintf("%s: no valid packet has it, at last: %s", u.Part, u.Why)
}

// NothingTested is the error of an audit or a campaign that had no valid packet: whatever it sent says nothing about a rule.
type NothingTested struct {
	Tries int
	Last  error // of the generator
}

// Error says how often it was tried, and what stood in the way at last.
func (n *NothingTested) Error() string {
	return fmt.Sprintf("nothing was tested: no valid packet in %d tries, at last: %v", n.Tries, n.Last)
}

// Unwrap is the last try's error.
func (n *NothingTested) Unwrap() error { return n.Last }

// choice is a part of a plan that a packet has or not: a way of an `if`, an arm of a switch, an element of a list.
type choice struct {
	points []uint32 // any of them
	part   string
	rule   string
	way    []plan.Turn
}

// choices lists those that nothing proves impossible, in the order of the plan.
func (m *points) choices() []choice {
	p := m.p
	var all []choice
	add := func(at plan.Fork, block int, part string, points ...uint32) {
		points = slices.DeleteFunc(points, func(at uint32) bool { return m.possible[at/64]>>(at%64)&1 == 0 })
		if len(points) == 0 {
			return
		}
		if part == "" {
			part = m.part(points[0])
		}
		all = append(all, choice{points, part, m.rule(at.At().Node), append(p.Around(at.At().ID), plan.Turn{At: at, Block: block})})
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

// gap is a choice that no valid packet was found for.
type gap struct {
	choice
	why error // of the last try
}

// fillGaps looks at what the valid packets so far reached, and has g make one for each choice that they leave out, which it
// hands on until found returns false, and adds to valid. It returns what is left.
func fillGaps(ctx context.Context, g *Generator, seed uint64, valid *Coverage, found func(p Packet) bool) (left []gap) {
	for i, c := range valid.points.choices() {
		if c.in(valid) {
			continue
		}
		last := error(errNotMet)
		way, groups := g.steer(c.way), g.groups
		if demands := g.demandsOf(c.way, way); len(demands) > 0 {
			g.groups = g.groupsWith(nil, demands)
		}
		for try := range uint64(tries) {
			if ctx.Err() != nil {
				break
			}
			from := g.begin(rand.New(rand.NewPCG(seed, ^uint64(i)<<16|try)), nil, false)
			g.source.way = way
			p, err := g.finish(from)
			if err != nil {
				last = err
				continue
			}
			valid.Add(&g.found)
			if c.in(valid) {
				p.Why = c.rule + ": " + c.part
				if !found(p) {
					g.groups = groups
					return left
				}
				break
			}
		}
		g.groups = groups
		if !c.in(valid) {
			left = append(left, gap{c, last})
		}
	}
	return left
}

// in reports whether a packet of a coverage has it.
func (c *choice) in(valid *Coverage) bool { return slices.ContainsFunc(c.points, valid.has) }

// untested are the gaps that the valid packets still leave.
func untested(gaps []gap, valid *Coverage) (list []Untested) {
	for i := range gaps {
		if c := &gaps[i]; !c.in(valid) {
			list = append(list, Untested{Rule: c.rule, Part: c.part, Why: c.why.Error()})
		}
	}
	return list
}
