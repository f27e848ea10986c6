package filter

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// What spans hold, for those who look at a trace's columns and do not walk over it. To add an op that records spans: say
// here which of its spans hold a leaf (leafKind), and in presentSlot that something is there.

// leafKind tells how a leaf is recorded.
type leafKind uint8

const (
	inRun    leafKind = iota // one of several of a span
	inNumber                 // a span of its own, whose N is its width
	inSlot                   // the index of a bitmap's element: a span of no bits beside those of the flags
)

func leafKindOf(p *plan.Plan, leaf int32) leafKind {
	switch p.Ops[p.Info[leaf].Op].Code {
	case plan.OpNumber:
		return inNumber
	case plan.OpSlot:
		return inSlot
	}
	return inRun
}

// holds reports whether a span of the leaf's op holds the leaf, off being its number in its run.
func (k leafKind) holds(t *decode.Trace, s *decode.Span, off uint32) bool {
	switch k {
	case inNumber:
		return !endsList(t, s)
	case inSlot:
		return s.N == 0
	}
	return off < s.N // else a refused packet's last run
}

// endsList reports whether a span of an OpNumber is the index that ends a list and belongs to no element.
func endsList(t *decode.Trace, s *decode.Span) bool {
	n := t.Plan.Numbers[t.Plan.Ops[s.Op].B]
	return n.EndLeaf >= 0 && t.Raw[s.Raw] == n.Most
}

// isFlag reports whether a span is the flag of a bitmap. It stands outside the list, between the list's elements.
func isFlag(t *decode.Trace, s *decode.Span) bool {
	return s.N == 1 && t.Plan.Ops[s.Op].Code == plan.OpSlot
}

// length is how many elements of a list were read. Of an accepted packet it is what the packet announced, except where
// the list found its end on the way: the index that ends one was begun like an element.
func (m *Matcher) length(list int) int {
	t, spans := m.trace, m.trace.Spans
	if !t.Rejected() && t.Plan.Ops[spans[list].Op].Code == plan.OpArray {
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
func (m *Matcher) hollow(s *decode.Span) bool {
	p := m.prog.plan
	op := &p.Ops[s.Op]
	if op.Code != plan.OpRun {
		return false
	}
	n := &p.Nodes[p.Info[op.A].Node]
	return s.N == 0 || n.Named && (n.Elem || p.Nodes[n.Parent].Elem && p.Nodes[n.Parent].Kind == plan.NodeBlob)
}

// textOfSpan is what a blob holds: its bytes, or its text as UTF-8. What does not lie in the datagram as it is shown is
// made in room.
func textOfSpan(t *decode.Trace, s *decode.Span, room *[]byte) []byte {
	bit, size := int(s.Bit), int(s.N)
	op := &t.Plan.Ops[s.Op]
	order := op.Order
	b := (*room)[:0]
	switch {
	case t.Plan.Blobs[op.A].Text == schema.TextWString:
		b = order.AppendWide(b, t.Payload, bit, size)
	case bit%8 == 0:
		return t.Payload[bit/8 : bit/8+size : bit/8+size]
	default:
		b = order.AppendBytes(b, t.Payload, bit, size)
	}
	*room = b
	return b
}
