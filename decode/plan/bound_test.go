package plan

import (
	"fmt"
	"strconv"
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
		{"n uint8 in 2..4\nv [n]uint16", 40, 72, 5},
		{"v [3]uint16", 48, 48, 3},
		{"require rest > 0 && rest % 3 == 0\nv [rest, max 3]{ a uint8, b uint16 }", 24, 72, 6},
		{"n bits(2)\nv switch n { 0: bits(6), 1: bits(7), 2: { a bits(3), b bytes(2) }, 3: { c bits(5), d bytes(2) } }\nend bytes(1)", 16, 32, 4},
		{"b bytes(rest, max 10)", 0, 80, 1},
		{"a bool\nb bytes(rest, max 10)", 8, 88, 2},
		{"a bool\nif a { c bits(3) }\nb bytes(2)", 24, 24, 3}, // after 1 bit 7 are padding, after 4 bits 4
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

// An element that was read to its end has paid for its optional parts with their bits, and a list that ends behind an element
// has one at least.
func TestBoundOfWays(t *testing.T) {
	many := ""
	for i := range 32 {
		many += fmt.Sprintf("f%d bool\n", i)
	}
	for i := range 32 {
		many += fmt.Sprintf("if f%d { v%d { a bits(32), b bits(32) } }\n", i, i)
	}
	for _, row := range []struct {
		body               string
		minBits            int64
		leastFields, field int64 // what a packet can have, and the bound
	}{
		{"r [rest, max 8000]{\npad bits(32)\n" + many + "}", 0, 8000 * 33, 270314}, // without an optional part
		{"r [rest, max 60000]{ k uint8\nx switch k { 1: { a uint8, b uint8 }, 2: { a bits(4), b bits(4), c bits(4), d bits(4), e uint8 }, default: empty } }", 0, 98261, 109185},
		{"r [rest, max 60000]{ a bool, reserved(7), if a { b [8]bool } }", 0, 524056, 524066},
		{"s [until s == 0, max 1024]uint8", 8, 1024, 1024},
		{"n uint8\nv [n]{ name { s [until s == 0, max 1024]uint8 }, value { s [until s == 0, max 1024]uint8 } }", 8, 65506, 65509},
	} {
		p := mustCompile(t, "protocol t\norder msb\npacket {\n"+row.body+"\n}")
		if b := p.Bound; b.MinBits != row.minBits || b.MaxFields < row.leastFields || b.MaxFields != row.field {
			t.Errorf("%.60q: want %d bits and %d fields, got %+v", row.body, row.minBits, row.field, b)
		}
	}
}

// What is too much names the list that is shortened least, and the datagram with which it is not.
func TestTooMuchNamesTheList(t *testing.T) {
	const list = "struct R { m uint8, v [m]uint8 }\npacket {\nn uint16\nhead [4]uint8\nrs [n]R\n}"
	for _, row := range []struct{ limit, rest, want string }{
		{"max steps 3000", list, "8:1: a packet could take 131024 steps, at most 3000 are allowed; let `rs` have at most 11 elements, or write `max datagram 1495`"},
		{"max fields 9", list, "5:1: a packet could have 65514 fields, at most 9 are allowed; lower a count's range"},
		{"max fields 300", "packet {\na [2]uint8\nb [400]uint8\nc [50]uint16\n}", "6:1: a packet could have 452 fields, at most 300 are allowed; let `b` have at most 248 elements"},
		{"max steps 4", "packet {\na varint(7)\nb varint(7)\nc varint(7)\n}", "4:1: a packet could take 6 steps, at most 4 are allowed; lower a count's range"},
	} {
		s, diags := schema.Load("t.pks", []byte("protocol t\norder msb\n"+row.limit+"\n"+row.rest+"\n"), nil)
		if s == nil {
			t.Fatalf("%s: %v", row.limit, diags)
		}
		_, list := Compile(s)
		if len(list) != 1 {
			t.Errorf("%s: %v", row.limit, list)
		} else if got := fmt.Sprintf("%d:%d: %s; %s", list[0].Pos.Line, list[0].Pos.Col, list[0].Message, list[0].Fix); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.limit, got, row.want)
		}
		_, most, ok := strings.Cut(list[0].Fix, "have at most ")
		if most, _, _ = strings.Cut(most, " "); ok { // what it says is right, and the most that is
			n, _ := strconv.Atoi(most)
			lists := strings.NewReplacer("[n]R", "[n, max %d]R", "[400]", "[%d]").Replace(row.rest)
			mustCompile(t, fmt.Sprintf("protocol t\norder msb\n%s\n%s\n", row.limit, fmt.Sprintf(lists, n)))
			s, _ := schema.Load("t.pks", fmt.Appendf(nil, "protocol t\norder msb\n%s\n%s\n", row.limit, fmt.Sprintf(lists, n+1)), nil)
			if p, _ := Compile(s); p != nil {
				t.Errorf("%s: %d elements are no more than are allowed", row.limit, n+1)
			}
		}
		_, datagram, ok := strings.Cut(strings.TrimSuffix(list[0].Fix, "`"), "max datagram ")
		if n, _ := strconv.Atoi(datagram); ok {
			mustCompile(t, fmt.Sprintf("protocol t\norder msb\n%s\nmax datagram %d\n%s\n", row.limit, n, row.rest))
			s, _ := schema.Load("t.pks", fmt.Appendf(nil, "protocol t\norder msb\n%s\nmax datagram %d\n%s\n", row.limit, n+1, row.rest), nil)
			if p, _ := Compile(s); p != nil {
				t.Errorf("%s: a datagram of %d bytes is no more than is allowed", row.limit, n+1)
			}
		}
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
