package rows

import (
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// aligning are the orders in which bytes, text and label checks align by themselves, bousk the one in which they do
// not.
var (
	aligning = []wire.Order{wire.LSB, wire.MSB}
	bousk    = []wire.Order{wire.Bytewise}
)

// What is refused, by the kinds of the wire page's table. Positions are sums of the widths in front.
var fixedRejects = []Refused{
	// datagram-size: before anything is read.
	{Row{Name: "datagram above max", Decls: "max datagram 2", Items: "a uint8 == 7", Packet: "8:0 8:0 8:0"},
		slow.Reject{Kind: reject.DatagramSize, Path: "", Bit: 0, Width: 24}},

	// past-end: the field that did not fit and all it needed.
	{Row{Name: "int past end", Items: "a bits(4)\nb uint32", Packet: "4:1 20:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "b", Bit: 4, Width: 32}},
	{Row{Name: "empty datagram", Items: "a bool", Packet: ""},
		slow.Reject{Kind: reject.PastEnd, Path: "a", Bit: 0, Width: 1}},
	{Row{Name: "bool past end", Items: "a uint8\nb bool", Packet: "8:1"},
		slow.Reject{Kind: reject.PastEnd, Path: "b", Bit: 8, Width: 1}},
	{Row{Name: "element past end", Items: "n bits(4) in 0..5\nv [n]uint16", Packet: "4:3 16:1 16:2 4:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "v[2]", Bit: 4 + 16 + 16, Width: 16}},
	{Row{Name: "field of an element past end", Decls: "struct P { x uint8, y uint16 }", Items: "v [2]P", Packet: "8:1 16:2 8:3 8:4"},
		slow.Reject{Kind: reject.PastEnd, Path: "v[1].y", Bit: 8 + 16 + 8, Width: 16}},
	{Row{Name: "bytes past end", Items: "n uint8\nv bytes(n)", Packet: "8:4 24:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "v", Bit: 8, Width: 32}},
	{Row{Name: "char past end", Items: "v char(3)", Packet: "16:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "v", Bit: 0, Width: 24}},
	{Row{Name: "align item past end", Items: "a uint8\nin_it { align(32) }", Packet: "8:0 8:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "in_it", Bit: 8, Width: 24}},
	{Row{Name: "any align past end", Items: "a uint8\nalign(32) any", Packet: "8:0 8:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "", Bit: 8, Width: 24}},
	{Row{Name: "reserved past end", Items: "a uint8\nreserved(70)", Packet: "8:0 64:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "", Bit: 8, Width: 70}},
	{Row{Name: "check past end", Items: "a uint8\nb { check 7 }", Packet: "8:0 24:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "b", Bit: 8, Width: 32}},
	{Row{Name: "crc past end", Items: "c crc32", Packet: "24:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "c", Bit: 0, Width: 32}},
	{Row{Name: "ranged past end", Items: "a uint8\nb int(0..300)", Packet: "8:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "b", Bit: 8, Width: 9}},
	{Row{Name: "float past end", Items: "a bool\nb float64", Packet: "1:0 63:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "b", Bit: 1, Width: 64}},

	// out-of-range: unused codes, rules, counts and sizes.
	{Row{Name: "int above", Items: "a int(-5..5)", Packet: "4:11"},
		slow.Reject{Kind: reject.OutOfRange, Path: "a", Bit: 0, Width: 4}},
	{Row{Name: "rule above", Items: "a bits(3)\nb uint8 in 0..100", Packet: "3:0 8:101"},
		slow.Reject{Kind: reject.OutOfRange, Path: "b", Bit: 3, Width: 8}},
	{Row{Name: "rule between", Items: "a uint8 in {1, 2, 4..8}", Packet: "8:3"},
		slow.Reject{Kind: reject.OutOfRange, Path: "a", Bit: 0, Width: 8}},
	{Row{Name: "signed below", Items: "a sbits(4) in -3..3", Packet: "4:0xC"},
		slow.Reject{Kind: reject.OutOfRange, Path: "a", Bit: 0, Width: 4}},
	{Row{Name: "bool8", Items: "a bool8", Packet: "8:2"},
		slow.Reject{Kind: reject.OutOfRange, Path: "a", Bit: 0, Width: 8}},
	{Row{Name: "quantized step above the last", Items: "a float(0..10, 0.01)", Packet: "10:1001"},
		slow.Reject{Kind: reject.OutOfRange, Path: "a", Bit: 0, Width: 10}},
	{Row{Name: "float above its range", Items: "a float32 in 0.0..1.0", Packet: "32:0x3F800001"},
		slow.Reject{Kind: reject.OutOfRange, Path: "a", Bit: 0, Width: 32}},
	{Row{Name: "bytes above max", Items: "n uint8\nv bytes(n, max 4)", Packet: "8:5 40:0"},
		slow.Reject{Kind: reject.OutOfRange, Path: "v", Bit: 8, Width: 0}},
	{Row{Name: "bytes above max, behind padding", Items: "n uint8\na bool\nv bytes(n, max 4)", Packet: "8:5 1:0 7:0 40:0", Orders: aligning},
		slow.Reject{Kind: reject.OutOfRange, Path: "v", Bit: 8 + 1 + 7, Width: 0}},
	{Row{Name: "bytes above max, unaligned", Items: "n uint8\na bool\nv bytes(n, max 4)", Packet: "8:5 1:0 7:0 40:0", Orders: bousk},
		slow.Reject{Kind: reject.OutOfRange, Path: "v", Bit: 8 + 1, Width: 0}},
	{Row{Name: "negative size", Items: "n uint8\nv bytes(n - 4)", Packet: "8:3 8:0"},
		slow.Reject{Kind: reject.OutOfRange, Path: "v", Bit: 8, Width: 0}},
	{Row{Name: "rest above max", Items: "v bytes(rest, max 2)", Packet: "24:0"},
		slow.Reject{Kind: reject.OutOfRange, Path: "v", Bit: 0, Width: 0}},
	{Row{Name: "negative count", Items: "n uint8\nv [n - 4]uint8", Packet: "8:3 8:0"},
		slow.Reject{Kind: reject.OutOfRange, Path: "v", Bit: 8, Width: 0}},
	{Row{Name: "open enum outside its base", Decls: "open enum E : int(0..4) { A = 1 }", Items: "e E", Packet: "3:5"},
		slow.Reject{Kind: reject.OutOfRange, Path: "e", Bit: 0, Width: 3}},
	{Row{Name: "enum rule", Decls: "enum E : uint8 { A = 1, B = 2, C = 3 }", Items: "e E in {A, C}", Packet: "8:2"},
		slow.Reject{Kind: reject.OutOfRange, Path: "e", Bit: 0, Width: 8}},

	// unknown-case.
	{Row{Name: "closed enum", Decls: "enum E : uint8 { A = 1, B = 2 }", Items: "a bool\ne E", Packet: "1:1 8:3"},
		slow.Reject{Kind: reject.UnknownCase, Path: "e", Bit: 1, Width: 8}},
	{Row{Name: "closed enum outside its base", Decls: "enum E : int(0..4) { A = 1 }", Items: "e E", Packet: "3:5"},
		slow.Reject{Kind: reject.UnknownCase, Path: "e", Bit: 0, Width: 3}},
	{Row{Name: "switch on a field", Items: "t bits(3)\nx uint8\ns switch t { 1: uint8, 2..3: empty }", Packet: "3:4 8:0 8:0"},
		slow.Reject{Kind: reject.UnknownCase, Path: "s", Bit: 0, Width: 3}},
	{Row{Name: "switch on a field of a struct", Items: "h { a bool, t bits(3) }\ns switch h.t { 1: uint8 }", Packet: "1:0 3:4 8:0"},
		slow.Reject{Kind: reject.UnknownCase, Path: "s", Bit: 1, Width: 3}},
	{Row{Name: "switch on an expression", Items: "t bits(3)\ns switch t + 1 { 1: uint8 }", Packet: "3:4 8:0"},
		slow.Reject{Kind: reject.UnknownCase, Path: "s", Bit: 3, Width: 0}},
	{Row{Name: "switch on a let", Items: "t bits(3)\nlet u = t\ns switch u { 1: uint8 }", Packet: "3:4 8:0"},
		slow.Reject{Kind: reject.UnknownCase, Path: "s", Bit: 3, Width: 0}},
	{Row{Name: "switch on a parameter", Decls: "struct S(t in 0..7) { s switch t { 1: uint8 } }", Items: "t bits(3)\nv S(t)", Packet: "3:4 8:0"},
		slow.Reject{Kind: reject.UnknownCase, Path: "v.s", Bit: 0, Width: 3}},

	// reserved-nonzero.
	{Row{Name: "reserved", Items: "a bool\nb { reserved(5) }", Packet: "1:1 5:16"},
		slow.Reject{Kind: reject.ReservedNonzero, Path: "b", Bit: 1, Width: 5}},
	{Row{Name: "reserved, wide", Items: "reserved(100)\nx bits(4)", Packet: "64:0 36:1 4:0"},
		slow.Reject{Kind: reject.ReservedNonzero, Path: "", Bit: 0, Width: 100}},
	{Row{Name: "closed flags", Decls: "flags F : uint8 { A = 1, B = 4 }", Items: "f F", Packet: "8:2"},
		slow.Reject{Kind: reject.ReservedNonzero, Path: "f", Bit: 0, Width: 8}},
	{Row{Name: "flags outside their base", Decls: "flags F : int(0..6) { A = 1, B = 2, C = 4 }", Items: "f F", Packet: "3:7"},
		slow.Reject{Kind: reject.OutOfRange, Path: "f", Bit: 0, Width: 3}},

	// const-mismatch.
	{Row{Name: "constant", Items: "a bits(2) == 2", Packet: "2:1"},
		slow.Reject{Kind: reject.ConstMismatch, Path: "a", Bit: 0, Width: 2}},
	{Row{Name: "not zero", Items: "a uint8 != 0", Packet: "8:0"},
		slow.Reject{Kind: reject.ConstMismatch, Path: "a", Bit: 0, Width: 8}},
	{Row{Name: "bool constant", Items: "a bool == false", Packet: "1:1"},
		slow.Reject{Kind: reject.ConstMismatch, Path: "a", Bit: 0, Width: 1}},
	{Row{Name: "bytes constant", Items: `a uint8` + "\n" + `b bytes(3) == "abc"`, Packet: `8:0 "abd"`},
		slow.Reject{Kind: reject.ConstMismatch, Path: "b", Bit: 8, Width: 24}},
	{Row{Name: "char constant", Items: `b char(4) == "abc"`, Packet: `"ab" 16:0`},
		slow.Reject{Kind: reject.ConstMismatch, Path: "b", Bit: 0, Width: 32}},
	{Row{Name: "char not empty", Items: `b char(2) != ""`, Packet: `16:0`},
		slow.Reject{Kind: reject.ConstMismatch, Path: "b", Bit: 0, Width: 16}},
	{Row{Name: "float constant", Items: "a float32 == 1.5", Packet: "32:0x3FC00001"},
		slow.Reject{Kind: reject.ConstMismatch, Path: "a", Bit: 0, Width: 32}},
	{Row{Name: "float not zero", Items: "a float32 != 0.0", Packet: "32:0x80000000"},
		slow.Reject{Kind: reject.ConstMismatch, Path: "a", Bit: 0, Width: 32}},
	{Row{Name: "float constant and NaN", Items: "a float64 == 1.5", Packet: "64:0x7FF8000000000000"},
		slow.Reject{Kind: reject.ConstMismatch, Path: "a", Bit: 0, Width: 64}},
	{Row{Name: "element constant", Items: "v [3]uint8 == 7", Packet: "8:7 8:7 8:8"},
		slow.Reject{Kind: reject.ConstMismatch, Path: "v[2]", Bit: 8 + 8, Width: 8}},

	// check-mismatch, crc-mismatch.
	{Row{Name: "check", Items: "a bool\nb { check 0x12345678 }", Packet: "1:0 32:0x12345679"},
		slow.Reject{Kind: reject.CheckMismatch, Path: "b", Bit: 1, Width: 32}},
	{Row{Name: "label check", Items: `check "end of packet"`, Packet: "32:0x9908ACE3"},
		slow.Reject{Kind: reject.CheckMismatch, Path: "", Bit: 0, Width: 32}},
	{Row{Name: "crc", Items: "a uint8\nc crc32", Packet: "8:0 32:0"},
		slow.Reject{Kind: reject.CRCMismatch, Path: "c", Bit: 8, Width: 32}},
	{Row{Name: "crc of 16 bits", Items: "a bool\nalign\nc crc16_modbus", Packet: "1:1 7:0 16:0"},
		slow.Reject{Kind: reject.CRCMismatch, Path: "c", Bit: 8, Width: 16}},
	{Row{Name: "crc of 16 bits, cut", Items: "c crc16_modbus", Packet: "8:0"},
		slow.Reject{Kind: reject.PastEnd, Path: "c", Bit: 0, Width: 16}},
	{Row{Name: "crc before what is behind it", Items: "c crc32c\na uint8 == 1", Packet: "32:0 8:0"},
		slow.Reject{Kind: reject.CRCMismatch, Path: "c", Bit: 0, Width: 32}},

	// nonzero-padding.
	{Row{Name: "align item", Items: "a bits(3)\nb { align }", Packet: "3:0 2:0 1:1 2:0"},
		slow.Reject{Kind: reject.NonzeroPadding, Path: "b", Bit: 3 + 2, Width: 1}},
	{Row{Name: "align item to 32", Items: "a uint8\nb { align(32) }", Packet: "8:0 8:0 1:1 15:0"},
		slow.Reject{Kind: reject.NonzeroPadding, Path: "b", Bit: 8 + 8, Width: 1}},
	{Row{Name: "bytes aligning", Items: "a bits(3)\nb bytes(1)", Packet: "3:0 4:0 1:1 8:0", Orders: aligning},
		slow.Reject{Kind: reject.NonzeroPadding, Path: "b", Bit: 3 + 4, Width: 1}},
	{Row{Name: "no bytes aligning", Items: "n bits(3)\nb bytes(n)", Packet: "3:0 4:0 1:1", Orders: aligning},
		slow.Reject{Kind: reject.NonzeroPadding, Path: "b", Bit: 3 + 4, Width: 1}},
	{Row{Name: "char aligning", Items: "a bits(3)\nb char(1)", Packet: "3:0 1:1 4:0 8:0", Orders: aligning},
		slow.Reject{Kind: reject.NonzeroPadding, Path: "b", Bit: 3, Width: 1}},
	{Row{Name: "label check aligning", Items: `b { a bits(3), check "x" }`, Packet: "3:0 1:1 4:0 32:0", Orders: aligning},
		slow.Reject{Kind: reject.NonzeroPadding, Path: "b", Bit: 3, Width: 1}},

	// bad-string.
	{Row{Name: "text behind a NUL", Items: "b char(4)", Packet: `"a" 8:0 "b" 8:0`},
		slow.Reject{Kind: reject.BadString, Path: "b", Bit: 0, Width: 32}},
	{Row{Name: "char that is not UTF-8", Items: "b char(2) utf8", Packet: "8:0xFF 8:0"},
		slow.Reject{Kind: reject.BadString, Path: "b", Bit: 0, Width: 16}},

	// not-finite.
	{Row{Name: "NaN", Items: "a float32 finite", Packet: "32:0x7FC00000"},
		slow.Reject{Kind: reject.NotFinite, Path: "a", Bit: 0, Width: 32}},
	{Row{Name: "infinity in a range", Items: "a float64 in 0.0..1.0", Packet: "64:0x7FF0000000000000"},
		slow.Reject{Kind: reject.NotFinite, Path: "a", Bit: 0, Width: 64}},

	// trailing-bytes, rule-broken.
	{Row{Name: "a byte too many", Items: "a bits(4)", Packet: "4:1 12:0"},
		slow.Reject{Kind: reject.TrailingBytes, Path: "", Bit: 4, Width: 12}},
	{Row{Name: "one whole byte too many", Items: "a uint8", Packet: "8:1 8:0"},
		slow.Reject{Kind: reject.TrailingBytes, Path: "", Bit: 8, Width: 8}},
	{Row{Name: "notes before it", Decls: "open enum O : uint8 { A = 1 }", Items: "o O @from(server)\na uint8 == 1", Packet: "8:9 8:2", From: schema.Client},
		slow.Reject{Kind: reject.ConstMismatch, Path: "a", Bit: 8, Width: 8}},
	{Row{Name: "require", Items: "a uint8\nb { c uint8, require c > a }", Packet: "8:5 8:5"},
		slow.Reject{Kind: reject.RuleBroken, Path: "b", Bit: 16, Width: 0}},
	{Row{Name: "require in the packet", Items: "a uint8\nrequire a != 5", Packet: "8:5"},
		slow.Reject{Kind: reject.RuleBroken, Path: "", Bit: 8, Width: 0}},
	{Row{Name: "require in an element", Items: "v [2]{ c uint8, require c > 0 }", Packet: "8:5 8:0"},
		slow.Reject{Kind: reject.RuleBroken, Path: "v[1]", Bit: 16, Width: 0}},
	{Row{Name: "direction required", Items: "a bool\nrequire from(server)", Packet: "1:0", From: schema.Client},
		slow.Reject{Kind: reject.RuleBroken, Path: "", Bit: 1, Width: 0}},
	{Row{Name: "unknown direction is no side", Items: "a bool\nrequire from(server)", Packet: "1:0"},
		slow.Reject{Kind: reject.RuleBroken, Path: "", Bit: 1, Width: 0}},
}
