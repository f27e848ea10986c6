package fuzz

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/coverage"
)

// Requirements that are no sums, such as `a ^ b == 0x5a` or `flags & 0xf0 == 0x30`, are solved by search: of one that
// does not hold, the wanted answer is taken back through its operators, at each to one of its sides, until it says what
// a field has to be.

// demand is a condition that is to be true, or with holds false not; or, with keys, an expression that is to be in one
// of these intervals of keys (see plan.Operand).
type demand struct {
	t      *coverage.Term
	holds  bool
	keys   [][2]uint64
	signed bool // the expression is
	leaves []int
	// carried: it reads what is carried from the element before.
	carried bool
}

// tagged demands that a switch's tag leads into a block, or with block -1 into any; nothing where that is not said by
// fields that are chosen.
func (l *lines) tagged(s *plan.Switch, block int) []demand {
	d := demand{t: l.terms.Of(s.Tag), signed: l.p.Operands[s.Tag].Signed}
	free := uint64(0) // the first key after the entries so far
	all := false
	for _, e := range s.Entries {
		if block >= 0 && block == s.Default && e.Lo > free {
			d.keys = append(d.keys, [2]uint64{free, e.Lo - 1})
		}
		if block < 0 || int(e.Arm) == block {
			d.keys = append(d.keys, [2]uint64{e.Lo, e.Hi})
		}
		free = e.Hi + 1
		all = free == 0
	}
	if block >= 0 && block == s.Default && !all {
		d.keys = append(d.keys, [2]uint64{free, ^uint64(0)})
	}
	if len(d.keys) == 0 || d.t == nil || !l.leavesOf(d.t, coverage.MaxLets, &d) || len(d.leaves) == 0 {
		return nil
	}
	return []demand{d}
}

// untagged demands that a switch's tag has no arm.
func (l *lines) untagged(s *plan.Switch) []demand {
	if s.Default >= 0 {
		return nil
	}
	open := *s
	open.Default = math.MaxInt32 // no arm has this number
	return l.tagged(&open, open.Default)
}

// has reports whether a value is in the demand's intervals.
func (d *demand) has(v uint64) bool {
	key := d.key(v)
	return slices.ContainsFunc(d.keys, func(k [2]uint64) bool { return k[0] <= key && key <= k[1] })
}

// key is a value's key, and of a key the value.
func (d *demand) key(v uint64) uint64 {
	if d.signed {
		return v ^ 1<<63
	}
	return v
}

// demands takes a condition apart into those that all have to be met. What asks for more than fields that are chosen is
// left out.
func (l *lines) demands(t *coverage.Term, holds bool) []demand {
	switch word := t.Word(); {
	case word == "":
		return nil
	case word == "not":
		return l.demands(t.X, !holds)
	case word == "and" && holds, word == "or" && !holds:
		return append(l.demands(t.X, holds), l.demands(t.Y, holds)...)
	}
	d := demand{t: t, holds: holds}
	if !l.leavesOf(t, coverage.MaxLets, &d) || len(d.leaves) == 0 {
		return nil
	}
	return []demand{d}
}

// leavesOf adds the leaves that a term reads to a demand; false where it reads something else.
func (l *lines) leavesOf(t *coverage.Term, depth int, d *demand) bool {
	switch t.Word() {
	case "", "const":
		return true
	case "rest", "peek", "tail", "from", "here":
		return false
	case "register":
		of := l.p.RegisterLeaves[t.Inst.A]
		if len(of) == 1 {
			if !slices.Contains(d.leaves, int(of[0])) {
				d.leaves = append(d.leaves, int(of[0]))
			}
			return true
		}
		if l.p.Carried[t.Inst.A] {
			d.carried = true
			return true
		}
		let := l.let(t, depth)
		return let != nil && l.leavesOf(let, depth-1, d)
	}
	return l.leavesOf(t.X, depth, d) && l.leavesOf(t.Y, depth, d)
}

// let is the expression of the `let` that a slot is written by; nil where there is none, or there are several.
func (l *lines) let(t *coverage.Term, depth int) *coverage.Term {
	let := l.terms.Let(t.Inst.A)
	if let == nil || depth == 0 || len(l.p.RegisterLeaves[t.Inst.A]) > 0 {
		return nil
	}
	return l.terms.Of(let.Value)
}

// relations lists the sums that a demand says.
func (d *demand) relations(l *lines) []sum {
	if d.keys == nil {
		return l.relations(d.t, d.holds)
	}
	x, ok := l.line(d.t, coverage.MaxLets)
	lo, hi := int64(d.key(d.keys[0][0])), int64(d.key(d.keys[len(d.keys)-1][1]))
	if !ok {
		return nil
	}
	if len(d.keys) == 1 && lo == hi && small(lo) {
		x.c -= lo
		return []sum{x}
	}
	var all []sum
	if small(lo) {
		least := x.times(-1)
		least.c += lo
		least.less = true
		all = append(all, least)
	}
	if small(hi) {
		most := x.times(1)
		most.c -= hi
		most.less = true
		all = append(all, most)
	}
	return all
}

// small reports whether a number may be in a sum.
func small(n int64) bool { return -mostValue < n && n < mostValue }

// summed reports whether a demand is one that sums say in full.
func (l *lines) summed(d *demand) bool {
	if d.keys != nil {
		return len(d.keys) == 1 && d.keys[0][0] == d.keys[0][1] && len(d.relations(l)) > 0
	}
	word := d.t.Word()
	return (word != "eq" || d.holds) && len(l.relations(d.t, d.holds)) > 0
}

// search is values of a group on their way to meet its demands.
type search struct {
	*lines
	of     *group
	random *rand.Rand
	values []uint64 // of its leaves, by their numbers
	broken []*demand
	held   map[int]bool // leaves whose value stays
}

// searched is values that meet the demands of a group, beginning with some; false where none are found.
func (g *group) searched(random *rand.Rand, values []int64, held map[int]bool) ([]int64, bool) {
	s := search{lines: g.lines, of: g, random: random, values: g.lines.scratch, held: held}
	for i, leaf := range g.leaves {
		s.values[leaf] = uint64(values[i])
		if !held[leaf] && !s.allows(leaf, s.values[leaf]) {
			s.set(leaf, s.any(leaf))
		}
	}
	if !s.met() {
		return nil, false
	}
	for i, leaf := range g.leaves {
		values[i] = int64(s.values[leaf])
	}
	return values, true
}

// mostTried is how many values a field that is alone in its group has at most for each to be tried.
const mostTried = 1 << 10

// all is every value of the group's one leaf that meets its demands, ascending.
func (g *group) all() (meets []int64) {
	s := search{lines: g.lines, of: g, values: g.lines.scratch}
	leaf := g.leaves[0]
	for v := g.lo[0]; v <= g.hi[0]; v++ {
		s.values[leaf] = uint64(v)
		if g.narrow([]int64{v}, []int64{v}) && s.allows(leaf, uint64(v)) && !slices.ContainsFunc(g.demands, func(d demand) bool { return !s.meets(d) }) {
			meets = append(meets, v)
		}
	}
	return meets
}

// meets reports whether the values are what a demand wants.
func (s *search) meets(d demand) bool {
	v := s.value(d.t, coverage.MaxLets)
	if d.keys != nil {
		return d.has(v)
	}
	return v == flag(d.holds)
}

// searchSteps is how many fields are changed at most.
const searchSteps = 80

// met changes values until all demands of the group are met; false when they are not.
func (s *search) met() bool {
	for range searchSteps {
		s.broken = s.broken[:0]
		for i := range s.of.demands {
			if d := &s.of.demands[i]; !s.meets(*d) {
				s.broken = append(s.broken, d)
			}
		}
		if len(s.broken) == 0 {
			return true
		}
		d := s.broken[s.random.IntN(len(s.broken))]
		if d.keys == nil {
			s.want(d.t, flag(d.holds), coverage.MaxLets)
			continue
		}
		k := d.keys[s.random.IntN(len(d.keys))]
		s.want(d.t, d.key(k[0]+s.upTo(k[1]-k[0])), coverage.MaxLets)
	}
	return false
}

// value is a term's, with the values as they are.
func (s *search) value(t *coverage.Term, depth int) uint64 {
	switch t.Word() {
	case "":
		return 0
	case "const":
		return t.Inst.Imm
	case "register":
		if of := s.p.RegisterLeaves[t.Inst.A]; len(of) == 1 {
			return s.values[int(of[0])]
		}
		if s.p.Carried[t.Inst.A] {
			return s.carried[t.Inst.A]
		}
		return s.value(s.let(t, depth), depth-1)
	}
	return s.p.Apply(t.Inst, s.value(t.X, depth), s.value(t.Y, depth))
}

// want changes a field so that a term comes closer to a value.
func (s *search) want(t *coverage.Term, v uint64, depth int) {
	r := s.random
	word := t.Word()
	switch word {
	case "const":
		return
	case "register":
		if of := s.p.RegisterLeaves[t.Inst.A]; len(of) == 1 {
			s.set(int(of[0]), v)
		} else if let := s.let(t, depth); let != nil && !s.p.Carried[t.Inst.A] { // what is carried here has been written
			s.want(let, v, depth-1)
		}
		return
	case "not":
		s.want(t.X, v^1, depth)
		return
	case "neg":
		s.want(t.X, -v, depth)
		return
	case "flag":
		x := s.value(t.X, depth)
		if v == 0 {
			s.want(t.X, x&^t.Inst.Imm, depth)
		} else {
			s.want(t.X, x|t.Inst.Imm&(1<<r.IntN(64)|t.Inst.Imm&-t.Inst.Imm), depth)
		}
		return
	case "in":
		if v == 0 {
			s.want(t.X, s.anything(), depth)
			return
		}
		var ends [][2]uint64
		for lo, hi := range s.p.Set(t.Inst) {
			ends = append(ends, [2]uint64{lo, hi})
		}
		if len(ends) > 0 {
			e := ends[r.IntN(len(ends))]
			key := e[0] + s.upTo(e[1]-e[0])
			if t.Inst.SX {
				key ^= 1 << 63
			}
			s.want(t.X, key, depth)
		}
		return
	}
	if word == "table" {
		s.want(t.X, s.keyFor(t, v), depth)
		return
	}
	// One side is changed, the other stays.
	left := t.X.ReadsRegister() && (!t.Y.ReadsRegister() || r.IntN(2) == 0)
	x, y := s.value(t.X, depth), s.value(t.Y, depth)
	side, mine, other := t.X, x, y
	if !left {
		side, mine, other = t.Y, y, x
	}
	switch word {
	case "eq":
		if v == 0 {
			s.want(side, other+1+s.upTo(1<<r.IntN(8)), depth)
		} else {
			s.want(side, other, depth)
		}
	case "lt", "le":
		// The side becomes less, or as much, or more.
		less, much := left == (v == 1), (word == "le") == (v == 1)
		by := s.upTo(1 << r.IntN(12))
		if !much && by == 0 {
			by = 1
		}
		if less {
			by = -by
		}
		s.want(side, other+by, depth)
	case "add":
		s.want(side, v-other, depth)
	case "sub":
		if left {
			s.want(side, v+y, depth)
		} else {
			s.want(side, x-v, depth)
		}
	case "xor":
		s.want(side, v^other, depth)
	case "and":
		if isCondition(t.X) {
			s.want(side, v, depth) // the other side has its turn when it is the one that is wrong
			return
		}
		s.want(side, mine&^other|v, depth)
	case "or":
		if isCondition(t.X) {
			s.want(side, v, depth)
			return
		}
		s.want(side, v&^other|mine&v&other, depth)
	case "mul":
		if other != 0 {
			s.want(side, uint64(int64(v)/int64(other))+uint64(r.IntN(2)), depth)
		}
	case "shl":
		if left {
			s.want(side, v>>(y&63), depth)
		}
	case "shr":
		if left {
			s.want(side, v<<(y&63)|x&(1<<(y&63)-1), depth)
		}
	case "div":
		if left && y != 0 {
			s.want(side, v*y+s.upTo(y-1), depth)
		} else if !left && v != 0 {
			s.want(side, x/v, depth)
		}
	case "mod":
		if left && y != 0 {
			s.want(side, v+y*s.upTo(1<<r.IntN(12)), depth)
		} else if !left && x > v {
			s.want(side, x-v, depth)
		}
	}
}

// keyFor is a number for which a table has a value, or another row's.
func (s *search) keyFor(t *coverage.Term, v uint64) uint64 {
	var have, all [][2]uint64
	for keys, value := range s.p.Rows(t.Inst) {
		if all = append(all, keys); value == v {
			have = append(have, keys)
		}
	}
	if len(have) == 0 || s.random.IntN(8) == 0 {
		have = all
	}
	if len(have) == 0 {
		return s.anything()
	}
	keys := have[s.random.IntN(len(have))]
	key := keys[0] + s.upTo(keys[1]-keys[0])
	if v == s.p.Other(t.Inst) && s.random.IntN(2) == 0 {
		key = keys[1] + 1
	}
	if t.Inst.SX {
		key ^= 1 << 63
	}
	return key
}

// upTo is a number from 0 to most.
func (s *search) upTo(most uint64) uint64 {
	if most == ^uint64(0) {
		return s.random.Uint64()
	}
	return s.random.Uint64N(most + 1)
}

// anything is a number of any length.
func (s *search) anything() uint64 { return s.random.Uint64() >> s.random.IntN(64) }

// isCondition reports whether a term is true or false.
func isCondition(t *coverage.Term) bool {
	switch t.Word() {
	case "eq", "lt", "le", "in", "not", "flag":
		return true
	case "and", "or":
		return isCondition(t.X) && isCondition(t.Y)
	}
	return false
}

// set gives a field a value, where it may have it and none is held.
func (s *search) set(leaf int, v uint64) {
	if s.held[leaf] {
		return
	}
	if s.allows(leaf, v) {
		s.values[leaf] = v
		return
	}
	// What is out of reach becomes what is nearest by chance.
	if n := s.any(leaf); s.allows(leaf, n) {
		s.values[leaf] = n
	}
}

// allows reports whether a field may have a value.
func (s *search) allows(leaf int, v uint64) bool {
	info, width := &s.p.Info[leaf], codeWidth(s.p, leaf)
	code := info.CodeOf(v, width)
	kind, _ := info.Judge(code, width)
	return kind == reject.None && code&^wire.Mask(width) == 0 && info.Value(code, width) == v
}

// any is a value that a field may have.
func (s *search) any(leaf int) uint64 {
	i := slices.Index(s.of.leaves, leaf)
	lo, hi := s.of.lo[i], s.of.hi[i]
	n := s.upTo(uint64(hi - lo))
	if s.random.IntN(2) == 0 {
		n >>= s.random.IntN(40)
	}
	if all := s.of.known[leaf].all; len(all) > 0 && (s.random.IntN(4) == 0 || !s.allows(leaf, uint64(lo)+n)) {
		return s.p.Info[leaf].Value(all[s.random.IntN(len(all))], codeWidth(s.p, leaf))
	}
	return uint64(lo) + n
}
