package fuzz

import (
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Where a cut is refused: fields whose width is found on the way are read in pieces, and the piece that does not fit is
// what the reject is about (wire.md, "What a reject says").

// eventPath appends the path that a reject of an event's field has. What has no name of its own is told by its owner's.
// The index that ends a list is read like that of one more element.
func (r *mutating) eventPath(b []byte, ev *decode.Event) []byte {
	b = r.trace.AppendEventPath(b, ev)
	node := &r.plan.Nodes[ev.Node]
	if node.Kind != plan.NodeItem || node.Named {
		return b
	}
	b = oracle.OwnerPath(b)
	_, ok := r.plan.StepAt(r.trace.Records[ev.Record].Point).(*plan.Number)
	if ok {
		b = append(strconv.AppendInt(append(b, '['), int64(r.counts[len(r.counts)-1]), 10), "].index"...)
	}
	return b
}

// pieces cuts the packet everywhere in a field: in each flag and in the step of a ladder, in each group of a varint, in
// any other field as a whole.
func (r *mutating) pieces(ev *decode.Event, path string) bool {
	at, end := ev.Bit, ev.Bit+ev.Width
	s := r.plan.StepAt(r.trace.Records[ev.Record].Point)
	if b, ok := s.(*plan.Blob); ok && b.Text == schema.TextCString {
		// A text that ends before its NUL lacks one byte more than is there.
		for size := 8; size < ev.Width; size += 8 {
			for ; 8*r.cut < at+size; r.cut++ {
				if !r.cutAt(path, at, size) {
					return false
				}
			}
		}
	}
	if b, ok := s.(*plan.Blob); ok && b.Text == schema.TextName && !r.nameCuts(ev, path) {
		return false
	}
	n, ok := s.(*plan.Number)
	for ok && n.Kind == plan.NumberVarint && at+8 < end {
		if !r.cuts(path, at, 8) {
			return false
		}
		at += 8
	}
	for ok && n.Kind == plan.NumberBelow && at+1 < end {
		if !r.cuts(path, at, 1) {
			return false
		}
		at++
	}
	if ok && (n.Kind == plan.NumberLadder || n.Kind == plan.NumberStep) {
		for flags := 0; flags < 6; flags++ {
			if !r.cuts(path, at, 1) {
				return false
			}
			if at++; n.Order.Load(r.packet, at-1, 1) == 1 {
				break
			}
		}
	}
	return r.cuts(path, at, end-at)
}
