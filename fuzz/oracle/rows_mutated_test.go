package oracle_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// TestMutated breaks packets of every row's schema, one rule at a time: decoder and reference agree on each, and answer
// what the mutation says they must.
func TestMutated(t *testing.T) {
	broken := map[fuzz.Class]int{}
	for i, r := range rows.Every() {
		if !need.OneIn(i, 5) {
			continue
		}
		for _, order := range r.In() {
			d := decoder(t, rows.Load(t, r.Source(order)))
			o, g, m, seen := oracle.NewOracle(d), fuzz.NewGenerator(d), fuzz.NewMutator(d), fuzz.Dedup{}
			for p := range g.Boundaries(2, nil) {
				for mutation := range m.Enumerate(p.Data, p.From, seen) {
					if broken[mutation.Class]++; mutation.Class == fuzz.ClassCode && broken[fuzz.ClassCode]%need.Rounds(1, 20) > 0 {
						continue // these are nine in ten
					}
					answer, err := o.Decode(mutation.Data, p.From)
					if err == nil {
						err = mutation.Expect.Check(answer)
					}
					if err != nil {
						t.Errorf("%s/%v: %s: %x: %v\n%s", r.Name, order, mutation.What(), mutation.Data, err, r.Source(order))
						return
					}
				}
			}
		}
	}
	t.Log(broken)
	for _, class := range fuzz.Classes() {
		if broken[class] < need.Rounds(20, 5) && class != fuzz.ClassHavoc && class != fuzz.ClassSplice {
			t.Errorf("class %v: only %d packets", class, broken[class])
		}
	}
}
