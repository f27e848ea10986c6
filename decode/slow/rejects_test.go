package slow_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

var (
	aligning = []wire.Order{wire.LSB, wire.MSB} // bytes, text and label checks align by themselves
	bousk    = []wire.Order{wire.Bousk}
)

// What is refused, by the kinds of the wire page's table. Positions are sums of the widths in front.
var rejects = []struct {
	row
	want slow.Reject
}{
	// datagram-size: before anything is read.
	{row{name: "datagram above max", decls: "max datagram 2", items: "a uint8 == 7", packet: "8:0 8:0 8:0"},
		slow.Reject{Kind: reject.DatagramSize, Path: "", Bit: 0, Width: 24}},

	// past-end: the field that did not fit and all it needed.
	{row{name: "int past end", items: "a bits(4)\nb uint32", packet: "4:1 20:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "b", Bit: 4, Width: 32}},
	{row{name: "empty datagram", items: "a bool", packet: ""},
		slow.Reject{Kind: reject.PastEnd, Path: "a", Bit: 0, Width: 1}},
	{row{name: "bool past end", items: "a uint8\nb bool", packet: "8:1"},
		slow.Reject{Kind: reject.PastEnd, Path: "b", Bit: 8, Width: 1}},
	{row{name: "element past end", items: "n bits(4) in 0..5\nv [n]uint16", packet: "4:3 16:1 16:2 4:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "v[2]", Bit: 4 + 16 + 16, Width: 16}},
	{row{name: "field of an element past end", decls: "struct P { x uint8, y uint16 }", items: "v [2]P", packet: "8:1 16:2 8:3 8:4"},
		slow.Reject{Kind: reject.PastEnd, Path: "v[1].y", Bit: 8 + 16 + 8, Width: 16}},
	{row{name: "bytes past end", items: "n uint8\nv bytes(n)", packet: "8:4 24:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "v", Bit: 8, Width: 32}},
	{row{name: "char past end", items: "v char(3)", packet: "16:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "v", Bit: 0, Width: 24}},
	{row{name: "align item past end", items: "a uint8\nin_it { align(32) }", packet: "8:0 8:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "in_it", Bit: 8, Width: 24}},
	{row{name: "any align past end", items: "a uint8\nalign(32) any", packet: "8:0 8:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "", Bit: 8, Width: 24}},
	{row{name: "reserved past end", items: "a uint8\nreserved(70)", packet: "8:0 64:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "", Bit: 8, Width: 70}},
	{row{name: "check past end", items: "a uint8\nb { check 7 }", packet: "8:0 24:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "b", Bit: 8, Width: 32}},
	{row{name: "crc past end", items: "c crc32", packet: "24:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "c", Bit: 0, Width: 32}},
	{row{name: "ranged past end", items: "a uint8\nb int(0..300)", packet: "8:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "b", Bit: 8, Width: 9}},
	{row{name: "float past end", items: "a bool\nb float64", packet: "1:0 63:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "b", Bit: 1, Width: 64}},

	// out-of-range: unused codes, rules, counts and sizes.
	{row{name: "int above", items: "a int(-5..5)", packet: "4:11"},
		slow.Reject{Kind: reject.OutOfRange, Path: "a", Bit: 0, Width: 4}},
	{row{name: "rule above", items: "a bits(3)\nb uint8 in 0..100", packet: "3:0 8:101"},
		slow.Reject{Kind: reject.OutOfRange, Path: "b", Bit: 3, Width: 8}},
	{row{name: "rule between", items: "a uint8 in {1, 2, 4..8}", packet: "8:3"},
		slow.Reject{Kind: reject.OutOfRange, Path: "a", Bit: 0, Width: 8}},
	{row{name: "signed below", items: "a sbits(4) in -3..3", packet: "4:0xC"},
		slow.Reject{Kind: reject.OutOfRange, Path: "a", Bit: 0, Width: 4}},
	{row{name: "bool8", items: "a bool8", packet: "8:2"},
		slow.Reject{Kind: reject.OutOfRange, Path: "a", Bit: 0, Width: 8}},
	{row{name: "quantised step above the last", items: "a float(0..10, 0.01)", packet: "10:1001"},
		slow.Reject{Kind: reject.OutOfRange, Path: "a", Bit: 0, Width: 10}},
	{row{name: "float above its range", items: "a float32 in 0.0..1.0", packet: "32:0x3F800001"},
		slow.Reject{Kind: reject.OutOfRange, Path: "a", Bit: 0, Width: 32}},
	{row{name: "bytes above max", items: "n uint8\nv bytes(n, max 4)", packet: "8:5 40:0"},
		slow.Reject{Kind: reject.OutOfRange, Path: "v", Bit: 8, Width: 0}},
	{row{name: "bytes above max, behind padding", items: "n uint8\na bool\nv bytes(n, max 4)", packet: "8:5 1:0 7:0 40:0", orders: aligning},
		slow.Reject{Kind: reject.OutOfRange, Path: "v", Bit: 8 + 1 + 7, Width: 0}},
	{row{name: "bytes above max, unaligned", items: "n uint8\na bool\nv bytes(n, max 4)", packet: "8:5 1:0 7:0 40:0", orders: bousk},
		slow.Reject{Kind: reject.OutOfRange, Path: "v", Bit: 8 + 1, Width: 0}},
	{row{name: "negative size", items: "n uint8\nv bytes(n - 4)", packet: "8:3 8:0"},
		slow.Reject{Kind: reject.OutOfRange, Path: "v", Bit: 8, Width: 0}},
	{row{name: "rest above max", items: "v bytes(rest, max 2)", packet: "24:0"},
		slow.Reject{Kind: reject.OutOfRange, Path: "v", Bit: 0, Width: 0}},
	{row{name: "negative count", items: "n uint8\nv [n - 4]uint8", packet: "8:3 8:0"},
		slow.Reject{Kind: reject.OutOfRange, Path: "v", Bit: 8, Width: 0}},
	{row{name: "open enum outside its base", decls: "open enum E : int(0..4) { A = 1 }", items: "e E", packet: "3:5"},
		slow.Reject{Kind: reject.OutOfRange, Path: "e", Bit: 0, Width: 3}},
	{row{name: "enum rule", decls: "enum E : uint8 { A = 1, B = 2, C = 3 }", items: "e E in {A, C}", packet: "8:2"},
		slow.Reject{Kind: reject.OutOfRange, Path: "e", Bit: 0, Width: 8}},

	// unknown-case.
	{row{name: "closed enum", decls: "enum E : uint8 { A = 1, B = 2 }", items: "a bool\ne E", packet: "1:1 8:3"},
		slow.Reject{Kind: reject.UnknownCase, Path: "e", Bit: 1, Width: 8}},
	{row{name: "closed enum outside its base", decls: "enum E : int(0..4) { A = 1 }", items: "e E", packet: "3:5"},
		slow.Reject{Kind: reject.UnknownCase, Path: "e", Bit: 0, Width: 3}},
	{row{name: "switch on a field", items: "t bits(3)\nx uint8\ns switch t { 1: uint8, 2..3: empty }", packet: "3:4 8:0 8:0"},
		slow.Reject{Kind: reject.UnknownCase, Path: "s", Bit: 0, Width: 3}},
	{row{name: "switch on a field of a struct", items: "h { a bool, t bits(3) }\ns switch h.t { 1: uint8 }", packet: "1:0 3:4 8:0"},
		slow.Reject{Kind: reject.UnknownCase, Path: "s", Bit: 1, Width: 3}},
	{row{name: "switch on an expression", items: "t bits(3)\ns switch t + 1 { 1: uint8 }", packet: "3:4 8:0"},
		slow.Reject{Kind: reject.UnknownCase, Path: "s", Bit: 3, Width: 0}},
	{row{name: "switch on a let", items: "t bits(3)\nlet u = t\ns switch u { 1: uint8 }", packet: "3:4 8:0"},
		slow.Reject{Kind: reject.UnknownCase, Path: "s", Bit: 3, Width: 0}},
	{row{name: "switch on a parameter", decls: "struct S(t in 0..7) { s switch t { 1: uint8 } }", items: "t bits(3)\nv S(t)", packet: "3:4 8:0"},
		slow.Reject{Kind: reject.UnknownCase, Path: "v.s", Bit: 0, Width: 3}},

	// reserved-nonzero.
	{row{name: "reserved", items: "a bool\nb { reserved(5) }", packet: "1:1 5:16"},
		slow.Reject{Kind: reject.ReservedNonzero, Path: "b", Bit: 1, Width: 5}},
	{row{name: "reserved, wide", items: "reserved(100)\nx bits(4)", packet: "64:0 36:1 4:0"},
		slow.Reject{Kind: reject.ReservedNonzero, Path: "", Bit: 0, Width: 100}},
	{row{name: "closed flags", decls: "flags F : uint8 { A = 1, B = 4 }", items: "f F", packet: "8:2"},
		slow.Reject{Kind: reject.ReservedNonzero, Path: "f", Bit: 0, Width: 8}},
	{row{name: "flags outside their base", decls: "flags F : int(0..6) { A = 1, B = 2, C = 4 }", items: "f F", packet: "3:7"},
		slow.Reject{Kind: reject.OutOfRange, Path: "f", Bit: 0, Width: 3}},

	// const-mismatch.
	{row{name: "constant", items: "a bits(2) == 2", packet: "2:1"},
		slow.Reject{Kind: reject.ConstMismatch, Path: "a", Bit: 0, Width: 2}},
	{row{name: "not zero", items: "a uint8 != 0", packet: "8:0"},
		slow.Reject{Kind: reject.ConstMismatch, Path: "a", Bit: 0, Width: 8}},
	{row{name: "bool constant", items: "a bool == false", packet: "1:1"},
		slow.Reject{Kind: reject.ConstMismatch, Path: "a", Bit: 0, Width: 1}},
	{row{name: "bytes constant", items: `a uint8` + "\n" + `b bytes(3) == "abc"`, packet: `8:0 "abd"`},
		slow.Reject{Kind: reject.ConstMismatch, Path: "b", Bit: 8, Width: 24}},
	{row{name: "char constant", items: `b char(4) == "abc"`, packet: `"ab" 16:0`},
		slow.Reject{Kind: reject.ConstMismatch, Path: "b", Bit: 0, Width: 32}},
	{row{name: "char not empty", items: `b char(2) != ""`, packet: `16:0`},
		slow.Reject{Kind: reject.ConstMismatch, Path: "b", Bit: 0, Width: 16}},
	{row{name: "float constant", items: "a float32 == 1.5", packet: "32:0x3FC00001"},
		slow.Reject{Kind: reject.ConstMismatch, Path: "a", Bit: 0, Width: 32}},
	{row{name: "float not zero", items: "a float32 != 0.0", packet: "32:0x80000000"},
		slow.Reject{Kind: reject.ConstMismatch, Path: "a", Bit: 0, Width: 32}},
	{row{name: "float constant and NaN", items: "a float64 == 1.5", packet: "64:0x7FF8000000000000"},
		slow.Reject{Kind: reject.ConstMismatch, Path: "a", Bit: 0, Width: 64}},
	{row{name: "element constant", items: "v [3]uint8 == 7", packet: "8:7 8:7 8:8"},
		slow.Reject{Kind: reject.ConstMismatch, Path: "v[2]", Bit: 8 + 8, Width: 8}},

	// check-mismatch, crc-mismatch.
	{row{name: "check", items: "a bool\nb { check 0x12345678 }", packet: "1:0 32:0x12345679"},
		slow.Reject{Kind: reject.CheckMismatch, Path: "b", Bit: 1, Width: 32}},
	{row{name: "label check", items: `check "end of packet"`, packet: "32:0x9908ACE3"},
		slow.Reject{Kind: reject.CheckMismatch, Path: "", Bit: 0, Width: 32}},
	{row{name: "crc", items: "a uint8\nc crc32", packet: "8:0 32:0"},
		slow.Reject{Kind: reject.CRCMismatch, Path: "c", Bit: 8, Width: 32}},
	{row{name: "crc of 16 bits", items: "a bool\nalign\nc crc16_modbus", packet: "1:1 7:0 16:0"},
		slow.Reject{Kind: reject.CRCMismatch, Path: "c", Bit: 8, Width: 16}},
	{row{name: "crc of 16 bits, cut", items: "c crc16_modbus", packet: "8:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "c", Bit: 0, Width: 16}},
	{row{name: "crc before what is behind it", items: "c crc32c\na uint8 == 1", packet: "32:0 8:0"},
		slow.Reject{Kind: reject.CRCMismatch, Path: "c", Bit: 0, Width: 32}},

	// nonzero-padding.
	{row{name: "align item", items: "a bits(3)\nb { align }", packet: "3:0 2:0 1:1 2:0"},
		slow.Reject{Kind: reject.NonzeroPadding, Path: "b", Bit: 3 + 2, Width: 1}},
	{row{name: "align item to 32", items: "a uint8\nb { align(32) }", packet: "8:0 8:0 1:1 15:0"},
		slow.Reject{Kind: reject.NonzeroPadding, Path: "b", Bit: 8 + 8, Width: 1}},
	{row{name: "bytes aligning", items: "a bits(3)\nb bytes(1)", packet: "3:0 4:0 1:1 8:0", orders: aligning},
		slow.Reject{Kind: reject.NonzeroPadding, Path: "b", Bit: 3 + 4, Width: 1}},
	{row{name: "no bytes aligning", items: "n bits(3)\nb bytes(n)", packet: "3:0 4:0 1:1", orders: aligning},
		slow.Reject{Kind: reject.NonzeroPadding, Path: "b", Bit: 3 + 4, Width: 1}},
	{row{name: "char aligning", items: "a bits(3)\nb char(1)", packet: "3:0 1:1 4:0 8:0", orders: aligning},
		slow.Reject{Kind: reject.NonzeroPadding, Path: "b", Bit: 3, Width: 1}},
	{row{name: "label check aligning", items: `b { a bits(3), check "x" }`, packet: "3:0 1:1 4:0 32:0", orders: aligning},
		slow.Reject{Kind: reject.NonzeroPadding, Path: "b", Bit: 3, Width: 1}},

	// bad-string.
	{row{name: "text behind a NUL", items: "b char(4)", packet: `"a" 8:0 "b" 8:0`},
		slow.Reject{Kind: reject.BadString, Path: "b", Bit: 0, Width: 32}},
	{row{name: "char that is not UTF-8", items: "b char(2) utf8", packet: "8:0xFF 8:0"},
		slow.Reject{Kind: reject.BadString, Path: "b", Bit: 0, Width: 16}},

	// not-finite.
	{row{name: "NaN", items: "a float32 finite", packet: "32:0x7FC00000"},
		slow.Reject{Kind: reject.NotFinite, Path: "a", Bit: 0, Width: 32}},
	{row{name: "infinity in a range", items: "a float64 in 0.0..1.0", packet: "64:0x7FF0000000000000"},
		slow.Reject{Kind: reject.NotFinite, Path: "a", Bit: 0, Width: 64}},

	// trailing-bytes, rule-broken.
	{row{name: "a byte too many", items: "a bits(4)", packet: "4:1 12:0"},
		slow.Reject{Kind: reject.TrailingBytes, Path: "", Bit: 4, Width: 12}},
	{row{name: "one whole byte too many", items: "a uint8", packet: "8:1 8:0"},
		slow.Reject{Kind: reject.TrailingBytes, Path: "", Bit: 8, Width: 8}},
	{row{name: "notes before it", decls: "open enum O : uint8 { A = 1 }", items: "o O @from(server)\na uint8 == 1", packet: "8:9 8:2", from: schema.Client},
		slow.Reject{Kind: reject.ConstMismatch, Path: "a", Bit: 8, Width: 8}},
	{row{name: "require", items: "a uint8\nb { c uint8, require c > a }", packet: "8:5 8:5"},
		slow.Reject{Kind: reject.RuleBroken, Path: "b", Bit: 16, Width: 0}},
	{row{name: "require in the packet", items: "a uint8\nrequire a != 5", packet: "8:5"},
		slow.Reject{Kind: reject.RuleBroken, Path: "", Bit: 8, Width: 0}},
	{row{name: "require in an element", items: "v [2]{ c uint8, require c > 0 }", packet: "8:5 8:0"},
		slow.Reject{Kind: reject.RuleBroken, Path: "v[1]", Bit: 16, Width: 0}},
	{row{name: "direction required", items: "a bool\nrequire from(server)", packet: "1:0", from: schema.Client},
		slow.Reject{Kind: reject.RuleBroken, Path: "", Bit: 1, Width: 0}},
	{row{name: "unknown direction is no side", items: "a bool\nrequire from(server)", packet: "1:0"},
		slow.Reject{Kind: reject.RuleBroken, Path: "", Bit: 1, Width: 0}},
}

// TestRejects also sees that a refused packet has neither notes nor bits.
func TestRejects(t *testing.T) {
	for _, r := range append(rejects, variableRejects...) {
		for _, order := range r.in() {
			got := r.decode(t, order)
			switch {
			case got.Reject == nil:
				t.Errorf("%s, %v: want %s, got accept: %s", r.name, order, showReject(r.want), show(got))
			case *got.Reject != r.want:
				t.Errorf("%s, %v: want %s, got %s", r.name, order, showReject(r.want), showReject(*got.Reject))
			case len(got.Notes) > 0 || got.Bits != 0:
				t.Errorf("%s, %v: refused with notes or bits: %s", r.name, order, show(got))
			}
		}
	}
}

// Where a field fails twice the first in the page's order counts, and the first field that fails is the verdict.
func TestFirstFailure(t *testing.T) {
	rows := []struct {
		row
		want string
	}{
		{row{name: "type before rule", items: "a int(0..5) == 3", packet: "3:6"}, `out-of-range "a" at 0+3`},
		{row{name: "fit before rule", items: "a uint16 == 3", packet: "8:6"}, `past-end "a" at 0+16`},
		{row{name: "earlier field", items: "a uint8 == 3\nb uint8 == 3", packet: "8:1 8:1"}, `const-mismatch "a" at 0+8`},
		{row{name: "field before its end", items: "a uint8 == 3\nb uint8", packet: "8:1"}, `const-mismatch "a" at 0+8`},
		{row{name: "fields before trailing bytes", items: "a uint8 == 3", packet: "8:1 8:1"}, `const-mismatch "a" at 0+8`},
		{row{name: "padding before size", items: "n uint8\na bits(3)\nb bytes(n, max 1)", packet: "8:2 3:0 5:31", orders: aligning},
			`nonzero-padding "b" at 11+1`},
		{row{name: "text before rule", items: `b char(3) == "x"`, packet: `8:0 "x" 8:0`}, `bad-string "b" at 0+24`},
		{row{name: "case before rule", decls: "enum E : uint8 { A = 1, B = 2 }", items: "e E == A", packet: "8:3"},
			`unknown-case "e" at 0+8`},
	}
	for _, r := range rows {
		for _, order := range r.in() {
			if got := r.decode(t, order); got.Reject == nil || showReject(*got.Reject) != r.want {
				t.Errorf("%s, %v: want %s, got %s", r.name, order, r.want, show(got))
			}
		}
	}
}
