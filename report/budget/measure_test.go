package budget_test

import (
	"testing"

	"github.com/pktscope/pktscope/report/budget"
)

func TestRewrittenString(t *testing.T) {
	for _, row := range []struct {
		sum  budget.Rewritten
		want string
	}{
		{budget.Rewritten{}, "the same 0 packets take 0 bytes instead of 0"},
		{budget.Rewritten{Packets: 2, Before: 4, After: 3}, "the same 2 packets take 3 bytes instead of 4 (75.0%)"},
		{budget.Rewritten{Packets: 1, Lost: 1, Before: 1, After: 1}, "the same 1 packet take 1 bytes instead of 1 (100.0%); 1 packet could not be written in it"},
	} {
		if got := row.sum.String(); got != row.want {
			t.Errorf("want %q, got %q", row.want, got)
		}
	}
}
