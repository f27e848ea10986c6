package wire

import (
	"math/bits"
	"strconv"
)

// BitsRequired returns how many bits hold every offset 0..span, where span is b - a of a range a..b in unsigned
// arithmetic: 0 for a span of 0, at most 64.
func BitsRequired(span uint64) int { return bits.Len64(span) }

// Mask returns the n low bits set, for n in 0..64: the largest value that fits in n bits.
func Mask(n int) uint64 { return ^uint64(0) >> uint(64-n) }

// SignExtend reads the n low bits of v, n in 0..64, as two's complement. Bits above n are ignored; 0 bits are 0.
func SignExtend(v uint64, n int) int64 {
	unused := uint(64 - n)
	return int64(v<<unused) >> unused
}

// SwapBytes turns the n/8 bytes of v around: what a value marked `le` or `be` against its file's order means. n is a
// multiple of 8 in 0..64 (the checker refuses any other width there); another n panics. Bits of v above n are ignored.
func SwapBytes(v uint64, n int) uint64 {
	if uint(n) > 64 || n%8 != 0 {
		panic(badSwap(n))
	}
	return bits.ReverseBytes64(v) >> uint(64-n)
}

//go:noinline
func badSwap(n int) string {
	return "pktscope: internal error: wire: bytes of a " + strconv.Itoa(n) + "-bit value cannot be swapped"
}
