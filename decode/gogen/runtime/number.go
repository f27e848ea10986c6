//lint:file-ignore U1000 what a generated package uses of this is copied into it

package runtime

import (
	"math"
	"math/bits"
)

// take reads n bits; the position is -1 after a refusal.
func (r *PacketReader) take(order uint8, data []byte, bit, end, n int, path string) (uint64, int) {
	if n > end-bit {
		return 0, r.refuse(RejectPastEnd, bit, n, path)
	}
	return load(order, data, bit, n), bit + n
}

// varint reads LEB128 of at most n value bits.
func (r *PacketReader) varint(order uint8, data []byte, bit, end, n int, path string) (code uint64, at int, kind RejectKind) {
	groups := (n + 6) / 7
	over := false
	for g := range groups {
		var b uint64
		if b, bit = r.take(order, data, bit, end, 8, path); bit < 0 {
			return 0, -1, RejectNone
		}
		low := b & 0x7f
		over = over || bits.Len64(low)+7*g > n
		if g < 9 || low <= 1 {
			code |= low << (7 * g)
		} else {
			code = math.MaxUint64 // no word holds it
		}
		if b < 0x80 {
			if b == 0 && g > 0 {
				return code, bit, RejectNonCanonical
			}
			break
		}
		over = over || g == groups-1
	}
	if over {
		return code, bit, RejectOutOfRange
	}
	return code, bit, RejectNone
}

// rung is one step of a ladder: lo..hi.
type rung struct{ lo, hi uint64 }

// The ladders: the first flag set names the rung; on the last one all flags are zero.
var (
	relativeRungs = [6]rung{{1, 1}, {2, 6}, {7, 23}, {24, 280}, {281, 4377}, {4378, 69914}}
	indexRungs    = [6]rung{{1, 1}, {2, 5}, {6, 13}, {14, 29}, {30, 61}, {62, 125}}
)

const lastRelative, firstLast = 69914, 126

func (r *PacketReader) climb(rungs *[6]rung, order uint8, data []byte, bit, end int, path string) (step uint64, last bool, at int, kind RejectKind) {
	for i := range rungs {
		var set uint64
		if set, bit = r.take(order, data, bit, end, 1, path); bit < 0 {
			return 0, false, -1, RejectNone
		}
		if set == 0 {
			continue
		}
		span := rungs[i].hi - rungs[i].lo
		code, at := r.take(order, data, bit, end, bits.Len64(span), path)
		if code > span {
			kind = RejectOutOfRange
		}
		return code + rungs[i].lo, false, at, kind
	}
	return 0, true, bit, RejectNone
}

// PacketRelative is a number that is larger than an earlier one.
type PacketRelative struct {
	Value uint32
	Long  bool // it was sent in 38 bits though fewer would have done
}

// ladder reads a value that is larger than previous. long says that a shorter rung would have done.
func (r *PacketReader) ladder(previous uint64, order uint8, data []byte, bit, end int, path string) (code uint64, long bool, at int, kind RejectKind) {
	step, last, bit, kind := r.climb(&relativeRungs, order, data, bit, end, path)
	if bit < 0 {
		return 0, false, -1, RejectNone
	}
	code = previous + step
	if last {
		if code, bit = r.take(order, data, bit, end, 32, path); bit < 0 {
			return 0, false, -1, RejectNone
		}
	} else if code < previous {
		return code, false, bit, RejectOutOfRange
	}
	switch {
	case kind != RejectNone:
	case code > math.MaxInt32:
		kind = RejectOutOfRange
	case code <= previous:
		kind = RejectNotIncreasing
	}
	return code, last && code-previous <= lastRelative, bit, kind
}

// index reads an index of a subset, as itself in n bits or (n < 0) as a step from the one before.
func (r *PacketReader) index(previous, most uint64, n int, order uint8, data []byte, bit, end int, path string) (uint64, int) {
	start := bit
	var index uint64
	var kind RejectKind
	if n >= 0 {
		index, bit = r.take(order, data, bit, end, n, path)
	} else {
		index, bit, kind = r.step(most, order, data, bit, end, path)
		index += previous
	}
	switch {
	case bit < 0:
		return 0, -1
	case kind != RejectNone:
	case index > most:
		kind = RejectOutOfRange
	case int64(index) <= int64(previous):
		kind = RejectNotIncreasing
	}
	if kind != RejectNone {
		return 0, r.refuse(kind, start, bit-start, path)
	}
	return index, bit
}

func (r *PacketReader) step(most uint64, order uint8, data []byte, bit, end int, path string) (uint64, int, RejectKind) {
	step, last, bit, kind := r.climb(&indexRungs, order, data, bit, end, path)
	if bit < 0 || !last {
		return step, bit, kind
	}
	if most+1 < firstLast {
		return 0, bit, RejectOutOfRange
	}
	span := most + 1 - firstLast
	code, bit := r.take(order, data, bit, end, bits.Len64(span), path)
	if code > span {
		kind = RejectOutOfRange
	}
	return code + firstLast, bit, kind
}

// dequantize is the float that a code stands for. Each operation rounds on its own.
func dequantize(code uint64, least, delta, steps float32) float32 {
	t := float32(float32(uint32(code)) / steps)
	return float32(float32(t*delta) + least)
}

// quantize is the code that is sent for a float; values outside the range are clamped to it, NaN is code 0.
func quantize(v, least, delta, steps float32, most uint64) uint64 {
	t := float32(float32(v-least) / delta)
	// Bits that are no more than those of 1 are a float of 0..1: neither NaN nor negative. 0 and 1 are what many values are,
	// so no jump tells them from those between.
	if math.Float32bits(t) > 0x3f800000 {
		t = clamp(t)
	}
	code := uint64(int64(float32(float32(t*steps) + 0.5)))
	if steps < 1<<23 { // what is added is not rounded, so this is not above the last step
		return code
	}
	return min(code, most)
}

func clamp(t float32) float32 {
	if t > 1 {
		return 1
	}
	return 0
}

// inside reports whether three components of a smallest-three quaternion are sure to leave room for the fourth: by so much that
// the floats of unit, which decides else, cannot be wrong about it.
func inside(a, b, c uint64, n int) bool {
	most := int64(mask(n))
	x, y, z := 2*int64(a)-most, 2*int64(b)-most, 2*int64(c)-most
	return x*x+y*y+z*z < (most*most-most*most>>8)*2
}

// unit reports whether they leave it, in the floats of wire.md.
func unit(a, b, c uint64, n int) bool {
	x, y, z := smallest(a, n), smallest(b, n), smallest(c, n)
	left := float32(1)
	left = float32(left - float32(x*x))
	left = float32(left - float32(y*y))
	left = float32(left - float32(z*z))
	return left >= 0
}

func smallest(code uint64, n int) float32 {
	const most = float32(1) / float32(1.414214)
	t := float32(float32(uint32(code)) / float32(uint32(mask(n))))
	return float32(float32(t*float32(2*most)) - most)
}

// fourth is the component that is not sent.
func fourth(x, y, z float32) float32 {
	left := float32(1)
	left = float32(left - float32(x*x))
	left = float32(left - float32(y*y))
	left = float32(left - float32(z*z))
	return float32(math.Sqrt(float64(max(left, 0))))
}

// in reports whether a key lies in one of the closed intervals of a sorted list.
func in(set [][2]uint64, key uint64) bool {
	lo, hi := 0, len(set)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if set[mid][1] < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(set) && set[lo][0] <= key
}

// opaque hides a constant from the compiler, which refuses constant expressions that wrap.
func opaque(v uint64) uint64 { return v }

// less compares two whole numbers, each an int64 or a uint64.
func less(x, y uint64, sx, sy bool) bool {
	nx, ny := sx && int64(x) < 0, sy && int64(y) < 0
	if nx != ny {
		return nx
	}
	return x < y
}

// equal compares an int64 and a uint64.
func equal(x, y uint64) bool { return x == y && int64(x) >= 0 }

// divide truncates towards zero; what is divided by zero is never used.
func divide(x, y uint64, sx, sy, rest bool) uint64 {
	nx, ny := sx && int64(x) < 0, sy && int64(y) < 0
	if nx {
		x = -x
	}
	if ny {
		y = -y
	}
	if y == 0 {
		return 0
	}
	v, negative := x/y, nx != ny
	if rest {
		v, negative = x%y, nx
	}
	if negative {
		return -v
	}
	return v
}
