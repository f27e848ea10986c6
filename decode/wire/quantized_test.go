package wire_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pktscope/pktscope/decode/wire"
)

// plainQuantize is what wire.md says, with a jump for each end of the range.
func plainQuantize(v, least, delta, steps float32, most uint64) uint64 {
	t := float32(float32(v-least) / delta)
	if !(t > 0) {
		t = 0
	} else if t > 1 {
		t = 1
	}
	return min(uint64(int64(float32(float32(t*steps)+0.5))), most)
}

// Floats of any bits, those around the ends of the range and what is no number have the code that wire.md says.
func TestQuantize(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, row := range []struct {
		least, delta float32
		most         uint64
	}{
		{-1000, 2000, 2_000_000}, {-10, 20, 2000}, {0, 30, 60}, {0, 1e-40, 7}, {-3e38, 3e38, 1<<23 - 1}, {0, 1, 1 << 23},
		{-1, 2, 1<<24 + 1}, {0, 10, 1<<32 - 1}, {5, 1, 1},
	} {
		try := func(v float32) {
			got, want := wire.Quantize(v, row.least, row.delta, float32(row.most), row.most), plainQuantize(v, row.least, row.delta, float32(row.most), row.most)
			if got != want || got > row.most {
				t.Fatalf("%g of %+v: want %d, got %d", v, row, want, got)
			}
		}
		inf := float32(math.Inf(1))
		nan := math.Float32frombits(0x7fc00001)
		for _, v := range []float32{0, float32(math.Copysign(0, -1)), inf, -inf, nan, -nan, math.MaxFloat32, -math.MaxFloat32, row.least, row.least + row.delta} {
			for _, to := range []float32{v, inf, -inf} {
				try(math.Nextafter32(v, to))
			}
		}
		for range 100_000 {
			try(math.Float32frombits(r.Uint32()))
			try(row.least + row.delta*r.Float32())
		}
	}
}
