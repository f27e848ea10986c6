package fuzz

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// What is broken bit by bit: padding, reserved bits, checks, the checksum; and where the packet ends.

// reserved flips each of reserved bits, however many.
func (r *mutating) reserved(ev *decode.Event, path string) bool {
	s := r.plan.StepAt(r.trace.Records[ev.Record].Point)
	bits, ok := s.(*plan.Reserved)
	any := ok && bits.Any || ev.Leaf >= 0 && r.plan.Info[ev.Leaf].Any
	want := refused(reject.ReservedNonzero, path, ev.Bit, ev.Width)
	if any {
		want = accepted
	}
	return r.flips(classReserved, path, ev.Bit, ev.Width, s.At().Order, want)
}

// cuts cuts the packet at every byte up to the end of a piece of width bits: the piece is refused, as a whole.
func (r *mutating) cuts(path string, bit, width int) bool {
	if r.muteCuts {
		r.cut = max(r.cut, (bit+width+7)/8)
	}
	for ; 8*r.cut < bit+width; r.cut++ {
		if !r.cutAt(path, bit, width) {
			return false
		}
	}
	return true
}

// cutAt cuts the packet at the next byte, where a piece of width bits does not fit any more. A window that does not fit
// is refused before anything in it.
func (r *mutating) cutAt(path string, bit, width int) bool {
	if r.muteCuts {
		return true
	}
	want := refused(reject.PastEnd, path, bit, width)
	for i := range r.gaps {
		if g := &r.gaps[i]; g.Window && g.Bit <= bit && g.Bit+g.Width >= bit+width && g.Bit+g.Width > 8*r.cut {
			want = refused(reject.PastEnd, r.gapPath(g), g.Bit, g.Width)
			break
		}
	}
	mute := r.mute
	r.mute = false
	ok := r.give(classCut, r.copyPacket()[:r.cut], path, "cut", 8*r.cut, 0, want)
	r.mute = mute
	return ok
}

// flips flips each of width bits alone.
func (r *mutating) flips(class Class, path string, bit, width int, order wire.Order, want oracle.Expectation) bool {
	r.width = 1
	defer func() { r.width = 0 }()
	for at := bit; at < bit+width && !r.mute; at++ {
		if !r.give(class, r.flip(order, at), path, "a bit flipped", at, 0, want) {
			return false
		}
	}
	return true
}

// flip is the packet with one stream bit flipped.
func (r *mutating) flip(order wire.Order, bit int) []byte {
	data := r.copyPacket()
	order.Store(data, bit, 1, 1^order.Load(data, bit, 1))
	return data
}

// padding takes the gaps between the last field and bit: padding, which nothing owns in a trace.
func (r *mutating) padding(bit int) bool {
	for ; r.gap < len(r.gaps) && r.gaps[r.gap].Bit < bit; r.gap++ {
		g := &r.gaps[r.gap]
		if g.Window {
			continue
		}
		path, s := r.gapPath(g), r.plan.StepAt(g.At.Point)
		if !r.cuts(path, g.Bit, g.Width) {
			return false
		}
		for at := g.Bit; at < g.Bit+g.Width && !r.mute; at++ {
			want := refused(reject.NonzeroPadding, path, at, 1)
			if align, ok := s.(*plan.Align); ok && align.Any {
				want = accepted
			}
			if !r.give(classPadding, r.flip(s.At().Order, at), path, "padding set", at, 0, want) {
				return false
			}
		}
	}
	return true
}

// gapPath is whose padding or window it is: the owner's.
func (r *mutating) gapPath(g *decode.Gap) string {
	r.scratch = r.trace.AppendPath(r.scratch[:0], g.At)
	return string(r.scratch)
}

// tail is what comes after the last field: bits that decide nothing, and bytes too many.
func (r *mutating) tail() bool {
	bits := r.trace.Bits
	r.node, r.width = plan.NoNode, 1
	for at := bits; at < 8*len(r.packet) && !r.mute; at++ {
		const done = "an unused bit at the end flipped, which only `align` there would forbid"
		if !r.give(classTail, r.flip(r.plan.Order, at), "", done, at, 0, accepted) {
			return false
		}
	}
	r.width = 0
	for n := 1; n <= 8; n++ {
		data := append(r.copyPacket(), make([]byte, n)...)
		want := refused(reject.TrailingBytes, "", bits, 8*len(data)-bits)
		if len(data) > r.plan.Schema.MaxDatagram {
			want = refused(reject.DatagramSize, "", 0, 8*len(data))
		}
		if !r.give(classTail, data, "", "bytes too many", 8*len(r.packet), uint64(n), want) {
			return false
		}
	}
	return true
}

// coveredBytes bounds what flipping the bits under a checksum sends for one packet: packets of up to 2,896 bytes are
// tried bit by bit, in longer ones leastCovered bits at least.
const (
	coveredBytes = 64 << 20
	leastCovered = 1 << 10
)

// covered flips each bit under each checksum and leaves that checksum as it was: nothing of that may pass.
func (r *mutating) covered() bool {
	if r.seen == nil || r.mute {
		return true
	}
	for i := range r.seals {
		if !r.under(&r.seals[i]) {
			return false
		}
	}
	return true
}

// under flips each bit under a checksum.
func (r *mutating) under(seal *plan.Seal) bool {
	start, end := seal.Covered(r.packet)
	bits := 8 * (end - start)
	step := 1
	if most := max(leastCovered, coveredBytes/max(len(r.packet), 1)); bits > most {
		step = (bits+most-1)/most | 1 // odd, so that every bit of a byte has its turn
	}
	r.sampled = step > 1
	defer func() { r.sampled = false }()
	want := oracle.Expectation{Verdict: oracle.MustReject}
	if len(r.seals) > 1 || seal.Bit >= 8*start && seal.Step.Algorithm.Width < 32 {
		// Where such a bit decides what is read, a short checksum can be right by chance, and one over another one is the
		// same for all that the other one covers, as a CRC over its own.
		want = oracle.Expectation{}
	}
	for at := 8 * start; at < 8*end; at += step {
		if seal.Bit <= at && at < 8*seal.End() {
			continue // the checksum itself has been flipped
		}
		data := r.flip(r.plan.Order, at)
		r.seals.Repair(data, seal.Bit)
		if !r.giveAsIs(ClassChecksum, data, "", "a bit flipped, the checksum left", at, 0, want) {
			return false
		}
	}
	return true
}
