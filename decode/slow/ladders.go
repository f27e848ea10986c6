package slow

import (
	"math"
	"math/big"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// Ladders: a small step costs few bits. Flags come first, and the first one set names the rung; on the last rung all
// flags are zero.

// Rung is one step of a ladder: int(lo..hi).
type Rung struct{ Lo, Hi uint64 }

// RelativeRungs are those of relative(field); after them comes the value itself in 32 bits. IndexRungs are those of
// subset(relative); after them comes int(126..n+1). Nobody changes them.
var (
	RelativeRungs = []Rung{{1, 1}, {2, 6}, {7, 23}, {24, 280}, {281, 4377}, {4378, 69914}}
	IndexRungs    = []Rung{{1, 1}, {2, 5}, {6, 13}, {14, 29}, {30, 61}, {62, 125}}
)

// climb reads the flags, and on any rung but the last the step; last says that only flags were read. The number's bit
// and width are those of all that was read. A flag or a step that does not fit fails at its own first bit.
func (w *walk) climb(f frame, rungs []Rung) (n number, last, ok bool) {
	n.bit = w.bit
	for _, r := range rungs {
		flag, ok := w.take(f, 1)
		if !ok {
			return n, false, false
		}
		if flag == 1 {
			step, ok := w.ranged(f, new(big.Int).SetUint64(r.Lo), new(big.Int).SetUint64(r.Hi), false)
			step.bit, step.width = n.bit, w.bit-n.bit
			return step, false, ok
		}
	}
	n.width = w.bit - n.bit
	return n, true, true
}

// relative reads relative(field): a value larger than an earlier one.
func (w *walk) relative(f frame, t *schema.LadderType) (number, bool) {
	previous := w.eval(f.scope, t.Prev)
	n, last, ok := w.climb(f, RelativeRungs)
	if !ok {
		return n, false
	}
	if last {
		current, ok := w.take(f, 32)
		if !ok {
			return n, false
		}
		n.width = w.bit - n.bit
		n.value = new(big.Int).SetUint64(current)
	} else {
		n.value.Add(n.value, previous)
	}
	n.raw = n.value.Uint64()
	n.outside = n.outside || n.value.Cmp(big.NewInt(math.MaxInt32)) > 0
	if n.outside {
		return n, true
	}
	step := new(big.Int).Sub(n.value, previous)
	if step.Sign() <= 0 {
		return n, w.refuse(f, reject.NotIncreasing, n.bit, n.width)
	}
	// The readers that the format comes from take a small step on the last rung too; no writer makes one.
	if last && step.Cmp(big.NewInt(69914)) <= 0 {
		w.note(f, reject.NonCanonicalRaw, n.bit, n.width)
	}
	return n, true
}

// indexStep reads how far the next index of a subset(relative) of n slots is.
func (w *walk) indexStep(f frame, n uint64) (number, bool) {
	step, last, ok := w.climb(f, IndexRungs)
	if !ok || !last {
		return step, ok
	}
	if n+1 < 126 {
		step.outside = true // no step is that long: the rung has no values at all
		return step, true
	}
	far, ok := w.ranged(f, big.NewInt(126), new(big.Int).SetUint64(n+1), false)
	far.bit, far.width = step.bit, w.bit-step.bit
	return far, ok
}
