package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// However packets are cut into parts, and in whatever order their times come, the series is the same and bounded, and no
// packet is missing.
func TestSeriesParts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 200 {
		reach := math.Exp(r.Float64() * 43)
		var whole series
		parts := make([]series, 1+r.IntN(6))
		const packets = 300
		for range packets {
			one := record{time: int64((r.Float64() - 0.3) * reach), size: 100, overhead: 28}
			whole.add(&one)
			parts[r.IntN(len(parts))].add(&one)
		}
		var merged series
		for i := range parts {
			merged.merge(&parts[i])
		}
		if text(t, whole.summary()) != text(t, merged.summary()) {
			t.Fatalf("round %d: whole %s\nmerged %s", round, text(t, whole.summary()), text(t, merged.summary()))
		}
		var n, bits uint64
		for _, b := range whole.buckets {
			n += b.packets
			bits += b.payload + b.overhead
		}
		if n != packets || bits != packets*8*128 || len(whole.buckets) > MaxBuckets || len(whole.buckets) < 1 {
			t.Fatalf("round %d: %d packets in %d buckets", round, n, len(whole.buckets))
		}
		if len(whole.buckets) < MaxBuckets/2 && whole.shift > 0 {
			t.Fatalf("round %d: %d buckets of %d s", round, len(whole.buckets), 1<<whole.shift)
		}
	}
}
