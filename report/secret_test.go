package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/filter"
)

// secretRows are packets whose secrets all hold 0xbead, or what is computed from it. case is what the case shows as.
var secretRows = []struct{ name, decls, body, payload, tag string }{
	{"a field", "", "k uint16 @secret\n a uint8", "bead 01", ""},
	{"a tag", "", "k uint16 @secret\n body switch k { 48813: { a uint8 }, default: empty }", "bead 01", "‹secret›"},
	{"a tag that is computed", "", "k uint16 @secret\n a uint8\n let t = k + a\n body switch t { 48814: { b uint8 }, default: empty }", "bead 01 02", "‹secret›"},
	{"a let of a let", "", "k uint16 @secret\n let u = k + 0\n let t = u * 2\n body switch t { 97626: { b uint8 }, default: empty }", "bead 01", "‹secret›"},
	{"a parameter", "struct S(k in 0..65535) { body switch k { 48813: { a uint8 }, default: empty } }\n", "k uint16 @secret\n s S(k)", "bead 01", ""},
	{"a name that another secret has", "struct S { k uint16 @secret }\n", "s S\n k uint8\n body switch k { 1: { a uint8 }, default: empty }", "bead 01 02", "1"},
	{"a let without a secret", "", "k uint16 @secret\n a uint8\n let t = a + 1\n body switch t { 2: { b uint8 }, default: empty }", "bead 01 02", "2"},
	{"a tag refused", "", "k uint16 @secret\n body switch k { 1: { a uint8 } }", "bead 01", "‹secret›"},
	{"a computed tag refused", "", "k uint16 @secret\n let t = k * 1\n body switch t { 1: { a uint8 } }", "bead 01", "‹secret›"},
	{"a range refused", "", "k uint16 in 0..9 @secret\n a uint8", "bead 01", ""},
	{"a constant refused", "", "k uint16 == 7 @secret\n a uint8", "bead 01", ""},
	{"a relation refused", "", "k uint16 @secret\n a uint8\n require k == a", "bead 01", ""},
	{"a computed relation refused", "", "k uint16 @secret\n a uint8\n let t = k | 0\n require t == a", "bead 01", ""},
	{"a count refused", "", "k uint16 @secret\n list [8 - k]uint8", "bead 01", ""},
	{"a size refused", "", "k uint16 @secret\n d bytes(8 - k, max 4)", "bead 01", ""},
	{"a window refused", "", "k uint16 @secret\n within(8 - k) { a uint8 }", "bead 01", ""},
	{"what has to be larger refused", "", "k uint16 @secret\n n relative(k)\n", "bead 00 00 00 00 14", ""},
	{"an open enum", "open enum E : uint16 { One = 1 }\n", "k E @secret\n a uint8", "bead 01", ""},
	{"flags refused", "flags F : uint16 { A = 1 }\n", "k F @secret\n a uint8", "bead 01", ""},
	{"text refused", "", "k char(2) utf8 @secret\n a uint8", "bead 01", ""},
	{"reserved in a secret", "", "s { reserved(16) } @secret\n a uint8", "bead 01", ""},
	{"refused after it in its byte", "", "s { k uint16, l bits(4) } @secret\n a bits(4) in 0..3", "bead 14", ""},
	{"trailing bytes after a secret", "", "k uint16 @secret", "bead 01", ""},
}

// No view of any packet shows a secret or what was computed from one, at no truncation; and what has nothing to do with
// a secret shows.
func TestSecretsInNoView(t *testing.T) {
	for _, row := range secretRows {
		p := compile(t, "protocol t\norder msb\n"+row.decls+"packet {\n"+row.body+"\n}\n")
		whole := packet(t, p, row.payload).Trace.Payload
		var paths []string
		for _, known := range slices.Concat(filter.EnvelopePaths(), filter.Paths(p), filter.MessagePaths(p)) {
			paths = append(paths, known.Path)
		}
		for n := range len(whole) + 1 {
			for _, cut := range []bool{false, true} {
				pkt := decoded(p, whole[:n:n])
				pkt.Cut = cut
				views := map[string][]byte{
					"line": NewText(p, TextOptions{}).AppendLine(nil, pkt),
					"-V":   NewText(p, TextOptions{}).AppendTree(nil, pkt),
					"-x":   NewDump(p, TextOptions{}).Append(nil, pkt),
					"json": NewJSON(p).Append(nil, pkt),
				}
				for i, format := range []ColumnFormat{CSV, Fields} {
					c, _ := NewColumns(p, paths, format)
					views[[]string{"csv", "fields"}[i]] = c.Append(nil, pkt)
				}
				if r := pkt.Trace.Reject(); r != nil {
					views["reject"] = fmt.Appendf(nil, "%v, %+v, %s, %s", r, r, r.Want(), r.Got())
				}
				for view, b := range views {
					if shown := shownSecret(b); shown != "" {
						t.Errorf("%s, %d bytes, %s: %q shows in\n%s", row.name, n, view, shown, b)
					}
				}
				if want := fmt.Sprintf(`"case":%q`, row.tag); n == len(whole) && row.tag != "" && !bytes.Contains(views["json"], []byte(want)) {
					t.Errorf("%s: no %s in %s", row.name, want, views["json"])
				}
			}
		}
	}
}

// shownSecret finds 0xbead in one of the shapes that it, its bytes and its bits have in the views.
func shownSecret(b []byte) string {
	bits := strings.NewReplacer(" ", "").Replace(string(b))
	for _, shape := range []string{"bead", "be ad", "48813", "48814", "48805", "97626", `\xbe`} {
		if bytes.Contains(bytes.ToLower(b), []byte(shape)) {
			return shape
		}
	}
	if strings.Contains(bits, "1011111010101101") {
		return "1011111010101101"
	}
	return ""
}
