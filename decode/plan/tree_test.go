package plan_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// The tree holds every step and every leaf once, and its steps know where they are.
func TestTree(t *testing.T) {
	for seed := range uint64(600) {
		src := anyschema.Source(anyschema.Seeded(seed), 3+int(seed)%60)
		s, _ := schema.Load("any.pks", []byte(src), nil)
		if s == nil {
			continue
		}
		p, _ := plan.Compile(s)
		if p == nil {
			continue
		}
		complain := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("seed %d: "+format+"\n%s", append(append([]any{seed}, args...), src)...)
		}
		var hold func(steps []plan.Step, up plan.StepID)
		next := plan.StepID(0)
		hold = func(steps []plan.Step, up plan.StepID) {
			for i, s := range steps {
				b := s.At()
				if b.ID != next || b.Up != up || p.Steps[b.ID] != s {
					complain("step %d: it says that it is %d, in %d; it is in %d", next, b.ID, b.Up, up)
				}
				next++
				for _, at := range []plan.Point{b.Point, b.Each} {
					if p.StepAt(at) != s {
						complain("step %d: its point %d is another step's", b.ID, at)
					}
				}
				if p.StepAt(b.Last+1) == s || i+1 < len(steps) && steps[i+1].At().Point != b.Last+1 {
					complain("step %d: its points are %d..%d, and the next step is elsewhere", b.ID, b.Point, b.Last)
				}
				for _, inner := range s.Blocks() {
					first := next
					hold(inner.Steps, b.ID)
					for id := range plan.StepID(len(p.Steps)) {
						if inner.Holds(id) != (first <= id && id < next) {
							complain("step %d: a block of %d..%d, and step %d", b.ID, first, next-1, id)
						}
					}
				}
				if b.End != next {
					complain("step %d ends at %d, want %d", b.ID, b.End, next)
				}
			}
		}
		hold(p.Root, plan.NoStep)
		if int(next) != len(p.Steps) {
			complain("%d steps, the tree holds %d", len(p.Steps), next)
		}
		walked := 0
		for s := range plan.Walk(p.Root) {
			if s.At().ID != plan.StepID(walked) {
				complain("step %d is walked as number %d", s.At().ID, walked)
			}
			walked++
		}
	}
}
