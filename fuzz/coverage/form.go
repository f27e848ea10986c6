package coverage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
)

// Expressions as sums. What a size, a condition or a `let` says is read as a sum over atoms: registers, `rest`, and
// whatever else is computed of registers, such as `a & 15`, which is one atom wherever it is written.

// Term is an expression as a tree. X and Y are its operands, nil where the instruction has none.
type Term struct {
	Inst  *plan.Inst
	op    string // its word
	X, Y  *Term
	reads bool // a register
}

// Word is the instruction's, "" where there is none.
func (t *Term) Word() string {
	if t == nil {
		return ""
	}
	return t.op
}

// ReadsRegister reports whether the value of a `let` is in it.
func (t *Term) ReadsRegister() bool { return t != nil && t.reads }

// Of is the tree of an operand, nil where that is no expression. It is made once.
func (r *Terms) Of(operand uint32) *Term {
	t, ok := r.terms[operand]
	if !ok {
		t = termOf(r.Plan, operand)
		r.terms[operand] = t
	}
	return t
}

func termOf(p *plan.Plan, operand uint32) *Term {
	o := &p.Operands[operand]
	switch o.Kind {
	case plan.OperandRegister:
		return &Term{Inst: plan.RegisterInst(o.Register), op: "register", reads: true}
	case plan.OperandConst, plan.OperandLeaf:
		return nil
	case plan.OperandCode:
	}
	var stack []*Term
	for i := o.Start; i < o.End; i++ {
		t := &Term{Inst: &p.Insts[i], op: p.Insts[i].Code.String()}
		switch t.op {
		case "register":
			t.reads = true
		case "const", "rest", "peek", "tail", "from", "here":
		case "flag", "neg", "not", "in", "table":
			t.X = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
		default:
			t.X, t.Y = stack[len(stack)-2], stack[len(stack)-1]
			stack = stack[:len(stack)-2]
		}
		t.reads = t.reads || t.X.ReadsRegister() || t.Y.ReadsRegister()
		stack = append(stack, t)
	}
	return stack[0]
}

// form is a number: a sum over atoms, in their order, and something from lo to hi.
type form struct {
	sum    []Factor
	lo, hi int64
}

// The atoms: the registers, those in atoms, and the bytes that are left.
const atomRest = -1

// mostTerms bounds a form, and mostNumber the numbers in it: what is larger is none.
const (
	mostTerms  = 6
	mostNumber = int64(1) << 40
)

func (f form) plus(o form, k int64) (form, bool) {
	out := form{lo: f.lo + min(k*o.lo, k*o.hi), hi: f.hi + max(k*o.lo, k*o.hi)}
	i, j := 0, 0
	for i < len(f.sum) || j < len(o.sum) {
		switch {
		case j == len(o.sum) || i < len(f.sum) && f.sum[i].At < o.sum[j].At:
			out.sum = append(out.sum, f.sum[i])
			i++
		case i == len(f.sum) || o.sum[j].At < f.sum[i].At:
			out.sum = append(out.sum, Factor{o.sum[j].At, k * o.sum[j].K})
			j++
		default:
			if n := f.sum[i].K + k*o.sum[j].K; n != 0 {
				out.sum = append(out.sum, Factor{f.sum[i].At, n})
			}
			i, j = i+1, j+1
		}
	}
	return out, out.small()
}

func (f form) times(k int64) (form, bool) {
	if k == 0 {
		return form{}, true
	}
	return form{}.plus(f, k)
}

func (f form) small() bool {
	for _, x := range f.sum {
		if x.K < -MaxFactor || x.K > MaxFactor {
			return false
		}
	}
	return len(f.sum) <= mostTerms && -mostNumber < f.lo && f.hi < mostNumber
}

// of is an atom's number, 0 where the form does not have it.
func (f form) of(atom int) int64 {
	for _, x := range f.sum {
		if x.At == atom {
			return x.K
		}
	}
	return 0
}

// atom is what an expression computes, as one number; false where it asks for more than registers hold.
func (a *atoms) atom(t *Term) (int, bool) {
	var b strings.Builder
	var registers []uint32
	if !a.text(&b, t, &registers) || len(registers) == 0 || b.Len() > 1<<10 {
		return 0, false
	}
	at, ok := a.byText[b.String()]
	if !ok {
		at = len(a.types)
		a.byText[b.String()] = at
		a.types, a.reads = append(a.types, anyNumber), append(a.reads, registers)
		for _, register := range registers {
			a.using[register] = append(a.using[register], at)
		}
		a.types[at], _, _ = a.value(t, &room{}, false, MaxLets)
	}
	return at, true
}

func (a *atoms) text(b *strings.Builder, t *Term, registers *[]uint32) bool {
	if t == nil {
		return true
	}
	switch t.Word() {
	case "rest", "peek", "tail", "from", "here":
		return false
	case "register":
		if !slices.Contains(*registers, t.Inst.A) {
			*registers = append(*registers, t.Inst.A)
		}
	}
	fmt.Fprintf(b, "%d %v %v %d %d(", t.Inst.Code, t.Inst.SX, t.Inst.SY, t.Inst.A, t.Inst.Imm)
	ok := a.text(b, t.X, registers) && a.text(b, t.Y, registers)
	b.WriteByte(')')
	return ok
}

// value is what an expression can be in a room, and the sum that it is, where it is one. signed says that it is an
// int64.
func (a *atoms) value(t *Term, r *room, signed bool, depth int) (what numbers, sum form, linear bool) {
	word, in := t.Word(), t.Inst
	atom := func(at int) (numbers, form, bool) {
		return a.numbersOf(at, r), form{sum: []Factor{{at, 1}}}, true
	}
	whole := func(what numbers, sum form, linear bool) (numbers, form, bool) {
		if linear {
			if both, ok := what.meet(a.sumOf(sum, r)); ok {
				what = both
			}
			return what, sum, true
		}
		at, ok := a.atom(t)
		if !ok {
			return what, form{}, false
		}
		if both, ok := what.meet(a.numbersOf(at, r)); ok {
			what = both
		}
		return what, form{sum: []Factor{{at, 1}}}, true
	}
	switch word {
	case "const":
		if int64(in.Imm) < 0 && !signed || int64(in.Imm) > mostNumber || int64(in.Imm) < -mostNumber {
			n := int64(in.Imm)
			if n < 0 && !signed {
				return fromTo(mostBound, unbounded), form{}, false
			}
			n = max(-mostBound, min(n, mostBound))
			return oneOrFar(n), form{}, false
		}
		n := int64(in.Imm)
		return oneNumber(n), form{lo: n, hi: n}, true
	case "register":
		if operand, ok := a.alias(in.A); ok && depth > 0 {
			what, sum, linear := a.value(a.terms.Of(operand), r, a.p.Operands[operand].Signed, depth-1)
			if linear {
				if both, ok := what.meet(a.numbersOf(int(in.A), r)); ok {
					what = both
				}
				return what, sum, true
			}
		}
		return atom(int(in.A))
	case "rest":
		return atom(atomRest)
	case "peek", "tail":
		if in.A < 40 {
			return fromTo(0, 1<<in.A-1), form{}, false
		}
		return fromTo(0, unbounded), form{}, false
	case "here":
		return fromTo(0, unbounded), form{}, false
	case "from", "flag":
		return whole(fromTo(0, 1), form{}, false)
	case "neg":
		x, f, ok := a.value(t.X, r, true, depth)
		if ok {
			f, ok = f.times(-1)
		}
		return whole(x.times(-1), f, ok)
	case "not":
		x, f, ok := a.value(t.X, r, false, depth)
		if ok {
			f, ok = form{lo: 1, hi: 1}.plus(f, -1)
		}
		return whole(oneNumber(1).plus(x.times(-1)), f, ok)
	case "table":
		x, _, _ := a.value(t.X, r, in.SX, depth)
		return whole(a.looked(in, x), form{}, false)
	case "in":
		x, _, _ := a.value(t.X, r, in.SX, depth)
		some, all := false, false
		for lo, hi := range a.ranges(in) {
			both, ok := x.between(lo, hi)
			some, all = some || ok, all || ok && both == x && near(lo) && near(hi)
		}
		return whole(truth(!all, some), form{}, false)
	}
	x, f, ok1 := a.value(t.X, r, in.SX, depth)
	y, g, ok2 := a.value(t.Y, r, in.SY, depth)
	switch word {
	case "add", "sub":
		k := int64(1)
		if word == "sub" {
			k = -1
		}
		sum, ok := form{}, ok1 && ok2
		if ok {
			sum, ok = f.plus(g, k)
		}
		return whole(x.plus(y.times(k)), sum, ok)
	case "eq", "lt", "le":
		d := x.plus(y.times(-1))
		if ok1 && ok2 {
			if diff, ok := f.plus(g, -1); ok {
				if both, ok := d.meet(a.sumOf(diff, r)); ok {
					d = both
				}
			}
		}
		switch word {
		case "eq":
			return whole(truth(!d.is(0), d.in(0)), form{}, false)
		case "lt":
			return whole(truth(d.hi >= 0, d.lo < 0), form{}, false)
		}
		return whole(truth(d.hi > 0, d.lo <= 0), form{}, false)
	case "mul", "shl":
		k, by, sum, ok := y, g, f, ok1
		if word == "mul" && x.step == 0 && ok1 && len(f.sum) == 0 {
			k, by, sum, ok = x, f, g, ok2
		}
		if ok = ok && len(by.sum) == 0 && k.step == 0 && k.lo > -MaxFactor && k.lo < MaxFactor; ok && word == "shl" {
			ok = k.lo >= 0 && k.lo < 20
			k = oneNumber(1 << max(0, min(k.lo, 20)))
		}
		if ok {
			sum, ok = sum.times(k.lo)
		}
		return whole(binaryNumbers(word, x, y), sum, ok)
	}
	return whole(binaryNumbers(word, x, y), form{}, false)
}

// oneOrFar is a number that is near, or more than can be said of one that is not.
func oneOrFar(n int64) numbers {
	switch {
	case n >= mostBound:
		return numbers{mostBound, unbounded, 1, 0}
	case n <= -mostBound:
		return numbers{-unbounded, -mostBound, 1, 0}
	}
	return oneNumber(n)
}

// looked is what a table has for some numbers.
func (a *atoms) looked(in *plan.Inst, x numbers) numbers {
	var out numbers
	found, rows := false, 0
	add := func(v uint64) {
		n := oneOrFar(int64(v))
		if found {
			n = out.join(n)
		}
		out, found = n, true
	}
	for keys, v := range a.p.Rows(in) {
		if rows++; rows > mostRanges {
			return fromTo(-unbounded, unbounded)
		}
		if _, ok := x.between(keyNumbers(keys[0], keys[1], in.SX)); ok {
			add(v)
		}
	}
	add(a.p.Other(in))
	return out
}

// ranges are the intervals of an "in".
func (a *atoms) ranges(in *plan.Inst) func(yield func(lo, hi int64) bool) {
	return func(yield func(lo, hi int64) bool) {
		for lo, hi := range a.p.Set(in) {
			least, most := keyNumbers(lo, hi, in.SX)
			if !yield(least, most) {
				return
			}
		}
	}
}

// near reports whether an end of an interval of keys is itself and stands for no larger one.
func near(n int64) bool { return -mostBound < n && n < mostBound }

// keyNumbers is an interval of keys as one of numbers.
func keyNumbers(lo, hi uint64, signed bool) (least, most int64) {
	if signed {
		return max(int64(lo^1<<63), -unbounded), min(int64(hi^1<<63), unbounded)
	}
	return int64(min(lo, uint64(mostBound))), int64(min(hi, uint64(unbounded)))
}

// numbersOf is what an atom can be in a room.
func (a *atoms) numbersOf(atom int, r *room) numbers {
	if atom == atomRest {
		return r.bytes()
	}
	n := a.typeOf(atom)
	if known, ok := r.known.of(atom); ok {
		if both, ok := n.meet(known); ok {
			return both
		}
	}
	return n
}

// sumOf is what a form can be in a room.
func (a *atoms) sumOf(f form, r *room) numbers {
	n := fromTo(f.lo, f.hi)
	for _, x := range f.sum {
		n = n.plus(a.numbersOf(x.At, r).times(x.K))
	}
	return n
}

// operand is what an operand of a step can be in a room, and the sum that it is.
func (a *atoms) operand(operand uint32, at plan.StepID, r *room) (what numbers, sum form, linear bool) {
	o := &a.p.Operands[operand]
	bounds := a.terms.intervalOf(operand, at).numbers()
	if o.Kind == plan.OperandConst {
		sum = form{lo: bounds.lo, hi: bounds.lo}
		return bounds, sum, bounds.step == 0 && sum.small()
	}
	if o.Kind == plan.OperandLeaf {
		if at != plan.NoStep {
			if both, ok := bounds.meet(a.leafNumbers(a.p.LeafOf(o, at))); ok && !o.Bool {
				bounds = both
			}
		}
		return bounds, form{}, false
	}
	what, sum, linear = a.value(a.terms.Of(operand), r, o.Signed, MaxLets)
	if both, ok := what.meet(bounds); ok {
		what = both
	}
	return what, sum, linear
}

// Factor is an atom, or the place of a leaf in a group, times a number.
type Factor struct {
	At int
	K  int64
}

// MaxLets bounds the chain of `let`s that is followed.
const MaxLets = 16

// MaxFactor bounds the numbers in a sum, so that no product of two leaves int64.
const MaxFactor = int64(1) << 20
