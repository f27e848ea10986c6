package wire

import (
	"math"
	"math/bits"
)

// Varint adds up a varint(n), group by group (wire.md, "Integers"): 7 bits a byte, the low group first, the high bit
// set while more follow.
type Varint struct {
	Code     uint64 // so far; all ones once no word holds it
	Over     bool   // it has bits past n
	Overlong bool   // its last group is zero after another: a second encoding of the same number
	group    int
}

// VarintGroups is the most bytes of a varint(n).
func VarintGroups(n int) int { return (n + 6) / 7 }

// VarintBytes is how many bytes a writer needs for a code.
func VarintBytes(code uint64) int { return max(1, (bits.Len64(code)+6)/7) }

// Add takes the next byte of a varint(n) in and reports whether another follows. It asks for at most VarintGroups(n).
func (v *Varint) Add(b uint64, n int) (more bool) {
	g, low := v.group, b&0x7f
	v.group++
	v.Over = v.Over || bits.Len64(low)+7*g > n
	if g < 9 || low <= 1 {
		v.Code |= low << (7 * g)
	} else {
		v.Code = math.MaxUint64
	}
	if b < 0x80 {
		v.Overlong = b == 0 && g > 0
		return false
	}
	if g == VarintGroups(n)-1 { // a group after the last that n bits can fill would hold bits past them
		v.Over = true
		return false
	}
	return true
}

// ZigZag puts the sign of v into bit 0 of its code, and UnZigZag takes it out again.
func ZigZag(v int64) uint64 { return uint64(v<<1 ^ v>>63) }

// UnZigZag is the inverse of ZigZag.
func UnZigZag(code uint64) int64 { return int64(code>>1 ^ -(code & 1)) }
