package schema

import (
	"fmt"
	"math/big"
)

// What sizes and conditions say about how much is left, and how to leave more.

// over is bits that a condition or a size says are left at least, without those that may have been read since.
type over struct {
	bits uint64
	at   Span // of what says so
	size bool // it is what the item at hand leaves, which was read with it
}

// short is a way that has been joined with others that leave more.
type short struct {
	left uint64
	name string // of what it ends with
}

// behind is what is left at least after an item that reads at most so many bits: what was before it without them, or
// what its own condition says.
func (o over) behind(before over, most uint64) over {
	if o.size || o != before && most == 0 {
		o.size = false
		return o
	}
	before.bits -= min(before.bits, most)
	return before
}

// mostBits is how many bits an item reads at most.
func mostBits(it Item) uint64 {
	own := it.Extent()
	if own.Align > 0 || own.Window {
		return sizeMax // nothing is left for sure
	}
	most := own.Most
	for _, way := range it.Ways() {
		if way.Value != nil {
			most = max(most, mostOf(way.Value))
		} else if way.Items != nil {
			return sizeMax
		}
	}
	return most
}

// mostOf is mostBits of a value, with the padding around it. A struct may have padding anywhere.
func mostOf(v *Value) uint64 {
	if t, ok := v.Type.(*ArrayType); ok {
		if mostOf(t.Elem) != t.Elem.MaxBits {
			return sizeMax
		}
		return satAdd(v.MaxBits, 7)
	}
	_, blob := v.Type.(*BlobType)
	if _, text := v.Type.(*TextType); blob || text {
		return satAdd(v.MaxBits, 14)
	}
	_, named := v.Type.(*StructRef)
	if v.MinBits == v.MaxBits && v.MaxBits <= 64 && !named {
		return v.MaxBits
	}
	return sizeMax
}

// limit says that what is called name leaves at most left bits.
func (p *passages) limit(s stretch, left uint64, name string, fix func(uint64) string) stretch {
	if left < s.left {
		s.left, s.taker = left, &taker{name, fix, p.after()}
	}
	kept := make([]short, 0, len(s.short))
	for _, x := range s.short {
		if x.left < left {
			kept = append(kept, x)
		}
	}
	s.short = kept
	return s
}

// blob is bytes(e).
func (p *passages) blob(t *BlobType, o Order, s stretch, name string, at Span) stretch {
	s = p.aligned(o, s)
	p.inFront(t, s.used)
	most := ""
	if t.Explicit {
		most = fmt.Sprintf(", max %d", t.Max)
	}
	if t.Size == nil {
		s = p.limit(s, 7, name, func(bytes uint64) string { return fmt.Sprintf("write `bytes(rest - %d%s)`", bytes, most) })
		return p.aligned(o, s)
	}
	start := s
	s = p.needs(s, satMul(8, clamp(t.Size.Lo)), "`"+cut(name, 40)+"`", at)
	return p.sized(start, s, t.Size, 8, o, name, at, func(bytes uint64) string {
		return fmt.Sprintf("write `bytes(%s%s)`", less(t.Size, bytes), most)
	})
}

// less is the source of e with as much taken away as leaves n bytes after it. `rest - k` leaves k of them already.
func less(e *TypedExpr, n uint64) string {
	if e.Op == OpSub && e.X.Op == OpRest && e.Y.IsConst() && e.Y.Val.IsUint64() {
		return fmt.Sprintf("rest - %d", max(e.Y.Val.Uint64(), n))
	}
	return fmt.Sprintf("%s - %d", cut(e.Text, 80), n)
}

// sized is s after something of e units of unit bits each that began at start. Where e follows from how much was left,
// what is left after it is known.
func (p *passages) sized(start, s stretch, e *TypedExpr, unit int64, o Order, name string, at Span, fix func(uint64) string) stretch {
	l, ok := p.least(e, start)
	if s.dead || !ok || unit*l.times < 8 {
		return s
	}
	// left ≤ 8·R + 7 - (read since) - unit·(times·R + more), where R ≥ 0 is the whole bytes that were left then.
	if l.exact && start.left < maxLeast && l.times*int64(start.left/8)+l.more < 0 {
		const what = "the size of `%s` is always below 0: at most %s can be left here"
		return p.dies(s, problem{at: at, what: fmt.Sprintf(what, cut(name, 40), amount(start.left))})
	}
	left := 7 - int64(min(start.used-l.used, maxLeast)) - unit*l.more
	if left < 0 {
		return p.dies(s, problem{at: at, what: fmt.Sprintf("`%s` is always longer than what is left for it", cut(name, 40))})
	}
	s = p.limit(s, uint64(left), name, fix)
	if l.exact && unit*l.times == 8 && l.more < 0 { // what it takes of the whole bytes is all but so many
		s.over = over{uint64(-unit * l.more), at, true}
	}
	return p.aligned(o, s)
}

// window is `within`: what is inside sees its bits alone.
func (p *passages) window(it *Within, o Order, s stretch, at Span) stretch {
	unit := int64(8)
	if it.Bits {
		unit = 1
	} else {
		s = p.aligned(o, s)
	}
	start := s
	s = p.needs(s, satMul(uint64(unit), clamp(it.Size.Lo)), "the window", at)
	if s.dead {
		return s
	}
	inside := p.moved(start)
	if inside.left = min(start.left, satMul(uint64(unit), clamp(it.Size.Hi))); it.Fill > 0 { // zeros follow
		inside.left, inside.used, inside.short = sizeMax, start.used, nil
	}
	if inside.left < start.left {
		inside.taker = nil
	}
	inside.over = over{}
	behind, loose := p.behind, p.loose
	p.behind, p.loose = nil, it.Bits || o == Bytewise
	inside = p.ways(inside, func(s stretch) stretch { return p.items(it.Items, o, s) })
	p.behind, p.loose = behind, loose
	if inside.dead {
		s.dead = true
		return s
	}
	if inside.over.bits >= 8 {
		const what = "nothing reads the end of the window: it always has at least %s more"
		return p.dies(s, problem{at: inside.over.at, what: fmt.Sprintf(what, amount(inside.over.bits&^7))})
	}
	if least := satMul(uint64(unit), clamp(it.Size.Lo)); least >= satAdd(it.inside, 8) {
		return p.dies(s, problem{at: at, what: fmt.Sprintf("the window is never full: it has at least %s, and what is inside takes at most %s",
			amount(least), amount(it.inside))})
	}
	word := ""
	if it.Fill > 0 {
		word = " zeros"
	} else {
		s.used = max(s.used, inside.used)
	}
	if it.Bits {
		word = " bits"
	}
	return p.sized(start, s, it.Size, unit, o, "within("+it.Size.Text+word+")", at, func(bytes uint64) string {
		if it.Bits {
			bytes = satMul(bytes, 8)
		}
		return fmt.Sprintf("write `within(%s%s)`", less(it.Size, bytes), word)
	})
}

// least bounds a number from below: times · (the whole bytes that were left after used bits) + more.
type least struct {
	used        uint64
	times, more int64 // times ≥ 1; both at most maxLeast
	exact       bool  // it is that number, of what is left at at
	at          int   // stretch.at
}

// maxLeast keeps the arithmetic over least inside int64. What is larger is not followed.
const maxLeast = 1 << 40

// least bounds e at s; false where it does not follow from how much is left.
func (p *passages) least(e *TypedExpr, s stretch) (least, bool) {
	plus := func(x *TypedExpr, add *big.Int, single bool) (least, bool) {
		l, ok := p.least(x, s)
		l.exact = l.exact && single
		if !ok || !add.IsInt64() {
			return l, false
		}
		if l.more += max(min(add.Int64(), 2*maxLeast), -2*maxLeast); l.more > maxLeast || l.more < -maxLeast {
			return l, false
		}
		return l, true
	}
	times := func(x, by *TypedExpr, shift bool) (least, bool) {
		l, ok := p.least(x, s)
		if !ok || !by.IsConst() || by.Val.Sign() <= 0 || by.Val.Cmp(big.NewInt(1<<20)) > 0 || shift && by.Val.Cmp(big.NewInt(20)) > 0 {
			return l, false
		}
		n := by.Val.Int64()
		if shift {
			n = 1 << n
		}
		l.times, l.more = l.times*n, l.more*n
		return l, l.times <= maxLeast && -maxLeast <= l.more && l.more <= maxLeast
	}
	switch e.Op {
	case OpRest:
		return least{used: s.used, times: 1, exact: true, at: s.at}, true
	case OpVar:
		if len(e.Path) == 1 {
			l, ok := p.lets[e.Path[0]]
			l.exact = l.exact && l.at == s.at // nothing was read since
			return l, ok
		}
	case OpAdd:
		if l, ok := plus(e.X, e.Y.Lo, e.Y.IsConst()); ok {
			return l, true
		}
		return plus(e.Y, e.X.Lo, e.X.IsConst())
	case OpSub:
		return plus(e.X, new(big.Int).Neg(e.Y.Hi), e.Y.IsConst())
	case OpMul:
		if l, ok := times(e.X, e.Y, false); ok {
			return l, true
		}
		return times(e.Y, e.X, false)
	case OpShl:
		return times(e.X, e.Y, true)
	}
	return least{}, false
}

// upTo is s where e is at most hi.
func (p *passages) upTo(s stretch, e *TypedExpr, hi *big.Int) stretch {
	l, ok := p.least(e, s)
	if !ok || !hi.IsInt64() || hi.Int64() > maxLeast {
		return s
	}
	bytes := max(max(hi.Int64(), -maxLeast)-l.more, 0) / l.times
	left := max(8*bytes+7-int64(min(s.used-l.used, maxLeast)), 0)
	if uint64(left) < s.left {
		s.left, s.taker = uint64(left), nil
	}
	return s
}

// fromOn is s where e is at least lo.
func (p *passages) fromOn(s stretch, e *TypedExpr, lo *big.Int) stretch {
	l, ok := p.least(e, s)
	if !ok || !l.exact || !lo.IsInt64() || lo.Int64() > maxLeast || lo.Int64() <= l.more {
		return s
	}
	// times·R + more ≥ lo, so R is at least the quotient, rounded up.
	if bits := 8 * uint64((lo.Int64()-l.more+l.times-1)/l.times); bits > s.over.bits {
		s.over = over{bits: bits, at: p.cond}
	}
	return s
}

// given is s where cond is known to be truth.
func (p *passages) given(s stretch, cond *TypedExpr, truth bool) stretch {
	switch cond.Op {
	case OpNot:
		return p.given(s, cond.X, !truth)
	case OpLAnd, OpLOr:
		if truth == (cond.Op == OpLAnd) {
			return p.given(p.given(s, cond.X, truth), cond.Y, truth)
		}
		a, b := p.given(s, cond.X, truth), p.given(s, cond.Y, truth)
		if b.left > a.left {
			a, b = b, a
		}
		if b.over.bits < a.over.bits {
			a.over = b.over
		}
		return a
	case OpIn:
		if truth {
			return p.upTo(s, cond.X, cond.Set[len(cond.Set)-1].Hi)
		}
	case OpEq, OpNe, OpLt, OpLe, OpGt, OpGe:
		if cond.X.Bool {
			return s
		}
		op, x, y := cond.Op, cond.X, cond.Y
		if !truth {
			op = negated[op]
		}
		if op == OpEq {
			s = p.fromOn(p.fromOn(s, x, y.Lo), y, x.Lo)
			return p.upTo(p.upTo(s, x, y.Hi), y, x.Hi)
		}
		if op == OpGt || op == OpGe {
			op, x, y = mirrored[op], y, x
		}
		switch op {
		case OpLt:
			s = p.fromOn(s, y, new(big.Int).Add(x.Lo, bigOne))
			return p.upTo(s, x, new(big.Int).Sub(y.Hi, bigOne))
		case OpLe:
			s = p.fromOn(s, y, x.Lo)
			return p.upTo(s, x, y.Hi)
		}
	}
	return s
}
