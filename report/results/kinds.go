package results

import (
	"bufio"
	"bytes"

	"github.com/pktscope/pktscope/pcap"
)

// IsSaved reports whether an input, plain or compressed, begins like saved results: with an object. It reads nothing of
// it.
func IsSaved(in *bufio.Reader) bool {
	head, _ := in.Peek(4096) // or the whole of a shorter file
	plain := pcap.Decompress(bytes.NewReader(head))
	defer plain.Close()
	for buf := make([]byte, 1); ; {
		if n, err := plain.Read(buf); n == 0 && err != nil {
			return false
		} else if n == 0 {
			continue
		}
		switch buf[0] {
		case ' ', '\t', '\r', '\n':
		case '{':
			return true
		default:
			return false
		}
	}
}

// Kinds lists what s has results of, in words.
func (s *Set) Kinds() (kinds []string) {
	for _, one := range []struct {
		n    int
		word string
	}{
		{len(s.Statistics) + len(s.unmet), "statistics"}, {len(s.Budgets) + len(s.unmetBudgets), "budget"}, {len(s.Rejects), "rejects"}, {len(s.Audits), "audit"}, {len(s.Campaigns), "campaign"},
		{len(s.Findings), "finding"},
	} {
		if one.n > 0 {
			kinds = append(kinds, one.word)
		}
	}
	return kinds
}
