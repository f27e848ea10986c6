package coverage

import (
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Where a packet can end. A datagram is whole bytes, so it cannot end inside a byte that has begun; inside a window of
// a size that has been checked, or after `rest >= 4`, it cannot end at all for a while. That decides which fields can
// be refused for want of bits, where there can be padding, and whether anything can be left over.
//
// findRooms follows every way through the plan and keeps, for each place, what holds on all of them.

// room is what is known at a place.
type room struct {
	at     schema.Places // 0 when no packet comes here
	end    schema.Places // of the window
	lo, hi uint64        // bits left in the window, at least and at most
	step   uint64        // these are off modulo step; 0 is as good as 1
	off    uint64
	known  *facts // what conditions before it say; nil for nothing
	filled bool   // after the window's end are zeros, as many as are read
	seen   sight  // what a look has seen here
}

// sight says that a `peek` of so many bits sees a code, unless no whole byte is left. No bits: nothing is known.
type sight struct {
	bits  int
	order wire.Order
	code  uint64
}

// sighted is what looks have seen on both of two ways. One on which no whole byte is left agrees with the other.
func (r room) sighted(o room) sight {
	switch {
	case r.hi < 8:
		return o.seen
	case o.hi < 8 || r.seen == o.seen:
		return r.seen
	}
	return sight{}
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
	out := room{at: r.at | o.at, end: r.end | o.end, lo: min(r.lo, o.lo), hi: max(r.hi, o.hi), known: r.known.join(o.known), filled: r.filled || o.filled, seen: r.sighted(o)}
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
	if r.filled {
		return "the window is filled with zeros"
	}
	if r.at == 0 || r.lo >= width {
		return "what is before it makes sure that its bits are there"
	}
	left := r.bits()
	if left.lo >= int64(width) {
		return "what is before it makes sure that its bits are there"
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
		return "what is before it takes all there is"
	}
	return ""
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

// noPadding proves that there are no bits to a multiple of n.
func (r room) noPadding(n uint64) string {
	if _, most := r.at.Padding(n); most > 0 {
		return ""
	}
	return "it lies on a boundary, so there is no padding"
}

// after is the room after least to most bits, in steps of step, that were there.
func (r room) after(least, most, step uint64) room {
	if r.filled && r.at != 0 {
		return room{at: r.at.Plus(least).Units(0, (most-least)/max(step, 1), step), end: r.end, hi: r.hi - min(r.hi, least), known: r.known, filled: true}
	}
	if r.at == 0 || r.hi < least || most < least {
		return room{}
	}
	lo := max(r.lo, least)
	out := room{at: r.at.Plus(least).Units(0, (most-least)/step, step), end: r.end, lo: lo - min(lo, most), hi: r.hi - least}
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

// align is the room after the padding to a multiple of n bits.
func (r room) align(n uint64) room {
	if n == 0 {
		return r
	}
	least, most := r.at.Padding(n)
	out := r.after(least, most, 1)
	if out.at == 0 {
		return out
	}
	if out.at = r.at.Align(n); out.filled {
		return out
	}
	// It lies on a boundary, so what is left is as far from one as the end is.
	if least, most := out.end.Padding(n); least == most {
		out = out.holding(numbers{0, int64(everything), int64(n), int64(-least & (n - 1))})
	}
	return out
}

// between is the room when between lo and hi bits are left; empty when that cannot be.
func (r room) between(lo, hi uint64) room {
	r.lo, r.hi = max(r.lo, lo), min(r.hi, hi)
	if r.lo > r.hi {
		return room{}
	}
	return r
}

// everything is more bits than any datagram has.
const everything = uint64(1) << 40
