package fuzz

import (
	"bytes"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// fixup is a malformed packet as a valid one and what is wrong with it. The valid one can be written anew, with fewer
// elements and simpler values, and be corrupted again in the same way.
type fixup struct {
	trace   decode.Trace // of the valid packet
	patches []patch
	sums    []wrongSum
	cut     patch // where the packet ends early, iff short
	short   bool
	tail    []byte // too many
}

// wrongSum is a checksum that is wrong, by the record that it is in.
type wrongSum struct {
	record int32
	bit    int    // in the packet, before the record is known
	diff   uint64 // in these bits
}

// patch is bits that are not what belongs there, by the span that they are in.
type patch struct {
	span  int32
	bit   int // in the packet; from the span's first bit once it is known
	width int // at most 64
	code  uint64
	order wire.Order
}

const maxFixups = 64

// fixUp finds the valid packet that a malformed one was made of, one reject after the other. It reports false when it
// does not know how: then the packet can be shortened only where it is.
func (m *Minimizer) fixUp(packet []byte, from decode.Direction, h *fixup) bool {
	*h = fixup{trace: h.trace, patches: h.patches[:0], sums: h.sums[:0]}
	p := m.mutator.plan
	data := bytes.Clone(packet)
	for range maxFixups {
		if m.mutator.decoder.Decode(data, from, &h.trace) == nil {
			return h.settle()
		}
		r := h.trace.Reject()
		switch {
		case r.Kind == reject.PastEnd:
			if !h.short {
				h.short, h.cut = true, patch{bit: 8 * len(packet)}
			}
			need := max(r.Bit+max(r.Width, 8)+7, 8*len(data)+8) / 8
			if need > p.Schema.MaxDatagram {
				return false
			}
			data = append(data, make([]byte, need-len(data))...)
		case r.Kind == reject.TrailingBytes && r.At.Point < 0 && len(h.tail) == 0:
			end := (h.trace.Bits + 7) / 8
			h.tail = bytes.Clone(data[end:])
			data = data[:end]
		case r.Kind == reject.CRCMismatch:
			seal := &h.trace.Seals[len(h.trace.Seals)-1]
			if seal.End() <= len(packet) {
				if diff := seal.Step.Stored(packet, seal.Bit) ^ seal.Sum(packet); diff != 0 {
					h.sums = append(h.sums, wrongSum{bit: seal.Bit, diff: diff})
				}
			}
		default:
			if !m.fixes(h, r, data, 8*len(packet)) {
				return false
			}
		}
		sealsOf(&h.trace, m.mutator.seals).Repair(data, -1)
	}
	return false
}

// fixes replaces what is refused by what is allowed there. What is after the end of the malformed packet was made up.
func (m *Minimizer) fixes(h *fixup, r *reject.Reject, data []byte, end int) bool {
	p := m.mutator.plan
	if r.At.Point < 0 || r.Bit+r.Width > 8*len(data) || r.Width == 0 {
		return false
	}
	step := p.StepAt(r.At.Point)
	_, reserved := step.(*plan.Reserved)
	_, run := step.(*plan.Run)
	_, number := step.(*plan.Number)
	order := step.At().Order
	write := func(bit, width int, code uint64) {
		for at := bit; at < bit+width && bit < end; at += 64 {
			n := min(64, bit+width-at)
			h.patches = append(h.patches, patch{bit: at, width: n, code: order.Load(data, at, n), order: order})
		}
		for at := bit; at < bit+width; at += 64 {
			order.Store(data, at, min(64, bit+width-at), code)
		}
	}
	switch unit, ok := step.(*plan.Unit); {
	case r.Kind == reject.NonzeroPadding, r.Kind == reject.ReservedNonzero && reserved:
		write(r.Bit, r.Width, 0)
	case run && r.At.Leaf >= 0:
		leaf := int(r.At.Leaf)
		right := m.simplest(leaf)
		if must := m.havoc.g.must[leaf]; len(must) > 0 {
			right = must[0]
		}
		if info := &p.Info[leaf]; info.Kind == plan.LeafCheck {
			right = info.Want
		}
		if p.Info[leaf].Swap {
			right = wire.SwapBytes(right, r.Width)
		}
		write(r.Bit, r.Width, right)
	case ok:
		part := int(unit.Bits)
		order = p.Reader(int(unit.First)).At().Order
		write(r.Bit, r.Width, 0)
		for i := range 3 {
			order.Store(data, r.Bit+2+i*part, part, wire.Mask(part)/2) // the middle of each part's range
		}
	case number && r.Width <= triedWidth:
		was := order.Load(data, r.Bit, r.Width)
		write(r.Bit, r.Width, 0)
		return m.tries(h, r.Bit, r.Width, was, order, data)
	default:
		return false
	}
	return true
}

// triedWidth bounds the numbers of which every code is tried: what is allowed in an index depends on the one before it.
const triedWidth = 12

// tries finds a code that a number may have, of the same width: best one with which all of the packet is right.
func (m *Minimizer) tries(h *fixup, bit, width int, was uint64, order wire.Order, data []byte) bool {
	from := h.trace.From
	set := func(code uint64) bool {
		order.Store(data, bit, width, code)
		sealsOf(&h.trace, m.mutator.seals).Repair(data, -1)
		return m.mutator.decoder.Decode(data, from, &h.trace) == nil
	}
	fallback := was
	for code := range uint64(1) << width {
		if code == was {
			continue
		}
		if set(code) {
			return true
		}
		if fallback == was && h.trace.Reject().Bit > bit && h.widthAt(bit) == width {
			fallback = code
		}
	}
	set(fallback)
	return fallback != was
}

// widthAt is how many bits the number at a place has.
func (f *fixup) widthAt(bit int) int {
	for i := range f.trace.Records {
		s := &f.trace.Records[i]
		if _, ok := f.trace.Plan.StepAt(s.Point).(*plan.Number); ok && int(s.Bit) == bit {
			return int(s.N)
		}
	}
	return 0
}

// settle finds the spans that the patches are in.
func (f *fixup) settle() bool {
	in := func(p *patch) bool {
		p.span = -1
		for i := range f.trace.Records {
			if int(f.trace.Records[i].Bit) > p.bit {
				break
			}
			p.span = int32(i)
		}
		if p.span < 0 {
			return false
		}
		p.bit -= int(f.trace.Records[p.span].Bit)
		return true
	}
	for i := range f.patches {
		if !in(&f.patches[i]) {
			return false
		}
	}
	for i := range f.sums {
		w := &f.sums[i]
		w.record = int32(slices.IndexFunc(f.trace.Records, func(r decode.Record) bool {
			_, sum := f.trace.Plan.StepAt(r.Point).(*plan.Checksum)
			return sum && int(r.Bit) == w.bit
		}))
		if w.record < 0 {
			return false
		}
	}
	return !f.short || in(&f.cut)
}

// recorrupt makes the malformed packet of a valid one, whose trace is given. at finds the span that a span of the fixed
// packet has become; -1 when it is gone.
func (f *fixup) recorrupt(seals plan.Seals, data []byte, t *decode.Trace, at func(span int32) int32) ([]byte, bool) {
	for i := range f.patches {
		x := &f.patches[i]
		span := at(x.span)
		if span < 0 {
			return nil, false
		}
		bit := int(t.Records[span].Bit) + x.bit
		if bit+x.width > 8*len(data) {
			return nil, false
		}
		x.order.Store(data, bit, x.width, x.code)
	}
	data = append(data, f.tail...)
	if f.short {
		span := at(f.cut.span)
		if span < 0 {
			return nil, false
		}
		data = data[:min(len(data), (int(t.Records[span].Bit)+f.cut.bit)/8)]
	}
	seals = sealsOf(t, seals)
	for i := range seals {
		seal := &seals[i]
		if !seals[i:i+1].Repair(data, -1) {
			continue
		}
		for _, w := range f.sums {
			if to := at(w.record); to >= 0 && int(t.Records[to].Bit) == seal.Bit {
				seal.Step.Store(data, seal.Bit, seal.Step.Stored(data, seal.Bit)^w.diff)
			}
		}
	}
	return data, true
}
