package saved

import (
	"slices"

	"github.com/pktscope/pktscope/report/internal/table"
)

// Gaps are why a result is not of all of its input: captures that were cut or not read to their end, parts that were
// not read. A line each, which may be hostile, sorted, each once; at most MaxGaps of them are kept.
type Gaps []string

// The bounds of Gaps.
const (
	MaxGaps = 64
	maxLine = 1024 // bytes
)

// Add adds lines. Which are kept does not depend on the order in which they come.
func (g *Gaps) Add(lines ...string) {
	for _, line := range lines {
		line = table.Clip(line, maxLine)
		at, found := slices.BinarySearch(*g, line)
		if found || at == MaxGaps || line == "" {
			continue
		}
		*g = slices.Insert(*g, at, line)
		*g = (*g)[:min(len(*g), MaxGaps)]
	}
}
