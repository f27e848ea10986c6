// Package slow is the readable reference of the wire: every rule once more, one bit at a time, with nothing done for
// speed. It is the oracle that tests and fuzzing hold the fast packages against. It shares schema and reject with them,
// and no code that reads bits.
package slow

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema"
)

// Bit returns stream bit i of data, 0 or 1. In order lsb it is bit i%8 of byte i/8, counted from the least significant;
// in msb and bousk it is bit 7 - i%8.
func Bit(order schema.Order, data []byte, i int) uint64 {
	return uint64(data[i/8]>>shift(order, i)) & 1
}

// SetBit sets stream bit i of data to b, 0 or 1.
func SetBit(order schema.Order, data []byte, i int, b uint64) {
	data[i/8] &^= 1 << shift(order, i)
	data[i/8] |= byte(b) << shift(order, i)
}

// Load returns the value of n bits, 0..64, at position p of data.
func Load(order schema.Order, data []byte, p, n int) uint64 {
	var v uint64
	for k := range n {
		v |= Bit(order, data, StreamBit(order, p, n, k)) << k
	}
	return v
}

// Store overwrites the n bits, 0..64, at position p of data with v.
func Store(order schema.Order, data []byte, p, n int, v uint64) {
	for k := range n {
		SetBit(order, data, StreamBit(order, p, n, k), v>>k&1)
	}
}

// StreamBit returns which stream bit carries bit k of a value of n bits at position p, where bit 0 is the value's
// lowest.
func StreamBit(order schema.Order, p, n, k int) int {
	switch order {
	case schema.LSB:
		return p + k
	case schema.MSB:
		return p + n - 1 - k
	case schema.Bytewise:
		// The value leaves in groups of 8 bits, lowest first; bit k is bit b of its group, which has g bits and is
		// at position q.
		group := k / 8
		b := k % 8
		g := min(8, n-8*group)
		q := p + 8*group
		free := 8 - q%8
		if g <= free {
			// The whole group, its highest bit leftmost.
			return q + g - 1 - b
		}
		if b < free {
			// The low bits fill the byte, the highest of them leftmost.
			return q + free - 1 - b
		}
		// The remaining g - free high bits open the next byte, the highest of them leftmost.
		return q + free + g - 1 - b
	}
	panic(fmt.Sprintf("pktscope: internal error: slow: unknown %v", order))
}

// shift returns how far stream bit i is above the least significant bit of its byte.
func shift(order schema.Order, i int) int {
	if order == schema.LSB {
		return i % 8
	}
	return 7 - i%8
}
