//lint:file-ignore U1000 what a generated package uses of this is copied into it

package runtime

import "github.com/pktscope/pktscope/decode/wire"

// take reads n bits; the position is -1 after a refusal.
func (p *PacketReader) take(order wire.Order, data []byte, bit, end, n int, path string) (uint64, int) {
	if n > end-bit {
		return 0, p.refuse(RejectPastEnd, bit, n, path)
	}
	return order.Load(data, bit, n), bit + n
}

// varint reads LEB128 of at most n value bits.
func (p *PacketReader) varint(order wire.Order, data []byte, bit, end, n int, path string) (code uint64, at int, kind RejectKind) {
	var v wire.Varint
	for more := true; more; {
		var b uint64
		if b, bit = p.take(order, data, bit, end, 8, path); bit < 0 {
			return 0, -1, RejectNone
		}
		more = v.Add(b, n)
	}
	switch {
	case v.Overlong:
		kind = RejectNonCanonical
	case v.Over:
		kind = RejectOutOfRange
	}
	return v.Code, bit, kind
}

// below reads a number below a limit, bit by bit.
func (p *PacketReader) below(limit uint64, order wire.Order, data []byte, bit, end int, path string) (uint64, int) {
	var n wire.BelowNumber
	n.Limit = limit
	for n.More() {
		var set uint64
		if set, bit = p.take(order, data, bit, end, 1, path); bit < 0 {
			return 0, -1
		}
		n.Add(set)
	}
	return n.Value, bit
}

// climb reads the flags of a ladder and the step on the rung that they name; last says that it is the last, which is
// not read.
func (p *PacketReader) climb(ladder *[wire.Rungs]wire.Rung, order wire.Order, data []byte, bit, end int, path string) (step uint64, last bool, at int, kind RejectKind) {
	for i := range ladder {
		var set uint64
		if set, bit = p.take(order, data, bit, end, 1, path); bit < 0 {
			return 0, false, -1, RejectNone
		}
		if set == 0 {
			continue
		}
		rung := &ladder[i]
		code, at := p.take(order, data, bit, end, rung.Width(), path)
		if code > rung.Hi-rung.Lo {
			kind = RejectOutOfRange
		}
		return code + rung.Lo, false, at, kind
	}
	return 0, true, bit, RejectNone
}

// PacketRelative is a number that is larger than an earlier one.
type PacketRelative struct {
	Value uint32
	Long  bool // it was sent in 38 bits though fewer would have done
}

// ladder reads a value that is larger than previous. long says that a shorter rung would have done.
func (p *PacketReader) ladder(previous uint64, order wire.Order, data []byte, bit, end int, path string) (code uint64, long bool, at int, kind RejectKind) {
	step, last, bit, kind := p.climb(&wire.RelativeLadder, order, data, bit, end, path)
	if bit < 0 {
		return 0, false, -1, RejectNone
	}
	code = previous + step
	if last {
		if code, bit = p.take(order, data, bit, end, 32, path); bit < 0 {
			return 0, false, -1, RejectNone
		}
	} else if code < previous {
		return code, false, bit, RejectOutOfRange
	}
	switch {
	case kind != RejectNone:
	case code > wire.RelativeMost:
		kind = RejectOutOfRange
	case code <= previous:
		kind = RejectNotIncreasing
	}
	return code, last && code-previous <= wire.RelativeLadder[wire.Rungs-1].Hi, bit, kind
}

// index reads an index of a subset, as itself in n bits or (n < 0) as a step from the one before.
func (p *PacketReader) index(previous, most uint64, n int, order wire.Order, data []byte, bit, end int, path string) (uint64, int) {
	start := bit
	var index uint64
	var kind RejectKind
	if n >= 0 {
		index, bit = p.take(order, data, bit, end, n, path)
	} else {
		index, bit, kind = p.step(most, order, data, bit, end, path)
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
		return 0, p.refuse(kind, start, bit-start, path)
	}
	return index, bit
}

func (p *PacketReader) step(most uint64, order wire.Order, data []byte, bit, end int, path string) (uint64, int, RejectKind) {
	step, last, bit, kind := p.climb(&wire.IndexLadder, order, data, bit, end, path)
	if bit < 0 || !last {
		return step, bit, kind
	}
	span, ok := wire.IndexSpan(most)
	if !ok {
		return 0, bit, RejectOutOfRange
	}
	code, bit := p.take(order, data, bit, end, wire.BitsRequired(span), path)
	if code > span {
		kind = RejectOutOfRange
	}
	return code + wire.IndexLast, bit, kind
}

// inside reports whether three components of a smallest-three quaternion are sure to leave room for the fourth: by so
// much that the floats of unit, which decides else, cannot be wrong about it.
func inside(a, b, c uint64, n int) bool {
	most := int64(wire.Mask(n))
	x, y, z := 2*int64(a)-most, 2*int64(b)-most, 2*int64(c)-most
	return x*x+y*y+z*z < (most*most-most*most>>8)*2
}

// unit reports whether they leave it, in the floats of wire.md.
func unit(a, b, c uint64, n int) bool { return wire.SmallestLeft([]uint64{a, b, c}, n) >= 0 }

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

// equal compares an int64 and a uint64.
func equal(x, y uint64) bool { return x == y && int64(x) >= 0 }
