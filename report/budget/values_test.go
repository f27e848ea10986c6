package budget

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func sampleOf(limit int, codes []uint64) *sample {
	s := &sample{limit: limit}
	for _, c := range codes {
		s.add(c)
	}
	return s
}

func trueEntropy(codes []uint64) (distinct, entropy float64) {
	counts := map[uint64]float64{}
	for _, c := range codes {
		counts[c]++
	}
	n := float64(len(codes))
	for _, c := range counts {
		entropy += c / n * math.Log2(n/c)
	}
	return float64(len(counts)), entropy
}

// shapes of traffic: constants, small sets, counters, noise, and noise beside one value that is half of all.
func shapesOf(n int) map[string][]uint64 {
	r := rand.New(rand.NewPCG(7, 11))
	out := map[string][]uint64{}
	put := func(name string, value func(i int) uint64) {
		for i := range n {
			out[name] = append(out[name], value(i))
		}
	}
	put("constant", func(int) uint64 { return 255 })
	put("two", func(i int) uint64 { return uint64(i % 2) })
	put("counter", func(i int) uint64 { return uint64(i) })
	put("clock", func(i int) uint64 { return 1_700_000_000_000 + 50*uint64(i) })
	put("noise", func(int) uint64 { return uint64(r.IntN(20_000)) })
	put("half", func(i int) uint64 {
		if i%2 == 0 {
			return 0
		}
		return uint64(r.IntN(20_000))
	})
	put("skewed", func(int) uint64 { return uint64(r.ExpFloat64() * 900) })
	return out
}

func TestSampleEstimates(t *testing.T) {
	const n = 60_000
	for name, codes := range shapesOf(n) {
		s := sampleOf(maxSample, codes)
		distinct, entropy := trueEntropy(codes)
		d := s.distinct()
		if s.level == 0 && (d.Value != distinct || d.Error != 0 || math.Abs(s.entropy(n)-entropy) > 1e-9) {
			t.Errorf("%s: %v values with entropy %v, want exactly %v and %v", name, d, s.entropy(n), distinct, entropy)
		}
		if math.Abs(d.Value-distinct) > 4*d.Error {
			t.Errorf("%s: %v values, want %v", name, d, distinct)
		}
		if d.Error > 0.054*d.Value {
			t.Errorf("%s: the error of %v is more than was promised", name, d)
		}
		if got := s.entropy(n); math.Abs(got-entropy) > 0.5 {
			t.Errorf("%s: entropy %v, want %v within half a bit", name, got, entropy)
		}
		if s.used > s.limit || len(s.codes) > 4*s.limit {
			t.Errorf("%s: %d values in %d places, want at most %d", name, s.used, len(s.codes), s.limit)
		}
	}
}

// What is kept depends on the set of values, not on their order nor on how the work was cut.
func TestSampleMergesExactly(t *testing.T) {
	for name, codes := range shapesOf(20_000) {
		for _, limit := range []int{16, 128, maxSample} {
			t.Run(fmt.Sprintf("%s/%d", name, limit), func(t *testing.T) {
				whole := sampleOf(limit, codes)
				merged := &sample{limit: limit}
				for i := 9; i >= 0; i-- {
					merged.merge(sampleOf(limit, codes[i*2000:(i+1)*2000]))
				}
				if merged.level != whole.level || !slices.Equal(merged.all(), whole.all()) {
					t.Errorf("ten slices: level %d with %d values; the whole: level %d with %d", merged.level, merged.used, whole.level, whole.used)
				}
			})
		}
	}
}

func TestDigits(t *testing.T) {
	check := func(v uint64) {
		if got, want := digits(v), uint64(len(fmt.Sprint(v))); got != want {
			t.Errorf("%d has %d digits, want %d", v, got, want)
		}
		if got, want := signedDigits(int64(v)), uint64(len(fmt.Sprint(int64(v)))); got != want {
			t.Errorf("%d has %d characters, want %d", int64(v), got, want)
		}
	}
	for i := range 64 {
		for _, d := range []uint64{0, 1, ^uint64(0)} {
			check(1<<i + d)
		}
	}
	for _, p := range powers {
		check(p - 1)
		check(p)
		check(p + 1)
	}
	check(math.MaxUint64)
}
