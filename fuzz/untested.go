package fuzz

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/coverage"
)

// Untested is a part of a protocol of which nothing is known about the reader: no valid packet has it, or no packet was
// refused so, and nothing proves that none can be; or some of its packets were given up.
type Untested struct {
	Rule string      // as in coverage.RejectPoint
	Kind reject.Kind // of a way to be refused; None of what no valid packet has
	Part string      // of the latter: "case Ping", "if taken at line 12", "an element"; "" of everything; "given up"
	Why  string      // of the latter: what stood in the way at last
	// Known says that the reader's owner accepts it: it is no reason to fail.
	Known bool
	// NotReached says that the run ended before it came there: it is no result.
	NotReached bool
}

// What says in words what is missing.
func (u *Untested) What() string {
	switch {
	case u.NotReached:
		return u.Kind.String() + ": not reached, because the audit ended early"
	case u.Kind != reject.None:
		return u.Kind.String() + ": no packet was refused so, and nothing proves that none can be"
	case u.Part == "":
		return u.Why
	case u.Part == givenUp:
		return givenUp + " " + u.Why
	}
	return fmt.Sprintf("%s: no valid packet has it, at last: %s", u.Part, u.Why)
}

// NothingTested is the error of an audit or a campaign that had no valid packet: whatever it sent says nothing about a
// rule.
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

// gap is a choice that no valid packet was found for.
type gap struct {
	coverage.Choice
	why error // of the last try
}

// fillGaps looks at what the valid packets so far reached, and has g make one for each choice that they leave out,
// which it hands on until found returns false, and adds to valid. It returns what is left; when ctx ends, what is known
// of that by then.
func fillGaps(ctx context.Context, g *Generator, seed uint64, valid *coverage.Set, found func(p Packet) bool) (left []gap) {
	for i, c := range valid.Choices() {
		if c.In(valid) {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		last := error(errNotMet)
		way := g.way(c.Way)
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
			if c.In(valid) {
				p.Why = c.Rule + ": " + c.Part
				if !found(p) {
					return left
				}
				break
			}
		}
		if !c.In(valid) {
			left = append(left, gap{c, last})
		}
	}
	return left
}

// untested are the gaps that the valid packets still leave.
func untested(gaps []gap, valid *coverage.Set) (list []Untested) {
	for i := range gaps {
		if c := &gaps[i]; !c.In(valid) {
			list = append(list, Untested{Rule: c.Rule, Part: c.Part, Why: c.why.Error()})
		}
	}
	return list
}
