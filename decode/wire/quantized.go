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
	return Dequantize(uint64(code), q.Min, q.Delta, float32(q.Steps))
}

// Dequantize is the float that a code of at most 32 bits stands for.
func Dequantize(code uint64, least, delta, steps float32) float32 {
	t := float32(float32(uint32(code)) / steps)
	return float32(float32(t*delta) + least)
}

// Code is the code that a writer sends for v. Values outside the range are clamped to it; NaN is code 0.
func (q *Quantized) Code(v float32) uint32 {
	return uint32(Quantize(v, q.Min, q.Delta, float32(q.Steps), uint64(q.Steps)))
}

// Quantize is the code for v of a range of steps, which most is before it was rounded to a float32.
func Quantize(v, least, delta, steps float32, most uint64) uint64 {
	t := float32(float32(v-least) / delta)
	// Bits that are no more than those of 1 are a float of 0..1: neither NaN nor negative. 0 and 1 are what many values
	// are, so no jump tells them from those between.
	if math.Float32bits(t) > 0x3f800000 {
		t = clamp(t)
	}
	// In 64 bits, and not above most, because steps can be rounded up past it.
	code := uint64(int64(float32(float32(t*steps) + 0.5)))
	if steps < 1<<23 { // what is added is not rounded, so this is not above the last step
		return code
	}
	return min(code, most)
}

// clamp is the end of 0..1 that t is nearest to, 0 for NaN.
func clamp(t float32) float32 {
	if t > 1 {
		return 1
	}
	return 0
}
