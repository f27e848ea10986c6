package filter

import (
	"errors"
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// A filter over several plans has to fit one; else the plan is shown for which it was understood best.
func TestCompileAny(t *testing.T) {
	var plans []*plan.Plan
	for _, fields := range []string{"health uint8", "score uint8", "name bytes(2)"} {
		s, diags := schema.Load("t.pks", []byte("protocol t\norder msb\npacket {\n    "+fields+"\n}\n"), nil)
		if s == nil {
			t.Fatal(diags)
		}
		p, diags := plan.Compile(s)
		if p == nil {
			t.Fatal(diags)
		}
		plans = append(plans, p)
	}
	for _, row := range []struct {
		src  string
		fits string // a digit for each plan
		near int
		same bool
	}{
		{"score > 3", "010", 0, false}, {"pkt.n > 3", "111", 0, false}, {"helth > 3", "", 0, false}, {"scor > 3", "", 1, false},
		{"score > 300 && pkt.nothing", "", 1, false}, {"pkt.n >", "", 0, true},
	} {
		programs, err := CompileAny(plans, row.src)
		fits := ""
		for _, p := range programs {
			if p != nil {
				fits += "1"
			} else {
				fits += "0"
			}
		}
		if fits != row.fits {
			t.Errorf("%s: fits %q, want %q: %v", row.src, fits, row.fits, err)
		}
		var wrong Misfit
		if !errors.As(err, &wrong) {
			continue
		}
		if near, same := wrong.Nearest(); near != row.near || same != row.same {
			t.Errorf("%s: nearest is %d, the same %v: %v", row.src, near, same, err)
		}
	}
}
