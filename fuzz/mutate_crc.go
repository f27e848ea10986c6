package fuzz

import (
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// crcMistakes are the ways in which readers and writers have computed checksums that are none of this protocol.
var crcMistakes = []struct {
	done string
	as   func(c *wire.Checksum)
}{
	{"computed without its prefix", func(c *wire.Checksum) { c.PrefixLen = 0 }},
	{"the prefix the other way round", func(c *wire.Checksum) { slices.Reverse(c.Prefix[:c.PrefixLen]) }},
	{"computed over the other part", func(c *wire.Checksum) { c.OverRest = !c.OverRest }},
	{"computed with the other polynomial", func(c *wire.Checksum) { c.Algorithm = another(c.Algorithm) }},
}

// another is an algorithm of the same width and another polynomial; a itself where the language has none.
func another(a *wire.Algorithm) *wire.Algorithm {
	for i := range wire.Algorithms {
		if b := &wire.Algorithms[i]; b != a && b.Width == a.Width {
			return b
		}
	}
	return a
}

// checksum flips each bit of the checksum, which nobody repairs, and computes it in ways that are wrong.
func (r *mutating) checksum(ev *decode.Event, path string, order wire.Order) bool {
	want := refused(reject.CRCMismatch, path, ev.Bit, ev.Width)
	for at := ev.Bit; at < ev.Bit+ev.Width; at++ {
		if !r.giveAsIs(ClassChecksum, r.flip(order, at), path, "a bit flipped", at, 0, want) {
			return false
		}
	}
	right := r.crc.Step.Stored(r.packet, ev.Bit)
	set := func(sum uint64, done string) bool {
		if r.crc.Step.Algorithm.Summer().Same(right, sum) {
			return true
		}
		data := r.copyPacket()
		r.crc.Step.Store(data, ev.Bit, sum)
		return r.giveAsIs(ClassChecksum, data, path, done, ev.Bit, sum, want)
	}
	for _, m := range crcMistakes {
		c := r.crc.Step.Checksum
		m.as(&c)
		if !set(c.Sum(r.packet, ev.Bit/8), m.done) {
			return false
		}
	}
	return set(wire.SwapBytes(right, ev.Width), "its bytes the other way round") && set(0, "zero") && set(right^wire.Mask(ev.Width), "all bits flipped")
}
