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
