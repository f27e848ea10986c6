package browse

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever was added, a set says where it is.
func TestSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, gap := range []int64{1, 3, 70, 10_000} {
		var s set
		var want []int64
		n := int64(0)
		for range 3000 {
			n += 1 + r.Int64N(gap)
			s.add(n)
			want = append(want, n)
		}
		for range 3000 {
			n := r.Int64N(n + 100)
			at, is := slices.BinarySearch(want, n)
			from, below := int64(0), int64(0)
			if at < len(want) {
				from = want[at]
			}
			if is {
				below = n
			} else if at > 0 {
				below = want[at-1]
			}
			if s.has(n) != is || s.rank(n) != int64(at) || s.from(n) != from || s.upTo(n) != below {
				t.Fatalf("%d: %t %d %d %d, want %t %d %d %d", n, s.has(n), s.rank(n), s.from(n), s.upTo(n), is, at, from, below)
			}
		}
		for i, n := range want {
			if s.at(int64(i)) != n {
				t.Fatalf("number %d: %d, want %d", i, s.at(int64(i)), n)
			}
		}
		if s.at(-1) != 0 || s.at(3000) != 0 || s.size() != 3000 {
			t.Error("there are no others")
		}
	}
}
