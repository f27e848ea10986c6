package gogen_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/gogen"
)

// A generated error says nothing of a place that is computed from what is @secret, of a width that a @secret count,
// size or window is after, and of which side a @secret took; all else it says.
func TestErrorsHideSecrets(t *testing.T) {
	for _, row := range []struct{ body, want string }{
		{"n uint8 @secret\n data bytes(n)", `end "", "data": "", f, f; "": path, f, f; "data": path, t, f`},
		{"n uint8\n data bytes(n)", ""},
		{"n uint8 @secret\n list [n]uint16", `end "", "list", "list[]": "", f, f; "list[]": "list", f, f; "": path, f, f; "list": path, t, f`},
		{"n uint8 in 1..9 @secret\n x bits(n)\n align", `end "", "x": "", f, f; "": path, f, f; "x": path, t, f`},
		{"n uint8 @secret\n let twice = n * 2\n within(twice) { x uint8\n rest_of bytes(rest, max 9) }",
			`end "", "rest_of", "x": "", f, f; "": path, f, f; "rest_of", "x": path, t, f`},
		{"s string(20) @secret", `end "", "s", "s.length": "", f, f; "": path, f, f; "s", "s.length": path, t, f`}, // its length is part of it
		{"s string(20)\n k uint8 @secret", ""},
		{"t uint8 @secret\n body switch t { 1: { a uint8 }, default: empty }", // not the tag's own bits
			`end "", "body.a": "", f, f; "body.a": "body", f, f; "": path, f, f`},
		{"n uint8 @secret\n data bytes(n)\n a uint8 in 0..9", `end "", "a", "data": "", f, f; "", "a": path, f, f; "data": path, t, f`},
		{"n uint8 @secret\n within(n) { t uint8\n body switch t { 1: { a uint8 } } }",
			`end "", "body", "body.a", "t": "", f, f; "": path, f, f; "body", "body.a", "t": path, t, f`},
	} {
		out, err := gogen.Generate(compile(t, "t.pks", []byte("protocol t\norder lsb\npacket {\n"+row.body+"\n}\n")), gogen.Options{})
		if err != nil {
			t.Fatalf("%s: %v", row.body, err)
		}
		wire := ""
		for _, f := range out.Files {
			if f.Name == "pks_wire.go" {
				wire = string(f.Source)
			}
		}
		got := ""
		if _, after, ok := strings.Cut(wire, "func shownPlace(path string, kind RejectKind) (at string, bit, width bool) {\n"); ok {
			got, _, _ = strings.Cut(after, "\n}\n")
		}
		got = strings.Join(strings.Fields(got), " ")
		got = strings.NewReplacer("if kind == RejectPastEnd { switch path { case ", "end ", ": return ", ": ", " } } switch path { case ", "; ", " case ", "; ",
			" } return path, true, true", "", "false", "f", "true", "t").Replace(got)
		hides := strings.Contains(wire, "path, bit, width := shownPlace(p.path, p.Kind)") && strings.Contains(wire, "if !bit {") && strings.Contains(wire, "if !width {")
		if got != row.want || hides != (row.want != "") || !strings.Contains(wire, `", width "`) {
			t.Errorf("%s: want\n%s, got\n%s", row.body, row.want, got)
		}
	}
}
