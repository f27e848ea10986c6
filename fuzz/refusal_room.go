package fuzz

import (
	"math/bits"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Where a packet can end. A datagram is whole bytes, so it cannot end inside a byte that has begun; inside a window of a
// size that has been checked, or behind `rest >= 4`, it cannot end at all for a while. That decides which fields can be
// refused for want of bits, where there can be padding, and whether anything can be left over.
//
// findRooms follows every way through the plan and keeps, for each place, what holds on all of them.

// room is what is known at a place.
type room struct {
	at     uint64 // bit i: the position can be i modulo 64; 0 when no packet comes here
	end    uint64 // bit i: the end of the window can be i modulo 64
	lo, hi uint64 // bits left in the window, at least and at most
	step   uint64 // these are off modulo step; 0 is as good as 1
	off    uint64
	known  *facts // what conditions before it say; nil for nothing
}

// meet is what holds where two ways come together.
func (r room) meet(o room) room {
	switch {
	case r.at == 0:
		return o
	case o.at == 0:
		return r
	}
	left := r.bits().join(o.bits())
	out := room{at: r.at | o.at, end: r.end | o.end, lo: min(r.lo, o.lo), hi: max(r.hi, o.hi), known: r.known.join(o.known)}
	if left.step > 0 {
		out.step, out.off = uint64(left.step), uint64(left.off)
	}
	return out
}

// holds proves that width bits are always there; "" when they need not be.
func (r room) holds(width uint64) string {
	if width == 0 {
		return "it takes no bits"
	}
	if r.at == 0 || r.lo >= width {
		return "what stands before it makes sure that its bits are there"
	}
	left := r.bits()
	if left.lo >= int64(width) {
		return "what stands before it makes sure that its bits are there"
	}
	for at := range 64 {
		for end := range 64 {
			if r.at>>at&1 == 0 || r.end>>end&1 == 0 {
				continue
			}
			if both, ok := left.meet(numbers{0, unbounded, 64, int64(end-at) & 63}); ok && both.lo < int64(width) {
				return ""
			}
		}
	}
	return "what it lies in ends on a boundary, and the word or byte up to there has begun"
}

// full proves that no whole byte is left; "" when one can be.
func (r room) full() string {
	if r.hi < 8 {
		return "what stands before it takes all there is"
	}
	return ""
}

// padding is the fewest and most bits to a multiple of n bits.
func (r room) padding(n uint64) (least, most uint64) {
	if n > 64 {
		return 0, n - 1
	}
	least = n - 1
	for at := range uint64(64) {
		if r.at>>at&1 != 0 {
			least, most = min(least, -at&(n-1)), max(most, -at&(n-1))
		}
	}
	return least, most
}

// holdsPadding is holds for the bits to a multiple of n.
func (r room) holdsPadding(n uint64) string {
	if n > 64 {
		return r.holds(n - 1)
	}
	why := "it lies on a boundary, so there is no padding"
	for at := range uint64(64) {
		if width := -at & (n - 1); r.at>>at&1 != 0 && width > 0 {
			one := r
			one.at = 1 << at
			if why = one.holds(width); why == "" {
				return ""
			}
		}
	}
	return why
}

// after is the room behind least to most bits, in steps of step, that were there.
func (r room) after(least, most, step uint64) room {
	if r.at == 0 || r.hi < least {
		return room{}
	}
	var at uint64
	for width := least; width <= min(most, least+63*step); width += step {
		at |= bits.RotateLeft64(r.at, int(width&63))
	}
	lo := max(r.lo, least)
	out := room{at: at, end: r.end, lo: lo - min(lo, most), hi: r.hi - least}
	taken := numbers{int64(least), int64(min(most, everything)), int64(step), int64(least)}
	if step > 0 {
		taken.off %= int64(step)
	}
	taken, _ = taken.tidy()
	left := r.bits().plus(taken.times(-1))
	out.step, out.off = uint64(left.step), uint64(max(left.off, 0))
	out.known = r.known.taking(int64(least), int64(min(most, everything)))
	return out
}

// align is the room behind the padding to a multiple of n bits.
func (r room) align(n uint64) room {
	least, most := r.padding(n)
	out := r.after(least, most, 1)
	if out.at == 0 {
		return out
	}
	out.at = 0
	for at := range uint64(64) {
		if n > 64 {
			out.at = 1
		} else if r.at>>at&1 != 0 {
			out.at |= 1 << ((at + -at&(n-1)) & 63)
		}
	}
	// It lies on a boundary, so what is left is as far from one as the end is.
	for off := range min(n, 64) {
		if n <= 64 && out.end&^every(n, off) == 0 {
			out = out.holding(numbers{0, int64(everything), int64(n), int64(off)})
			break
		}
	}
	return out
}

// every is the places that are off modulo n, a power of two.
func every(n, off uint64) (places uint64) {
	for at := off; at < 64; at += n {
		places |= 1 << at
	}
	return places
}

// between is the room when between lo and hi bits are left; empty when that cannot be.
func (r room) between(lo, hi uint64) room {
	r.lo, r.hi = max(r.lo, lo), min(r.hi, hi)
	if r.lo > r.hi {
		return room{}
	}
	return r
}

// wholeBytes are the places that a datagram can end at.
const wholeBytes = uint64(0x0101010101010101)

// everything is more bits than any datagram has.
const everything = uint64(1) << 40

// elementBits is the fewest bits of an element of an array, 0 where it is not known.
func elementBits(p *plan.Plan, array plan.NodeID) uint64 {
	if v := p.Nodes[array].Value; v != nil {
		if t, ok := v.Type.(*schema.ArrayType); ok {
			return t.Elem.MinBits
		}
	}
	return 0
}
