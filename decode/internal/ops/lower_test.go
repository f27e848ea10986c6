package ops_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// What plan counts before there are ops is what they are; they verify, are in the order of the plan's points, and
// each step has one at its own point. So it is where bounds and demands are lifted.
func TestLower(t *testing.T) {
	lowered := 0
	for seed := range uint64(600) {
		s, _ := schema.Load("any.pks", []byte(anyschema.Source(anyschema.Seeded(seed), 3+int(seed)%60)), nil)
		if s == nil {
			continue
		}
		p, _ := plan.Compile(s)
		if p == nil {
			continue
		}
		lowered++
		all := func(plan.Step) bool { return true }
		for what, p := range map[string]*plan.Plan{"as it is": p, "raised": p.Raised(3, all), "without": p.Without(all)} {
			o := ops.Lower(p)
			if len(o.Ops) != p.OpCount() || len(o.Pos) != len(o.Ops) {
				t.Fatalf("seed %d, %s: %d ops, %d counted", seed, what, len(o.Ops), p.OpCount())
			}
			if err := o.Verify(); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, what, err)
			}
			at, last := map[plan.Point]bool{}, plan.NoPoint
			for pc := range o.Ops {
				point := o.Ops[pc].Point
				if point == plan.NoPoint {
					continue
				}
				if point < last {
					t.Fatalf("seed %d, %s: op %d is at point %d, the one before at %d", seed, what, pc, point, last)
				}
				last = point
				at[point] = true
			}
			for _, s := range p.Steps {
				if !at[s.At().Point] {
					t.Fatalf("seed %d, %s: step %d has no op", seed, what, s.At().ID)
				}
			}
			if last != p.End() {
				t.Fatalf("seed %d, %s: the last op is at point %d of %d", seed, what, last, p.End())
			}
		}
	}
	if lowered < 500 {
		t.Errorf("only %d schemas have a plan", lowered)
	}
}
