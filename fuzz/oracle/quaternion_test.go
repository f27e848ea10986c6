package oracle_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Three parts of a quaternion leave a fourth that is no number exactly when they are refused. wire.md's arithmetic is
// written again here; all codes where they are few, and many of the widths that protocols use.
func TestQuaternionIsNeverNaN(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 9, 10, 15, 16} {
		o := rowOracle(t, rows.Row{Items: fmt.Sprintf("q quat smallest3(%d)", n)}, wire.LSB)
		part := func(code uint64) float32 {
			most := float32(1 / 1.414214)
			span := float32(most - -most)
			return float32(float32(float32(code)/float32(wire.Mask(n)))*span) + -most
		}
		refused, accepted := 0, 0
		check := func(a, b, c uint64) {
			got, err := o.Decode(rows.Pack(t, wire.LSB, fmt.Sprintf("2:1 %d:%d %d:%d %d:%d", n, a, n, b, n, c)), schema.FromUnknown)
			if err != nil {
				t.Fatal(err)
			}
			left := float32(1)
			for _, code := range []uint64{a, b, c} {
				v := part(code)
				left = float32(left - float32(v*v))
			}
			want := reject.None
			if math.IsNaN(math.Sqrt(float64(left))) {
				want = reject.NonUnit
				refused++
			} else {
				accepted++
			}
			if got.Kind != want {
				t.Fatalf("smallest3(%d) of %d, %d, %d: want %v, got %v", n, a, b, c, want, got)
			}
		}
		if n <= 4 {
			for code := range uint64(1) << (3 * n) {
				check(code&wire.Mask(n), code>>n&wire.Mask(n), code>>(2*n))
			}
		} else {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			for range 1500 {
				check(r.Uint64N(wire.Mask(n)+1), r.Uint64N(wire.Mask(n)+1), r.Uint64N(wire.Mask(n)+1))
			}
		}
		if refused == 0 || accepted == 0 {
			t.Errorf("smallest3(%d): %d refused, %d accepted", n, refused, accepted)
		}
	}
}
