package serialize

import (
	"math"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// parts are the names of a vector's components.
var parts = [4]string{"x", "y", "z", "w"}

// Vector is vec2, vec3 or vec4 of float32, or a plain quaternion: len(v) components, at most 4, in the order x y z w.
// Refusals name the component.
func (s *Stream) Vector(name string, v []float32) {
	checkVector(v)
	for i := range v {
		code, _ := s.number(field{name, parts[i]}, uint64(math.Float32bits(v[i])), 32, limits{span: math.MaxUint32})
		if s.dir == reading {
			v[i] = math.Float32frombits(uint32(code))
		}
	}
}

// QuantizedVector is Vector with quantized components.
func (s *Stream) QuantizedVector(name string, v []float32, q *Quantized) {
	checkVector(v)
	for i := range v {
		s.quantized(field{name, parts[i]}, &v[i], q)
	}
}

func checkVector(v []float32) {
	if len(v) > 4 {
		panic("pktscope: internal error: serialize: a vector of more than four components")
	}
}

var smallestParts = [3]string{"a", "b", "c"}

// SmallestThree is quat smallest3(n): a rotation (x, y, z, w) as two bits for its component largest in magnitude and
// the other three in n bits each, 1 ≤ n ≤ 23. Where that component is negative the quaternion is written negated, which
// is the same rotation. Three components that leave none for the fourth are `non-unit`: an unchecked reader makes a NaN
// there. Writing a quaternion that is not finite, or whose length is not 1 within half a per cent, is refused the same
// way, and so is one that so few bits round to three components too long. It reads as no rotation, (0, 0, 0, 1), after
// a refusal.
//
// Two largest components that differ by less than the rounding can change places: readers take that, and writing what
// they read then sends the other.
func (s *Stream) SmallestThree(name string, q *[4]float32, n int) {
	if n < 1 || n > 23 {
		panic("pktscope: internal error: serialize: a smallest-three of so many bits")
	}
	start := s.bit
	var largest uint64
	var codes [3]uint64
	if s.dir != reading && s.mode != failed {
		var ok bool
		if largest, codes, ok = wire.SmallestCodes(q, n); !ok {
			s.refuse(reject.NonUnit, start, 2+3*n, field{name: name}, 0, 0)
			return
		}
	}
	if code, ok := s.number(field{name, "largest"}, largest, 2, limits{span: 3}); ok {
		largest = code
	}
	for i := range codes {
		if code, ok := s.number(field{name, smallestParts[i]}, codes[i], n, limits{span: wire.Mask(n)}); ok {
			codes[i] = code
		}
	}
	if s.dir != reading {
		return
	}
	*q = [4]float32{3: 1}
	if s.mode == failed {
		return
	}
	if wire.SmallestLeft(codes[:], n) < 0 {
		s.refuse(reject.NonUnit, start, 2+3*n, field{name: name}, s.order.Load(s.data, start, min(2+3*n, 64)), 0)
		return
	}
	*q = wire.SmallestQuat(largest, &codes, n)
}
