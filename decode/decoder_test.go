package decode_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// protocol compiles a packet body in some order, with declarations before it.
func protocol(tb testing.TB, order, decls, body string) *decode.Decoder {
	tb.Helper()
	src := "protocol test\norder " + order + "\n" + decls + "\npacket {\n" + body + "\n}\n"
	s, diags := schema.Load("test.pks", []byte(src), nil)
	if s == nil {
		tb.Fatalf("schema: %v\n%s", diags, src)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		tb.Fatalf("plan: %v\n%s", diags, src)
	}
	return decode.New(p)
}

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// refusals are what a reader must refuse, and the exact words it is refused with. Positions are in the words too.
var refusals = []struct {
	name, order, decls, body, packet, want string
}{
	{"field that does not fit", "msb", "", "a uint8\nb uint16", "01 02", "b: past-end at bit 8 (byte 1): want 16 bits, got 8 left"},
	{"first failure wins over the cut", "msb", "", "a uint8 in 0..3\nb uint16", "04", "a: out-of-range at bit 0 (byte 0): want 0..3 in 8 bits, got 4"},
	{"nothing at all", "lsb", "", "a bool", "", "a: past-end at bit 0 (byte 0): want 1 bit, got 0 left"},
	{"unused code", "lsb", "", "n int(0..32)\nx bits(2)", "21", "n: out-of-range at bit 0 (byte 0): want 0..32 in 6 bits, got 33"},
	{"unused code of a signed range", "msb", "", "x bits(3)\nn int(-3..3)\ny bits(2)", "1c", "n: out-of-range at bit 3 (byte 0+3): want -3..3 in 3 bits, got 4"},
	{"signed rule", "msb", "", "n int8 in -2..2", "fd", "n: out-of-range at bit 0 (byte 0): want -2..2 in 8 bits, got -3"},
	{"bounds from fields", "lsb", "", "n uint8\na uint32 in 0..n - 1", "05 05 00 00 00", "a: out-of-range at bit 8 (byte 1): want 0..4 in 32 bits, got 5"},
	{"range from a field", "msb", "", "n uint16 in 0..2000\nx int(0..n)\ny bits(7)", "01 2c ff ff", "x: out-of-range at bit 16 (byte 2): want 0..300 in 9 bits, got 511"},
	{"signed range from a field", "msb", "", "n int16 in -5..100\nx int(-5..n)\ny bits(4)", "00 06 f0", "x: out-of-range at bit 16 (byte 2): want -5..6 in 4 bits, got 10"},
	{"range from a field of an element", "msb", "", "l [2]{ n uint8, x int(0..n), align }", "ff ff 04 e0", "l[1].x: out-of-range at bit 24 (byte 3): want 0..4 in 3 bits, got 7"},
	{"range from a secret", "msb", "", "n uint16 in 0..2000 @secret\nx int(0..n)\ny bits(7)", "01 2c ff ff", "x: out-of-range at bit 16 (byte 2): want 0..2000, got ‹secret›"},
	{"bounds that leave nothing", "msb", "", "n uint8\na int8 in n..0", "05 ff", "a: out-of-range at bit 8 (byte 1): want 5..0 in 8 bits, got -1"},
	{"bounds of an element, with one more after it", "msb", "", "n bits(4)\nv [2]{ a zigzag(12) in -n..n, b bits(4) }\nc uint8", "20 47 05 71", "v[1].a: out-of-range at bit 16 (byte 2): want -2..2 in 8 bits, got -3"},
	{"bounds that are a secret", "lsb", "", "n uint8 @secret\na uint8 in n..n + 1", "05 07", "a: out-of-range at bit 8 (byte 1): want ‹secret› in 8 bits, got ‹secret›"},
	{"a secret with bounds", "lsb", "", "n uint8\na uint8 in n..n + 1 @secret", "05 07", "a: out-of-range at bit 8 (byte 1): want 5..6 in 8 bits, got ‹secret›"},
	{"rule with holes", "msb", "", "n uint8 in {1, 2, 4..8}", "03", "n: out-of-range at bit 0 (byte 0): want 1..2, 4..8 in 8 bits, got 3"},
	{"little-endian in network order", "msb", "", "n uint16 le in 0..255", "ff 01", "n: out-of-range at bit 0 (byte 0): want 0..255 in 16 bits, got 511"},
	{"64-bit maximum", "lsb", "", "n uint64 in 0..18446744073709551614", "ff ff ff ff ff ff ff ff", "n: out-of-range at bit 0 (byte 0): want 0..18446744073709551614 in 64 bits, got 18446744073709551615"},
	{"bool8", "lsb", "", "b bool8", "02", "b: out-of-range at bit 0 (byte 0): want 0..1 in 8 bits, got 2"},
	{"bool that must be false", "msb", "", "b bool == false\nx bits(7)", "80", "b: const-mismatch at bit 0 (byte 0): want false in 1 bit, got true"},
	{"constant", "msb", "", "v bits(2) == 2\nx bits(6)", "40", "v: const-mismatch at bit 0 (byte 0): want 2 in 2 bits, got 1"},
	{"not a constant", "msb", "", "v uint8 != 0", "00", "v: const-mismatch at bit 0 (byte 0): want not 0 in 8 bits, got 0"},
	{"enum", "msb", "enum E : uint8 { A = 1, B = 3, C = 4 }", "e E", "02", "e: unknown-case at bit 0 (byte 0): want 1, 3..4 in 8 bits, got 2"},
	{"enum before its rule", "msb", "enum E : uint8 { A = 1, B = 3 }", "e E in {A}", "03", "e: out-of-range at bit 0 (byte 0): want 1 in 8 bits, got 3"},
	{"flags", "msb", "flags F : uint8 { A = 1, B = 4 }", "f F", "07", "f: reserved-nonzero at bit 0 (byte 0): want 0, got 0x2"},
	{"reserved", "lsb", "", "a bits(3)\nreserved(5)", "08", "packet: reserved-nonzero at bit 3 (byte 0+3): want 0, got 0x1"},
	{"reserved, wide", "lsb", "", "reserved(80)", "00 00 00 00 00 00 00 00 00 10", "packet: reserved-nonzero at bit 0 (byte 0): want 0, got 0x1000"},
	{"padding", "lsb", "", "a bits(3)\nalign\nb uint8", "20 00", "packet: nonzero-padding at bit 5 (byte 0+5): want 0, got 1"},
	{"padding in network order", "msb", "", "a bits(3)\nalign\nb uint8", "04 00", "packet: nonzero-padding at bit 5 (byte 0+5): want 0, got 1"},
	{"padding that is not there", "lsb", "", "a uint8\nalign(32)", "00 00", "packet: past-end at bit 8 (byte 1): want 24 bits, got 8 left"},
	{"padding of bytes", "lsb", "", "a bool\nb bytes(0)", "80", "b: nonzero-padding at bit 7 (byte 0+7): want 0, got 1"},
	{"check", "lsb", "", "check 0x12345678", "78 56 34 13", "packet: check-mismatch at bit 0 (byte 0): want 0x12345678, got 0x13345678"},
	{"labelled check", "lsb", "", `check "end of packet"`, "e2 ac 08 98", `packet: check-mismatch at bit 0 (byte 0): check "end of packet": want 0x9908ace2, got 0x9808ace2`},
	{"checksum", "lsb", "", "crc crc32(prefix 1 : uint32)", "00 00 00 00", "crc: crc-mismatch at bit 0 (byte 0): want 0xa988dff7, got 0x00000000"},
	{"float that is NaN", "msb", "", "f float32 finite", "7f c0 00 01", "f: not-finite at bit 0 (byte 0): want a finite number, got 0x7fc00001"},
	{"float out of range", "msb", "", "f float32 in 0.0..1.0", "3f 80 00 01", "f: out-of-range at bit 0 (byte 0): want 0..1 in 32 bits, got 1.0000001"},
	{"float that is -0, which is 0", "msb", "", "f float32 != 0.0", "80 00 00 00", "f: const-mismatch at bit 0 (byte 0): want not 0 in 32 bits, got -0"},
	{"after a -0 that is 0", "msb", "", "f float32 == 0.0\ng float64 in 0.0..1.0\nx uint8 in 0..1", "80 00 00 00 80 00 00 00 00 00 00 00 05", "x: out-of-range at bit 96 (byte 12): want 0..1 in 8 bits, got 5"},
	{"float that is infinite under a range", "msb", "", "f float32 in 0.0..1.0", "7f 80 00 00", "f: not-finite at bit 0 (byte 0): want a finite number, got 0x7f800000"},
	{"quantized above its last step", "lsb", "", "f float(0..10, 0.01)\nx bits(6)", "e9 03", "f: out-of-range at bit 0 (byte 0): want 0..1000 in 10 bits, got 1001"},
	{"text after a NUL", "msb", "", "c char(4)", "41 00 42 00", "c: bad-string at bit 0 (byte 0): want nothing but NULs after a NUL, got 0x42 at byte 2"},
	{"text that is not UTF-8", "msb", "", "c char(4) utf8", "41 c3 28 00", "c: bad-string at bit 0 (byte 0): want UTF-8, got 0xc3 at byte 1"},
	{"magic bytes", "msb", "", `m bytes(2) == "PK"`, "50 4c", `m: const-mismatch at bit 0 (byte 0): want "PK" in 16 bits, got "PL"`},
	{"bytes above their maximum", "msb", "", "n uint8\nb bytes(n * 4, max 8)", "03 00 00 00 00 00 00 00 00 00 00 00 00", "b: out-of-range at bit 8 (byte 1): want 0..8, got 12"},
	{"negative size", "msb", "", "n uint8 in 0..4\nb bytes(n - 2, max 8)", "01", "b: out-of-range at bit 8 (byte 1): want 0..2, got -1"},
	{"bytes that are not there", "msb", "", "n uint8\nb bytes(n, max 255)", "03 00 00", "b: past-end at bit 8 (byte 1): want 24 bits, got 16 left"},
	{"rest above its maximum", "msb", "", "b bytes(rest, max 2)", "00 00 00", "b: out-of-range at bit 0 (byte 0): want 0..2, got 3"},
	{"element of an array of structs", "lsb", "struct P { a uint8, h int(0..100), x bool }", "n uint8 in 0..4\nps [n]P", "02 01 e4 00 77 00", "ps[1].h: out-of-range at bit 32 (byte 4): want 0..100 in 7 bits, got 119"},
	{"element of an array of arrays", "msb", "struct R { m uint8 in 0..2, v [m]uint8 in 0..9 }", "n uint8 in 0..3\nrs [n]R", "02 01 05 02 03 0a", "rs[1].v[1]: out-of-range at bit 40 (byte 5): want 0..9 in 8 bits, got 10"},
	{"switch without that arm", "msb", "", "a bits(4)\nt bits(4)\nb switch t { 1: uint8, 3..5: uint16 }", "12", "b: unknown-case at bit 4 (byte 0+4): want 1, 3..5 in 4 bits, got 2"},
	{"requirement", "msb", "", "a uint8\nb uint8\nrequire a + 1 == b", "02 04", "packet: rule-broken at bit 16 (byte 2): want a + 1 == b, got a = 2, b = 4"},
	{"requirement in a struct", "msb", "struct S { a uint8, require a != 3 }", "s S", "03", "s: rule-broken at bit 8 (byte 1): want a != 3, got a = 3"},
	{"requirement on the rest", "msb", "", "a uint8\nwithin(2) {\nrequire rest > a\nb bytes(rest, max 2)\n}", "02 00 00", "packet: rule-broken at bit 8 (byte 1): want rest > a, got a = 2, rest = 2"},
	{"requirement on nothing but the rest", "msb", "", "a uint8\nrequire rest % 4 == 0\nb bytes(rest, max 9)", "02 00", "packet: rule-broken at bit 8 (byte 1): want rest % 4 == 0, got rest = 1"},
	{"requirement on the direction", "msb", "", "a uint8\nrequire from(client) || a == 0", "02", "packet: rule-broken at bit 8 (byte 1): want from(client) || a == 0, got a = 2, from = unknown"},
	{"requirement on a secret", "msb", "", "k uint8 @secret\nb uint8\nlet twice = k * 2\nrequire twice < b", "02 04", "packet: rule-broken at bit 16 (byte 2): want twice < b, got twice = ‹secret›, b = 4"},
	{"secret tag", "msb", "", "k uint8 @secret\nv switch k { 1: uint8 }", "af 01", "v: unknown-case at bit 0 (byte 0): want 1 in 8 bits, got ‹secret›"},
	{"secret tag through a parameter", "msb", "struct A(k in 0..255) { v switch k { 1: uint8 } }", "n uint8 @secret\na A(n)", "63 01", "a.v: unknown-case at bit 0 (byte 0): want 1 in 8 bits, got ‹secret›"},
	{"size computed from a secret", "msb", "", "n uint8 in 0..9 @secret\nd bytes(n * 2 - 3, max 8)", "01", "d: out-of-range at bit 8 (byte 1): want 0..8, got ‹secret›"},
	{"tag computed from a secret", "msb", "", "n uint8 @secret\nlet m = n + 1\nv switch m { 1: empty, 2: uint8 }", "05", "v: unknown-case at bit 8 (byte 1): want 1..2, got ‹secret›"},
	{"orders side by side", "msb", "struct A order lsb { p uint16 in 0..1 }", "x uint16 in 0..1\na A\nz uint16 in 0..1", "00 01 01 00 00 02", "z: out-of-range at bit 32 (byte 4): want 0..1 in 16 bits, got 2"},
	{"many values", "msb", "", "a uint8 in {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34}", "01", "a: out-of-range at bit 0 (byte 0): want 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, … in 8 bits, got 1"},
	{"wide text that is another", "msb", "", `w wstring(5) == "ab"`, "20 00 00 1d 20", `w: const-mismatch at bit 0 (byte 0): want "ab" in 35 bits, got "\u00e9"`},
	{"text with a length that is another", "msb", "", `s string(17) == "ab"`, "10 61 63", `s: const-mismatch at bit 0 (byte 0): want "ab" in 24 bits, got "ac"`},
	{"text ended by a NUL that is another", "msb", "", `s cstring(9) == "ab"`, "61 63 00", `s: const-mismatch at bit 0 (byte 0): want "ab" in 24 bits, got "ac"`},
	{"a label of a kind that is none", "msb", "", "a uint8\ns dnsname", "00 01 61 41 00", "s: bad-string at bit 8 (byte 1): want a label of at most 63 bytes, or a pointer, got 0x41 at byte 3 of the datagram"},
	{"a name of 256 bytes", "msb", "", "s dnsname", strings.Repeat("3f"+strings.Repeat("61", 63), 3) + "3e", "s: bad-string at bit 0 (byte 0): want at most 255 bytes of labels, got 0x3e at byte 192 of the datagram"},
	{"a pointer at itself", "msb", "", "a uint8\ns dnsname", "00 c0 01", "s: bad-string at bit 8 (byte 1): want a pointer at earlier labels, got 0xc0 at byte 1 of the datagram"},
	{"a pointer at labels that do not end", "msb", "", "a uint8\ns dnsname", "09 c0 00", "s: bad-string at bit 8 (byte 1): want labels that end before the name, got 0x09 at byte 0 of the datagram"},
	{"a pointer at a secret", "msb", "", "k uint8 @secret\ns dnsname", "09 c0 00", "s: bad-string at bit 8 (byte 1): want labels that end before the name, got ‹secret›"},
	{"a name without an end", "msb", "", "s dnsname", "01 61", "s: past-end at bit 0 (byte 0): want 24 bits, got 16 left"},
	{"padded text that is another", "msb", "", `s char(4) == "ab"`, "61 63 00 00", `s: const-mismatch at bit 0 (byte 0): want "ab" in 32 bits, got "ac"`},
	{"bytes left over", "msb", "", "a uint8", "00 01", "packet: trailing-bytes at bit 8 (byte 1): want 0 bits, got 8 left"},
	{"too large", "msb", "max datagram 2", "a uint8", "00 01 02", "packet: datagram-size at bit 0 (byte 0): want 2 bytes at most, got 3"},
	{"a field that its window cuts", "msb", "", "n uint8\nwithin(n) { a uint8, b uint32 }\nc uint8", "03 01 00 00 07", "b: past-end at bit 16 (byte 2): want 32 bits, got 16 left in within(n)"},
	{"a window of bits that cuts", "lsb", "", "n uint8\nwithin(n * 2 bits) { a uint8, b uint8 }", "05 01 02", "b: past-end at bit 16 (byte 2): want 8 bits, got 2 left in within(n * 2 bits)"},
	{"a window that does not fit", "msb", "", "n uint8\nwithin(n) { v bytes(rest, max 300) }", "09 01 00", "packet: past-end at bit 8 (byte 1): within(n): want 72 bits, got 16 left"},
	{"a window that does not fit into another", "msb", "", "n uint8\nwithin(n) { m uint8\nwithin(m) { v bytes(rest, max 300) } }", "02 08 00", "packet: past-end at bit 16 (byte 2): within(m): want 64 bits, got 8 left in within(n)"},
	{"a window whose size is a secret", "msb", "", "n uint8 @secret\nwithin(n) { a uint8, b uint32 }", "03 01 00 00", "packet: past-end at bit ‹secret›: want ‹secret› bits, got ‹secret› left"},
	{"fewer elements than announced", "msb", "", "n uint8\nv [n]{ a uint8, b uint16 }", "03 01 00 00 02", "v[1].b: past-end at bit 40 (byte 5): want 16 bits, got 0 left; 3 elements announced"},
	{"fewer elements than announced in a window", "msb", "", "s uint8\nwithin(s) { v [1..9]uint16 }\nt uint8", "01 00", "v[0]: past-end at bit 12 (byte 1+4): want 16 bits, got 4 left in within(s); 1 element announced"},
	{"an element's own window", "msb", "", "n uint8\nv [n]{ s uint8\nwithin(s) { a uint16 } }", "03 01 00", "v[0].a: past-end at bit 16 (byte 2): want 16 bits, got 8 left in within(s)"},
	{"a constant count is no news", "msb", "", "v [3]uint16", "00 01", "v[1]: past-end at bit 16 (byte 2): want 16 bits, got 0 left"},
	{"indexes that were announced", "lsb", "", "v subset(index) [4]uint8", "02", "v[0].value: past-end at bit 5 (byte 0+5): want 8 bits, got 3 left; 2 elements announced"},
	{"a count that is a secret", "msb", "", "n uint8 @secret\nv [n]uint16", "03 01", "packet: past-end at bit ‹secret›: want ‹secret› bits, got ‹secret› left"},
	{"what a look saw", "msb", "", "require peek(8) == 0xFF\na uint8", "2f", "packet: rule-broken at bit 0 (byte 0): want peek(8) == 0xFF, got peek(8) = 0x2f"},
	{"what a look saw at the end", "msb", "", "a uint8\nrequire peek(12) == a\nb bytes(rest, max 2)", "07", "packet: rule-broken at bit 8 (byte 1): want peek(12) == a, got a = 7, peek(12) = 0x000"},
	{"the last bits of a window", "lsb", "", "n uint8\nwithin(n) { require tail(16) != 0x0201 || rest > 2\nb bytes(rest, max 9) }\nc uint8", "02 01 02 ff", "packet: rule-broken at bit 8 (byte 1): want tail(16) != 0x0201 || rest > 2, got rest = 2, tail(16) = 0x0201"},
	{"a look at a secret", "msb", "", "require peek(8) == 0xFF\na uint8 @secret", "2f", "packet: rule-broken at bit 0 (byte 0): want peek(8) == 0xFF, got peek(8) = ‹secret›"},
	{"an enum in hexadecimal", "msb", "enum E : uint16 { A = 0x0040, B = 65 }", "e E", "01 02", "e: unknown-case at bit 0 (byte 0): want 0x0040..0x0041 in 16 bits, got 0x0102"},
	{"a rule in hexadecimal", "msb", "", "a bits(12) in {0x00A, 0x0C0..0x0CF}\nb bits(4)", "00 b0", "a: out-of-range at bit 0 (byte 0): want 0x00a, 0x0c0..0x0cf in 12 bits, got 0x00b"},
	{"a constant in hexadecimal", "lsb", "", "a uint8 == 0xFD", "fe", "a: const-mismatch at bit 0 (byte 0): want 0xfd in 8 bits, got 0xfe"},
	{"a signed enum", "msb", "enum E : int8 { A = 0x10, B = -1 }", "e E", "80", "e: unknown-case at bit 0 (byte 0): want -1, 16 in 8 bits, got -128"},
	{"labels in hexadecimal", "lsb", "", "k uint16\nv switch k { 0x10, 0x20: uint8 }", "11 00 01", "v: unknown-case at bit 0 (byte 0): want 0x0010, 0x0020 in 16 bits, got 0x0011"},
	{"labels of an enum in hexadecimal", "msb", "enum W : bits(32) { Info = 0x696e666f }", "v switch peek(32) { W.Info: uint32 }", "69 6e 66 70", "v: unknown-case at bit 0 (byte 0): want 0x696e666f in 32 bits, got 0x696e6670"},
	{"secret", "msb", "", "k uint8 in 0..9 @secret", "63", "k: out-of-range at bit 0 (byte 0): want 0..9 in 8 bits, got ‹secret›"},
	{"bousk", "bousk", "", "a bits(3)\nb int(0..5)\nc bits(2)", "1c", "b: out-of-range at bit 3 (byte 0+3): want 0..5 in 3 bits, got 7"},
}

func TestRefusals(t *testing.T) {
	var tr decode.Trace
	for _, row := range refusals {
		t.Run(row.name, func(t *testing.T) {
			d := protocol(t, row.order, row.decls, row.body)
			packet := unhex(t, row.packet)
			err := d.Decode(packet, decode.FromUnknown, &tr)
			if err == nil {
				t.Fatalf("accepted, want %s", row.want)
			}
			if err.Error() != row.want {
				t.Errorf("got  %s\nwant %s", err, row.want)
			}
			r := tr.Reject()
			if !errors.Is(err, r.Kind) || errors.Is(err, reject.OverBudget) {
				t.Errorf("%s is not found by errors.Is", r.Kind)
			}
			if clone := r.Clone(); clone.Error() != row.want {
				t.Errorf("clone says %s", clone)
			}
			if len(tr.Notes) != 0 {
				t.Errorf("a refused packet has notes")
			}
			// No proper prefix is accepted either: what is refused cannot become right by losing bytes, unless the
			// bytes were too many or the rest was wanted.
			if r.Kind == reject.TrailingBytes || r.Kind == reject.DatagramSize || strings.Contains(row.body, "rest") {
				return
			}
			for n := range packet {
				if d.Decode(packet[:n], decode.FromUnknown, &tr) == nil {
					t.Errorf("the first %d bytes are accepted", n)
				}
			}
		})
	}
}

// The bits after the line, for people who count them.
func TestRefusalWithBits(t *testing.T) {
	var tr decode.Trace
	err := protocol(t, "lsb", "", "n int(0..32)\nx bits(2)").Decode([]byte{0x21}, decode.FromUnknown, &tr)
	if got := fmt.Sprintf("%+v", err); !strings.HasSuffix(got, "got 33 (bits 100001)") {
		t.Errorf("got %s", got)
	}
}

var noted = []struct {
	name, order, decls, body, packet string
	from                             decode.Direction
	want                             string
}{
	{"bits after the last field", "lsb", "", "a bits(3)", "10", decode.FromUnknown, "packet: trailing-bits at bit 3 (byte 0+3): want 0 after the last field, got 0x2"},
	{"ignored reserved bits", "msb", "", "a bits(4)\nreserved(4) any", "03", decode.FromUnknown, "packet: ignored-bits at bit 4 (byte 0+4): want 0, ignored 0x3"},
	{"ignored padding", "msb", "", "a bits(4)\nalign any", "03", decode.FromUnknown, "packet: ignored-bits at bit 4 (byte 0+4): want 0, ignored 0x3"},
	{"open enum", "msb", "open enum E : uint8 { A = 1 }", "e E", "02", decode.FromUnknown, "e: unlisted-value at bit 0 (byte 0): E does not list 2"},
	{"open flags", "msb", "open flags F : uint8 { A = 1 }", "f F", "03", decode.FromUnknown, "f: unlisted-value at bit 0 (byte 0): F does not list 0x2"},
	{"wrong direction", "msb", "", "a uint8\nb uint16 @from(server)", "01 02 03", decode.Client, "b: wrong-direction at bit 8 (byte 1): sent by the client, only the server sends this"},
}

func TestNotes(t *testing.T) {
	var tr decode.Trace
	for _, row := range noted {
		t.Run(row.name, func(t *testing.T) {
			d := protocol(t, row.order, row.decls, row.body)
			if err := d.Decode(unhex(t, row.packet), row.from, &tr); err != nil {
				t.Fatal(err)
			}
			if len(tr.Notes) != 1 {
				t.Fatalf("%d notes", len(tr.Notes))
			}
			if got := string(tr.Notes[0].AppendLine(nil)); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
			if got := string(tr.Notes[0].Clone().AppendLine(nil)); got != row.want {
				t.Errorf("clone says %s", got)
			}
		})
	}
}

// A datagram that is too large is refused for that, however little of it was kept; of one that is not, what was kept is
// judged as if it were all.
func TestRead(t *testing.T) {
	d := protocol(t, "msb", "max datagram 3", "a uint8\nb uint16")
	for _, row := range []struct {
		kept string
		size int
		want string
	}{
		{"", 4, "packet: datagram-size at bit 0 (byte 0): want 3 bytes at most, got 4"},
		{"01", 4, "packet: datagram-size at bit 0 (byte 0): want 3 bytes at most, got 4"},
		{"010203", 4, "packet: datagram-size at bit 0 (byte 0): want 3 bytes at most, got 4"},
		{"010203", 65527, "packet: datagram-size at bit 0 (byte 0): want 3 bytes at most, got 65527"},
		{"01020304", 5, "packet: datagram-size at bit 0 (byte 0): want 3 bytes at most, got 5"},
		{"01", 3, "b: past-end at bit 8 (byte 1): want 16 bits, got 0 left"},
		{"010203", 3, ""},
		{"010203", 0, ""}, // it was not cut
	} {
		var tr decode.Trace
		var got string
		d.Read(&decode.Packet{Data: unhex(t, row.kept), Size: row.size}, &tr)
		if tr.Rejected() {
			got = tr.Reject().Error()
		}
		if got != row.want {
			t.Errorf("%s of %d bytes: want %q, got %q", row.kept, row.size, row.want, got)
		}
		if tr.Size != max(row.size, len(row.kept)/2) || 2*len(tr.Payload) != len(row.kept) {
			t.Errorf("%s of %d bytes: the trace has %d of %d", row.kept, row.size, len(tr.Payload), tr.Size)
		}
		if want := !tr.Rejected() || tr.Reject().Kind == reject.PastEnd; tr.TruncationExplains() != want {
			t.Errorf("%s of %d bytes: that it was cut explains it: %v", row.kept, row.size, !want)
		}
	}
}

// A packet can earn a note per field; the trace keeps some and counts the others.
func TestNotesAreBounded(t *testing.T) {
	d := protocol(t, "msb", "open enum E : uint8 { A = 1 }", "es [200]E")
	var tr decode.Trace
	if err := d.Decode(make([]byte, 200), decode.FromUnknown, &tr); err != nil {
		t.Fatal(err)
	}
	if len(tr.Notes) != 32 || tr.NotesLeft != 168 {
		t.Errorf("%d notes, %d left", len(tr.Notes), tr.NotesLeft)
	}
	if err := d.Decode(append(make([]byte, 199), 1), decode.FromUnknown, &tr); err != nil || len(tr.Notes)+tr.NotesLeft != 199 {
		t.Errorf("%v, %d notes, %d left", err, len(tr.Notes), tr.NotesLeft)
	}
}

// Steady state allocates nothing, accepting and refusing.
func TestDecodeDoesNotAllocate(t *testing.T) {
	d, packets := flat97(t)
	var tr decode.Trace
	accepted := packets[0]
	cut := accepted[:len(accepted)-1]
	wrong := append([]byte(nil), accepted...)
	wrong[0] |= 7 // f001: code 7 of 0..5
	run := func(packet []byte, ok bool) {
		t.Helper()
		if n := testing.AllocsPerRun(100, func() {
			if (d.Decode(packet, decode.FromUnknown, &tr) == nil) != ok {
				t.Fatalf("verdict of %d bytes changed", len(packet))
			}
		}); n != 0 {
			t.Errorf("%v allocations for %d bytes, accepted %v", n, len(packet), ok)
		}
	}
	run(accepted, true)
	run(cut, false)
	run(wrong, false)
}

// What decode must never be: slower than it proved. The tripwire is there all the same, and cannot fire.
func TestStepsStayWithinTheProof(t *testing.T) {
	d := protocol(t, "lsb", "struct R { m uint8, v [m]bits(3) }", "n uint16 in 0..60000\nrs [n]R\nlet twice = n * 2\nrequire twice + 1 > n")
	var tr decode.Trace
	bound := d.Plan().Bound
	packet := make([]byte, 1500)
	for seed := range 300 {
		x := uint32(seed)*2654435761 + 1
		for i := range packet {
			x = x*1664525 + 1013904223
			packet[i] = byte(x >> 24)
		}
		packet[0], packet[1] = 0xff, 0x05*byte(seed%2)
		err := d.Decode(packet[:seed*5], decode.FromUnknown, &tr)
		if errors.Is(err, reject.OverBudget) {
			t.Fatal("the tripwire fired")
		}
		if int64(tr.Steps) > bound.MaxSteps || int64(len(tr.Raw)) > bound.MaxFields || int64(tr.Bits) > bound.MaxBits {
			t.Fatalf("%d steps, %d fields, %d bits; proved %+v", tr.Steps, len(tr.Raw), tr.Bits, bound)
		}
	}
}
