package schema

import (
	"math/big"
	"testing"
)

// Every operation is compared with its results over all values of small intervals: the interval must hold them all, and
// for the monotone operations be no wider.
func TestIntervalsHoldEveryResult(t *testing.T) {
	ops := []struct {
		name  string
		apply func(a, b interval) interval
		value func(z, x, y *big.Int) *big.Int
		legal func(b int64) bool
		exact bool
	}{
		{"add", interval.add, (*big.Int).Add, nil, true},
		{"sub", interval.sub, (*big.Int).Sub, nil, true},
		{"mul", interval.mul, (*big.Int).Mul, nil, true},
		{"div", interval.div, (*big.Int).Quo, func(b int64) bool { return b != 0 }, true},
		{"mod", interval.mod, (*big.Int).Rem, func(b int64) bool { return b != 0 }, false},
		{"and", interval.and, (*big.Int).And, nil, false},
		{"or", interval.or, (*big.Int).Or, nil, false},
		{"xor", interval.xor, (*big.Int).Xor, nil, false},
		{"shl", interval.shl, func(z, x, y *big.Int) *big.Int { return z.Lsh(x, uint(y.Uint64())) },
			func(b int64) bool { return b >= 0 }, true},
		{"shr", interval.shr, func(z, x, y *big.Int) *big.Int { return z.Rsh(x, uint(y.Uint64())) },
			func(b int64) bool { return b >= 0 }, true},
	}
	const far = 6
	for _, op := range ops {
		for alo := int64(-far); alo <= far; alo++ {
			for ahi := alo; ahi <= far; ahi++ {
				for blo := int64(-far); blo <= far; blo++ {
					var min, max *big.Int
					for bhi := blo; bhi <= far; bhi++ {
						if op.legal != nil && !op.legal(bhi) {
							break // each longer interval has it, too
						}
						for a := alo; a <= ahi; a++ {
							v := op.value(new(big.Int), big.NewInt(a), big.NewInt(bhi))
							if min == nil || v.Cmp(min) < 0 {
								min = v
							}
							if max == nil || v.Cmp(max) > 0 {
								max = v
							}
						}
						got := op.apply(span64(alo, ahi), span64(blo, bhi))
						truth := interval{min, max}
						if !truth.within(got) {
							t.Fatalf("%d..%d %s %d..%d = %s, but it gives %s", alo, ahi, op.name, blo, bhi, got, truth)
						}
						if op.exact && !got.within(truth) {
							t.Fatalf("%d..%d %s %d..%d = %s, wider than %s", alo, ahi, op.name, blo, bhi, got, truth)
						}
					}
				}
			}
		}
	}
}

func TestIntervalFits(t *testing.T) {
	b := func(s string) *big.Int {
		v, ok := new(big.Int).SetString(s, 0)
		if !ok {
			t.Fatal(s)
		}
		return v
	}
	for _, tt := range []struct {
		lo, hi string
		want   bool
	}{
		{"-1", "0x8000000000000000", false},
		{"0", "0x10000000000000000", false},
		{"-0x8000000000000001", "0", false},
		{"0", "0xFFFFFFFFFFFFFFFF", true},
		{"-0x8000000000000000", "0x7FFFFFFFFFFFFFFF", true},
		{"0x8000000000000000", "0xFFFFFFFFFFFFFFFF", true},
	} {
		if got := (interval{b(tt.lo), b(tt.hi)}).fits(); got != tt.want {
			t.Errorf("%s..%s fits: %v, want %v", tt.lo, tt.hi, got, tt.want)
		}
	}
}

func TestNormalizeAndInSet(t *testing.T) {
	mk := func(ns ...int64) []Range {
		var out []Range
		for i := 0; i < len(ns); i += 2 {
			out = append(out, Range{big.NewInt(ns[i]), big.NewInt(ns[i+1])})
		}
		return out
	}
	for _, set := range [][]Range{
		mk(), mk(3, 3), mk(3, 4, 1, 2), mk(1, 9, 2, 3, 5, 6), mk(8, 9, 1, 1, 4, 5, 6, 6), mk(1, 5, 5, 7, 20, 30),
	} {
		has := map[int64]bool{}
		for _, r := range set {
			for v := r.Lo.Int64(); v <= r.Hi.Int64(); v++ {
				has[v] = true
			}
		}
		got := normalize(set)
		for i, r := range got {
			if i > 0 && new(big.Int).Add(got[i-1].Hi, bigOne).Cmp(r.Lo) >= 0 {
				t.Errorf("%v touches its neighbour in %v", r, got)
			}
		}
		for v := int64(-1); v < 40; v++ {
			if inSet(got, big.NewInt(v)) != has[v] {
				t.Errorf("%d in %v: %v, want %v", v, got, !has[v], has[v])
			}
		}
	}
}

func TestSizesSaturate(t *testing.T) {
	for _, tt := range []struct{ got, want uint64 }{
		{satAdd(sizeMax, 1), sizeMax},
		{satAdd(sizeMax-1, 1), sizeMax},
		{satMul(1<<32, 1<<32), sizeMax},
		{satMul(1<<32, 1<<31), 1 << 63},
		{satMul(0, sizeMax), 0},
		{satMul(sizeMax, 0), 0},
		{satMul(sizeMax, 1), sizeMax},
	} {
		if tt.got != tt.want {
			t.Errorf("got %d, want %d", tt.got, tt.want)
		}
	}
}
