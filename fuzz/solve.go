package fuzz

import (
	"math/rand/v2"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz/coverage"
)

// Requirements over several fields are solved before the first of the fields is written: `require a == b + 1`, `require
// b == c * 2` and `require c > 10` leave c to choose, and say what b and a are. What is no sum of fields with constant
// factors is searched for (solve_search.go).

// group is leaves that requirements tie together, all of them in the same list.
type group struct {
	leaves []int // in the order in which they are chosen: those that follow from others last
	sums   []sum
	lo, hi []int64

	demands []demand // all that there are, where one is no sum; else none
	lines   *lines
	known   []choices // of all leaves

	tried bool    // it is one leaf of which every value was tried
	meets []int64 // those that meet the demands, ascending
}

// most bounds the numbers in a group, so that no product of two leaves int64.
const (
	mostValue = int64(1) << 40
)

// groupsWith finds the groups of a plan, by their leaves: with demands, and sums, beside those of the requirements and
// of the tags that need an arm. Those that no packet has which goes as turns say are left out.
func (g *Generator) groupsWith(turns []plan.Turn, more []sum, demands []demand) map[int]*group {
	p := g.plan
	l := g.lines
	derived := map[int]bool{} // the Encoder finds their values
	for leaf, sizings := range g.sizings {
		for _, s := range sizings {
			derived[leaf] = derived[leaf] || isWindow(p.StepAt(s.Point))
		}
	}
	for _, e := range p.Equations() {
		for _, leaf := range e.Leaves {
			derived[int(leaf)] = true
		}
	}
	all := map[int]*group{}
	beside := map[int]bool{} // what a requirement in the same block says of one leaf always holds
	sums := more
	for _, s := range p.Steps {
		r, require := s.(*plan.Require)
		sw, tag := s.(*plan.Switch)
		let, computed := s.(*plan.Let)
		blob, bytes := s.(*plan.Blob)
		if !require && !(tag && sw.Default < 0) && !(computed && let.Judged) && !(bytes && blob.Fragment != nil) || slices.ContainsFunc(turns, func(t plan.Turn) bool { return elsewhere(t, s) }) {
			continue
		}
		if require {
			for _, d := range l.demands(l.terms.Of(r.Cond), true) {
				demands = append(demands, d)
				beside[d.leaves[0]] = beside[d.leaves[0]] || slices.Equal(p.Around(p.Reader(d.leaves[0]).At().ID), p.Around(r.ID))
			}
		} else if tag {
			tags := l.tagged(sw, -1)
			demands = append(demands, slices.DeleteFunc(tags, func(d demand) bool { return len(d.leaves) == 1 && g.must[d.leaves[0]] != nil })...)
		} else if bytes {
			sums = append(sums, l.within(blob.Fragment)...)
		} else {
			sums = append(sums, l.inRange(let)...)
		}
	}
	for i := range demands {
		sums = append(sums, demands[i].relations(l)...)
	}
	sums = slices.DeleteFunc(sums, func(s sum) bool { return !g.solvable(s, derived) })
	tie := func(leaves []int) *group {
		to := &group{lines: l, known: g.leaves}
		for _, leaf := range leaves {
			if old := all[leaf]; old != nil && old != to {
				for _, moved := range old.leaves {
					all[moved] = to
				}
				to.leaves, to.sums = append(to.leaves, old.leaves...), append(to.sums, old.sums...)
				to.demands = append(to.demands, old.demands...)
			} else if old == nil {
				all[leaf] = to
				to.leaves = append(to.leaves, leaf)
			}
		}
		return to
	}
	for _, s := range sums {
		to := tie(s.leaves())
		to.sums = append(to.sums, s)
	}
	for _, d := range demands {
		if !l.summed(&d) && g.chosen(d.leaves, derived, true) {
			to := tie(d.leaves)
			to.demands = append(to.demands, d)
		}
	}
	for _, d := range demands { // what is searched for keeps to the sums, too
		if to := all[d.leaves[0]]; to != nil && len(to.demands) > 0 && l.summed(&d) && g.chosen(d.leaves, derived, true) {
			to = tie(d.leaves)
			to.demands = append(to.demands, d)
		}
	}
	done := map[*group]bool{}
	for leaf, to := range all {
		// What one leaf alone decides is a constraint (reach.go), but for a part of a condition that others decide, too.
		if len(to.leaves) < 2 && len(to.demands) == 0 && !to.carries() && len(turns) == 0 && !beside[leaf] {
			delete(all, leaf)
		} else if !done[to] {
			done[to] = true
			to.arrange(p)
		}
	}
	return all
}

// elsewhere reports whether a step is in another block of a turn's fork.
func elsewhere(t plan.Turn, s plan.Step) bool {
	i := plan.BlockOf(t.At, s.At().ID)
	return i >= 0 && i != t.Block
}

// solvable reports whether a sum is over fields that are chosen, all of them in the same list, with factors that are
// small.
func (g *Generator) solvable(s sum, derived map[int]bool) bool {
	for _, k := range s.k {
		if k >= coverage.MaxFactor || k <= -coverage.MaxFactor {
			return false
		}
	}
	for _, k := range s.carried {
		if k >= coverage.MaxFactor || k <= -coverage.MaxFactor {
			return false
		}
	}
	return g.chosen(s.leaves(), derived, false) && s.c < mostValue && s.c > -mostValue
}

// chosen reports whether leaves are fields that are chosen, all of them in the same list; named ones, too, if any will
// do.
func (g *Generator) chosen(leaves []int, derived map[int]bool, named bool) bool {
	around, some := []plan.StepID(nil), false
	for _, leaf := range leaves {
		info := &g.plan.Info[leaf]
		switch info.Form() {
		case plan.FormUint, plan.FormInt:
		case plan.FormBool, plan.FormCase, plan.FormFlags:
			if !named {
				return false
			}
		case plan.FormFloat, plan.FormHex, plan.FormText, plan.FormBytes:
			return false
		}
		if derived[leaf] || g.plan.Nodes[info.Node].Value == nil {
			return false
		}
		var lists []plan.StepID
		for _, turn := range g.plan.Around(g.plan.Reader(leaf).At().ID) {
			if turn.At.Flow() == plan.Repeat {
				lists = append(lists, turn.At.At().ID)
			}
		}
		if some && !slices.Equal(lists, around) {
			return false
		}
		around, some = lists, true
	}
	return some
}

// inRange is what the range of a value demands that is computed from what is carried. Of any other, what breaks it is
// chosen anew.
func (l *lines) inRange(let *plan.Let) []sum {
	above, below := l.ends(let)
	if len(above.carried) == 0 {
		return nil
	}
	above, below = above.times(-1), below.times(-1)
	above.c++
	below.c++
	above.less, below.less = true, true
	return []sum{above, below}
}

// within is what puts a piece within its message, as far as that does not depend on how long it is.
func (l *lines) within(f *plan.Fragment) (sums []sum) {
	if f.At < 0 {
		return nil
	}
	at, ok := l.line(l.terms.Of(uint32(f.At)), coverage.MaxLets)
	if !ok {
		return nil
	}
	atMost := func(s sum) {
		s.c -= int64(f.Note.Section.Max)
		s.less = true
		sums = append(sums, s)
	}
	if f.Note.Bytes {
		atMost(at.times(1))
	} else {
		at.c++ // a number from 0
	}
	if f.Whole < 0 {
		return sums
	}
	if whole, ok := l.line(l.terms.Of(uint32(f.Whole)), coverage.MaxLets); ok {
		if f.Note.Bytes {
			atMost(whole.times(1))
		}
		behind := at.plus(whole, -1)
		behind.less = true
		sums = append(sums, behind)
	}
	return sums
}

// ends are two sums that are at most 0 where a value is above its range, and below; none where it is no sum.
func (l *lines) ends(let *plan.Let) (above, below sum) {
	x, ok := l.line(l.terms.Of(let.Value), coverage.MaxLets)
	info := &l.p.Info[let.Leaf]
	for lo, hi := range info.RuleSet() {
		if info.IsSigned() {
			lo, hi = lo^1<<63, hi^1<<63
		}
		least, most := int64(lo), int64(hi)
		if !ok || -mostValue >= least || most >= mostValue || !info.IsSigned() && most < 0 {
			return sum{}, sum{}
		}
		above, below = x.times(-1), x.times(1)
		above.c += most + 1
		below.c -= least - 1
		above.less, below.less = true, true
	}
	return above, below
}

// carries reports whether what is carried is in a sum of the group.
func (g *group) carries() bool {
	return slices.ContainsFunc(g.sums, func(s sum) bool { return len(s.carried) > 0 }) ||
		slices.ContainsFunc(g.demands, func(d demand) bool { return d.carried })
}

// carry gives the values that are carried to an element.
func (g *group) carry(saved func(register uint32) uint64) {
	for i := range g.sums {
		s := &g.sums[i]
		s.now = s.c
		for register, k := range s.carried {
			s.now += k * max(-mostValue, min(int64(saved(uint32(register))), mostValue))
		}
	}
	for register := range g.lines.p.Carried {
		g.lines.carried[register] = saved(register)
	}
}

// arrange puts the leaves in the order in which they are chosen, and finds what each may be.
func (g *group) arrange(p *plan.Plan) {
	slices.Sort(g.leaves)
	uses := map[int]int{}
	for _, s := range g.sums {
		for leaf := range s.k {
			uses[leaf]++
		}
	}
	last := map[int]bool{} // of each equation one that follows from the others
	for _, s := range g.sums {
		best := -1
		for _, leaf := range g.leaves {
			if k := s.k[leaf]; !s.less && (k == 1 || k == -1) && !last[leaf] && (best < 0 || uses[leaf] < uses[best]) {
				best = leaf
			}
		}
		if best >= 0 {
			last[best] = true
		}
	}
	slices.SortStableFunc(g.leaves, func(a, b int) int { return int(flag(last[a])) - int(flag(last[b])) })
	at := map[int]int{}
	for i, leaf := range g.leaves {
		at[leaf] = i
		lo, hi := valuesOf(&p.Info[leaf], codeWidth(p, leaf))
		g.lo, g.hi = append(g.lo, lo), append(g.hi, hi)
	}
	for i := range g.sums {
		s := &g.sums[i]
		for _, leaf := range s.leaves() {
			s.factors = append(s.factors, coverage.Factor{At: at[leaf], K: s.k[leaf]})
		}
	}
	for i := range g.sums {
		g.sums[i].now = g.sums[i].c
	}
	if len(g.leaves) == 1 && len(g.demands) > 0 && g.hi[0]-g.lo[0] < mostTried && !g.carries() {
		g.tried, g.meets = true, g.all()
	}
}

// valuesOf is the least and the greatest value of a leaf by its type and its rule.
func valuesOf(info *plan.LeafInfo, width int) (lo, hi int64) {
	clamp := func(v uint64, signed bool) int64 {
		if signed {
			return max(-mostValue, min(int64(v), mostValue))
		}
		return int64(min(v, uint64(mostValue)))
	}
	lo, hi = 0, mostValue
	signed := info.IsSigned()
	if info.Kind == plan.LeafInt {
		lo = -mostValue
		if width < 40 {
			lo, hi = -(int64(1) << (width - 1)), int64(1)<<(width-1)-1
		}
	} else if !info.ZigZag {
		lo = clamp(info.Base, signed)
		hi = min(mostValue, lo+int64(min(info.TypeSpan, uint64(mostValue))))
	}
	some := false
	least, most := hi, lo
	for a, b := range info.RuledValues() {
		least, most, some = min(least, clamp(a, signed)), max(most, clamp(b, signed)), true
	}
	if some {
		lo, hi = max(lo, least), min(hi, most)
	}
	return lo, hi
}

// narrow takes from the ends what no sum allows; false when nothing is left.
func (g *group) narrow(lo, hi []int64) bool {
	for again, n := true, 0; again && n < 64; n++ {
		again = false
		for _, s := range g.sums {
			for _, f := range s.factors {
				x, k := f.At, f.K
				// k*x + rest <= 0, and for an equation also >= 0; least and most are of rest.
				least, most := s.now, s.now
				for _, other := range s.factors {
					if y := other.At; y != x {
						a, b := other.K*lo[y], other.K*hi[y]
						least, most = least+min(a, b), most+max(a, b)
					}
				}
				was := [2]int64{lo[x], hi[x]}
				if k > 0 {
					hi[x] = min(hi[x], coverage.FloorDiv(-least, k))
					if !s.less {
						lo[x] = max(lo[x], -coverage.FloorDiv(most, k))
					}
				} else {
					lo[x] = max(lo[x], -coverage.FloorDiv(-least, -k))
					if !s.less {
						hi[x] = min(hi[x], coverage.FloorDiv(most, -k))
					}
				}
				if lo[x] > hi[x] {
					return false
				}
				again = again || was != [2]int64{lo[x], hi[x]}
			}
		}
	}
	return true
}

// solves is how often values for a group are begun anew, searches where its demands are searched.
const (
	solves   = 30
	searches = 6
)

// solve chooses values for a group; false where none were found. fixed are values that are to be held, saved those of
// registers that have been written.
func (g *group) solve(random *rand.Rand, few func(leaf int) bool, fixed func(leaf int) (int64, bool), saved func(register uint32) uint64) ([]int64, bool) {
	g.carry(saved)
	if g.tried {
		if v, is := fixed(g.leaves[0]); is {
			return []int64{v}, slices.Contains(g.meets, v)
		}
		if len(g.meets) == 0 {
			return nil, false
		}
		return []int64{g.meets[drawn(random, uint64(len(g.meets)-1), few(g.leaves[0]))]}, true
	}
	most := solves
	if len(g.demands) > 0 {
		most = searches
	}
	for range most {
		lo, hi := slices.Clone(g.lo), slices.Clone(g.hi)
		ok, held := true, map[int]bool{}
		for i, leaf := range g.leaves {
			if v, is := fixed(leaf); is {
				ok = ok && lo[i] <= v && v <= hi[i]
				lo[i], hi[i] = v, v
				held[leaf] = true
			}
		}
		ok = ok && g.narrow(lo, hi)
		for i := 0; ok && i < len(g.leaves); i++ {
			lo[i] += int64(drawn(random, uint64(hi[i]-lo[i]), few(g.leaves[i])))
			hi[i] = lo[i]
			ok = g.narrow(lo, hi)
		}
		if ok && len(g.demands) > 0 {
			lo, ok = g.searched(random, lo, held)
		}
		if ok {
			return lo, true
		}
	}
	return nil, false
}

// drawn is a number from 0 to span: often an end, or a small one.
func drawn(random *rand.Rand, span uint64, few bool) uint64 {
	n := random.Uint64N(span + 1)
	switch how := random.IntN(10); {
	case few:
		return min(span, uint64(random.ExpFloat64()*2.5))
	case how == 0:
		return 0
	case how == 1:
		return span
	case how < 5:
		return n >> random.IntN(40)
	}
	return n
}
