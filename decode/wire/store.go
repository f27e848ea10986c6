package wire

import "fmt"

// Stores overwrite bits of a datagram that exists: a checksum into its place, a mutator's code over a field. They go
// byte by byte: who writes a whole packet (serialize, generated code) has a fast path of its own.

// StoreLSB overwrites the n bits at position bit in order lsb with v and leaves every other bit alone.
//
// The n bits must lie in data, n must be in 0..64 and v must fit in n bits (see [Mask]). Anything else is the caller's
// bug and panics before a bit is changed: a value cut to fit would be another value on the wire.
func StoreLSB(data []byte, bit, n int, v uint64) {
	checkRange(data, bit, n)
	checkValue(v, n)
	for n > 0 {
		s := bit % 8
		g := min(8-s, n)
		put(&data[bit/8], s, g, byte(v&Mask(g)))
		v >>= uint(g)
		bit += g
		n -= g
	}
}

// StoreMSB is [StoreLSB] in order msb.
func StoreMSB(data []byte, bit, n int, v uint64) {
	checkRange(data, bit, n)
	checkValue(v, n)
	for n > 0 {
		s := bit % 8
		g := min(8-s, n)
		put(&data[bit/8], 8-s-g, g, byte(v>>uint(n-g)&Mask(g)))
		bit += g
		n -= g
	}
}

// StoreBytewise is [StoreLSB] in order bousk.
func StoreBytewise(data []byte, bit, n int, v uint64) {
	checkRange(data, bit, n)
	checkValue(v, n)
	for n > 0 {
		g := min(8, n)
		group := v & Mask(g)
		if free := 8 - bit%8; g <= free {
			StoreMSB(data, bit, g, group)
		} else {
			StoreMSB(data, bit, free, group&Mask(free))
			StoreMSB(data, bit+free, g-free, group>>uint(free))
		}
		v >>= uint(g)
		bit += g
		n -= g
	}
}

// put overwrites the n bits of b that start shift bits above its lowest.
func put(b *byte, shift, n int, v byte) {
	*b = *b&^(byte(Mask(n))<<uint(shift)) | v<<uint(shift)
}

// checkValue panics unless v fits in n bits, n in 0..64.
func checkValue(v uint64, n int) {
	if v&^Mask(n) != 0 {
		panic(badValue(v, n))
	}
}

//go:noinline
func badValue(v uint64, n int) string {
	return fmt.Sprintf("pktscope: internal error: wire: value %#x in %d bits", v, n)
}
