package schema

import (
	"math/big"
	"sort"
	"strings"
)

// Narrowing: what a comparison that holds says about the fields in it. `if n <= 4 { … }` makes n 0..4 inside, and more
// than 4 in the else. Facts are kept in one table with an undo log, so entering and leaving a branch costs as much as
// it learnt, however many names are in scope.

// factKey names what is narrowed: a variable in scope and the path after it. The variable alone is not enough, since
// two fields of one named struct share the variables inside it.
type factKey struct {
	root *Var
	path string
}

// fact is "key lies within", and where that is known "key is one of".
type fact struct {
	key factKey
	in  interval
	set []Range // in ascending order, disjoint; nil where in says all of it
}

// facts is the table of what is known at the place being checked.
type facts struct {
	known map[factKey]fact
	log   []undo
}

// undo is a fact as it was before; its key alone where there was none.
type undo struct {
	old fact
	had bool
}

func newFacts() *facts { return &facts{known: map[factKey]fact{}} }

// mark is where to come back to with leave.
func (t *facts) mark() int { return len(t.log) }

// leave forgets everything learnt since mark.
func (t *facts) leave(mark int) {
	for len(t.log) > mark {
		u := t.log[len(t.log)-1]
		t.log = t.log[:len(t.log)-1]
		if u.had {
			t.known[u.old.key] = u.old
		} else {
			delete(t.known, u.old.key)
		}
	}
}

// learn adds facts. One that leaves nothing (`n > 300` of a uint8) is dropped: the branch is dead, and the wider
// interval is as true there as any other.
func (t *facts) learn(fs []fact) {
	for _, f := range fs {
		old, had := t.known[f.key]
		if had {
			var ok bool
			if f.in, ok = f.in.intersect(old.in); !ok {
				continue
			}
			if f.set == nil {
				f.set = old.set
			} else if old.set != nil {
				f.set = intersect(f.set, old.set)
			}
		}
		t.log = append(t.log, undo{fact{f.key, old.in, old.set}, had})
		t.known[f.key] = f
	}
}

// intersect gives what two sets share, each in ascending order.
func intersect(a, b []Range) []Range {
	shared := []Range{}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if both, ok := (interval{a[i].Lo, a[i].Hi}).intersect(interval{b[j].Lo, b[j].Hi}); ok {
			shared = append(shared, Range{both.lo, both.hi})
		}
		if a[i].Hi.Cmp(b[j].Hi) < 0 {
			i++
		} else {
			j++
		}
	}
	return shared
}

// narrowed is the interval of a path here, given the one it was declared with.
func (t *facts) narrowed(key factKey, declared interval) interval {
	if f, ok := t.known[key]; ok {
		if r, ok := f.in.intersect(declared); ok {
			return r
		}
	}
	return declared
}

func keyOf(path []*Var) factKey {
	k := factKey{root: path[0]}
	if len(path) > 1 {
		names := make([]string, 0, len(path)-1)
		for _, v := range path[1:] {
			names = append(names, v.Name)
		}
		k.path = strings.Join(names, ".")
	}
	return k
}

// factsOf is what e being true (or false) says. e is nil where the source was wrong: it says nothing then.
func factsOf(e *TypedExpr, truth bool) []fact {
	if e == nil || !e.Bool {
		return nil
	}
	switch e.Op {
	case OpVar:
		v := big.NewInt(0)
		if truth {
			v = bigOne
		}
		return []fact{{key: keyOf(e.Path), in: single(v)}}
	case OpNot:
		return factsOf(e.X, !truth)
	case OpLAnd, OpLOr:
		if truth == (e.Op == OpLAnd) {
			return append(factsOf(e.X, truth), factsOf(e.Y, truth)...)
		}
		return either(factsOf(e.X, truth), factsOf(e.Y, truth))
	case OpIn:
		return membership(e, truth)
	case OpEq, OpNe, OpLt, OpLe, OpGt, OpGe:
		op := e.Op
		if !truth {
			op = negated[op]
		}
		return append(compared(e.X, op, e.Y), compared(e.Y, mirrored[op], e.X)...)
	}
	return nil
}

var negated = map[ExprOp]ExprOp{OpEq: OpNe, OpNe: OpEq, OpLt: OpGe, OpGe: OpLt, OpGt: OpLe, OpLe: OpGt}
var mirrored = map[ExprOp]ExprOp{OpEq: OpEq, OpNe: OpNe, OpLt: OpGt, OpGt: OpLt, OpLe: OpGe, OpGe: OpLe}

// compared is what `x op y` says about x, when x is linear in a path: y's whole interval bounds it.
func compared(x *TypedExpr, op ExprOp, y *TypedExpr) []fact {
	in, ok := x.interval(), true
	switch op {
	case OpEq:
		in, ok = in.intersect(y.interval())
	case OpNe:
		if y.Lo.Cmp(y.Hi) == 0 {
			in, ok = without(in, Range{y.Lo, y.Hi})
		}
	case OpLt:
		in, ok = in.intersect(interval{in.lo, new(big.Int).Sub(y.Hi, bigOne)})
	case OpLe:
		in, ok = in.intersect(interval{in.lo, y.Hi})
	case OpGt:
		in, ok = in.intersect(interval{new(big.Int).Add(y.Lo, bigOne), in.hi})
	case OpGe:
		in, ok = in.intersect(interval{y.Lo, in.hi})
	}
	if x, in = linearPath(x, in); !ok || x == nil {
		return nil
	}
	return []fact{{key: keyOf(x.Path), in: in}}
}

// linearPath is the path in x, which adds, subtracts, multiplies or divides it by constants, and where the path lies when x
// lies in an interval; nil where x is another expression, or nothing is left.
func linearPath(x *TypedExpr, in interval) (*TypedExpr, interval) {
	for x.Op != OpVar {
		inner, by := x.X, x.Y
		if by == nil || x.X.IsConst() && (x.Op == OpAdd || x.Op == OpMul) {
			inner, by = by, inner
		}
		if inner == nil || !by.IsConst() {
			return nil, in
		}
		n := by.Val
		if x.Op == OpShl || x.Op == OpShr {
			n = new(big.Int).Lsh(bigOne, uint(n.Uint64())) // at most 63, or it was refused
		}
		switch x.Op {
		case OpAdd:
			in = interval{new(big.Int).Sub(in.lo, n), new(big.Int).Sub(in.hi, n)}
		case OpSub:
			in = interval{new(big.Int).Add(in.lo, n), new(big.Int).Add(in.hi, n)}
		case OpMul, OpShl:
			if n.Sign() <= 0 {
				return nil, in
			}
			up := new(big.Int).Sub(n, bigOne)
			in = interval{new(big.Int).Div(new(big.Int).Add(in.lo, up), n), new(big.Int).Div(in.hi, n)} // rounded inwards
		case OpDiv, OpShr:
			if n.Sign() <= 0 || inner.Lo.Sign() < 0 {
				return nil, in
			}
			in = interval{new(big.Int).Mul(in.lo, n), new(big.Int).Add(new(big.Int).Mul(in.hi, n), new(big.Int).Sub(n, bigOne))}
		default:
			return nil, in
		}
		x = inner
	}
	if both, ok := in.intersect(x.interval()); ok {
		return x, both
	}
	return nil, in
}

// membership is what `x in set` says about x.
func membership(e *TypedExpr, truth bool) []fact {
	if len(e.Set) == 0 {
		return nil
	}
	in, ok := e.X.interval(), true
	var set []Range
	if truth {
		in, ok = in.intersect(interval{e.Set[0].Lo, e.Set[len(e.Set)-1].Hi})
		set = e.Set
	} else {
		in, ok = withoutAll(in, e.Set)
	}
	x, in := linearPath(e.X, in)
	if !ok || x == nil {
		return nil
	}
	if x != e.X {
		set = nil
	}
	return []fact{{keyOf(x.Path), in, set}}
}

// without cuts r off an end of in; in the middle it changes nothing, since an interval has no holes.
func without(in interval, r Range) (interval, bool) {
	if r.Lo.Cmp(in.lo) <= 0 && r.Hi.Cmp(in.lo) >= 0 {
		in.lo = new(big.Int).Add(r.Hi, bigOne)
	}
	if r.Hi.Cmp(in.hi) >= 0 && r.Lo.Cmp(in.hi) <= 0 {
		in.hi = new(big.Int).Sub(r.Lo, bigOne)
	}
	return in, in.lo.Cmp(in.hi) <= 0
}

// withoutAll cuts a sorted set off both ends.
func withoutAll(in interval, set []Range) (interval, bool) {
	ok := true
	for _, r := range set {
		if in, ok = without(in, r); !ok {
			return in, false
		}
	}
	for i := len(set) - 1; i >= 0; i-- {
		if in, ok = without(in, set[i]); !ok {
			return in, false
		}
	}
	return in, true
}

// either is what holds when one of two lists of facts does: only what both speak of.
func either(a, b []fact) []fact {
	var out []fact
	seen := collect(a)
	other := collect(b)
	for _, f := range a {
		in, mine := seen[f.key]
		o, theirs := other[f.key]
		if mine && theirs {
			out = append(out, fact{key: f.key, in: in.union(o)})
			delete(seen, f.key)
		}
	}
	return out
}

// collect intersects the facts of one list key by key.
func collect(fs []fact) map[factKey]interval {
	m := make(map[factKey]interval, len(fs))
	for _, f := range fs {
		in := f.in
		if old, ok := m[f.key]; ok {
			if r, ok := in.intersect(old); ok {
				in = r
			}
		}
		m[f.key] = in
	}
	return m
}

func sortRanges(set []Range) {
	sort.Slice(set, func(i, j int) bool { return set[i].Lo.Cmp(set[j].Lo) < 0 })
}
