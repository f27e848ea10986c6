package runtime

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pktscope/pktscope/decode/wire"
)

// What is inside in whole numbers is it in floats: all quaternions of few bits, and of more those near the border. Only
// those near it are left to the floats.
func TestInside(t *testing.T) {
	try := func(a, b, c uint64, n int) {
		sum := 0.0
		for _, code := range []uint64{a, b, c} {
			v := (2*float64(code)/float64(wire.Mask(n)) - 1) / math.Sqrt2
			sum += v * v
		}
		if got := inside(a, b, c, n); got && !unit(a, b, c, n) || !got && sum < 0.996 {
			t.Fatalf("%d, %d, %d of %d bits: squares of %g are inside: %v", a, b, c, n, sum, got)
		}
	}
	for n := 2; n <= 6; n++ {
		for i := range uint64(1) << (3 * n) {
			try(i&wire.Mask(n), i>>n&wire.Mask(n), i>>(2*n), n)
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	for n := 7; n <= 24; n++ {
		most := float64(wire.Mask(n))
		for range 20_000 {
			// A direction, and a length of about 1.
			x, y, z := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
			length := (1 + (r.Float64()-0.5)*0.02) / math.Sqrt(x*x+y*y+z*z)
			code := func(v float64) uint64 {
				return uint64(max(0, min(most, (v*length*math.Sqrt2+1)/2*most)))
			}
			try(code(x), code(y), code(z), n)
			try(r.Uint64()&wire.Mask(n), r.Uint64()&wire.Mask(n), r.Uint64()&wire.Mask(n), n)
		}
	}
}
