package fuzz_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

const listsSchema = `protocol lists
order msb
max datagram 64
packet {
    n uint8
    m uint8
    k uint8
    items [n, max 3]Item
    more  [m, max 3]Item
    codes [k, max 3]uint16
}
struct Item {
    id    uint16
    level uint8 in 0..9
}
`

// listsReader reads packets of listsSchema by hand.
type listsReader struct {
	ends    string // lists that may end before any element: some of "nmk"
	anyMost string // lists without a most
	half    bool   // an Item may end before its level
}

func (l *listsReader) reads(packet []byte) bool {
	if len(packet) < 3 {
		return false
	}
	rest := packet[3:]
	for i, list := range "nmk" {
		count := int(packet[i])
		if count > 3 && !strings.ContainsRune(l.anyMost, list) {
			return false
		}
		for range count {
			switch {
			case len(rest) == 0 && strings.ContainsRune(l.ends, list):
			case list != 'k' && len(rest) == 2 && l.half:
				rest = nil
			case list != 'k' && (len(rest) < 3 || rest[2] > 9), len(rest) < 2:
				return false
			case list == 'k':
				rest = rest[2:]
			default:
				rest = rest[3:]
			}
		}
	}
	return len(rest) == 0
}

// Lists that may all end before any element are one mistake, and so are those of one struct; a list alone is its own.
// That a list has no most is another, which shows where the elements are there; and so is where an element ends.
func TestCausesOfLists(t *testing.T) {
	const (
		all   = "accepted-malformed: the reader lets any list end in front of any element"
		alike = "accepted-malformed: the reader lets any list of Item end in front of any element"
		items = "accepted-malformed: the reader does not refuse past-end at items[]"
		codes = "accepted-malformed: the reader does not refuse past-end at codes[]"
		most  = "accepted-malformed: the reader does not refuse out-of-range at items"
		level = "accepted-malformed: the reader does not refuse past-end at Item.level"
	)
	for i, row := range []struct {
		name   string
		reader listsReader
		want   []string
	}{
		{"none", listsReader{}, nil},
		{"all lists", listsReader{ends: "nmk", anyMost: "nmk"}, []string{
			"accepted-malformed: the reader does not refuse out-of-range at codes", most, "accepted-malformed: the reader does not refuse out-of-range at more", all,
		}},
		{"all lists, with a most", listsReader{ends: "nmk"}, []string{all}},
		{"all lists, one without a most", listsReader{ends: "nmk", anyMost: "n"}, []string{most, all}},
		{"all lists, and half an element", listsReader{ends: "nmk", half: true}, []string{level, all}},
		{"those of one struct", listsReader{ends: "nm"}, []string{alike}},
		{"one list of each kind", listsReader{ends: "nk"}, []string{codes, items}},
		{"one list", listsReader{ends: "n"}, []string{items}},
		{"no most of one list", listsReader{anyMost: "n"}, []string{most}},
	} {
		if need.OneIn(i, 3) {
			hasCauses(t, row.name, listsSchema, row.reader.reads, row.want)
		}
	}
}
