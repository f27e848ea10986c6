package fuzz_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

const sizedSchema = `protocol sized
order msb
max datagram 64
packet {
    n uint8 in 1..3
    items [n]{
        size uint8
        require size % 2 == 0
        within(size) {
            a uint16
            b uint16
            level uint8 in 0..9
            c uint8
        }
    }
}
`

// sizedReader reads packets of sizedSchema by hand.
type sizedReader struct {
	checked  string // fields that are checked for the window's end: some of "abc"; and "e" for what is left there
	anyLevel bool   // no range of level
}

func (s *sizedReader) reads(packet []byte) bool {
	at := 0
	u8 := func() int {
		if at++; at > len(packet) {
			return 0
		}
		return int(packet[at-1])
	}
	n := u8()
	if n < 1 || n > 3 {
		return false
	}
	for range n {
		end := u8()
		end += at
		ends := func(field string) bool { return strings.Contains(s.checked, field) && at > end }
		if at += 2; ends("a") {
			return false
		}
		if at += 2; ends("b") {
			return false
		}
		if level := u8(); level > 9 && !s.anyLevel {
			return false
		}
		if at++; ends("c") || strings.Contains(s.checked, "e") && at < end {
			return false
		}
	}
	return at == len(packet)
}

// A size that the reader does not use is one mistake, at whatever fields and rules it shows; others stay their own. One
// that is used somewhere is used, and what is accepted are mistakes of the fields.
func TestCausesOfSizes(t *testing.T) {
	need.OneGoroutine(t)
	const (
		unused = "accepted-malformed: the reader does not use items[].size"
		past   = "accepted-malformed: the reader does not refuse past-end at items[]."
		level  = "accepted-malformed: the reader does not refuse out-of-range at items[].level"
		odd    = "accepted-malformed: the reader does not refuse rule-broken at items[].require size % 2 == 0"
		left   = "accepted-malformed: the reader does not refuse trailing-bytes at items[].within#1"
	)
	for i, row := range []struct {
		name   string
		reader sizedReader
		want   []string
	}{
		{"unused", sizedReader{}, []string{unused}},
		{"unused, and a range", sizedReader{anyLevel: true}, []string{level, unused}},
		{"used by one field", sizedReader{checked: "b"}, []string{past + "level", past + "within#1", odd, left}},
		{"used for what is left", sizedReader{checked: "e"}, []string{past + "a", past + "b", past + "level", odd}},
		{"used for all but what is left", sizedReader{checked: "abc"}, []string{past + "within#1", odd, left}},
	} {
		if need.OneIn(i, 5) {
			hasCauses(t, row.name, sizedSchema, row.reader.reads, row.want)
		}
	}
}
