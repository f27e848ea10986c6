package coverage_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/coverage"
)

// What is kept reaches all that the whole reaches, and none of it can be spared.
func TestMinimizeCorpus(t *testing.T) {
	for i, name := range protocols.Names() {
		if !need.OneIn(i, 6) {
			continue
		}
		d := builtin(t, name)
		g := fuzz.NewGenerator(d)
		var list []decode.Packet
		for n := range uint64(400) {
			p, err := g.Random(3, n)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, decode.Packet{Data: bytes.Clone(p.Data), From: p.From})
		}
		list = append(list, list[0], decode.Packet{}, list[0])
		empty := coverage.New(d.Plan())
		reach := func(indexes []int, without int) *coverage.Set {
			c := empty.Empty()
			var trace decode.Trace
			trace.RecordPath()
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
		kept := coverage.MinimizeCorpus(d, list)
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
		again := coverage.MinimizeCorpus(d, list)
		if len(again) != len(kept) {
			t.Errorf("%s: kept %d, in another order %d", name, len(kept), len(again))
		}
		t.Logf("%s: kept %d of %d", name, len(kept), len(list))
	}
}
