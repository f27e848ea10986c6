package plan

import (
	"math"

	"github.com/pktscope/pktscope/decode/bitio"
	"github.com/pktscope/pktscope/decode/schema"
)

// Quantised floats (wire.md, "Floats"). All arithmetic is in float32 and each operation rounds on its own, because the
// code must be the one that the C++ libraries write; the explicit conversions keep the compiler from fusing a product
// into a sum.

// Dequantize is the float that step i stands for. i is at most q.Steps.
func Dequantize(q *schema.QuantizedType, i uint32) float32 {
	t := float32(float32(i) / float32(q.Steps))
	return float32(float32(t*q.Delta) + q.Min)
}

// Quantize is the step that a writer sends for v; values outside the range are clamped to it, NaN is step 0.
func Quantize(q *schema.QuantizedType, v float32) uint32 {
	t := float32(float32(v-q.Min) / q.Delta)
	if !(t > 0) {
		t = 0
	} else if t > 1 {
		t = 1
	}
	code := math.Floor(float64(float32(float32(t*float32(q.Steps)) + 0.5)))
	// float32(Steps) can round up past Steps where Steps has more than 24 bits.
	return uint32(min(code, float64(q.Steps)))
}

// smallestMost is the largest that a component can be which is not the largest: 1/√2, as the wire has it.
const smallestMost = float32(1) / float32(1.414214)

// SmallestPart is the value of one of the three n-bit codes of a smallest-three quaternion.
func SmallestPart(code uint64, n int) float32 {
	t := float32(float32(code) / float32(bitio.Mask(n)))
	return float32(float32(t*float32(2*smallestMost)) - smallestMost)
}

// Smallest judges the three codes: unit is false when their squares sum past 1, so that there is no fourth component;
// canonical is false when the fourth is not the largest.
func Smallest(codes []uint64, n int) (unit, canonical bool) {
	left, most := float32(1), float32(0)
	for _, code := range codes {
		v := SmallestPart(code, n)
		left = float32(left - float32(v*v))
		if v < 0 {
			v = -v
		}
		if v > most {
			most = v
		}
	}
	// most ≤ √left, without the root: the square of a float32 is exact in a float64.
	return left >= 0, float64(most)*float64(most) <= float64(left)
}
