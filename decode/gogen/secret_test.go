package gogen_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/gogen"
)

// A generated error says no width that a @secret size, count or window is behind; all others it says.
func TestErrorsHideSecretWidths(t *testing.T) {
	for _, row := range []struct{ body, want string }{
		{"n uint8 @secret\n data bytes(n)", `case "", "data":`},
		{"n uint8\n data bytes(n)", ""},
		{"n uint8 @secret\n list [n]uint16", `case "", "list", "list[]":`},
		{"n uint8 in 1..9 @secret\n x bits(n)\n align", `case "", "x":`},
		{"n uint8 @secret\n let twice = n * 2\n within(twice) { x uint8\n rest_of bytes(rest, max 9) }", `case "", "rest_of", "x":`},
		{"s string(20) @secret", `case "", "s", "s.length":`}, // its length is part of it
		{"s string(20)\n k uint8 @secret", ""},
		{"t uint8 @secret\n body switch t { 1: { a uint8 }, default: empty }", `case "", "body", "body.a":`}, // not the tag's own bits
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
		if _, after, ok := strings.Cut(wire, "func widthIsSecret(path string) bool {\n\tswitch path {\n\t"); ok {
			got, _, _ = strings.Cut(after, "\n")
		}
		if got != row.want || strings.Contains(wire, "if widthIsSecret(r.path) {") != (row.want != "") || !strings.Contains(wire, `", width "`) {
			t.Errorf("%s: want %s, got %s", row.body, row.want, got)
		}
	}
}
