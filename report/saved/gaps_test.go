package saved

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Lines in any order are the same gaps, each once, and there is an end to them.
func TestGaps(t *testing.T) {
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("%02d.pcap: truncated", i))
	}
	lines = append(lines, "", "00", strings.Repeat("é", maxLine))
	var want Gaps
	want.Add(lines...)
	if len(want) != MaxGaps || want[0] != "00" || !slices.IsSorted(want) {
		t.Fatalf("got %q", want)
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		parts := make([]Gaps, 4)
		for range 3 {
			r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			for _, line := range lines {
				parts[r.IntN(len(parts))].Add(line)
			}
		}
		var got Gaps
		for _, p := range parts {
			got.Add(p...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var long Gaps
	long.Add(strings.Repeat("é", maxLine))
	if len(long[0]) > maxLine+len("…") || !strings.HasSuffix(long[0], "é…") {
		t.Errorf("got %d bytes: …%s", len(long[0]), long[0][maxLine-4:])
	}
}
