package schema

import "math/bits"

// Places is a set of positions modulo 64, counted in bits from the start of the datagram: bit r is set where a position
// p with p % 64 == r is possible. Padding reaches 64 bits at most, so the set says how much there can be.
type Places uint64

// The sets that have names.
const (
	AtStart  Places = 1                  // the first bit of a datagram
	OnByte   Places = 0x0101010101010101 // each boundary of a byte
	Anywhere Places = 1<<64 - 1
)

// OnBytes reports whether all places are boundaries of bytes.
func (p Places) OnBytes() bool { return p&^OnByte == 0 }

// Phase is the position modulo 8, -1 where that is not one number.
func (p Places) Phase() int {
	for r := range 8 {
		if p&^(OnByte<<r) == 0 {
			return r
		}
	}
	return -1
}

// Plus moves every place by n bits.
func (p Places) Plus(n uint64) Places { return Places(bits.RotateLeft64(uint64(p), int(n&63))) }

// Units gives the places after least to most units of n bits.
func (p Places) Units(least, most, n uint64) Places {
	var out Places
	for k := range min(most-least, 63) + 1 {
		out |= p.Plus((least + k) * n)
	}
	return out
}

// Align moves every place to the next multiple of n, a power of two.
func (p Places) Align(n uint64) Places {
	var out Places
	for at := range uint64(64) {
		if p>>at&1 != 0 {
			out |= 1 << ((at + -at&(n-1)) & 63)
		}
	}
	return out
}

// Padding is the fewest and most bits to a multiple of n, a power of two.
func (p Places) Padding(n uint64) (least, most uint64) {
	if n > 64 {
		return 0, n - 1
	}
	least = n - 1
	for at := range uint64(64) {
		if p>>at&1 != 0 {
			least, most = min(least, -at&(n-1)), max(most, -at&(n-1))
		}
	}
	return least, most
}
