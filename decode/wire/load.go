package wire

import (
	"encoding/binary"
	"math/bits"
	"strconv"
)

// Loads without a check of their own. Each has one fast path, taken while nine bytes are left: an unaligned 64-bit load
// and the ninth byte, which a value of 64 bits can reach when it starts inside a byte. After that is the tail, where
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
	checkRange(data, bit, n)
	return WordLE(data, int(i)) >> s & Mask(n)
}

// LoadMSB reads the n bits at position bit in order msb; the caller owes what [LoadLSB] asks for.
func LoadMSB(data []byte, bit, n int) uint64 {
	i, s := uint(bit)/8, uint(bit)%8
	if i+9 <= uint(len(data)) {
		d := data[i : i+9]
		return (binary.BigEndian.Uint64(d)<<s | uint64(d[8])>>(8-s)) >> uint(64-n)
	}
	checkRange(data, bit, n)
	return WordBE(data, int(i)) << s >> uint(64-n)
}

// LoadBytewise reads the n bits at position bit in order bousk; the caller owes what [LoadLSB] asks for.
func LoadBytewise(data []byte, bit, n int) uint64 {
	i, s := uint(bit)/8, uint(bit)%8
	if i+9 <= uint(len(data)) {
		d := data[i : i+9]
		w := binary.LittleEndian.Uint64(d)
		return gatherBytewise(w, w>>8|uint64(d[8])<<56, s, n)
	}
	checkRange(data, bit, n)
	w := WordLE(data, int(i))
	return gatherBytewise(w, w>>8, s, n)
}

const everyByte = 0x0101010101010101

// gatherBytewise makes the value of n bits from the little-endian words at its first byte and at the byte after, where
// the value starts s bits into its first byte.
//
// Every group starts s bits into some byte. A whole group has its low 8-s bits at the right of that byte, where they
// belong, and its high s bits at the left of the next, where they belong too: blending the two words byte by byte gives
// all whole groups at once. Only the last group, if shorter, must be moved together.
func gatherBytewise(first, next uint64, s uint, n int) uint64 {
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

// WordLE returns the eight bytes from byte i on, 0 or more, as a little-endian word. Bytes past the end are zero.
func WordLE(data []byte, i int) uint64 {
	if i+8 <= len(data) {
		return binary.LittleEndian.Uint64(data[i : i+8])
	}
	return lastLE(data, uint(i))
}

// WordBE is WordLE for a big-endian word.
func WordBE(data []byte, i int) uint64 {
	if uint(i)+8 <= uint(len(data)) {
		return binary.BigEndian.Uint64(data[i:])
	}
	return bits.ReverseBytes64(lastLE(data, uint(i)))
}

// lastLE is WordLE for fewer than eight bytes before the end.
func lastLE(data []byte, i uint) uint64 {
	n := uint(len(data))
	switch {
	case i >= n:
		return 0
	case n >= 8:
		return binary.LittleEndian.Uint64(data[n-8:]) >> (8 * (i + 8 - n))
	case n-i >= 4: // what both have is the same
		return uint64(binary.LittleEndian.Uint32(data[i:])) | uint64(binary.LittleEndian.Uint32(data[n-4:]))<<(8*(n-i-4))
	}
	var w uint64
	for n > i {
		n--
		w = w<<8 | uint64(data[n])
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
	return "pktscope: internal error: wire: " + strconv.Itoa(n) + " bits at bit " + strconv.Itoa(bit) + " of " + strconv.Itoa(len(data)) + " bytes"
}
