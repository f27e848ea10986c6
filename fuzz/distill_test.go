package fuzz_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
)

// What is kept reaches all that the whole reaches, and none of it can be spared.
func TestDistill(t *testing.T) {
	for _, name := range protocols.Names() {
		d := builtin(t, name)
		g := fuzz.NewGenerator(d)
		var list []fuzz.Sample
		for n := range uint64(400) {
			p, err := g.Random(3, n)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, fuzz.Sample{Data: bytes.Clone(p.Data), From: p.From})
		}
		list = append(list, list[0], fuzz.Sample{}, list[0])
		empty := fuzz.NewCoverage(d.Plan())
		reach := func(indexes []int, without int) *fuzz.Coverage {
			c := empty.Empty()
			var trace decode.Trace
			trace.Record()
			for _, i := range indexes {
				if i != without {
					_ = d.Decode(list[i].Data, list[i].From, &trace)
					c.Add(&trace)
				}
			}
			return c
		}
		var whole []int
		for i := range list {
			whole = append(whole, i)
		}
		kept := fuzz.Distill(d, list)
		all := reach(whole, -1)
		if n := reach(kept, -1).Merge(all); n != 0 {
			t.Errorf("%s: %d points are lost", name, n)
		}
		for _, i := range kept {
			if reach(kept, i).Merge(all) == 0 {
				t.Errorf("%s: packet %d can be spared", name, i)
			}
		}
		if len(kept) == 0 || len(kept) > len(list)*3/4 || !slices.IsSorted(kept) {
			t.Errorf("%s: kept %d of %d", name, len(kept), len(list))
		}
		slices.Reverse(list)
		again := fuzz.Distill(d, list)
		if len(again) != len(kept) {
			t.Errorf("%s: kept %d, in another order %d", name, len(kept), len(again))
		}
		t.Logf("%s: kept %d of %d", name, len(kept), len(list))
	}
}
