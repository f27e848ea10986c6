package fuzz_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

const flagsSchema = `protocol flags
order msb
max datagram 32
packet {
    marked bool
    reserved(7)
    kind uint8 in 1..2
    if marked {
        let pad in 1..9 = tail(8)
        require pad % 2 == 1
    } else {
        let pad = 0
    }
    within(rest - pad) {
        body switch kind {
            1: { data bytes(rest, max 32) }
            2: { more bytes(rest, max 32) }
        }
    }
    if rest > 0 {
        fill  bytes(rest - 1, max 20)
        count uint8
    }
}
`

// flagsReader reads packets of flagsSchema by hand.
type flagsReader struct {
	blind    string // kinds in which it does not look at the flag: some of "12"
	anyPad   bool   // no range of pad
	anyEven  bool   // pad may be even
	reserved bool   // no look at reserved bits
}

func (f *flagsReader) reads(packet []byte) bool {
	if len(packet) < 2 || len(packet) > 32 || packet[0]&0x7f > 0 && !f.reserved || packet[1] < 1 || packet[1] > 2 {
		return false
	}
	rest := packet[2:]
	if packet[0]&0x80 > 0 && !strings.ContainsRune(f.blind, rune('0'+packet[1])) {
		if len(rest) == 0 {
			return false
		}
		pad := int(rest[len(rest)-1])
		if (pad < 1 || pad > 9) && !f.anyPad || pad%2 == 0 && !f.anyEven || pad > len(rest) {
			return false
		}
	}
	return true
}

// A flag that the reader does not look at is one mistake, in all cases or in some; what it does not check of what the flag
// announces are mistakes of their own, and so is what has nothing to do with it.
func TestCausesOfFlags(t *testing.T) {
	need.OneGoroutine(t)
	const (
		not      = "accepted-malformed: the reader does not refuse "
		unused   = "accepted-malformed: the reader does not use marked"
		pad      = not + "out-of-range at pad"
		even     = not + "rule-broken at require pad % 2 == 1"
		reserved = not + "reserved-nonzero at reserved#1"
	)
	for i, row := range []struct {
		name   string
		reader flagsReader
		want   []string
	}{
		{"none", flagsReader{}, nil},
		{"a flag", flagsReader{blind: "12"}, []string{unused}},
		{"a flag in one case", flagsReader{blind: "2"}, []string{unused}},
		{"a flag, and reserved bits", flagsReader{blind: "12", reserved: true}, []string{reserved, unused}},
		{"a flag in one case, and no rule in the other", flagsReader{blind: "1", anyEven: true}, []string{even, unused}},
		{"two rules behind a flag", flagsReader{anyPad: true, anyEven: true}, []string{pad, even}},
	} {
		if need.OneIn(i, 3) {
			hasCauses(t, row.name, flagsSchema, row.reader.reads, row.want)
		}
	}
}
