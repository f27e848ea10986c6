package filter

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// What spans hold, for those who look at a trace's columns and do not walk over it. To add a shape of spans: say here
// which of its spans hold a leaf (leafKind), and in presentSlot that something is there.

// leafKind tells how a leaf is recorded.
type leafKind uint8

const (
	inRun    leafKind = iota // one of several of a span
	inNumber                 // a span of its own, whose N is its width
	inSlot                   // the index of a bitmap's element: a span of no bits beside those of the flags
)

func leafKindOf(p *plan.Plan, leaf int32) leafKind {
	if at := p.Info[leaf].Point; p.ShapeAt(at) == plan.ShapeCodes {
		return inRun
	} else if isSubset(p, at) {
		return inSlot
	}
	return inNumber
}

// isSubset reports whether a point is in a subset; of those that record a code, it is a bitmap.
func isSubset(p *plan.Plan, at plan.Point) bool {
	_, ok := p.StepAt(at).(*plan.Subset)
	return ok
}

// holds reports whether a span of the leaf's point holds the leaf, off being its number in its run.
func (l leafKind) holds(t *decode.Trace, s *decode.Record, off uint32) bool {
	switch l {
	case inNumber:
		return !endsList(t, s)
	case inSlot:
		return s.N == 0
	}
	return off < s.N // else a refused packet's last run
}

// endsList reports whether a span of a number is the index that ends a list and belongs to no element.
func endsList(t *decode.Trace, s *decode.Record) bool {
	return t.LeafOf(s) != t.Plan.LeafAt(s.Point)
}

// isFlag reports whether a span is the flag of a bitmap. It stands outside the list, between the list's elements.
func isFlag(t *decode.Trace, s *decode.Record) bool {
	return s.N == 1 && t.Plan.ShapeAt(s.Point) == plan.ShapeCode && isSubset(t.Plan, s.Point)
}

// length is how many elements of a list were read. Of an accepted packet it is what the packet announced, except where
// the list found its end on the way: the index that ends one was begun like an element.
func (m *Matcher) length(list int) int {
	t, spans := m.trace, m.trace.Records
	if !t.Rejected() && plan.Counted(t.Plan.StepAt(spans[list].Point)) {
		return int(spans[list].N)
	}
	n, last := 0, -1
	for i := list + 1; i < len(spans); i++ {
		s := &spans[i]
		if int(s.Parent) < list {
			if isFlag(t, s) {
				continue
			}
			break
		}
		if int(s.Parent) == list && int(s.Index) != last && !m.hollow(s) {
			n, last = n+1, int(s.Index)
		}
	}
	return n
}

// hollow reports whether a span shows nothing of the element that it is in: a run that was refused at its first field,
// the flag of an element that may be absent, the length of one that is text.
func (m *Matcher) hollow(s *decode.Record) bool {
	p := m.prog.plan
	run, ok := p.StepAt(s.Point).(*plan.Run)
	if !ok {
		return false
	}
	n := &p.Nodes[p.Info[run.First].Node]
	return s.N == 0 || n.Named && (n.Elem || p.Nodes[n.Parent].Elem && p.Nodes[n.Parent].Kind == plan.NodeBlob)
}
