package plan

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/schema"
)

func mustCompile(t *testing.T, src string) *Plan {
	t.Helper()
	s, diags := schema.Load("test.pks", []byte(src), nil)
	if s == nil {
		t.Fatalf("schema: %v\n%s", diags, src)
	}
	p, diags := Compile(s)
	if p == nil {
		t.Fatalf("plan: %v\n%s", diags, src)
	}
	return p
}

// The bound counts what the page says, exactly.
func TestBound(t *testing.T) {
	rows := []struct {
		body                    string
		minBits, maxBits, field int64
	}{
		{"a uint8", 8, 8, 1},
		{"a bool\nif a { b uint16 }", 1, 17, 2},
		{"a bool\nif a { b uint16 } else { c uint8, d uint8, e uint32 }", 17, 49, 4},
		{"n uint8 in 0..4\nv [n]uint16", 8, 72, 5},
		{"n uint8 in 2..4\nv [n]uint16", 8, 72, 5}, // a count's lower end is not counted: a sound bound, not the tightest
		{"v [3]uint16", 48, 48, 3},
		{"b bytes(rest, max 10)", 0, 80, 1},
		{"a bool\nb bytes(rest, max 10)", 8, 88, 2},
		{"a bool\nif a { c bits(3) }\nb bytes(2)", 21, 27, 3}, // after 1 bit 7 are padding, after 4 bits 4
		{"n uint8 in 0..4\nb switch n { 0: uint8, default: { v [n]uint32 } }", 8, 136, 5},
	}
	for _, row := range rows {
		p := mustCompile(t, "protocol t\norder msb\npacket {\n"+row.body+"\n}")
		b := p.Bound
		if b.MinBits != row.minBits || b.MaxBits != row.maxBits || b.MaxFields != row.field {
			t.Errorf("%q: %+v", row.body, b)
		}
	}
}

// Nested lists add up, they do not multiply: 65,535 lists of 255 would be 16 million fields, but a datagram has no
// room.
func TestBoundOfNestedLists(t *testing.T) {
	p := mustCompile(t, "protocol t\norder msb\nstruct R { m uint8, v [m]uint8 }\npacket {\nn uint16\nrs [n]R\n}")
	if limit := int64(8 * schema.MaxUDPPayload); p.Bound.MaxFields > limit || p.Bound.MaxFields < 65504 {
		t.Errorf("%+v", p.Bound)
	}
}

// Elements that take no bits are bounded by their count alone.
func TestEmptyElementsAreBounded(t *testing.T) {
	for _, row := range []struct {
		items string
		ok    bool
	}{
		{"a [4096]{ if false { b uint8 } }", true},
		{"a [4097]{ if false { b uint8 } }", false},
		{"a [1000000]int(3..3)", false},
		{"a [100000]bool", true},
	} {
		s, diags := schema.Load("t.pks", []byte("protocol t\norder msb\npacket {\n"+row.items+"\n}\n"), nil)
		if s == nil {
			t.Fatalf("%s: %v", row.items, diags)
		}
		if p, diags := Compile(s); (p != nil) != row.ok || !row.ok && !strings.Contains(diags[0].Message, "no bits") {
			t.Errorf("%s: %v", row.items, diags)
		}
	}
}
