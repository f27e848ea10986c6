package fuzz

import (
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
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
	b = ownerPath(b)
	if ev.Leaf >= 0 && r.plan.Ops[r.plan.Info[ev.Leaf].Op].Code == plan.OpNumber {
		b = append(strconv.AppendInt(append(b, '['), int64(r.counts[len(r.counts)-1]), 10), "].index"...)
	}
	return b
}

// pieces cuts the packet everywhere in a field: in each flag and in the step of a ladder, in each group of a varint, in
// any other field as a whole.
func (r *mutating) pieces(ev *decode.Event, path string) bool {
	at, end := ev.Bit, ev.Bit+ev.Width
	if op := &r.plan.Ops[r.trace.Spans[ev.Span].Op]; op.Code == plan.OpBlob && r.plan.Blobs[op.A].Text == schema.TextCString {
		// A text that ends before its NUL lacks one byte more than is there.
		for size := 8; size < ev.Width; size += 8 {
			for ; 8*r.cut < at+size; r.cut++ {
				if !r.cutAt(path, at, size) {
					return false
				}
			}
		}
	}
	if ev.Leaf >= 0 {
		op := &r.plan.Ops[r.plan.Info[ev.Leaf].Op]
		switch order := op.Order; {
		case op.Code != plan.OpNumber:
		case r.plan.Numbers[op.B].Kind == plan.NumberVarint:
			for ; at+8 < end; at += 8 {
				if !r.cuts(path, at, 8) {
					return false
				}
			}
		case r.plan.Numbers[op.B].Kind == plan.NumberLadder, r.plan.Numbers[op.B].Kind == plan.NumberStep:
			for flags := 0; flags < 6; flags++ {
				if !r.cuts(path, at, 1) {
					return false
				}
				if at++; order.Load(r.packet, at-1, 1) == 1 {
					break
				}
			}
		}
	}
	return r.cuts(path, at, end-at)
}
