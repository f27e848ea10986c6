package fuzz

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/bitio"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// What is broken bit by bit: padding, reserved bits, checks, the checksum; and where the packet ends.

// reserved flips each of reserved bits, however many.
func (r *mutating) reserved(ev *decode.Event, path string) bool {
	var op *plan.Op
	var any bool
	if ev.Leaf >= 0 {
		info := &r.plan.Info[ev.Leaf]
		op, any = &r.plan.Ops[info.Op], info.Any
	} else {
		op = &r.plan.Ops[r.opOf(ev)]
		any = op.Flags&plan.FlagAny != 0
	}
	want := refused(reject.ReservedNonzero, path, ev.Bit, ev.Width)
	if any {
		want = accepted
	}
	return r.flips(ClassReserved, path, ev.Bit, ev.Width, bitio.Order(op.Order), want)
}

// opOf is the op that read an event's field.
func (r *mutating) opOf(ev *decode.Event) int {
	if ev.Leaf >= 0 {
		return int(r.plan.Info[ev.Leaf].Op)
	}
	for i := range r.plan.Ops {
		if op := &r.plan.Ops[i]; op.Node == ev.Node && (op.Code == plan.OpBlob || op.Code == plan.OpReserved) {
			return i
		}
	}
	panic("pktscope: internal error: a field that no op reads")
}

// cuts cuts the packet at every byte up to the end of a piece of width bits: the piece is refused, as a whole. known says
// that the piece is path's.
func (r *mutating) cuts(path string, bit, width int, known bool) bool {
	for ; 8*r.cut < bit+width; r.cut++ {
		if !r.cutAt(path, bit, width, known) {
			return false
		}
	}
	return true
}

// cutAt cuts the packet at the next byte, where a piece of width bits does not fit any more.
func (r *mutating) cutAt(path string, bit, width int, known bool) bool {
	want := refused(reject.PastEnd, path, bit, width)
	if !known || r.inWindow {
		want = Expectation{}
	}
	return r.give(ClassCut, r.fresh()[:r.cut], path, "cut", 8*r.cut, 0, want)
}

// flips flips each of width bits alone.
func (r *mutating) flips(class Class, path string, bit, width int, order bitio.Order, want Expectation) bool {
	for at := bit; at < bit+width; at++ {
		if !r.give(class, r.flip(order, at), path, "a bit flipped", at, 0, want) {
			return false
		}
	}
	return true
}

// flip is the packet with one stream bit flipped.
func (r *mutating) flip(order bitio.Order, bit int) []byte {
	data := r.fresh()
	order.Store(data, bit, 1, 1^order.Load(data, bit, 1))
	return data
}

// padding takes the bits between the last field and bit, which nothing owns. ev is the field behind them, nil at the
// packet's end.
func (r *mutating) padding(ev *decode.Event, bit int) bool {
	if bit == r.end {
		return true
	}
	path, op, known := r.owner(ev)
	if !r.cuts(path, r.end, bit-r.end, known) {
		return false
	}
	for at := r.end; at < bit; at++ {
		want := refused(reject.NonzeroPadding, path, at, 1)
		if op.Flags&plan.FlagAny != 0 {
			want = accepted
		}
		if !known {
			want = Expectation{}
		}
		if !r.give(ClassPadding, r.flip(bitio.Order(op.Order), at), path, "padding set", at, 0, want) {
			return false
		}
	}
	r.end = bit
	return true
}

// owner says whose padding stands in front of a field, and which op reads it: the struct's, where an `align` or a check
// with a label is right in front of the field, or that of bytes, which align by themselves. known is false where it
// takes more to find out.
func (r *mutating) owner(ev *decode.Event) (path string, by *plan.Op, known bool) {
	at, parent := len(r.plan.Ops)-1, plan.NodeID(0)
	if ev != nil {
		at, parent = r.opOf(ev), r.plan.Nodes[ev.Node].Parent
		path = string(r.path)
	}
	by = &r.plan.Ops[at]
	if at == 0 || r.plan.Ops[at-1].Code != plan.OpAlign {
		return path, by, by.Code == plan.OpBlob && !r.windows
	}
	by = &r.plan.Ops[at-1]
	if ev != nil && r.plan.Nodes[ev.Node].Kind != plan.NodeItem {
		path = string(ownerPath(r.path))
	}
	return path, by, r.plan.Nodes[by.Node].Parent == parent && !r.windows // the padding may be that of a window
}

// tail is what comes behind the last field: bits that decide nothing, and bytes too many.
func (r *mutating) tail() bool {
	bits := r.trace.Bits
	r.node = plan.NoNode
	if !r.flips(ClassTail, "", bits, 8*len(r.packet)-bits, r.plan.Order, accepted) {
		return false
	}
	for n := 1; n <= 8; n++ {
		data := append(r.fresh(), make([]byte, n)...)
		want := refused(reject.TrailingBytes, "", bits, 8*len(data)-bits)
		if len(data) > r.plan.Schema.MaxDatagram {
			want = refused(reject.DatagramSize, "", 0, 8*len(data))
		}
		if !r.give(ClassTail, data, "", "bytes too many", 8*len(r.packet), uint64(n), want) {
			return false
		}
	}
	return true
}

// covered flips each bit under the checksum and leaves the checksum as it was: nothing of that may pass.
func (r *mutating) covered() bool {
	if r.seen == nil || r.mute || r.crc.op == nil || r.crc.bit < 0 {
		return true
	}
	start := 0
	if r.plan.CRCs[r.crc.op.B].OverRest {
		start = r.crc.end()
	}
	for at := 8 * start; at < 8*len(r.packet); at++ {
		if r.crc.bit <= at && at < r.crc.bit+32 {
			continue // the checksum itself has been flipped
		}
		want := Expectation{Verdict: MustReject}
		if !r.giveAsIs(ClassChecksum, r.flip(r.plan.Order, at), "", "a bit flipped, the checksum left", at, 0, want) {
			return false
		}
	}
	return true
}
