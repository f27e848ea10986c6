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
