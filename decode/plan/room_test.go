package plan

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/schema"
)

// Where the last field of a packet begins.
func TestRoom(t *testing.T) {
	rows := []struct {
		body string
		want schema.Places
	}{
		{"", schema.AtStart},
		{"a bits(3)", 1 << 3},
		{"a bool; if a { b bits(4) }", 1<<1 | 1<<5},
		{"a bool; if a { b bits(4) } else { c bits(4) }", 1 << 5},
		{"a [3]bits(4)", 1 << 12},
		{"n uint8 in 1..3; a [n]bits(4)", 1<<12 | 1<<16 | 1<<20},
		{"n uint8; a [n]{ x bits(4); align }", schema.OnByte},
		{"n uint8 in 2..2; a [n]{ x bits(3); align(16) }", 1 << 32},
		{"a optional bits(6)", 1<<1 | 1<<7},
		{"a varint(32)", 1<<8 | 1<<16 | 1<<24 | 1<<32 | 1<<40},
		{"n bits(2); a bits(n)", 1<<2 | 1<<3 | 1<<4 | 1<<5},
		{"a bits(3); b bytes(2)", 1 << 24},
		{"n bits(2); b bytes(n)", 1<<8 | 1<<16 | 1<<24 | 1<<32},
		{"a string(5)", 1<<8 | 1<<16 | 1<<24 | 1<<32 | 1<<40},
		{"a wstring(2)", 1<<1 | 1<<33},
		{"a bits(3); within(5 bits) { b bits(2) }", 1 << 8},
		{"n bits(1); within(n) { b bool }", 1<<8 | 1<<16},
		{"a switch rest { 0: empty, default: bits(7) }", 1 | 1<<7},
		{"a bits(3); align(32); b bool", 1 << 33},
		{"a subset(bitmap) [2]bits(7)", 1<<2 | 1<<9 | 1<<16},
		{"a subset(index) [2]bits(7)", 1<<2 | 1<<10 | 1<<18},
		{"a subset(sentinel) [3]bits(2)", 1<<2 | 1<<6 | 1<<10 | 1<<14},
		{"a subset(relative) [2]bits(7)", schema.Anywhere},
	}
	for _, row := range rows {
		p := mustCompile(t, "protocol t\norder lsb\npacket {\n"+strings.ReplaceAll(row.body, ";", "\n")+"\nlast uint8\n}")
		last := p.Leaves[len(p.Leaves)-1]
		s := p.Reader(len(p.Leaves) - 1)
		if got := s.At().Room.Plus(uint64(last.Off)); got != row.want {
			t.Errorf("%s: %#x, want %#x", row.body, got, row.want)
		}
	}
}

// An index that ends a list is read by the step that reads an element's.
func TestRoomOfEnd(t *testing.T) {
	p := mustCompile(t, "protocol t\norder lsb\npacket {\na subset(sentinel) [2]bits(5)\n}")
	for _, s := range p.Steps {
		if n, ok := s.(*Number); ok && n.Room != 1|1<<7|1<<14 {
			t.Errorf("%#x", n.Room)
		}
	}
}
