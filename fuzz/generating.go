package fuzz

import (
	"math/rand/v2"
	"slices"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz/coverage"
)

// generating is the Source of a generated packet: it chooses every value as it is asked for.
type generating struct {
	g         *Generator
	random    *rand.Rand
	loose     *rand.Rand     // for what is asked only as long as the packet's end is not known
	fixed     map[int]uint64 // by place in Raw: the values of numbers whose width follows from that end
	seed      [2]uint64
	goal      *goal
	hold      bool // the goal's value shall be there, not only its field
	met       bool // it is
	way       way
	grown     map[spot]*growth
	solutions map[solution][]int64
	least     *spot     // the list whose elements are as small as can be
	zeros     bool      // what follows in a window that is filled with zeros is zero
	dense     bool      // ascending indexes without gaps, so that a list can become full
	recent    [8]uint64 // values chosen last: fields are often compared with each other
	chosen    int
	buf       []byte
	text      []byte
	names     nameMaker
}

// Restart begins the same choices again.
func (s *generating) Restart() {
	s.random = rand.New(rand.NewPCG(s.seed[0], s.seed[1]))
	s.loose = rand.New(rand.NewPCG(s.seed[1], s.seed[0]))
	s.met, s.chosen, s.least, s.zeros = false, 0, nil, false
	clear(s.solutions)
	s.names.places = s.names.places[:0]
	for _, g := range s.grown {
		g.put = 0
	}
	s.dense = s.chance(30)
}

// chance is true in n of 100 cases.
func (s *generating) chance(n int) bool { return s.random.IntN(100) < n }

// near reports whether the packet is getting long, so that what can be small should be.
func (s *generating) near(a *decode.Query) bool {
	return a.Bit > 4*s.g.plan.Schema.MaxDatagram // half of it
}

// Code chooses a leaf's code.
func (s *generating) Code(a *decode.Query) (uint64, error) {
	info := &s.g.plan.Info[a.Leaf]
	if a.Derivable {
		if t := s.goal; t != nil && s.hold && t.leaf == a.Leaf {
			s.met = true
			if kind, _ := info.Judge(t.code, a.Width); kind == reject.None && info.Kind == plan.LeafFloat {
				return t.code, nil // -0 is 0 as well
			}
		}
		return 0, decode.ErrDerive
	}
	if s.least != nil {
		return s.smallest(a), nil
	}
	if s.g.open(a.Step()) {
		return s.wide(a, info), nil
	}
	code, found := s.solved(a)
	if !found {
		code, found = s.aim(a)
	}
	if !found && !s.zero(a, info) {
		code = s.choose(a, info)
	}
	s.recent[s.chosen%len(s.recent)] = info.Value(code, a.Width)
	s.chosen++
	return code, nil
}

// wide is the code of a number whose width follows from the packet's end. It is chosen once: where the end is known,
// the number is asked for again, with the width that follows.
func (s *generating) wide(a *decode.Query, info *plan.LeafInfo) uint64 {
	at := len(a.Trace.Raw)
	if value, ok := s.fixed[at]; ok {
		code := info.CodeOf(value, a.Width)
		if kind, _ := info.Judge(code, a.Width); kind == reject.None && info.Value(code, a.Width) == value && a.Lo <= code && code <= a.Hi {
			return code
		}
	}
	s.random, s.loose = s.loose, s.random
	code, aimed := s.aim(a)
	if !aimed {
		code = s.choose(a, info)
	}
	s.random, s.loose = s.loose, s.random
	s.fixed[at] = info.Value(code, a.Width)
	return code
}

// Branch goes the way to the goal, or any.
func (s *generating) Branch(a *decode.Query, n int) (int, error) {
	if s.least != nil {
		return n - 1, nil
	}
	if t := s.goal; t != nil {
		if i := plan.BlockOf(a.Step(), t.at); i >= 0 {
			return i, nil
		}
	}
	return s.loose.IntN(n), nil
}

// aim is the goal's code, or one on the way to it.
func (s *generating) aim(a *decode.Query) (uint64, bool) {
	if t := s.goal; t != nil && s.hold && t.leaf == a.Leaf && t.at == a.Step().At().ID && (!s.met || s.chance(40)) {
		s.met = true
		switch t.end {
		case goalLeast:
			return s.allowed(a, a.Lo, 1), true
		case goalMost:
			return s.allowed(a, a.Hi, -1), true
		}
		if a.Lo <= t.code && t.code <= a.Hi {
			return t.code, true
		}
		s.met = false
	}
	if code, ok := s.lasting(a); ok {
		return code, true
	}
	codes := s.way.codes[a.Leaf]
	if codes == nil {
		codes = s.g.must[a.Leaf]
	}
	if len(codes) == 0 || s.chance(5) && s.g.must[a.Leaf] == nil {
		return 0, false
	}
	if s.g.leaves[a.Leaf].counts && !s.chance(10) {
		codes = codes[:min(len(codes), 4)]
	}
	return codes[s.random.IntN(len(codes))], true
}

// lasting is a code with which the list that shall be full goes on, or ends when it is.
func (s *generating) lasting(a *decode.Query) (uint64, bool) {
	t := s.goal
	if t == nil || !s.hold || t.end != goalMost || a.Parent < 0 || listOf(a, int(a.Parent)) != t.at {
		return 0, false
	}
	codes := t.on[a.Leaf]
	if uint64(a.Index)+1 >= plan.MostOf(s.g.plan.Steps[t.at]) {
		codes = t.off[a.Leaf]
	}
	if len(codes) == 0 {
		return 0, false
	}
	return codes[s.random.IntN(len(codes))], true
}

// allowed is the code nearest to start, in the direction of step and else in the other, that the leaf's rule lets
// through.
func (s *generating) allowed(a *decode.Query, start uint64, step int) uint64 {
	info := &s.g.plan.Info[a.Leaf]
	fits := func(code uint64) bool {
		kind, _ := info.Judge(code, a.Width)
		return kind == reject.None && a.Lo <= code && code <= a.Hi
	}
	if fits(start) {
		return start
	}
	// The ends of the rule's ranges, of which the nearest counts.
	best, found := start, false
	try := func(code uint64) {
		ahead, best0 := (code-start)*uint64(step), (best-start)*uint64(step)
		if fits(code) && (!found || ahead < best0) {
			best, found = code, true
		}
	}
	for lo, hi := range info.RuledValues() {
		try(info.CodeOf(lo, a.Width))
		try(info.CodeOf(hi, a.Width))
	}
	for _, code := range s.g.leaves[a.Leaf].all {
		try(code)
	}
	for at := range uint64(64) {
		try(start + at*uint64(step))
	}
	return best
}

// listOf is the step of a list, whose span is given.
func listOf(a *decode.Query, span int) plan.StepID {
	return a.Trace.Plan.StepAt(a.Trace.Records[span].Point).At().ID
}

// follows reports whether a step reads an index, which is larger than the one before.
func follows(s plan.Step) bool {
	n, ok := s.(*plan.Number)
	return ok && n.Previous >= 0
}

// choose is a code that the leaf allows by itself.
func (s *generating) choose(a *decode.Query, info *plan.LeafInfo) uint64 {
	c := &s.g.leaves[a.Leaf]
	if c.counts {
		return s.count(a, info)
	}
	if subset, ok := a.Step().(*plan.Subset); ok { // a bitmap's flag
		if s.goal != nil && s.goal.leaf < 0 && s.goal.at == subset.ID && s.hold {
			return uint64(s.goal.end - goalLeast)
		}
		if len(s.way.codes) > 0 && a.Elem == 0 && a.Slot > 2 {
			return 1
		}
		return flag(s.chance(15) && !s.near(a))
	}
	if s.dense && follows(a.Step()) {
		return a.Lo
	}
	if s.g.parts[a.Leaf] {
		// The middle fifth of the codes: three such parts, or one at its end and two of them, are never longer than
		// one.
		return a.Hi*2/5 + s.random.Uint64N(a.Hi/5+1)
	}
	if s.g.closers[a.Leaf] && s.chance(80) {
		return s.allowed(a, info.CodeOf(s.closed(a), a.Width), 1)
	}
	for range 32 {
		code := s.guess(a, info, c)
		if code < a.Lo || code > a.Hi {
			continue
		}
		if kind, _ := info.Judge(code, a.Width); kind == reject.None {
			return code
		}
	}
	if len(c.all) > 0 {
		if code := c.all[s.random.IntN(len(c.all))]; a.Lo <= code && code <= a.Hi {
			return code
		}
	}
	return s.allowed(a, a.Lo, 1)
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// guess is a code that may be allowed.
func (s *generating) guess(a *decode.Query, info *plan.LeafInfo, c *choices) uint64 {
	switch n := s.random.IntN(100); {
	case n < 12 && len(c.edges) > 0:
		return c.edges[s.random.IntN(len(c.edges))].code
	case n < 40 && len(c.all) > 0 && c.all[len(c.all)-1] >= coverage.FewCodes:
		return c.all[s.random.IntN(len(c.all))]
	case n < 50 && s.chosen > 0:
		return info.CodeOf(s.recent[s.random.IntN(min(s.chosen, len(s.recent)))]+uint64(s.random.IntN(3))-1, a.Width)
	}
	if info.Kind == plan.LeafFloat {
		return info.FloatCode(s.random.NormFloat64()*1000, a.Width)
	}
	if a.Lo > 0 || follows(a.Step()) {
		return a.Lo + uint64(s.random.ExpFloat64()*4) // an ascending list: small steps, so that it can go on
	}
	code := s.random.Uint64()
	if span := a.Hi - a.Lo; span != ^uint64(0) {
		code = s.random.Uint64N(span + 1)
	}
	if s.chance(40) { // numbers of all lengths, not only long ones
		if code >>= s.random.IntN(64); info.Signed && s.chance(50) {
			code = ^code & (a.Hi - a.Lo)
		}
	}
	return a.Lo + code
}

// count is the code of a size: small as a rule, so that packets fit.
func (s *generating) count(a *decode.Query, info *plan.LeafInfo) uint64 {
	want := uint64(s.random.ExpFloat64() * 2.5)
	if s.chance(4) {
		want = s.random.Uint64N(min(a.Hi, 1<<20)-a.Lo+1) + a.Lo
	}
	if s.near(a) {
		want = 0
	}
	code := s.allowed(a, max(a.Lo, min(a.Lo+want, a.Hi)), 1)
	for _, other := range []uint64{code + 1, code - 1} {
		if kind, _ := info.Judge(other, a.Width); s.halves(a.Leaf, info.Value(code, a.Width)) &&
			kind == reject.None && a.Lo <= other && other <= a.Hi {
			return other
		}
	}
	return code
}

// halves reports whether a size would cut a unit of UTF-16 in two.
func (s *generating) halves(leaf int, value uint64) bool {
	return slices.ContainsFunc(s.g.sizings[leaf], func(z plan.Sizing) bool {
		b, ok := s.g.plan.StepAt(z.Point).(*plan.Blob)
		return ok && b.Encoding.Unit() == 2 && (int64(value)*z.K+z.C)%2 != 0
	})
}

// More ends a list that nothing else ends.
func (s *generating) More(a *decode.Query) (bool, error) {
	list := listOf(a, a.List)
	most := plan.MostOf(s.g.plan.Steps[list])
	_, ends := a.Step().(*plan.Number) // it can be the index that ends the list
	if s.least != nil && *s.least != spotOf(a, list) {
		return false, nil
	}
	if s.least != nil {
		return s.another(a, list), nil
	}
	if t := s.goal; t != nil && s.hold && t.leaf < 0 && t.at == list {
		if t.end == goalLeast {
			s.met = true
			return false, nil
		}
		if ends {
			most--
		}
		if a.Elem == most {
			s.met = true
		}
		return a.Elem < most, nil
	}
	if a.Elem == 0 && len(s.way.codes) > 0 {
		return true, nil
	}
	random := s.random
	if l, ok := a.Step().(*plan.List); !ends && !(ok && l.Kind == plan.ListRest) {
		random = s.loose
	}
	more := a.Elem+1 < most && random.IntN(100) < 65 && !s.near(a)
	return more || s.another(a, list), nil
}

// Count is told how long a list became.
func (s *generating) Count(a *decode.Query, n uint64) error {
	if s.least != nil && *s.least == spotOf(a, listOf(a, a.List)) {
		s.least = nil
	}
	t := s.goal
	if t == nil || t.leaf >= 0 || s.g.plan.Steps[t.at].At().Node != a.Node {
		return nil
	}
	if t.end == goalLeast && n == 0 || t.end == goalMost && n >= plan.MostOf(s.g.plan.Steps[t.at]) {
		s.met = true
	}
	return nil
}

// Ignored keeps to zero: a set bit there deserves a note.
func (s *generating) Ignored(*decode.Query) uint64 { return 0 }

// Bytes makes up raw bytes or text.
func (s *generating) Bytes(a *decode.Query, size int) ([]byte, error) {
	b := s.g.plan.StepAt(a.Point).(*plan.Blob) // the encoder can be of a Raised plan
	if t := s.goal; t != nil && s.hold && t.leaf < 0 && t.at == b.ID && size >= 0 && s.g.open(b) {
		s.met = t.end == goalLeast && size == 0 || t.end == goalMost && size == b.Max
	}
	if a.Derivable {
		return nil, decode.ErrDerive
	}
	text := b.IsText()
	n := size
	if size < 0 || b.Text == schema.TextChar {
		most := int(b.Most())
		if b.Text == schema.TextCString {
			most--
		}
		random := s.random
		if s.g.open(a.Step()) {
			random = s.loose
		}
		n = min(int(random.ExpFloat64()*8)+s.longer(a), most)
		if s.least != nil {
			n = min(s.longer(a), most)
		}
		if t := s.goal; t != nil && s.hold && t.leaf < 0 && t.at == b.ID {
			s.met = true
			n = min(s.longer(a), most)
			if t.end == goalMost {
				n = most
			}
		}
	}
	if size < 0 && b.Encoding.Unit() == 2 {
		n &^= 1
	}
	if b.Text == schema.TextName {
		t := s.goal
		return s.names.make(s, a, n, t != nil && s.hold && t.at == b.ID), nil
	}
	s.text = s.text[:0]
	for len(s.text) < n && !text {
		s.text = append(s.text, byte(s.random.Uint32()))
	}
	if up := b.Up; s.zeros && !b.Rest && up != plan.NoStep && s.g.plan.Steps[up].Flow() == plan.Enter {
		clear(s.text)
	}
	units := 0
	for text && units < n {
		r := s.rune(n-units, b)
		had := len(s.text)
		s.text = utf8.AppendRune(s.text, r)
		units += b.Units(s.text[had:])
	}
	return s.text, nil
}

// characters of two bytes of UTF-8 and more, and in how many of a hundred cases at most they are taken.
var characters = []struct {
	text string
	in   int
}{{"é", 6}, {"€", 9}, {"🚀", 11}}

// rune is a character of a text that takes at most room units of it.
func (s *generating) rune(room int, b *plan.Blob) rune {
	n := s.random.IntN(100)
	for _, c := range characters {
		if n < c.in && b.Units([]byte(c.text)) <= room && b.Encoding.Has(c.text) {
			r, _ := utf8.DecodeRuneInString(c.text)
			return r
		}
	}
	return rune(0x20 + s.random.IntN(0x5f))
}

// solution is the values of a group in one element of a list.
type solution struct {
	of     *group
	parent int32
	index  uint32
}

// solved is the code of a leaf that requirements tie to others; false where none do, or no values were found.
func (s *generating) solved(a *decode.Query) (uint64, bool) {
	o := s.way.groups[a.Leaf]
	if a.Parent >= 0 && a.Index < s.g.from {
		o = s.g.usual[a.Leaf]
	}
	if o == nil {
		return 0, false
	}
	key := solution{o, a.Parent, a.Index}
	values, known := s.solutions[key]
	if !known {
		values, _ = o.solve(s.random, func(leaf int) bool { return s.g.leaves[leaf].counts }, s.held, a.Saved)
		if s.solutions == nil {
			s.solutions = map[solution][]int64{}
		}
		s.solutions[key] = values
	}
	if values == nil {
		return 0, false
	}
	info := &s.g.plan.Info[a.Leaf]
	code := info.CodeOf(uint64(values[slices.Index(o.leaves, a.Leaf)]), a.Width)
	kind, _ := info.Judge(code, a.Width)
	if kind != reject.None || code < a.Lo || code > a.Hi {
		return 0, false
	}
	if t := s.goal; t != nil && s.hold && t.leaf == a.Leaf && t.end == goalCode && t.code == code {
		s.met = true
	}
	return code, true
}

// held is the value that a leaf is to have because of the goal.
func (s *generating) held(leaf int) (int64, bool) {
	info, width := &s.g.plan.Info[leaf], codeWidth(s.g.plan, leaf)
	if t := s.goal; t != nil && s.hold && t.leaf == leaf && t.end == goalCode {
		return int64(info.Value(t.code, width)), true
	}
	codes := s.way.codes[leaf]
	if codes == nil {
		codes = s.g.must[leaf]
	}
	if len(codes) == 0 {
		return 0, false
	}
	return int64(info.Value(codes[s.random.IntN(len(codes))], width)), true
}
