package plan_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// What is counted by case tells the case, so there is none to show where it is a secret.
func TestShownCase(t *testing.T) {
	const body = "    body switch type {\n        1: { x uint8 }\n        default: empty\n    }\n"
	for _, row := range []struct {
		name, items string
		cases, want bool
	}{
		{"without a switch", "    type uint8\n", false, false},
		{"a switch", "    type uint8\n" + body, true, true},
		{"by a secret", "    type uint8 @secret\n" + body, true, false},
		{"by what follows from a secret", "    key uint8 @secret\n    let type = key & 1\n" + body, true, false},
	} {
		s, diags := schema.Load("a.pks", []byte("protocol a\norder msb\npacket {\n"+row.items+"}\n"), nil)
		if s == nil {
			t.Fatalf("%s: %v", row.name, diags)
		}
		p, diags := plan.Compile(s)
		if p == nil {
			t.Fatalf("%s: %v", row.name, diags)
		}
		if got := p.ShownCase(); (p.CaseSwitch != nil) != row.cases || (got != nil) != row.want || got != nil && got != p.CaseSwitch {
			t.Errorf("%s: got %v of %v", row.name, got, p.CaseSwitch)
		}
	}
}

// Labels that are cases of an enum name the case of a tag that is not of that enum: of a look, an integer, a `let`.
func TestCaseNames(t *testing.T) {
	const decls = "enum Word : uint16 { Info = 0x696e, Ping = 0x7069 }\nenum Other : uint8 { One = 1 }\n"
	for _, row := range []struct{ items, want string }{
		{"body switch peek(16) { Word.Info: uint16, Word.Ping: uint32 }", "Ping"},
		{"kind uint16\nbody switch kind { Word.Info: uint16, Word.Ping: uint32 }", "Ping"},
		{"a uint8, b uint8\nlet kind = a << 8 | b\nbody switch kind { Word.Info: uint16, default: empty }", "Ping"},
		{"kind Word\nbody switch kind { Info: uint16, Ping: uint32 }", "Ping"},
		{"kind uint16\nbody switch kind { Word.Info: uint16, Other.One: uint32 }", ""},
		{"kind uint16\nbody switch kind { Word.Info: uint16, 7: uint32 }", ""},
		{"kind uint16\nbody switch kind { Word.Info..Word.Ping: uint16 }", ""},
		{"kind uint16\nbody switch kind { 0x696e: uint16, default: empty }", ""},
	} {
		s, diags := schema.Load("a.pks", []byte("protocol a\norder msb\n"+decls+"packet {\n"+row.items+"\n}\n"), nil)
		if s == nil {
			t.Fatalf("%s: %v", row.items, diags)
		}
		p, diags := plan.Compile(s)
		if p == nil {
			t.Fatalf("%s: %v", row.items, diags)
		}
		if got := p.Case.CaseName(0x7069); got != row.want {
			t.Errorf("%s: want %q, got %q", row.items, row.want, got)
		}
	}
}

// What a default arm takes is one case, called as the arm's struct or `default`: but for what an enum names.
func TestCaseOfDefault(t *testing.T) {
	const decls = "struct Rest { x uint8 }\nenum Word : uint16 { Info = 2, Ping = 9 }\nopen enum Open : uint16 { Info = 2, Ping = 9 }\n"
	for _, row := range []struct {
		items string
		tag   uint64
		want  string
	}{
		{"body switch peek(48) { 0xFFFFFFFFFFFF: { a uint8 }, default: Rest }", 0x123456789ABC, "Rest"},
		{"body switch peek(48) { 0xFFFFFFFFFFFF: { a uint8 }, default: Rest }", 0xFFFFFFFFFFFF, ""},
		{"kind uint8\nbody switch kind { 0..9: uint8, default: { a uint8 } }", 77, "default"},
		{"kind uint8\nbody switch kind { 0..9: uint8, default: empty }", 7, ""},
		{"kind uint8\nbody switch kind { 0..9: uint8, default: bytes(rest, max 9) }", 255, "default"},
		{"kind int8\nbody switch kind { -128..-1, 1: uint8, default: empty }", ^uint64(0), ""},
		{"kind int8\nbody switch kind { -128..-1, 1: uint8, default: empty }", 0, "default"},
		{"kind Open\nbody switch kind { Info: uint16, default: Rest }", 9, "Ping"},
		{"kind Open\nbody switch kind { Info: uint16, default: Rest }", 10, "Rest"},
		{"kind Word\nbody switch kind { Info: uint16, default: Rest }", 9, "Ping"},
		{"kind uint16\nbody switch kind { Word.Info: uint16, default: empty }", 9, "Ping"},
		{"kind uint16\nbody switch kind { Word.Info: uint16, default: empty }", 0, "default"},
		{"kind bits(1)\nbody switch kind { 0: uint8, 1: uint16, default: empty }", 1, ""},
	} {
		s, diags := schema.Load("a.pks", []byte("protocol a\norder msb\n"+decls+"packet {\n"+row.items+"\n}\n"), nil)
		if s == nil {
			t.Fatalf("%s: %v", row.items, diags)
		}
		p, diags := plan.Compile(s)
		if p == nil {
			t.Fatalf("%s: %v", row.items, diags)
		}
		tag := p.CaseTag(row.tag)
		other, ok := p.CaseOther.Tag, p.CaseOther.OK
		if got := p.Case.CaseName(tag); got != row.want || (ok && tag == other) != (row.want == "default" || row.want == "Rest") {
			t.Errorf("%s: tag %d: want %q, got %q; others are %d, %t", row.items, row.tag, row.want, got, other, ok)
		}
	}
}
