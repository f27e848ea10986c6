package fuzz

import (
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// sumMistakes are the ways in which readers and writers have computed checksums that are none of this protocol.
var sumMistakes = []struct {
	done string
	as   func(c *plan.Checksum)
}{
	{"computed without its prefix", func(c *plan.Checksum) { c.Prefix = nil }},
	{"computed without its suffix", func(c *plan.Checksum) { c.Suffix = nil }},
	{"computed without its xor", func(c *plan.Checksum) { c.Xor = 0 }},
	{"the prefix the other way round", func(c *plan.Checksum) { c.Prefix = turned(c.Prefix) }},
	{"the suffix the other way round", func(c *plan.Checksum) { c.Suffix = turned(c.Suffix) }},
	{"computed with the other polynomial", func(c *plan.Checksum) { c.Algorithm = another(c.Algorithm) }},
}

// turned is values whose bytes run the other way.
func turned(parts []plan.SumPart) []plan.SumPart {
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i].BigEndian = !parts[i].BigEndian
	}
	return parts
}

// another is an algorithm of the same width and another polynomial; a itself where the language has none.
func another(a *wire.Algorithm) *wire.Algorithm {
	for i := range wire.Algorithms {
		if b := &wire.Algorithms[i]; b.Width == a.Width && b.Polynomial != a.Polynomial {
			return b
		}
	}
	return a
}

// checksum flips each bit of the checksum, which nobody repairs, and computes it in ways that are wrong.
func (r *mutating) checksum(ev *decode.Event, path string, order wire.Order) bool {
	want := refused(reject.CRCMismatch, path, ev.Bit, ev.Width)
	for at := ev.Bit; at < ev.Bit+ev.Width; at++ {
		data := r.flip(order, at)
		r.seals.Repair(data, ev.Bit)
		if !r.giveAsIs(ClassChecksum, data, path, "a bit flipped", at, 0, want) {
			return false
		}
	}
	n := r.seals.Find(ev.Bit)
	if n < 0 {
		return true
	}
	seal := &r.seals[n]
	step := seal.Step
	right := step.Stored(r.packet, ev.Bit)
	set := func(sum uint64, done string) bool {
		if step.Same(right, sum) {
			return true
		}
		data := r.copyPacket()
		step.Store(data, ev.Bit, sum)
		r.seals.Repair(data, ev.Bit)
		return r.giveAsIs(ClassChecksum, data, path, done, ev.Bit, sum, want)
	}
	from, to := seal.Covered(r.packet)
	for _, m := range sumMistakes {
		c := *step
		m.as(&c)
		if !set(seal.SumAs(&c, r.packet, from, to), m.done) {
			return false
		}
	}
	for _, end := range []struct {
		from, to int
		done     string
	}{
		{0, len(r.packet), "computed over the whole datagram"}, {0, ev.Bit / 8, "computed over what is in front of it"},
		{seal.End(), len(r.packet), "computed over what is behind it"},
		{from + 1, to, "computed over one byte less in front"}, {from - 1, to, "computed over one byte more in front"},
		{from, to - 1, "computed over one byte less behind"}, {from, to + 1, "computed over one byte more behind"},
	} {
		own := ev.Bit / 8
		cut := own < end.to && own+ev.Width/8 > end.from && (own < end.from || own+ev.Width/8 > end.to) // a part of the field itself
		if end.from >= 0 && end.from <= end.to && end.to <= len(r.packet) && !cut && !set(seal.SumOver(r.packet, end.from, end.to), end.done) {
			return false
		}
	}
	top := wire.Mask(ev.Width)
	return set((right+1)&top, "one more") && set((right-1)&top, "one less") && set(wire.SwapBytes(right, ev.Width), "its bytes the other way round") &&
		set(0, "zero") && set(top, "all ones") && set(right^top, "all bits flipped")
}
