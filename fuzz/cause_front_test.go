package fuzz_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// Two kinds of packets, with the fields in a window and without one.
const frontsSchema = `protocol fronts
order msb
packet {
    kind uint8 in 1..2
    body switch kind {
        1: { size uint8, within(size) { data Data } }
        2: { a uint16, b uint16, c uint16, d uint16, tail { t uint16 } }
    }
}
struct Data {
    a uint16
    b uint16
    c uint16
    level uint16 in 0..9
}
`

// frontsReader reads packets of frontsSchema by hand.
type frontsReader struct {
	windows  string // fields of Data before which that may end: some of "abcl"
	packets  string // fields of the other kind before which the packet may end: some of "abcdt"
	half     string // fields of Data inside which that may end: some of "abcl"
	anyLevel bool   // no range of level
}

func (f *frontsReader) reads(packet []byte) bool {
	if len(packet) < 1 || packet[0] < 1 || packet[0] > 2 {
		return false
	}
	rest, names, may := packet[1:], "abcdt", f.packets
	if packet[0] == 1 {
		if len(rest) < 1 || int(rest[0]) >= len(rest) && rest[0] > 0 {
			return false
		}
		rest, names, may = rest[1:1+int(rest[0])], "abcl", f.windows
	}
	for _, name := range names { // what is after a window is ignored
		if len(rest) == 0 && strings.ContainsRune(may, name) {
			return true
		}
		if len(rest) == 1 && packet[0] == 1 && strings.ContainsRune(f.half, name) {
			return true
		}
		if len(rest) < 2 {
			return false
		}
		if name == 'l' && (rest[0] > 0 || rest[1] > 9) && !f.anyLevel {
			return false
		}
		rest = rest[2:]
	}
	return len(rest) == 0
}

// A struct that may end before any of its fields is one mistake, wherever that shows; one that may end before
// some of them has a mistake at each of these. Others stay their own.
func TestCausesOfFronts(t *testing.T) {
	const (
		data  = "accepted-malformed: the reader lets Data end in front of any field"
		tail  = "accepted-malformed: the reader does not refuse trailing-bytes at packet"
		body  = "accepted-malformed: the reader lets body<2> end in front of any field"
		past  = "accepted-malformed: the reader does not refuse past-end at "
		level = "accepted-malformed: the reader does not refuse out-of-range at Data.level"
	)
	for i, row := range []struct {
		name   string
		reader frontsReader
		want   []string
	}{
		{"none", frontsReader{}, []string{tail}},
		{"a window", frontsReader{windows: "abcl"}, []string{tail, data}},
		{"a window, and a range", frontsReader{windows: "abcl", anyLevel: true}, []string{level, tail, data}},
		{"a window, also inside", frontsReader{windows: "abcl", half: "abcl"}, []string{tail, data}},
		{"a window, and inside one field", frontsReader{windows: "abcl", half: "b"}, []string{past + "Data.b", tail, data}},
		{"some fields of a window", frontsReader{windows: "abl"}, []string{past + "Data.a", past + "Data.b", past + "Data.level", tail}},
		{"some fields of the packet", frontsReader{packets: "abd"}, []string{past + "body<2>.a", past + "body<2>.b", past + "body<2>.d", tail}},
		{"the packet, with a struct behind", frontsReader{packets: "abcdt"}, []string{tail, body}},
		{"the packet, without the struct behind", frontsReader{packets: "abcd"}, []string{tail, body}},
		{"a window and some fields of the packet", frontsReader{windows: "abcl", packets: "cd"}, []string{past + "body<2>.c", past + "body<2>.d", tail, data}},
	} {
		if need.OneIn(i, 3) {
			hasCauses(t, row.name, frontsSchema, row.reader.reads, row.want)
		}
	}
}
