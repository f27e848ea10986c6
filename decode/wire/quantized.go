package wire

import "math"

// Quantized is float(lo..hi, step) (wire.md, "Floats"): a float32 as one of Steps+1 codes. All arithmetic is in float32
// and each operation rounds on its own, because the code must be the one that the C++ libraries write; the explicit
// conversions keep the compiler from fusing a product into a sum.
//
// The zero Quantized has one value, 0, in no bits.
type Quantized struct {
	Min, Delta float32 // lo, and hi - lo
	Steps      uint32  // the highest code
}

// maxSteps is the most that delta/step is clamped to: the largest float32 below 2^32.
const maxSteps = 4294967040

// NewQuantized makes float(lo..hi, step) of ceil((hi - lo)/step) steps, at least 1 and at most 4294967040. Above 2^24
// steps neighbouring codes read as one value. The caller has checked lo < hi, step > 0 and that hi - lo is finite.
func NewQuantized(lo, hi, step float32) Quantized {
	q := Quantized{Min: lo, Delta: hi - lo}
	n := min(max(float32(q.Delta/step), 1), maxSteps)
	q.Steps = uint32(math.Ceil(float64(n)))
	return q
}

// Width is how many bits a code takes, 0..32.
func (q *Quantized) Width() int { return BitsRequired(uint64(q.Steps)) }

// Value is the float that a code stands for; code ≤ q.Steps. The last one can read as the float32 next to hi, above it.
func (q *Quantized) Value(code uint32) float32 {
	if q.Steps == 0 {
		return q.Min
	}
	t := float32(float32(code) / float32(q.Steps))
	return float32(float32(t*q.Delta) + q.Min)
}

// Code is the code that a writer sends for v. Values outside the range are clamped to it; NaN is code 0.
func (q *Quantized) Code(v float32) uint32 {
	t := float32(float32(v-q.Min) / q.Delta)
	if !(t > 0) {
		t = 0
	} else if t > 1 {
		t = 1
	}
	// Not negative, so that the conversion rounds down; in 64 bits because float32(Steps) can round up past Steps.
	return uint32(min(uint64(float32(float32(t*float32(q.Steps))+0.5)), uint64(q.Steps)))
}
