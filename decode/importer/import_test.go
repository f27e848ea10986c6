package importer_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/importer"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

var update = flag.Bool("update", false, "rewrite the drafts in testdata")

// goldens are sources with all constructs of their languages, and the draft of each with its warnings.
var goldens = []struct{ source, packet, want string }{
	{"all.schema", "", "all.pks"},
	{"all.schema", "Ship", "ship.pks"},
	{"sample.hpp", "", "sample.pks"},
	{"shooter.hpp", "UDPHeader", "shooter.pks"},
	{"wire.h", "WireHeader", "wire.pks"},
	{"bits.hpp", "", "bits.pks"},
	{"bases.hpp", "", "bases.pks"},
}

func TestGoldens(t *testing.T) {
	for _, g := range goldens {
		src, err := os.ReadFile("testdata/" + g.source)
		if err != nil {
			t.Fatal(err)
		}
		draft, err := importer.Import([]importer.File{{Name: g.source, Src: src}}, importer.Options{Packet: g.packet})
		if err != nil {
			t.Errorf("%s: %v", g.source, err)
			continue
		}
		got := append(draft.Source, "\n"...)
		for _, line := range strings.Split(strings.TrimSpace(draft.Warnings.Error()), "\n") {
			got = append(got, strings.TrimSpace("// "+line)+"\n"...)
		}
		if *update {
			if err := os.WriteFile("testdata/"+g.want, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile("testdata/" + g.want)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not %s; rewrite it with -update if it is better:\n%s", g.source, g.want, got)
		}
	}
}

// What is wrong with a source is one line with its place.
func TestMistakes(t *testing.T) {
	for _, one := range []struct{ src, want string }{
		{"", "no message and no type: nothing is sent"},
		{"message A {\n x uint9\n}", "s.schema:2:4: error: unknown type `uint9`; did you mean `uint8`?"},
		{"message A { x int8 [min = 0, max = 1000] }", "s.schema:1:36: error: max is in -128..127, got 1000"},
		{"message A { x int8 [min = 5, max = 4] }", "s.schema:1:27: error: min 5 is above max 4"},
		{"message A { x int8 [min = 5] }", "s.schema:1:13: error: min and max go together, each with a value"},
		{"message A { x A }", "s.schema:1:9: error: `A` holds itself"},
		{"message A { b B }\ntype B { c [2]C }\ntype C { b [3]B }", "holds itself"},
		{"const A = B\nconst B = A + 1\nmessage M { x bits(A) }", "is computed from itself"},
		{"enum E [max = E.Max] { A }\nmessage M { e E }", "the max of `E` is computed from itself"},
		{"message M {}\nconst A = 1 + 1 / 0", "s.schema:2:15: error: a division by 0"},
		{"const A = 1 << 3", "s.schema:1:13: error: want the end of the line, got `<<`"},
		{"message M { x bits(65) }", "s.schema:1:20: error: a number of bits is in 1..64, got 65"},
		{"message M { x bits(1.5) }", "s.schema:1:20: error: a number of bits is a whole number, got 1.5"},
		{"message M { if a { x bool } }", "s.schema:1:16: error: `a` is no bool that was read before, in this block or one around it"},
		{"message M { a bool\n if a { b bool }\n if b { c bool } }", "s.schema:3:5: error: `b` is no bool"},
		{"message M { a bool", "s.schema:1:19: error: want `}`, got the end of the file"},
		{"message M {}\nmessage M {}", "s.schema:2:9: error: `M` is declared twice"},
		{"message M { x fixed(4, 4) }", "a fixed point has min and max"},
		{"message M { x fixed(4, 5) [min = 0, max = 1] }", "a fixed point has 8, 16, 32, 64 or 128 bits, got 9"},
		{"message M { x int128 }", "int128 has min and max, and uint128 has none"},
		{"message M { x float32 [min = 1, max = 0, resolution = 1] }", "want min below max"},
		{"message M { x float32 [min = 1, resolution = 1] }", "min, max and resolution go together"},
		{"type A {}\ntype B {}", "no message: which type is the packet? want --packet with one of A, B"},
		{"object O { x bool }\nmessage M { o O }", "`O` is an object"},
		{"flags F { " + strings.Repeat("A,", 65) + " }\nmessage M { f F }", "flags of more than 64 bits"},
		{"message M { x " + strings.Repeat("[1]", 3) + "bool }", "want a type, got `[`"},
		{"message M " + strings.Repeat("{ b bool\nif b", 70), "nested more than 64 deep"},
		{"const A = " + strings.Repeat("(", 70), "nested more than 64 deep"},
		{"const A = 1" + strings.Repeat("+1", 70), "more than 64 terms"},
		{"message M {}\nconst A = " + strings.Repeat("9", 101), "a number with too many digits"},
		{"message M {}\nconst A = 1e999", "`1e999` is no number"},
		{"message M {}\nconst A = 2" + strings.Repeat("*0x100000000000000000000", 4), "a number of more than 256 bits"},
		{"message M { x string(2) = \"a }", "a text that does not end on its line"},
		{"/* message", "a comment that does not end"},
		{"message M { x \x01 }", "a byte 0x01 that no name has"},
		{"message M { x \xff }", "the file is not UTF-8"},
		{"#include", "want a declaration, got `#`"},
		{"message M { x [2000000]bool }", "a number of elements is in 1..1048576, got 2000000"},
		{"message M { x [1000000]bool\ny [1000000]bool }", "the schema that it would be is refused: "},
		{"enum Nope { A }\nunion U { a Nope }\nmessage M { u U }", "`Nope` is no type: the payload of a union is one"},
	} {
		src := one.src
		draft, err := importer.Import([]importer.File{{Name: "s.schema", Src: []byte(src)}}, importer.Options{})
		if err == nil {
			t.Errorf("%.60q: want %q, got\n%s", src, one.want, draft.Source)
			continue
		}
		if text := err.Error(); !strings.Contains(text, one.want) || strings.Count(text, "\n") > 0 {
			t.Errorf("%.60q: want %q, got %q", src, one.want, text)
		}
	}
}

// C++ that is cut short, or closes what it did not open, has its place; what is merely unknown is passed over.
func TestMistakesOfHeaders(t *testing.T) {
	for _, one := range []struct{ src, want string }{
		{"", "no struct: nothing is sent"},
		{"struct A { int x;", "h.hpp:1:18: error: want `}`, got the end of the file"},
		{"struct A { int x[3; };", "h.hpp:1:21: error: want `]`, got `}`"},
		{"struct A { int x; };\n}", "h.hpp:2:1: error: want a declaration, got `}`"},
		{"struct A { int x; };\nstruct B { int y; };", "which struct is the packet, or begins it? want --packet with one of A, B"},
		{"struct A { A a; };", "holds itself"},
		{"struct A { template <typename S> bool Serialize(S& stream) { serialize_int(stream, n, 0, 9);\n" +
			"for (int i = 0; i < n; i++) {\n serialize_int(stream, a[i], 3, 3); } } };", "h.hpp:2:1: error: the schema that it would be is refused: an element may take no bits"},
		{"struct A : A { int x; };", "h.hpp:1:8: error: `A` holds itself"},
		{"struct A : B { int x; };\nstruct B : A { int y; };", "holds itself"},
		{"struct A : B { int x; };\nstruct B { A a; };", "holds itself"},
		{"struct A { B b; };\nstruct B { C c; };\nstruct C { B b; };", "holds itself"},
		{strings.Repeat("namespace a {", 70), "nested more than 64 deep"},
		{"struct A { void Serialize() { " + strings.Repeat("if (true) ", 70) + "; } int x; };", "nested more than 64 deep"},
		{"char* a = \"", "a text that does not end on its line"},
	} {
		draft, err := importer.Import([]importer.File{{Name: "h.hpp", Src: []byte(one.src)}}, importer.Options{})
		if err == nil {
			t.Errorf("%.60q: want %q, got\n%s", one.src, one.want, draft.Source)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if last := lines[len(lines)-1]; !strings.Contains(last, one.want) {
			t.Errorf("%.60q: want %q, got %q", one.src, one.want, last)
		}
	}
}

// A unit is several files: names of one are used in another, and each mistake is in its file.
func TestFiles(t *testing.T) {
	a := importer.File{Name: "a.schema", Src: []byte("package p\nmessage M { b B }\n")}
	b := importer.File{Name: "b.schema", Src: []byte("package p\ntype B { x bits(3) }\n")}
	if _, err := importer.Import([]importer.File{a, b}, importer.Options{}); err != nil {
		t.Error(err)
	}
	b.Src = []byte("package p\ntype B { x bits(0) }\n")
	_, err := importer.Import([]importer.File{a, b}, importer.Options{})
	if want := "b.schema:2:17: error: a number of bits is in 1..64, got 0"; err == nil || err.Error() != want {
		t.Errorf("want %q, got %v", want, err)
	}
	b.Src = []byte("package q\n")
	_, err = importer.Import([]importer.File{a, b}, importer.Options{})
	if want := "b.schema:1:9: error: package q, and p in the file before: a unit has one"; err == nil || err.Error() != want {
		t.Errorf("want %q, got %v", want, err)
	}
	for _, o := range []importer.Options{{From: "cobol"}, {Packet: "Nope"}} {
		if _, err := importer.Import([]importer.File{a}, o); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", o, err)
		}
	}
}

// FuzzImport holds what every source is held to: no panic, an error in one line with at most its warnings before, or a draft that
// is formatted and loads.
func FuzzImport(f *testing.F) {
	for _, l := range importer.Languages {
		entries, err := os.ReadDir("testdata")
		if err != nil {
			f.Fatal(err)
		}
		for _, e := range entries {
			for _, extension := range l.Extensions {
				if src, err := os.ReadFile("testdata/" + e.Name()); err == nil && strings.HasSuffix(e.Name(), extension) {
					f.Add(l.Word, src)
				}
			}
		}
	}
	f.Add("schema", []byte("message A { a bool\n if a { b [..3]string(4) } }"))
	f.Fuzz(func(t *testing.T, from string, src []byte) {
		draft, err := importer.Import([]importer.File{{Name: "f", Src: src}}, importer.Options{From: from})
		if err != nil {
			var all *syntax.Diagnostics
			if errors.As(err, &all) && len(all.List) == 0 {
				t.Fatal("no diagnostics")
			}
			return
		}
		if _, err := decode.Load("draft.pks", draft.Source); err != nil {
			t.Fatalf("%v\n%s", err, draft.Source)
		}
		if text, diags := syntax.Format("draft.pks", draft.Source); !bytes.Equal(text, draft.Source) {
			t.Fatalf("the draft is not formatted: %v", diags)
		}
	})
}
