package wire

import (
	"encoding/binary"
	"fmt"
)

// Loads without a check of their own. Each has one fast path, taken while nine bytes are left: an unaligned 64-bit load
// and the ninth byte, which a value of 64 bits can reach when it starts inside a byte. Behind that is the tail, where
// the last eight bytes of data are loaded instead and shifted, so that no load ever passes the end.
//
// A value's n bits at position p lie in bytes p/8 .. p/8+8 in every order, so the three differ only in how the
// window is turned into the value.

// LoadLSB reads the n bits at position bit in order lsb.
//
// The caller has checked 0 ≤ n ≤ 64 and 0 ≤ bit and bit+n ≤ 8*len(data). A caller that has not gets a meaningless value
// or a panic, but never a byte from outside data.
func LoadLSB(data []byte, bit, n int) uint64 {
	i, s := uint(bit)/8, uint(bit)%8
	if i+9 <= uint(len(data)) {
		d := data[i : i+9]
		return (binary.LittleEndian.Uint64(d)>>s | uint64(d[8])<<(64-s)) & Mask(n)
	}
	return tailLE(data, bit, n) >> s & Mask(n)
}

// LoadMSB reads the n bits at position bit in order msb; the caller owes what [LoadLSB] asks for.
func LoadMSB(data []byte, bit, n int) uint64 {
	i, s := uint(bit)/8, uint(bit)%8
	if i+9 <= uint(len(data)) {
		d := data[i : i+9]
		return (binary.BigEndian.Uint64(d)<<s | uint64(d[8])>>(8-s)) >> uint(64-n)
	}
	return tailBE(data, bit, n) << s >> uint(64-n)
}

// LoadBousk reads the n bits at position bit in order bousk; the caller owes what [LoadLSB] asks for.
func LoadBousk(data []byte, bit, n int) uint64 {
	i, s := uint(bit)/8, uint(bit)%8
	if i+9 <= uint(len(data)) {
		d := data[i : i+9]
		w := binary.LittleEndian.Uint64(d)
		return gatherBousk(w, w>>8|uint64(d[8])<<56, s, n)
	}
	w := tailLE(data, bit, n)
	return gatherBousk(w, w>>8, s, n)
}

const everyByte = 0x0101010101010101

// gatherBousk makes the value of n bits from the little-endian words at its first byte and at the byte after, where the
// value starts s bits into its first byte.
//
// Every group starts s bits into some byte. A whole group has its low 8-s bits at the right of that byte, where they
// belong, and its high s bits at the left of the next, where they belong too: blending the two words byte by byte gives
// all whole groups at once. Only the last group, if shorter, must be moved together.
func gatherBousk(first, next uint64, s uint, n int) uint64 {
	low := uint64(0xFF) >> s
	v := first&(low*everyByte) | next&^(low*everyByte)
	g, whole := uint(n)%8, uint(n)&^7
	if g == 0 {
		return v & Mask(n)
	}
	last := v >> whole & 0xFF
	free := 8 - s
	if g <= free {
		last = last & low >> (free - g)
	} else {
		last = last&low | last>>(8-g+free)<<free
	}
	return v&(1<<whole-1) | last<<whole
}

// tailLE returns the eight bytes at bit/8 as a little-endian word, for a bit less than nine bytes before the end.
// Bytes past the end are zero in it; they are never part of a value, because here, off the fast path, the range is
// checked and a caller who has not done so is stopped.
func tailLE(data []byte, bit, n int) uint64 {
	checkRange(data, bit, n)
	i := bit / 8
	if j := len(data) - 8; j >= 0 {
		return binary.LittleEndian.Uint64(data[j:]) >> uint(8*(i-j))
	}
	var w uint64
	for k := len(data) - 1; k >= i; k-- {
		w = w<<8 | uint64(data[k])
	}
	return w
}

// tailBE is tailLE for a big-endian word.
func tailBE(data []byte, bit, n int) uint64 {
	checkRange(data, bit, n)
	i := bit / 8
	if j := len(data) - 8; j >= 0 {
		return binary.BigEndian.Uint64(data[j:]) << uint(8*(i-j))
	}
	var w uint64
	for k := len(data) - 1; k >= i; k-- {
		w = w>>8 | uint64(data[k])<<56
	}
	return w
}

// checkRange panics unless n is in 0..64 and the n bits at position bit lie in data. The difference cannot overflow:
// 8*len(data) is a count of bits that exist and n is small by then.
func checkRange(data []byte, bit, n int) {
	if uint(n) > 64 || bit < 0 || bit > 8*len(data)-n {
		panic(badRange(data, bit, n))
	}
}

//go:noinline
func badRange(data []byte, bit, n int) string {
	return fmt.Sprintf("pktscope: internal error: wire: %d bits at bit %d of %d bytes", n, bit, len(data))
}
