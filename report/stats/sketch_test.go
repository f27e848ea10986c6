package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every value lies in its bucket's error, over all widths, at both ends of the bucket and of the range.
func TestSketchBuckets(t *testing.T) {
	last := -1
	check := func(v uint64) {
		at := bucketOf(v)
		if int(at) >= maxSketchBuckets {
			t.Fatalf("%d: bucket %d of %d", v, at, maxSketchBuckets)
		}
		m := middle(at, 0)
		off := max(m, v) - min(m, v)
		if float64(off) > float64(v)*SketchError {
			t.Errorf("%d: middle %d of bucket %d is off by %d", v, m, at, off)
		}
	}
	for bit := range 64 {
		for _, low := range []uint64{0, 1, 2, 1<<bit>>1 - 1, 1 << bit >> 7, 1<<bit - 1} {
			check(1<<bit + low)
			check(1<<bit - 1)
		}
	}
	check(math.MaxUint64)
	for v := uint64(0); v < 1<<14; v++ {
		check(v)
		if at := int(bucketOf(v)); at < last || at > last+1 {
			t.Fatalf("%d: bucket %d after %d", v, at, last)
		} else {
			last = at
		}
	}
}

func TestSketchQuantiles(t *testing.T) {
	var empty Sketch
	if empty.Quantile(0.5) != 0 || empty.Mean() != 0 || empty.N() != 0 {
		t.Error("an empty sketch says something")
	}
	r := rand.New(rand.NewPCG(1, 2))
	var values []uint64
	var s, a, b Sketch
	for i := range 10_000 {
		v := uint64(math.Exp(r.Float64() * 40))
		values = append(values, v)
		s.Add(v)
		if i < 3_000 {
			a.Add(v)
		} else {
			b.Add(v)
		}
	}
	a.Merge(&b)
	a.Merge(&empty)
	slices.Sort(values)
	for _, q := range []float64{0, 0.001, 0.5, 0.9, 0.99, 0.9999, 1} {
		want := values[max(int(math.Ceil(q*float64(len(values)))), 1)-1]
		got := s.Quantile(q)
		if math.Abs(float64(got)-float64(want)) > SketchError*float64(want) {
			t.Errorf("quantile %g: want %d ±1/128, got %d", q, want, got)
		}
		if merged := a.Quantile(q); merged != got {
			t.Errorf("quantile %g: %d merged, %d at once", q, merged, got)
		}
	}
	if s.Quantile(1) != values[len(values)-1] {
		t.Error("the greatest value is not exact")
	}
}

func TestSketchSumStays(t *testing.T) {
	var s Sketch
	s.Add(math.MaxUint64)
	s.Add(math.MaxUint64)
	if s.Mean() != math.MaxUint64/2 {
		t.Errorf("mean %g", s.Mean())
	}
}
