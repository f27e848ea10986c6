package wire

import "math"

// Ladders (wire.md, "Integers" and "Array subsets"): a small step costs few bits. Flags say which rung a step is on:
// the first one set names it, and on the last rung all are zero.

// Rungs is how many flags a ladder has, one for each rung but the last.
const Rungs = 6

// Rung is one step of a ladder: int(Lo..Hi).
type Rung struct{ Lo, Hi uint64 }

// Width is how many bits a step on this rung takes, without the flags.
func (r *Rung) Width() int { return BitsRequired(r.Hi - r.Lo) }

// RelativeLadder is that of `relative`; on its last rung the value itself follows in 32 bits. IndexLadder is that of a
// subset's `relative`; on its last rung int(IndexLast..n+1) follows, which a list of fewer elements does not have.
var (
	RelativeLadder = [Rungs]Rung{{1, 1}, {2, 6}, {7, 23}, {24, 280}, {281, 4377}, {4378, 69914}}
	IndexLadder    = [Rungs]Rung{{1, 1}, {2, 5}, {6, 13}, {14, 29}, {30, 61}, {62, 125}}
)

// IndexLast is the lowest step on the last rung of IndexLadder.
const IndexLast = 126

// RelativeMost is the largest value of `relative`, so that nothing wraps in the readers that the format comes from.
const RelativeMost = math.MaxInt32

// IndexSpan is the highest code of a step on the last rung of a list of most+1 slots; false where that rung has no
// steps.
func IndexSpan(most uint64) (span uint64, ok bool) {
	return most + 1 - IndexLast, most+1 >= IndexLast
}
