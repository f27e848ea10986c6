package schema

import (
	"math"
	"math/rand"
	"testing"

	"github.com/pktscope/pktscope/decode/wire"
)

func quant(lo, hi, step float32) *QuantizedType {
	return &QuantizedType{Quantized: wire.NewQuantized(lo, hi, step), Max: hi, Step: step}
}

// collides is the truth: every two neighbours compared.
func collides(q *QuantizedType) bool {
	last := q.Value(0)
	for i := uint32(1); i <= q.Steps; i++ {
		v := q.Value(i)
		if v == last {
			return true
		}
		last = v
	}
	return false
}

func TestInjectiveAgainstBruteForce(t *testing.T) {
	cases := [][3]float32{
		{0, 1, 0.5}, {-1000, 1000, 0.001}, {-10, 10, 0.01}, {0, 10, 0.02}, {1e6, 1e6 + 1, 0.01}, {1e6, 1e6 + 1, 0.125},
		{1e6, 1e6 + 1, 0.0625}, {1 << 23, 1<<23 + 64, 1}, {1 << 24, 1<<24 + 64, 1}, {1 << 24, 1<<24 + 64, 2}, {-1, 1, 1e-6},
		{-1, 1, 1e-7}, {0, 1 << 20, 1}, {-3, -2.9, 1e-6}, {-1 << 24, 0, 16}, {1e-40, 2e-40, 1e-43}, {0, 1e38, 1e33}, {0, 1, 5},
	}
	r := rand.New(rand.NewSource(1))
	for range 300 {
		lo := float32(math.Ldexp(r.Float64()*2-1, r.Intn(24)))
		hi := lo + float32(math.Ldexp(r.Float64(), r.Intn(24)-8))
		cases = append(cases, [3]float32{lo, hi, (hi - lo) / float32(math.Ldexp(1+r.Float64(), r.Intn(18)))})
	}
	both := map[bool]int{}
	for _, k := range cases {
		if !(k[0] < k[1]) || !(k[2] > 0) {
			continue
		}
		q := quant(k[0], k[1], k[2])
		want := !collides(q)
		both[want]++
		if got := (&floatProver{}).injective(q); got != want {
			t.Errorf("float(%v..%v, %v), %d steps: injective %v, want %v", k[0], k[1], k[2], q.Steps, got, want)
		}
	}
	if both[true] < 50 || both[false] < 50 {
		t.Errorf("one-sided cases: %v", both)
	}
}

// The proof alone must not need to look at codes for what games use.
func TestInjectiveProvesWithoutLooking(t *testing.T) {
	for _, k := range [][3]float32{{-1000, 1000, 0.001}, {0, 1, 1.0 / 65535}, {-8192, 8192, 1.0 / 64}, {-180, 180, 0.01}} {
		p := &floatProver{}
		if q := quant(k[0], k[1], k[2]); !p.injective(q) || p.spent > 0 {
			t.Errorf("%v: %d steps, %d codes looked at", k, q.Steps, p.spent)
		}
	}
}

// A file of many borderline floats costs no more than the budget: what is left undecided is refused.
func TestInjectiveBudget(t *testing.T) {
	p := &floatProver{}
	refused := 0
	for i := range 40 {
		q := quant(0, float32(1<<23+i), 1)
		if q.Steps > exactCodes {
			t.Fatal("not borderline")
		}
		if !p.injective(q) {
			refused++
		}
	}
	if p.spent > proofBudget+40 {
		t.Errorf("looked at %d codes, the budget is %d", p.spent, proofBudget)
	}
	if refused == 0 {
		t.Errorf("nothing was refused after %d codes", p.spent)
	}
}

// maxSmallest is the largest component whose codes all read as different values: the bound comes from the arithmetic.
func TestSmallestBound(t *testing.T) {
	top := float32(1) / float32(1.414214)
	comp := func(n int) *QuantizedType {
		return &QuantizedType{Quantized: wire.Quantized{Min: -top, Delta: top - -top, Steps: 1<<n - 1}, Max: top}
	}
	for n := 2; n <= maxSmallest; n++ {
		if collides(comp(n)) {
			t.Errorf("smallest3(%d) has codes that read as one value", n)
		}
	}
	if !collides(comp(maxSmallest + 1)) {
		t.Errorf("smallest3(%d) is injective as well: the bound is too low", maxSmallest+1)
	}
}

func TestQuantSteps(t *testing.T) {
	for _, tt := range []struct {
		lo, hi, step float32
		want         uint32
	}{
		{0, 10, 0.01, 1000},
		{-1000, 1000, 0.001, 2000000},
		{0, 1, 5, 1},
		{0, 1, 1e-30, 4294967040},
		{0, 1, 0.3, 4},
	} {
		if q := quant(tt.lo, tt.hi, tt.step); q.Steps != tt.want {
			t.Errorf("float(%v..%v, %v): %d steps, want %d", tt.lo, tt.hi, tt.step, q.Steps, tt.want)
		}
	}
}
