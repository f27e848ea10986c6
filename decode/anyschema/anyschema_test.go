package anyschema_test

import (
	"bytes"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// refused says why a source has no plan, "" where it has one.
func refused(src string) string {
	s, diags := schema.Load("any.pks", []byte(src), nil)
	if s != nil {
		p, more := plan.Compile(s)
		if p != nil {
			return ""
		}
		diags = more
	}
	for _, d := range diags {
		if d.Severity == schema.Error {
			return string(d.AppendText(nil, "any.pks", []byte(src)))
		}
	}
	return "no schema, and no error says why"
}

// TestAccepted: what is drawn is valid. The few that are not ask for more than a limit allows, which they see too late,
// or are in a branch that the checker knows to be dead. Of others the checker has proved that they refuse every
// packet: TestRefusedSchemasAcceptNothing of decode/slow holds it to that.
func TestAccepted(t *testing.T) {
	n := need.Rounds(5000, 600)
	bad, last, dead := 0, "", 0
	for seed := range n {
		src := anyschema.Source(anyschema.Seeded(uint64(seed)), 3+seed%60)
		switch why := refused(src); {
		case why == "":
		case anyschema.RefusesAll(why):
			dead++
		default:
			bad, last = bad+1, why
		}
	}
	t.Logf("%d of %d refused (%.2f %%), %d for refusing every packet", bad, n, 100*float64(bad)/float64(n), dead)
	if bad*100 > n {
		t.Errorf("%d of %d refused, want at most 1 %%; the last: %s", bad, n, last)
	}
	if dead*50 > n {
		t.Errorf("%d of %d refuse every packet, want at most 2 %%", dead, n)
	}
}

// TestSimplest: without a byte, and after the last one, every choice is the simplest.
func TestSimplest(t *testing.T) {
	var nothing bytes.Reader
	want := anyschema.Source(&nothing, 50)
	if why := refused(want); why != "" || len(want) > 100 {
		t.Errorf("%s\n%s", want, why)
	}
	if got := anyschema.Source(bytes.NewReader(make([]byte, 1000)), 1); refused(got) != "" || len(got) > 100 {
		t.Errorf("of zeros: %s\n%s", got, refused(got))
	}
}

// TestSameBytesSameSchema: a seed in a failure's message is all that it takes to see it again.
func TestSameBytesSameSchema(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(200) {
		a, b := anyschema.Source(anyschema.Seeded(seed), 20), anyschema.Source(anyschema.Seeded(seed), 20)
		if a != b {
			t.Fatalf("seed %d:\n%s\nthen\n%s", seed, a, b)
		}
		seen[a] = true
	}
	if len(seen) < 190 {
		t.Errorf("200 seeds gave %d schemas", len(seen))
	}
}
