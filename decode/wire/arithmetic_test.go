package wire_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/pktscope/pktscope/decode/wire"
)

// Whole numbers of either kind are compared and divided as the numbers that they are.
func TestArithmetic(t *testing.T) {
	number := func(v uint64, signed bool) *big.Int {
		if signed {
			return big.NewInt(int64(v))
		}
		return new(big.Int).SetUint64(v)
	}
	all := []uint64{0, 1, 2, 7, math.MaxInt64, 1 << 63, 1<<63 + 1, math.MaxUint64 - 6, math.MaxUint64}
	for _, x := range all {
		for _, y := range all {
			for kinds := range 4 {
				sx, sy := kinds&1 != 0, kinds&2 != 0
				a, b := number(x, sx), number(y, sy)
				if got := wire.Less(x, y, sx, sy); got != (a.Cmp(b) < 0) {
					t.Errorf("%v < %v: got %v", a, b, got)
				}
				want, rest := new(big.Int), new(big.Int)
				if y != 0 {
					want.QuoRem(a, b, rest)
				}
				mod := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 64), big.NewInt(1))
				if got := wire.Divide(x, y, sx, sy, false); got != want.And(want, mod).Uint64() {
					t.Errorf("%v / %v: want %v, got %#x", a, b, want, got)
				}
				if got := wire.Divide(x, y, sx, sy, true); got != rest.And(rest, mod).Uint64() {
					t.Errorf("%v %% %v: want %v, got %#x", a, b, rest, got)
				}
			}
		}
	}
}
