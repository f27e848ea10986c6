package decode_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// given is a Source that has codes and bytes by path; what it does not have is left to the encoder.
type given struct {
	codes map[string]uint64
	bytes map[string]string
	lists map[string]uint64 // elements of lists that nothing in the packet ends
}

func (g given) Code(a *decode.Query) (uint64, error) {
	if code, ok := g.codes[a.Path()]; ok {
		return code, nil
	}
	return 0, decode.ErrDerive
}

func (g given) Bytes(a *decode.Query, size int) ([]byte, error) {
	if text, ok := g.bytes[a.Path()]; ok {
		return []byte(text), nil
	}
	return nil, decode.ErrDerive
}

func (g given) More(a *decode.Query) (bool, error) { return a.Elem < g.lists[a.Path()], nil }
func (g given) Branch(a *decode.Query, n int) (int, error) {
	if way, ok := g.lists[a.Path()+"?"]; ok {
		return int(way), nil
	}
	return n - 1, nil
}
func (g given) Count(*decode.Query, uint64) error { return nil }
func (g given) Ignored(*decode.Query) uint64      { return 0 }
func codes(kv ...any) (m map[string]uint64)       { return pairs[uint64](kv) }
func texts(kv ...any) (m map[string]string)       { return pairs[string](kv) }
func pairs[T any](kv []any) (m map[string]T) {
	m = map[string]T{}
	for i := 0; i < len(kv); i += 2 {
		v := kv[i+1]
		if n, ok := v.(int); ok {
			v = uint64(n)
		}
		m[kv[i].(string)] = v.(T)
	}
	return m
}

// What has no encoding is refused with its path, and says why.
func TestEncodeRefuses(t *testing.T) {
	for _, c := range []struct {
		name, decls, body string
		src               given
		want              string
	}{
		{"a missing value", "", "a uint8\nb uint8", given{codes: codes("a", 1)}, "b: missing: it follows from nothing else in the packet"},
		{"a value out of range", "", "a int(0..100)", given{codes: codes("a", 119)}, "a: out-of-range: want 0..100 in 7 bits, got 119"},
		{"a code wider than its field", "", "a bits(3)", given{codes: codes("a", 8)}, "a: out-of-range"},
		{"a varint wider than it may be", "", "a varint(14)", given{codes: codes("a", 1<<14)}, "a: out-of-range: want 0..16383, got 16384"},
		{"a zigzag wider than it may be", "", "a zigzag(14)", given{codes: codes("a", 1<<14)}, "a: out-of-range: want -8192..8191, got 8192"},
		{"an unknown case", "enum E : uint8 { A = 1 }", "a E", given{codes: codes("a", 2)}, "a: unknown-case: want 1"},
		{"a constant that is none", "", "a uint8 == 7", given{codes: codes("a", 8)}, "a: const-mismatch: want 7"},
		{"a broken relation", "", "a uint8\nb uint8\nrequire a < b", given{codes: codes("a", 2, "b", 1)}, "rule-broken"},
		{"bytes of another size", "", "a bytes(3)", given{bytes: texts("a", "ab")}, "a: 2 bytes given, want 3"},
		{"too much for rest", "", "a bytes(rest, max 2)", given{bytes: texts("a", "abc")}, "a: 3 bytes given, want 2"},
		{"a NUL inside", "", "a string(9)", given{codes: codes("a.length", 2), bytes: texts("a", "a\x00")}, "a: bad-string"},
		{"no UTF-8", "", "a string(9)", given{codes: codes("a.length", 1), bytes: texts("a", "\xff")}, "a: bad-string"},
		{"a cstring without room for its NUL", "", "a cstring(3)", given{bytes: texts("a", "abc")}, "a: 3 bytes given, want less than 3"},
		{"a character that Latin-1 lacks", "", "a bytes(rest, max 9) latin1", given{bytes: texts("a", "é€")}, "a: Latin-1 has no such character as number 2 of the text"},
		{"a character that ASCII lacks", "", "a cstring(9) ascii", given{bytes: texts("a", "aé")}, "a: bad-string: want ASCII"},
		{"bytes that are no UTF-8", "", "a bytes(2) utf8", given{bytes: texts("a", "a\xff")}, "a: bad-string: want UTF-8"},
		{"bytes that are no text as UTF-16", "", "a bytes(2) utf16", given{bytes: texts("a", "\xff")}, "a: UTF-16 has no such character as number 1 of the text"},
		{"a text of another size as UTF-16", "", "a bytes(2) utf16", given{bytes: texts("a", "ab")}, "a: 4 bytes given, want 2"},
		{"a label of 64 bytes", "", "a dnsname", given{bytes: texts("a", strings.Repeat("x", 64))}, "a: a label of more than 63 bytes, at byte 0"},
		{"a name of 256 bytes", "", "a dnsname", given{bytes: texts("a", strings.Repeat("abcdefg.", 31)+"abcdef")}, "a: a name of more than 255 bytes, at byte 248"},
		{"an empty label", "", "a dnsname", given{bytes: texts("a", "x..y")}, "a: an empty label, at byte 2"},
		{"an empty label that is secret", "", "a dnsname @secret", given{bytes: texts("a", "x..y")}, "a: an empty label"},
		{"half an escape", "", "a dnsname", given{bytes: texts("a", `x\25`)}, `a: a \ that begins no escape, at byte 1`},
		{"no name", "", "a dnsname", given{bytes: texts("a", "")}, "a: an empty label, at byte 0"},
		{"a list above its most", "", "a [rest, max 2]uint8", given{codes: codes("a[0]", 1, "a[1]", 1, "a[2]", 1), lists: codes("a", 3)}, "a: out-of-range"},
		{"a falling index", "", "a subset(index) [9]bool", given{codes: codes("a.count", 2, "a[0].index", 4, "a[0].value", 0, "a[1].index", 3)}, "a[1].index: not-increasing"},
		{"a ladder that does not rise", "", "p uint8\nv relative(p)", given{codes: codes("p", 9, "v", 9)}, "v: not-increasing"},
		{"a length that is too small", "", "n uint8\nwithin(n) { a uint16 }", given{codes: codes("n", 1, "a", 1)}, "16 bits inside, but its length says 8"},
		{"a length that is too large", "", "n uint8\nwithin(n) { a uint16 }", given{codes: codes("n", 3, "a", 1)}, "trailing-bytes"},
		{"a length below zero", "", "n bits(6)\nwithin(60 - n) { x bytes(rest, max 99) }", given{bytes: texts("x", strings.Repeat("x", 80))}, "n: out-of-range: what is inside its window makes it -20, which it cannot hold"},
		{"a length that its field cannot hold", "", "n int(0..9)\nwithin(n) { x bytes(rest, max 99) }", given{bytes: texts("x", strings.Repeat("x", 10))}, "n: out-of-range: what is inside its window makes it 10, which it cannot hold"},
		{"a length of a window in a list of windows", "", "n uint8\nl [2]{ within(n) { a bytes(rest, max 9) } }", given{codes: codes(), bytes: texts("l[0].a", "ab", "l[1].a", "abc")}, "do not settle"},
		{"a length that no code gives", "", "n uint8\nwithin(n * 4) { a uint16 }", given{codes: codes("a", 1)}, "no length stands for the 16 bits inside"},
		{"a quaternion longer than one", "", "q quat smallest3(4)", given{codes: codes("q.largest", 0, "q.a", 15, "q.b", 15, "q.c", 15)}, "q: non-unit"},
		{"values that read back as others", "", "a [rest, max 9]uint8\nif rest == 0 { b bits(4) }", given{codes: codes("a[0]", 1, "b", 1), lists: codes("a", 1)}, "no encoding"},
		{"bytes that are read as another field's", "", "t uint8\nn uint8\nwithin(n) {\na switch t { 1: uint8\ndefault: bytes(rest, max 9) }\nb bytes(rest, max 9) }", given{codes: codes("t", 2), bytes: texts("a", "x", "b", "yz")}, "a: these values have no encoding: a = 78 was given, and reads back as 78797a"},
		{"secret bytes that are read as another field's", "", "t uint8\nn uint8\nwithin(n) {\na switch t { 1: uint8\ndefault: bytes(rest, max 9) @secret }\nb bytes(rest, max 9) @secret }", given{codes: codes("t", 2), bytes: texts("a", "x", "b", "yz")}, "a: these values have no encoding: a = ‹secret 1 B› was given, and reads back as ‹secret 3 B›"},
		{"an element that is read as another list's", "", "t uint8\nn uint8\nwithin(n) {\na switch t { 1: uint8\ndefault: { l [rest, max 9]uint8 } }\nb [rest, max 9]uint8 }", given{codes: codes("t", 2, "a.l[0]", 7, "b[0]", 8), lists: codes("a.l", 1, "b", 1)}, "a.l: these values have no encoding: b[0] = 8 was given, and a.l[1] = 8 is read back"},
		{"too long for a datagram", "", "a bytes(rest, max 70000)", given{bytes: texts("a", strings.Repeat("x", 65508))}, "longer than its max datagram"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := decode.NewEncoder(protocol(t, "lsb", c.decls, c.body))
			b, err := e.Append([]byte("kept"), c.src, decode.FromUnknown)
			var problem *decode.EncodeError
			if !errors.As(err, &problem) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("want one line with %q, got %v (%x)", c.want, err, b)
			}
			if string(b) != "kept" {
				t.Errorf("the buffer became %q", b)
			}
		})
	}
}

// What follows from the rest of the packet need not be given.
func TestEncodeDerives(t *testing.T) {
	for _, c := range []struct {
		name, body string
		src        given
		want       string
	}{
		{"constants, checks, reserved bits and padding", "a uint8 == 7\nreserved(4)\nalign\ncheck 0x01020304", given{}, "07 00 04030201"},
		{"a checksum", "c crc32(over rest)\nb bytes(9)", given{bytes: texts("b", "123456789")}, "2639f4cb 313233343536373839"},
		{"the length of a window", "n uint8\nwithin(n) { a uint16 }", given{codes: codes("a", 0x0102)}, "02 0201"},
		{"a length in words", "n bits(4)\nalign\nwithin(n * 4 + 4) { a bytes(8) }", given{bytes: texts("a", "12345678")}, "01 3132333435363738"},
		{"a length by a let", "n uint8\nlet size = n + 1\nwithin(size) { a uint16 }", given{codes: codes("a", 1)}, "01 0100"},
		{"windows in windows", "n uint8\nwithin(n) { m uint8\nwithin(m) { a uint8 }\nb uint8 }", given{codes: codes("a", 5, "b", 6)}, "03 01 05 06"},
		{"a length as a varint", "n varint(14)\nwithin(n) { a bytes(rest, max 500) }", given{bytes: texts("a", strings.Repeat("a", 200))}, "c801 " + strings.Repeat("61", 200)},
		{"a window that ends inside a byte", "n uint8\nwithin(n) { a bits(3) }\nb uint8", given{codes: codes("a", 7, "b", 1)}, "01 07 01"},
		{"what a constant text is", `a char(4) == "ab"`, given{}, "61620000"},
		{"a value that only rest decides about", "a uint8\nif rest > 0 { b uint8 }", given{codes: codes("a", 1)}, "01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := decode.NewEncoder(protocol(t, "lsb", "", c.body))
			got, err := e.Append(nil, c.src, decode.FromUnknown)
			if want := unhex(t, strings.ReplaceAll(c.want, " ", "")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("want %x, got %x, %v", want, got, err)
			}
		})
	}
}

// An override is in the packet in place of what belongs there; everything else is written as without it.
func TestEncodeOverrides(t *testing.T) {
	d := protocol(t, "lsb", "", "c crc32(over rest)\nn uint8\nv varint(14)\nx [n]int(0..100)\nalign")
	var trace decode.Trace
	e := decode.NewEncoder(d)
	whole, err := e.Append(nil, given{codes: codes("n", 2, "v", 5, "x[0]", 1, "x[1]", 2)}, decode.FromUnknown)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Decode(whole, decode.FromUnknown, &trace); err != nil {
		t.Fatal(err)
	}
	p := d.Plan()
	pointOf := func(path string) (at plan.Point, leaf int) {
		for i := range p.Info {
			if string(p.AppendRule(nil, p.Info[i].Node)) == path {
				return p.Info[i].Point, i
			}
		}
		t.Fatalf("no leaf %s", path)
		return 0, 0
	}
	broken := func(path string, nth int, o decode.Override) *reject.Reject {
		t.Helper()
		o.Point, o.Leaf = pointOf(path)
		o.Nth = nth
		data, err := e.AppendOverridden(nil, decode.Replay(&trace), decode.FromUnknown, []decode.Override{o})
		if err != nil {
			t.Fatal(err)
		}
		var got decode.Trace
		_ = d.Decode(data, decode.FromUnknown, &got)
		return got.Reject()
	}
	if r := broken("x[]", 1, decode.Override{Code: 119}); r == nil || r.Kind != reject.OutOfRange || r.Path() != "x[1]" {
		t.Errorf("want x[1] out of range after a right checksum, got %v", r)
	}
	if r := broken("v", 0, decode.Override{Pieces: []decode.Piece{{Code: 0x85, Width: 8}, {Code: 0, Width: 8}}}); r == nil || r.Kind != reject.NonCanonical {
		t.Errorf("want an overlong varint, got %v", r)
	}
	if r := broken("c", 0, decode.Override{Code: 1}); r == nil || r.Kind != reject.CRCMismatch {
		t.Errorf("want a wrong checksum, got %v", r)
	}
	if r := broken("x[]", 2, decode.Override{Code: 119}); r != nil {
		t.Errorf("an override of an element that is not there broke something: %v", r)
	}
}

// The code of a varint that is longer than a code has zeros after it, in each order and wherever it begins.
func TestOverrideOfLongVarint(t *testing.T) {
	for _, order := range []string{"lsb", "msb", "bousk"} {
		d := protocol(t, order, "", "a bits(3)\nv varint(64)\nb bits(5)")
		e := decode.NewEncoder(d)
		for _, v := range []uint64{1 << 60, 1 << 63} { // of 9 bytes, and of 10
			whole, err := e.Append(nil, given{codes: codes("a", 1, "v", v, "b", 2)}, decode.FromUnknown)
			if err != nil {
				t.Fatal(err)
			}
			var trace decode.Trace
			if err := d.Decode(whole, decode.FromUnknown, &trace); err != nil {
				t.Fatal(err)
			}
			o := decode.Override{Point: d.Plan().Info[1].Point, Leaf: 1, Code: ^uint64(0)}
			got, err := e.AppendOverridden(nil, decode.Replay(&trace), decode.FromUnknown, []decode.Override{o})
			if err != nil || len(got) != len(whole) {
				t.Errorf("%s, %d: want %d bytes, got %d, %v", order, v, len(whole), len(got), err)
			}
		}
	}
}

// Replaying a trace of another protocol is an error, not a panic: a mutator may have changed the plan's way.
func TestReplayElsewhere(t *testing.T) {
	d := protocol(t, "lsb", "", "n uint8\nx [n]uint8\nb bytes(rest, max 9)")
	var trace decode.Trace
	if err := d.Decode(unhex(t, "02010203"), decode.FromUnknown, &trace); err != nil {
		t.Fatal(err)
	}
	other := decode.NewEncoder(protocol(t, "lsb", "", "a uint32\nwithin(rest - 20) { b [rest, max 9]uint16 }\nc bytes(4)\nd uint64\ne uint64"))
	if b, err := other.Append(nil, decode.Replay(&trace), decode.FromUnknown); err == nil {
		t.Errorf("want an error, got %x", b)
	}
}

func TestEncodeDoesNotAllocate(t *testing.T) {
	d, packets := flat97(t)
	e := decode.NewEncoder(d)
	var trace decode.Trace
	if err := d.Decode(packets[0], decode.FromUnknown, &trace); err != nil {
		t.Fatal(err)
	}
	src := decode.Replay(&trace)
	buf := make([]byte, 0, flat97Size)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := e.Append(buf, src, decode.FromUnknown); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkEncode writes flat97's packets from their traces, once as it is and once read back and compared.
func BenchmarkEncode(b *testing.B) {
	d, packets := flat97(b)
	e := decode.NewEncoder(d)
	var trace decode.Trace
	if err := d.Decode(packets[0], decode.FromUnknown, &trace); err != nil {
		b.Fatal(err)
	}
	src := decode.Replay(&trace)
	buf := make([]byte, 0, flat97Size)
	for name, write := range map[string]func() ([]byte, error){
		"compared":  func() ([]byte, error) { return e.Append(buf, src, decode.FromUnknown) },
		"unchecked": func() ([]byte, error) { return e.AppendOverridden(buf, src, decode.FromUnknown, nil) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := write(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
