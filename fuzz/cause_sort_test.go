package fuzz_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pktscope/pktscope/corpus/need"
)

const sortsSchema = `protocol sorts
order msb
packet {
    a     bits(3)
    align(8)
    b     bits(5)
    align(8)
    name  bytes(4) utf8
    other bytes(4) utf8
    flag  bool
    reserved(7)
    tail { flag bool, reserved(7) }
}
`

// sortsReader reads packets of sortsSchema by hand.
type sortsReader struct {
	padding  string            // fields after which it is not looked at: some of "ab"
	text     map[string]string // of a text, what is no UTF-8 and taken: "any", or what is in it
	reserved bool
}

func (s *sortsReader) reads(packet []byte) bool {
	if len(packet) != 12 {
		return false
	}
	text := func(name string, b []byte) bool {
		taken, ok := s.text[name]
		return utf8.Valid(b) || ok && (taken == "any" || bytes.Contains(b, []byte(taken)))
	}
	return (packet[0]&0x1f == 0 || strings.Contains(s.padding, "a")) && (packet[1]&7 == 0 || strings.Contains(s.padding, "b")) &&
		text("name", packet[2:6]) && text("other", packet[6:10]) && (packet[10]&0x7f|packet[11]&0x7f == 0 || s.reserved)
}

// A rule of a type that a reader breaks wherever the type is used is one mistake; where it does not, each place is one.
// Two rules are two, and so are two ways to break one, each at a place of its own.
func TestCausesOfSorts(t *testing.T) {
	const (
		not      = "accepted-malformed: the reader does not refuse "
		padding  = not + "nonzero-padding anywhere"
		reserved = not + "reserved-nonzero anywhere"
		text     = not + "bad-string (want UTF-8) anywhere"
		name     = not + "bad-string at name"
		other    = not + "bad-string at other"
	)
	both := func(taken string) map[string]string { return map[string]string{"name": taken, "other": taken} }
	for i, row := range []struct {
		name   string
		reader sortsReader
		want   []string
	}{
		{"none", sortsReader{}, nil},
		{"padding", sortsReader{padding: "ab"}, []string{padding}},
		{"padding of one field", sortsReader{padding: "b"}, []string{not + "nonzero-padding at align#2"}},
		{"padding, and reserved bits", sortsReader{padding: "ab", reserved: true}, []string{padding, reserved}},
		{"text", sortsReader{text: both("any")}, []string{text}},
		{"text, and padding of one field", sortsReader{text: both("any"), padding: "a"}, []string{text, not + "nonzero-padding at align#1"}},
		{"one text", sortsReader{text: map[string]string{"other": "any"}}, []string{other}},
		{"one way in all texts", sortsReader{text: both("\xff")}, []string{not + "bad-string (want UTF-8), a byte that never occurs, anywhere"}},
		{"two ways in two texts", sortsReader{text: map[string]string{"name": "\xff", "other": "\xed\xa0\x80"}}, []string{name, other}},
	} {
		if need.OneIn(i, 3) {
			hasCauses(t, row.name, sortsSchema, row.reader.reads, row.want)
		}
	}
}

const namesSchema = `protocol names
order msb
max datagram 64
packet {
    first  dnsname
    second dnsname
    last   uint16
}
`

// namesReader reads packets of namesSchema by hand.
type namesReader struct{ ahead, anyKind bool } // pointers at what follows, and labels of a kind that is none, as ends

// name reads a name, and returns where it ends; -1 where it is none. Its labels end before own.
func (n namesReader) name(packet []byte, at, limit int) (end int) {
	for size := 1; ; {
		if at >= limit {
			return -1
		}
		c := int(packet[at])
		switch {
		case c == 0:
			return at + 1
		case c >= 0xc0:
			if at+2 > limit {
				return -1
			}
			to := (c&0x3f)<<8 | int(packet[at+1])
			if to >= at-(size-1) {
				if n.ahead {
					return at + 2
				}
				return -1
			}
			if n.name(packet, to, at-(size-1)) < 0 {
				return -1
			}
			return at + 2
		case c >= 0x40:
			if n.anyKind {
				return at + 1
			}
			return -1
		}
		if at += 1 + c; size+1+c > 255 {
			return -1
		}
		size += 1 + c
	}
}

func (n namesReader) reads(packet []byte) bool {
	at := n.name(packet, 0, len(packet))
	if at >= 0 {
		at = n.name(packet, at, len(packet))
	}
	return at >= 0 && at+2 == len(packet)
}

// What is wrong with domain names is one mistake at whatever fields it shows; two that are wrong are two.
func TestCausesOfNames(t *testing.T) {
	const (
		ahead = "accepted-malformed: the reader does not refuse bad-string in a domain name (want a pointer at earlier labels)"
		kinds = "accepted-malformed: the reader does not refuse bad-string in a domain name (want a label of at most 63 bytes, or a pointer)"
	)
	for _, row := range []struct {
		name   string
		reader namesReader
		want   []string
	}{
		{"pointers", namesReader{ahead: true}, []string{ahead}},
		{"pointers and labels", namesReader{ahead: true, anyKind: true}, []string{kinds, ahead}},
	} {
		hasCauses(t, row.name, namesSchema, row.reader.reads, row.want)
	}
}
