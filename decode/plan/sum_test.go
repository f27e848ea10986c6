package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// sums16 are checksums of one field each.
func sums16(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "s%d sum8(over a)\n", i)
	}
	return b.String()
}

// What a checksum covers lies on bytes, in an array in its element, and no two cover each other. What follows from
// where a struct is used is found when the plan is made.
func TestCoverageRefused(t *testing.T) {
	rows := []struct{ decls, items, want string }{
		{"", "header bits(3), flag bool, r bits(4), x uint8, crc crc16_arc(over flag..)", "the coverage begins in the middle of a byte; begin at `header`"},
		{"", "a uint8, flag bits(3), align, crc crc16_arc(over a..flag)", "the coverage ends in the middle of a byte"},
		{"", "a uint8, crc crc16_arc(over a)", ""},
		{"", "f bits(3), data bytes(2), crc crc16_arc(over data)", ""}, // the padding is before it
		{"", "f bits(3), data bytes(2), crc crc16_arc(over f)", "the coverage ends in the middle of a byte"},
		{"", "f bits(3), list [..3]uint8, align, crc crc16_arc(over list)", "the coverage begins in the middle of a byte; begin at `f`"},
		{"", "a crc16_arc(over rest), b crc32, c uint8", "`a` and `b` cover each other: no writer can make both"},
		{"", "a crc16_arc, b crc32(over rest), c uint8", ""},
		{"", "a crc16_arc, b crc32(over before), c uint8", "`a` and `b` cover each other"},
		{"", "a crc16_arc, k uint8, b crc32(over k), c uint8", ""},
		{"", "k uint8, if k == 0 { a crc16_arc, x uint8 } else { b crc16_arc, y uint8 }", ""},
		{"", "k uint8, if k == 0 { a crc16_arc, x uint8 }, b crc16_arc, y uint8", "`a` and `b` cover each other"},
		{"", "k uint8, s switch k { 0: { a crc16_arc }, default: { b crc32 } }, y uint8", ""},
		{"", "n uint8, within(n) { a crc16_arc, x uint8 }, b crc16_arc, y uint8", ""},
		{"", "n uint8, within(n) { a crc16_arc, x bytes(rest - 2, max 9), b crc16_arc(over x) }", ""},
		{"", "n uint8, within(n) { a crc16_arc, x bytes(rest - 2, max 9), b crc16_arc(over before) }", "`a` and `b` cover each other"},
		{"", "n uint8, within(n bits) { x uint8, b crc16_arc, y uint8 }", "the window that this checksum covers may end in the middle of a byte; say what it covers, as in `over a..`"},
		{"", "n uint8, within(n * 8 bits) { x uint8, b crc16_arc(over x), y uint8 }", ""},
		{"", "within(40 bits) { x uint8, b crc16_arc, y uint16 }", ""},
		{"struct S { a uint8, c crc16_arc }", "s S, t uint8", ""},
		{"struct S { a uint8, c crc16_arc }", "s [2]S, t uint8", "a checksum in an array covers bits of its own element: this one covers all that is around it; say what it covers, as in `over a..`"},
		{"struct S { a uint8, c crc16_arc(over rest) }", "s [2]S, t uint8", "a checksum in an array covers bits of its own element"},
		{"struct S { a uint8, within(a) { c crc16_arc, x bytes(rest, max 9) } }", "s [2]S, t uint8", ""},
		{"struct S { a uint8, c crc16_arc(over before) }", "s [2]S, t uint8", ""},
		{"struct S { a uint8, c crc16_arc(over before) }", "s subset(index) [4]S", "begins on a byte"},
		{"", "a uint8\n" + sums16(16), ""},
		{"struct S { a uint8\n" + sums16(9) + "}", "s S, t S", "at most 16 checksums are outside arrays"},
		{"struct S { a uint8\n" + sums16(9) + "}", "s [3]S", ""},
		{"struct S { a uint8\n" + sums16(9) + "}", "s [3]{ p S, q S }", "at most 16 checksums are in an element"},
		{"struct S { a uint8\n" + sums16(9) + "}", "s [3]{ p [2]S, q [2]S }", ""},
		{"struct H { k uint8, n uint8 }", "h H, g H, a crc16_arc(over h.n..g.k)", ""},
		{"struct H { p bits(4), q bits(4), n uint8 }", "h H, g H, a crc16_arc(over h.q..g)", "the coverage begins in the middle of a byte; begin at `p`"},
	}
	for _, row := range rows {
		src := "protocol t\norder msb\n" + row.decls + "\npacket {\n" + row.items + "\n}\n"
		s, diags := schema.Load("t.pks", []byte(src), nil)
		if s != nil {
			var p *plan.Plan
			if p, diags = plan.Compile(s); p != nil {
				diags = nil
			}
		}
		got := ""
		for _, d := range diags {
			if d.Severity == syntax.Error {
				got = d.Message
				if d.Fix != "" {
					got += "; " + d.Fix
				}
				break
			}
		}
		if row.want == "" && got != "" || !strings.Contains(got, row.want) || row.want != "" && got == "" {
			t.Errorf("%s\nwant %q, got %q", src, row.want, got)
		}
	}
}

// A checksum takes a step for 8 bytes that it covers: outside arrays as many as a datagram has, in elements all of one
// checksum together as many as all of them have. Several add up.
func TestSumSteps(t *testing.T) {
	steps := func(items string) int64 {
		s, diags := schema.Load("t.pks", []byte("protocol t\norder msb\nmax datagram 1280\npacket {\n"+items+"\n}\n"), nil)
		if s == nil {
			t.Fatalf("%s: %v", items, diags)
		}
		p, _ := plan.Compile(s)
		return p.Bound.MaxSteps
	}
	const all = 1280 / 8
	a := steps("a uint8")
	one := steps("a uint8, b sum8(over before)")
	if two := steps("a uint8, b sum8(over before), c sum8(over before)"); one != a+1+all || two != one+1+all {
		t.Errorf("want %d and %d more, got %d, %d, %d", 1+all, 1+all, a, one, two)
	}
	if got := steps("a uint8, b sum8(over before, prefix 7 : uint8, suffix a : uint8)"); got != one+2+1 { // a Let for the suffix
		t.Errorf("a prefix and a suffix: want %d, got %d", one+3, got)
	}
	list := steps("l [rest, max 2000]{ a uint8, b uint16 }")
	single := steps("l [rest, max 2000]{ a uint8, b uint8, c sum8(over before) }")
	double := steps("l [rest, max 2000]{ a uint8, b sum8(over before), c sum8(over before) }")
	if double-single < all || double-single > 2*all+2000 || single-list < all {
		t.Errorf("in elements: %d, %d, %d", list, single, double)
	}
}
