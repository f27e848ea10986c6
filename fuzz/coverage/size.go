package coverage

import (
	"math/big"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// How large things can be, and what follows for the steps whose sizes are found on the way.

// interval is the values that an operand can have.
type interval struct{ lo, hi *big.Int }

// intervalOf is the interval of an operand of a step, NoStep for what is no leaf's. The checker knows it for
// expressions; a count or a length that belongs to a type is its leaf's.
func (r *Terms) intervalOf(operand uint32, at plan.StepID) interval {
	p, o := r.Plan, &r.Plan.Operands[operand]
	v, constant := r.constant(operand)
	switch {
	case constant && o.Signed:
		n := big.NewInt(int64(v))
		return interval{n, n}
	case constant:
		n := new(big.Int).SetUint64(v)
		return interval{n, n}
	case o.Expr != nil && o.Expr.Lo != nil:
		return interval{o.Expr.Lo, o.Expr.Hi}
	case o.Kind == plan.OperandLeaf && !o.Bool && at != plan.NoStep:
		info := &p.Info[p.LeafOf(o, at)]
		lo := new(big.Int).SetUint64(info.Base)
		return interval{lo, new(big.Int).Add(lo, new(big.Int).SetUint64(info.TypeSpan))}
	}
	return interval{new(big.Int), big.NewInt(1)} // whether something is there
}

// Within reports whether an operand, as a step reads it, is proved to be from 0 to most.
func (r *Terms) Within(operand uint32, at plan.StepID, most uint64) bool {
	return r.intervalOf(operand, at).within(most) == ""
}

// within proves that the interval lies within 0..most.
func (i interval) within(most uint64) string {
	if i.lo.Sign() >= 0 && i.hi.Cmp(new(big.Int).SetUint64(most)) <= 0 {
		return "what it is computed from allows no other"
	}
	return ""
}

// within proves that all are from 0 to most.
func (n numbers) within(most uint64) string {
	if n.lo >= 0 && n.hi < unbounded && uint64(n.hi) <= most {
		return "what it is computed from allows no other"
	}
	return ""
}

// bits is so many units, negative ones and absurd ones cut off.
func (i interval) bits(unit uint64) (least, most uint64) {
	clamp := func(v *big.Int) uint64 {
		switch {
		case v.Sign() <= 0:
			return 0
		case !v.IsUint64() || v.Uint64() > everything:
			return everything
		}
		return v.Uint64()
	}
	return clamp(i.lo) * unit, clamp(i.hi) * unit
}

// blobSize is the fewest and most units of a blob that was accepted, the NUL of a cstring counted.
func (r *Terms) blobSize(b *plan.Blob) (least, most uint64) {
	most = uint64(b.Max)
	switch {
	case b.Text.Ends():
		return 1, most
	case b.Rest:
		return 0, most
	case b.Size >= 0:
		lo, hi := r.intervalOf(uint32(b.Size), b.ID).bits(1)
		return min(lo, most), min(hi, most)
	}
	return most, most
}

// numberBits is the fewest and most bits of a number, which come in steps of step.
func (r *Terms) numberBits(n *plan.Number) (least, most, step uint64) {
	if n.Kind == plan.NumberSized {
		least, most = r.intervalOf(n.Operand, n.ID).bits(1)
		return min(least, 64), min(most, 64), 1
	}
	if n.Kind == plan.NumberRanged {
		lo, hi := r.spans(n)
		return uint64(lo.BitLen()), uint64(hi.BitLen()), 1
	}
	least, most = r.Plan.Bits(n)
	if step = 1; n.Kind == plan.NumberVarint {
		step = 8
	}
	return least, most, step
}

// spans is the smallest and largest span that int(a..e) can have, 0 where e is below a.
func (r *Terms) spans(n *plan.Number) (lo, hi *big.Int) {
	from := new(big.Int).SetUint64(n.Lo)
	if n.Signed {
		from = big.NewInt(int64(n.Lo))
	}
	e := r.intervalOf(n.Operand, n.ID)
	lo, hi = new(big.Int).Sub(e.lo, from), new(big.Int).Sub(e.hi, from)
	zero := new(big.Int)
	if lo.Sign() < 0 {
		lo = zero
	}
	if hi.Sign() < 0 {
		hi = zero
	}
	return lo, hi
}

// number lists the reject points of a number whose width is found on the way.
func (ri *RejectIndex) number(n *plan.Number, at room) {
	p, leaf := ri.p, int(n.Leaf)
	ri.place.Leaf = leaf
	// A kind can have several causes, of which one is enough.
	seen := map[reject.Kind]int{}
	add := func(kind reject.Kind, unreachable string) {
		i, known := seen[kind]
		switch {
		case !known:
			seen[kind] = len(ri.List)
			ri.add(kind, unreachable)
		case unreachable == "" && !ri.dead:
			ri.List[i].Unreachable = ""
		}
	}
	_, most, _ := ri.Terms.numberBits(n)
	pastEnd := at.holds(most)
	if n.Kind == plan.NumberSized && pastEnd == "" {
		pastEnd = ri.fits(n.Operand, n.ID, at, 1, 64)
	}
	add(reject.PastEnd, pastEnd)
	info := &p.Info[leaf]
	outside := reject.OutOfRange
	if info.Enum != nil && !info.Enum.Open && !info.Enum.Flags {
		outside = reject.UnknownCase // a closed enum knows its cases only
	}
	if info.Enum != nil && !info.Enum.Open && info.Enum.Flags && n.Kind != plan.NumberSized {
		add(reject.ReservedNonzero, "") // also a code that is beyond its type
	}
	switch n.Kind {
	case plan.NumberSized:
		if ri.Terms.intervalOf(n.Operand, n.ID).lo.Sign() < 0 {
			what, _, _ := ri.known.operand(n.Operand, n.ID, &at)
			add(reject.OutOfRange, what.within(64))
		}
	case plan.NumberRanged:
		e := ri.Terms.intervalOf(n.Operand, n.ID)
		if from := new(big.Int).SetUint64(n.Lo); n.Signed && e.lo.Cmp(big.NewInt(int64(n.Lo))) < 0 || !n.Signed && e.lo.Cmp(from) < 0 {
			add(reject.OutOfRange, "")
		}
		add(outside, fullSpans(ri.Terms.spans(n)))
	case plan.NumberVarint:
		unreachable := ""
		if n.Bits <= 7 {
			unreachable = "a number of one group has no other encoding"
		}
		add(reject.NonCanonical, unreachable)
		add(outside, "")
	case plan.NumberBelow: // all its bits are a number's
	case plan.NumberLadder:
		add(outside, "")
		add(reject.NotIncreasing, "")
	case plan.NumberIndex:
		unreachable := ""
		if n.Most == wire.Mask(n.Bits) && !(n.Any && n.EndLeaf >= 0) { // else an element too many is refused there
			unreachable = everyCode
		}
		add(reject.OutOfRange, unreachable)
		if n.Any {
			break
		}
		unreachable = ""
		if n.EndLeaf < 0 && n.Most == 0 {
			unreachable = "the list has one element at most"
		}
		add(reject.NotIncreasing, unreachable)
	case plan.NumberStep:
		add(reject.OutOfRange, "")
		add(reject.NotIncreasing, "a step is 1 at least")
	default:
		panic("pktscope: internal error: a number of an unknown kind")
	}
	if n.Kind != plan.NumberIndex && n.Kind != plan.NumberStep {
		for _, v := range valueRefusals(p, leaf) {
			add(v.kind, v.unreachable)
		}
	}
}

// fullSpans proves that int(a..e) uses all its codes whatever e is.
func fullSpans(lo, hi *big.Int) string {
	if hi.Cmp(big.NewInt(FewCodes)) > 0 {
		return ""
	}
	for span := lo.Uint64(); span <= hi.Uint64(); span++ {
		if span&(span+1) != 0 {
			return ""
		}
	}
	return everyCode
}

// fitting proves that all bits of a step are there, with the padding before them.
func (ri *RejectIndex) fitting(s plan.Step, at room) string {
	most, unit := uint64(s.Extent(ri.p, 0)), uint64(1)
	size, sized := s.Sized()
	limit := uint64(mostNumber)
	if n := uint64(s.Pads()); n > 0 {
		held := at.holdsPadding(n)
		if _, all := s.(*plan.Align); all || held == "" {
			return held
		}
		at = at.align(n)
	}
	if b, ok := s.(*plan.Blob); ok {
		if b.Rest {
			return "it takes what there is"
		}
		unit, limit = uint64(b.Unit()), uint64(b.Max)
		_, most = ri.Terms.blobSize(b)
		most *= unit
	} else if w, ok := s.(*plan.Window); ok {
		unit = uint64(w.Unit)
		_, most = ri.Terms.intervalOf(size, w.ID).bits(unit)
	} else if s.Flow() == plan.Repeat { // the flags of a bitmap
		at, most = ri.rooms.behind[s.At().ID].room, plan.MostOf(s)
	}
	why := at.holds(most)
	if why == "" && sized {
		why = ri.fits(size, s.At().ID, at, unit, limit)
	}
	return why
}

// bounded proves that the size of a step is never out of its bounds, at the room after its padding.
func (ri *RejectIndex) bounded(s plan.Step, at room) string {
	if let, ok := s.(*plan.Let); ok {
		return ri.inRange(let, at)
	}
	size, sized := s.Sized()
	var what numbers
	if sized {
		what, _, _ = ri.known.operand(size, s.At().ID, &at)
	}
	if _, ok := s.(*plan.Window); ok {
		if what.lo >= 0 {
			return "what is before it makes sure that as much is left"
		}
		return ""
	}
	if sized {
		return what.within(plan.MostOf(s))
	}
	if s.Flow() == plan.Repeat {
		return ri.most(s, at)
	}
	if at.hi/8 <= plan.MostOf(s) {
		return "a datagram has no more"
	}
	return ""
}

// inRange proves that a value is never out of its range.
func (ri *RejectIndex) inRange(let *plan.Let, at room) string {
	info := &ri.p.Info[let.Leaf]
	what, _, _ := ri.known.operand(let.Value, let.ID, &at)
	for lo, hi := range info.RuleSet() {
		if lo, hi := keyNumbers(lo, hi, info.IsSigned()); lo <= what.lo && what.hi <= hi && what.hi < unbounded {
			return "what it is computed from allows no other"
		}
	}
	return ""
}

// wellFormed proves that a text breaks no rule of texts.
func (ri *RejectIndex) wellFormed(b *plan.Blob) string {
	needs := uint64(1)
	if b.Text == schema.TextChar && !b.Encoding.Refuses() {
		needs = 2
	}
	if _, most := ri.Terms.blobSize(b); most < needs {
		return "a text this short breaks no rule"
	}
	return ""
}

// equal proves that bytes are what their rule asks.
func (ri *RejectIndex) equal(b *plan.Blob) string {
	least, most := ri.Terms.blobSize(b)
	n := uint64(len(b.Rule.Bytes))
	switch {
	case b.Rule.Kind == schema.RuleEq && most == 0 && n == 0:
		return "it has no bytes"
	case b.Text == 0 && b.Rule.Kind == schema.RuleNe && (n < least || n > most):
		return "it never has that size"
	}
	return ""
}

// fits proves that as many units as an operand says, which are from 0 to most, are never more than what is left; ""
// where nothing proves it.
func (ri *RejectIndex) fits(operand uint32, id plan.StepID, at room, unit, most uint64) string {
	const never = "its size is never more than what is left"
	at = ri.known.taking(at, operand, id, int64(most))
	if at.at == 0 {
		return never
	}
	size, sum, linear := ri.known.size(operand, id, int64(unit), &at)
	if ri.known.spare(&at, size, sum, linear).lo >= 0 {
		return never
	}
	p := ri.p
	if p.Operands[operand].Kind != plan.OperandCode || len(p.Reads(operand)) > 0 || len(p.AppendSights(nil, operand, &plan.Env{})) > 0 {
		return ""
	}
	left := at.bytes() // it reads nothing else: it is asked about each
	for rest := left.lo; rest <= left.hi; rest += max(left.step, 1) {
		size := p.Eval(operand, &plan.Env{End: 8 * int(rest)})
		if size <= most && size*unit > max(8*uint64(rest), at.lo) {
			return ""
		}
	}
	return never
}
