package coverage

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/pktscope/pktscope/decode"
)

// MinimizeCorpus chooses the packets that together reach all that the whole list reaches: the small ones first, and
// none that the others make superfluous. It returns their indexes in ascending order. They depend on the list alone,
// and not on its order but where packets are equal.
func MinimizeCorpus(d *decode.Decoder, list []decode.Packet) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &list[a], &list[b]
		return cmp.Or(cmp.Compare(len(x.Data), len(y.Data)), slices.Compare(x.Data, y.Data), cmp.Compare(x.From, y.From))
	})
	all := New(d.Plan())
	times := make([]int, 64*len(all.reached)) // how many of the kept reach each point
	var trace decode.Trace
	trace.RecordPath()
	var kept []int
	one := all.Empty()
	// What one packet reaches is found again when it is needed: all of them together have no bound.
	reach := func(i int) {
		one.Reset()
		_ = d.Decode(list[i].Data, list[i].From, &trace) // refused packets reach something, too
		one.Add(&trace)
	}
	for _, i := range order {
		_ = d.Decode(list[i].Data, list[i].From, &trace) // refused packets reach something, too
		if all.Add(&trace) == 0 {
			continue
		}
		reach(i)
		one.each(func(at int) { times[at]++ })
		kept = append(kept, i)
	}
	// What came early can be in what came later. The largest that nobody would miss goes first.
	var out []int
	for n := len(kept) - 1; n >= 0; n-- {
		needed := false
		reach(kept[n])
		one.each(func(at int) { needed = needed || times[at] == 1 })
		if needed {
			out = append(out, kept[n])
			continue
		}
		one.each(func(at int) { times[at]-- })
	}
	slices.Sort(out)
	return out
}

// each calls visit with every point that has been reached.
func (c *Set) each(visit func(at int)) {
	for i, w := range c.reached {
		for ; w != 0; w &= w - 1 {
			visit(64*i + bits.TrailingZeros64(w))
		}
	}
}
