package wire

import "math"

// Smallest-three quaternions (wire.md, "Floats"). The three components that are not the largest lie within 1/√2 of
// zero, 1/√2 as the C++ libraries have it.
const (
	smallestMost  = float32(1) / float32(1.414214)
	smallestDelta = float32(2 * smallestMost)
)

// SmallestPart is the component that an n-bit code stands for, n in 1..23.
func SmallestPart(code uint64, n int) float32 {
	t := float32(float32(uint32(code)) / float32(uint32(Mask(n))))
	return float32(float32(t*smallestDelta) - smallestMost)
}

// SmallestLeft is what three n-bit codes leave for the square of the fourth component. Below zero there is no fourth:
// an unchecked reader makes a NaN of its root.
func SmallestLeft(codes []uint64, n int) float32 {
	left := float32(1)
	for _, code := range codes {
		v := SmallestPart(code, n)
		left = float32(left - float32(v*v))
	}
	return left
}

// SmallestJudge judges the three n-bit codes of a quaternion: unit says that they leave a fourth component, canonical
// that it is the largest.
func SmallestJudge(codes []uint64, n int) (unit, canonical bool) {
	left, most := SmallestLeft(codes, n), float32(0)
	for _, code := range codes {
		most = max(most, float32(math.Abs(float64(SmallestPart(code, n)))))
	}
	// most ≤ √left, without the root: the square of a float32 is exact in a float64.
	return left >= 0, float64(most)*float64(most) <= float64(left)
}

// SmallestCodes is what a writer sends for q = (x, y, z, w) in n bits a component: the index of the largest component
// and the codes of the others, negated where that one is negative. ok is false where q is no rotation: its squares do
// not sum to 1 within a hundredth, or n bits round it to three components too long.
func SmallestCodes(q *[4]float32, n int) (largest uint64, codes [3]uint64, ok bool) {
	sum, most := 0.0, float32(-1)
	for i, v := range q {
		sum += float64(v) * float64(v)
		if v < 0 {
			v = -v
		}
		if v > most {
			largest, most = uint64(i), v
		}
	}
	if !(math.Abs(sum-1) <= 0.01) {
		return 0, codes, false
	}
	sign, k := float32(1), 0
	if q[largest] < 0 {
		sign = -1
	}
	for i, v := range q {
		if i == int(largest) {
			continue
		}
		t := min(max(float32(float32(sign*v+smallestMost)/smallestDelta), 0), 1)
		codes[k] = min(uint64(float32(float32(t*float32(Mask(n)))+0.5)), Mask(n))
		k++
	}
	return largest, codes, SmallestLeft(codes[:], n) >= 0
}

// SmallestQuat is the quaternion that a largest component and three n-bit codes stand for. The codes leave a fourth
// component (see [SmallestLeft]); where they do not, it is 0.
func SmallestQuat(largest uint64, codes *[3]uint64, n int) (q [4]float32) {
	k := 0
	for i := range q {
		if i == int(largest) {
			q[i] = float32(math.Sqrt(float64(max(SmallestLeft(codes[:], n), 0))))
			continue
		}
		q[i] = SmallestPart(codes[k], n)
		k++
	}
	return q
}
