package selffuzz

import (
	"bytes"
	"fmt"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// SeedFile attacks the reader of seed files: the input is one. It ends in seeds that, written, are read back the same,
// or in one line that a terminal can be shown. interesting says that it held a seed.
func SeedFile(src []byte) (bool, error) {
	seeds, err := corpus.ParseSeeds(src)
	if err != nil {
		return false, oracle.Printable([]byte(err.Error()))
	}
	var again []byte
	total := 0
	for _, s := range seeds {
		if total += len(s.Data); len(s.Data) > corpus.MaxSeed || 2*total > len(src) {
			return false, fmt.Errorf("%d bytes of packets in a file of %d", total, len(src))
		}
		again = corpus.AppendSeed(again, s, "")
	}
	if len(again) > corpus.MaxSeedFile {
		return false, nil // blanks and names in one style can be longer
	}
	back, err := corpus.ParseSeeds(again)
	if err != nil || len(back) != len(seeds) {
		return false, fmt.Errorf("written again: %v, %d of %d seeds", err, len(back), len(seeds))
	}
	for i, s := range seeds {
		if back[i].Name != s.Name || back[i].From != s.From || !bytes.Equal(back[i].Data, s.Data) {
			return false, fmt.Errorf("seed %d: %v came back as %v", i+1, s, back[i])
		}
	}
	return len(seeds) > 0, nil
}
