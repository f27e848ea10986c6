package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/importer"
)

// Sources whose work would be more than linear if names, structs or warnings were looked at naively: each ends at once,
// with a draft or with a mistake, and few warnings.
func TestHostile(t *testing.T) {
	many := func(n int) int { return need.Rounds(n, n/10) }
	repeat := func(n int, format string) string {
		if n > 1000 {
			n = many(n)
		}
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i, i+1)
		}
		return b.String()
	}
	for name, src := range map[string]string{
		"doubled.hpp":    repeat(40, "struct A%d { A%d a, b; };\n") + "struct A40 { int x; };",
		"deep.hpp":       repeat(3000, "struct A%d { A%d a; };\n") + "struct A3000 { int x; };",
		"cases.hpp":      "enum E { " + repeat(30000, "C%d_%d, ") + "};\nstruct H { uint16_t type; };\n" + repeat(3000, "struct C%d_%d { int x; };\n"),
		"members.hpp":    "struct A { " + strings.Repeat("int a;", many(60000)) + "};",
		"calls.hpp":      "struct A { void Serialize() { " + strings.Repeat("serialize_int(s, a, 0, B);", many(20000)) + "} };",
		"doubled.schema": repeat(40, "type A%d {\n a A%[2]d\n b A%[2]d\n}\n") + "type A40 {\n x bool\n}\nmessage M {\n a A0\n}",
		"floats.schema":  "message M {\n" + repeat(900, "f%d float32 [min = 0, max = %d, resolution = 0.0000001]\n") + "}",
	} {
		draft, err := importer.Import([]importer.File{{Name: name, Src: []byte(src)}}, importer.Options{Packet: map[bool]string{true: "H"}[name == "cases.hpp"]})
		warnings := 0
		if err == nil {
			warnings = len(draft.Warnings.List)
		} else {
			warnings = strings.Count(err.Error(), "\n")
		}
		if warnings > 300 {
			t.Errorf("%s: %d warnings", name, warnings)
		}
	}
}
