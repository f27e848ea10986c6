package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

var sequenceRows = []struct {
	name    string
	modulus uint64
	values  []uint64
	want    SequenceCounts
}{
	{"nothing", 1 << 16, nil, SequenceCounts{}},
	{"in order", 1 << 16, []uint64{5, 6, 7}, SequenceCounts{Received: 3}},
	{"a gap", 1 << 16, []uint64{5, 8}, SequenceCounts{Received: 2, Lost: 2}},
	{"a duplicate", 1 << 16, []uint64{5, 5, 6, 5}, SequenceCounts{Received: 4, Duplicated: 2}},
	{"two in the wrong order", 1 << 16, []uint64{5, 7, 6, 8}, SequenceCounts{Received: 4, Reordered: 1}},
	{"reordered, then again", 1 << 16, []uint64{5, 7, 6, 6}, SequenceCounts{Received: 4, Reordered: 1, Duplicated: 1}},
	{"one from before the first is not found", 1 << 16, []uint64{5, 4, 6, 4}, SequenceCounts{Received: 4, Reordered: 1, Duplicated: 1}},
	{"wrap-around", 1 << 16, []uint64{65534, 65535, 0, 1}, SequenceCounts{Received: 4}},
	{"a gap over the wrap-around", 1 << 16, []uint64{65534, 2}, SequenceCounts{Received: 2, Lost: 3}},
	{"reordered over the wrap-around", 1 << 16, []uint64{65534, 0, 65535}, SequenceCounts{Received: 3, Reordered: 1}},
	{"2^64 values", 0, []uint64{1<<64 - 2, 1<<64 - 1, 1, 0}, SequenceCounts{Received: 4, Reordered: 1}},
	{"1,000 values", 1000, []uint64{998, 999, 0, 2, 1}, SequenceCounts{Received: 5, Reordered: 1}},
	{"four bits", 16, []uint64{14, 15, 0, 3, 2}, SequenceCounts{Received: 5, Lost: 1, Reordered: 1}},
	{"one bit", 2, []uint64{0, 1, 0, 0, 1}, SequenceCounts{Received: 5, Duplicated: 1}},
	{"one value", 1, []uint64{0, 0}, SequenceCounts{Received: 2, Duplicated: 1}},
	{"the largest gap", 1 << 16, []uint64{0, 1024}, SequenceCounts{Received: 2, Lost: 1023}},
	{"a stray ahead is no loss", 1 << 16, []uint64{0, 1025, 1, 2}, SequenceCounts{Received: 4, Strays: 1}},
	{"63 after", 1 << 16, []uint64{100, 200, 137}, SequenceCounts{Received: 3, Lost: 98, Reordered: 1}},
	{"64 after is a stray", 1 << 16, []uint64{100, 200, 136}, SequenceCounts{Received: 3, Lost: 99, Strays: 1}},
	{"a restart", 1 << 16, []uint64{500, 501, 1, 2, 4}, SequenceCounts{Received: 5, Lost: 1, Restarts: 1}},
	{"a restart at the wrap-around", 1 << 16, []uint64{30000, 65535, 0, 1}, SequenceCounts{Received: 4, Restarts: 1}},
	{"two strays that do not follow each other", 1 << 16, []uint64{500, 10000, 20000, 501}, SequenceCounts{Received: 4, Strays: 2}},
	{"a stray, the counter, and what follows the stray", 1 << 16, []uint64{500, 10000, 501, 10001, 502}, SequenceCounts{Received: 5, Strays: 2}},
	{"a restart forgets what was missing", 1 << 16, []uint64{5000, 5002, 1, 2, 5001}, SequenceCounts{Received: 5, Lost: 1, Strays: 1, Restarts: 1}},
}

func TestSequence(t *testing.T) {
	for _, row := range sequenceRows {
		var s sequence
		for _, v := range row.values {
			s.add(v, row.modulus, 0)
		}
		if s.counts != row.want {
			t.Errorf("%s: want %+v, got %+v", row.name, row.want, s.counts)
		}
		// In any two parts it is the same.
		for cut := range len(row.values) + 1 {
			var a, b sequence
			for _, v := range row.values[:cut] {
				a.add(v, row.modulus, 0)
			}
			for _, v := range row.values[cut:] {
				b.add(v, row.modulus, 0)
			}
			a.merge(&b, row.modulus, untold)
			if a.counts != row.want || a.state != s.state || !slices.Equal(a.edge, s.edge) || a.closed != s.closed {
				t.Errorf("%s, cut at %d: want %+v, got %+v", row.name, cut, row.want, a.counts)
			}
		}
	}
}

// rough is a counter as a bad network delivers it: lost, doubled, reordered, restarted.
func rough(r *rand.Rand, n int, modulus uint64) []uint64 {
	var values []uint64
	v := r.Uint64() % modulus
	for len(values) < n {
		switch p := r.IntN(1000); {
		case p < 40:
			v += 1 + r.Uint64N(40)
		case p < 80 && len(values) > 0:
			values = append(values, values[len(values)-1-r.IntN(min(len(values), 10))])
			continue
		case p == 80:
			v = r.Uint64()
		case p == 81:
			values = append(values, r.Uint64()%modulus)
		default:
			v++
		}
		v %= modulus
		values = append(values, v)
	}
	for i := range values {
		if j := i - r.IntN(6); r.IntN(8) == 0 && j >= 0 {
			values[i], values[j] = values[j], values[i]
		}
	}
	return values
}

// However a rough flow is cut into parts, and in whatever order neighbours are merged, the whole comes out.
func TestSequenceParts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		modulus := []uint64{1 << 16, 1 << 8, 1000, 1 << 32}[round%4]
		values := rough(r, 2000, modulus)
		var whole sequence
		for _, v := range values {
			whole.add(v, modulus, 0)
		}
		var parts []*sequence
		for rest := values; len(rest) > 0; {
			n := min(1+r.IntN(600), len(rest))
			part := &sequence{}
			for _, v := range rest[:n] {
				part.add(v, modulus, 0)
			}
			parts, rest = append(parts, part), rest[n:]
		}
		for len(parts) > 1 {
			i := r.IntN(len(parts) - 1)
			parts[i].merge(parts[i+1], modulus, untold)
			parts = append(parts[:i+1], parts[i+2:]...)
		}
		if got := parts[0]; got.counts != whole.counts || got.state != whole.state || !slices.Equal(got.edge, whole.edge) || got.edgeState != whole.edgeState {
			t.Fatalf("round %d: want %+v, got %+v", round, whole.counts, got.counts)
		}
	}
}

// A part that begins with a flood of one value is continued exactly; one that begins with values in turns keeps no more
// of them than its edge, and says so when that is too little.
func TestSequenceEdgeIsBounded(t *testing.T) {
	for _, row := range []struct {
		name   string
		second func(i int) uint64
		edge   int
		want   SequenceCounts
	}{
		{"a flood", func(int) uint64 { return 390 }, 1, SequenceCounts{Received: 400 + 10*maxSeqEdge, Duplicated: 10 * maxSeqEdge}},
		{"a flood of a stray", func(int) uint64 { return 39000 }, 1, SequenceCounts{Received: 400 + 10*maxSeqEdge, Strays: 10 * maxSeqEdge}},
		{"two in turns", func(i int) uint64 { return 390 + uint64(i%2) }, maxSeqEdge, SequenceCounts{Received: 400 + 10*maxSeqEdge, Duplicated: 10 * maxSeqEdge, Unsettled: 1}},
	} {
		var whole, a, b sequence
		for v := range uint64(400) {
			whole.add(v, 1<<16, 0)
			a.add(v, 1<<16, 0)
		}
		for i := range 10 * maxSeqEdge {
			whole.add(row.second(i), 1<<16, 0)
			b.add(row.second(i), 1<<16, 0)
		}
		if len(b.edge) != row.edge {
			t.Errorf("%s: an edge of %d runs", row.name, len(b.edge))
		}
		a.merge(&b, 1<<16, untold)
		if a.counts != row.want {
			t.Errorf("%s: %+v", row.name, a.counts)
		}
		if exact := a.counts == whole.counts && a.state == whole.state; exact != (row.want.Unsettled == 0) {
			t.Errorf("%s: %+v, whole %+v", row.name, a, whole)
		}
	}
}

// untold is for tests that do not ask when something was lost.
func untold(tick, int64) {}
