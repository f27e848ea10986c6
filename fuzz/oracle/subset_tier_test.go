package oracle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// The articles' own reader checks the index of a relative subset in the last tier only: a short step from a high index
// overshoots. Here every tier is taken from the index right below the end, with its least and its greatest step.
func TestIndexAboveAtEveryTier(t *testing.T) {
	tiers := []struct{ bits, lo, hi int }{{0, 1, 1}, {2, 2, 5}, {3, 6, 13}, {4, 14, 29}, {5, 30, 61}, {6, 62, 125}, {8, 126, 126 + 255}}
	const n = 300 // the last tier's steps are 126..301, in 8 bits
	for _, order := range []wire.Order{wire.LSB, wire.MSB, wire.Bytewise} {
		o := rowOracle(t, rows.Row{Items: fmt.Sprintf("v subset(relative) [%d]bool", n)}, order)
		for i, tier := range tiers {
			for step := tier.lo; step <= tier.hi; step++ {
				// The first index leaves room for all but the last of this tier's steps, or for none of them.
				for _, first := range []int{n - step, n - step + 1, n - 1} {
					if first < 0 || first >= n {
						continue
					}
					head, width := stepBits(tiers, first+1)
					flags := fmt.Sprintf("%d:0 1:1", i)
					if i == 0 {
						flags = "1:1"
					} else if i == len(tiers)-1 {
						flags = "6:0"
					}
					words := fmt.Sprintf("%s 1:0 %s %d:%d", head, flags, tier.bits, step-tier.lo)
					wide := min(i+1, 6) + tier.bits
					got, err := o.Decode(rows.Pack(t, order, words), schema.FromUnknown)
					if err != nil {
						t.Fatal(err)
					}
					want := reject.None // the index n ends the list
					if first+step > n || i == len(tiers)-1 && step > n+1 {
						want = reject.OutOfRange
					}
					if got.Kind != want {
						t.Fatalf("%v: %d, then tier %d's step %d: want %v, got %v", order, first, i, step, want, got)
					}
					if want != reject.None && (got.Bit != width+1 || got.Width != wide || !strings.HasSuffix(got.Path, "].index")) {
						t.Fatalf("%v: %d, then tier %d's step %d: want bit %d, %d bits, got %v", order, first, i, step, width+1, wide, got)
					}
				}
			}
		}
	}
}

// stepBits is the shortest way to write a step, and its width.
func stepBits(tiers []struct{ bits, lo, hi int }, step int) (words string, width int) {
	for i, tier := range tiers {
		if step > tier.hi {
			continue
		}
		switch i {
		case 0:
			return "1:1", 1
		case len(tiers) - 1:
			return fmt.Sprintf("6:0 %d:%d", tier.bits, step-tier.lo), 6 + tier.bits
		}
		return fmt.Sprintf("%d:0 1:1 %d:%d", i, tier.bits, step-tier.lo), i + 1 + tier.bits
	}
	panic("no tier")
}
