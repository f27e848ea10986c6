package budget

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Every size is within 1/64 of what its bucket stands for, and buckets rise with sizes.
func TestSpreadBuckets(t *testing.T) {
	last := -1
	for v := uint64(0); v < 600_000; v++ {
		b := bucketOf(v)
		if b < last || b >= mostBuckets {
			t.Fatalf("size %d: bucket %d after %d of %d", v, b, last, mostBuckets)
		}
		last = b
		m := middle(b)
		if v < exactSizes && m != v {
			t.Fatalf("size %d counts as %d, want itself", v, m)
		}
		if off := max(v, m) - min(v, m); off*64 > v {
			t.Fatalf("size %d counts as %d: off by more than 1/64", v, m)
		}
	}
	for b := range mostBuckets {
		if got := bucketOf(middle(b)); got != b {
			t.Errorf("bucket %d stands for %d, which is in bucket %d", b, middle(b), got)
		}
	}
}

func TestSpreadPercentiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, zeros := range []int{0, 1, 500, 5000} {
		var s, first, second Spread
		var all []uint64
		for i := range 2000 {
			v := uint64(1 + r.ExpFloat64()*900)
			s.add(v)
			if i%3 == 0 {
				first.add(v)
			} else {
				second.add(v)
			}
			all = append(all, v)
		}
		all = append(all, make([]uint64, zeros)...)
		slices.Sort(all)
		second.merge(&first)
		if !slices.Equal(second.counts, s.counts) || second.n != s.n || second.max != s.max {
			t.Error("merged, it is not the whole")
		}
		for _, h := range []float64{1, 50, 90, 99, 100} {
			want := all[max(int(float64(len(all))*h/100+0.999999), 1)-1]
			got := s.Percentile(h, uint64(zeros))
			if off := max(got, want) - min(got, want); off*64 > want {
				t.Errorf("%d zeros: p%v is %d, want %d within 1/64", zeros, h, got, want)
			}
		}
	}
	var none Spread
	if got := none.Percentile(50, 0); got != 0 {
		t.Errorf("p50 of nothing is %d", got)
	}
}
