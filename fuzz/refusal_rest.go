package fuzz

import "github.com/pktscope/pktscope/decode/plan"

// What expressions over `rest` say about the bits that are left where they stand.

// term is an expression as a tree; of an instruction without operands neither x nor y is there.
type term struct {
	in   *plan.Inst
	x, y *term
}

// word is the instruction's, "" where there is none.
func (t *term) word() string {
	if t == nil {
		return ""
	}
	return t.in.Code.String()
}

// termOf is the tree of an operand, nil where that is no expression.
func termOf(p *plan.Plan, operand uint32) *term {
	o := &p.Operands[operand]
	switch o.Kind {
	case plan.OperandSlot:
		return &term{in: plan.SlotInst(o.Slot)}
	case plan.OperandConst, plan.OperandLeaf:
		return nil
	}
	var stack []*term
	for i := o.Start; i < o.End; i++ {
		t := &term{in: &p.Insts[i]}
		switch t.word() {
		case "const", "slot", "rest", "from":
		case "flag", "neg", "not", "in":
			t.x = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
		default:
			t.x, t.y = stack[len(stack)-2], stack[len(stack)-1]
			stack = stack[:len(stack)-2]
		}
		stack = append(stack, t)
	}
	return stack[0]
}

// rests knows the op that writes a slot by `let`, where only one does, and what is known of the values there.
type rests struct {
	p         *plan.Plan
	lets      map[uint32]int        // by slot; -1 of several
	constants map[uint32]uint64     // by slot
	multiples map[uint32][]multiple // by slot
	gates     [][]gate              // as they are needed
}

func newRests(p *plan.Plan) *rests {
	r := &rests{p: p, lets: map[uint32]int{}, constants: map[uint32]uint64{}, multiples: map[uint32][]multiple{}}
	for pc := range p.Ops {
		if op := &p.Ops[pc]; op.Code == plan.OpLet {
			if _, twice := r.lets[op.A]; twice {
				r.lets[op.A] = -1
			} else {
				r.lets[op.A] = pc
			}
		}
	}
	r.findConstants()
	r.findMultiples()
	return r
}

// offset is k where an expression is `rest` at the op at pc plus k bytes, also through a `let` of which that many bytes are
// always behind. Numbers stay below 2^31.
func (r *rests) offset(t *term, pc int) (k int64, ok bool) {
	switch t.word() {
	case "rest":
		return 0, true
	case "slot":
		at, known := r.lets[t.in.A]
		if !known || at < 0 || at >= pc || len(r.p.SlotLeaves[t.in.A]) > 0 {
			return 0, false
		}
		between, ok := r.straight(at, pc)
		if !ok || between%8 != 0 {
			return 0, false
		}
		k, ok = r.offset(termOf(r.p, r.p.Ops[at].B), at)
		return k + int64(between/8), ok
	case "add", "sub":
		if t.y.word() != "const" || t.y.in.Imm > 1<<31 {
			return 0, false
		}
		k, ok = r.offset(t.x, pc)
		if t.word() == "sub" {
			return k - int64(t.y.in.Imm), ok
		}
		return k + int64(t.y.in.Imm), ok
	}
	return 0, false
}

// straight is how many bits lie between two ops where these are always the same.
func (r *rests) straight(from, to int) (n uint64, ok bool) {
	for pc := from; pc < to; pc++ {
		switch op := &r.p.Ops[pc]; op.Code {
		case plan.OpRun:
			n += uint64(op.C)
		case plan.OpCRC:
			n += 32
		case plan.OpSave, plan.OpLet, plan.OpRequire, plan.OpMark, plan.OpFrom, plan.OpStruct, plan.OpUnit:
		default:
			return 0, false
		}
	}
	return n, true
}

// behind is how many bytes are left behind what takes as many as an operand of the op at pc says, where that does not depend
// on the packet. There may be padding in front of it, padded: then what a `let` says of the place before it does not hold.
func (r *rests) behind(operand uint32, pc int, padded bool) (bytes uint64, ok bool) {
	t := termOf(r.p, operand)
	for at := t; padded && at != nil; at = at.x {
		if at.word() == "slot" {
			return 0, false
		}
	}
	k, ok := r.offset(t, pc)
	return uint64(-k), ok && k <= 0
}

// blob is how many bytes are left behind bytes of an open size; false where they have none, or it depends on the packet.
func (r *rests) blob(pc int, at room) (bytes uint64, ok bool) {
	op := &r.p.Ops[pc]
	size := r.p.Blobs[op.A].Size
	if size < 0 {
		return 0, false
	}
	return r.behind(uint32(size), pc, padding(op, at))
}

// fits proves that what has as many units as an operand says is never more than what is left, by asking it about all that can
// be left; false where it reads anything but `rest`.
func (r *rests) fits(operand uint32, at room, unit uint64) bool {
	o := &r.p.Operands[operand]
	if o.Kind != plan.OperandCode || len(r.p.Reads(operand)) > 0 {
		return false
	}
	for rest := at.lo / 8; rest <= at.hi/8; rest++ {
		size := r.p.Eval(operand, &plan.Env{Rest: rest})
		if size > everything || size*unit > max(8*rest, at.lo) {
			return false
		}
	}
	return true
}

// padding reports whether there can be padding in front of bytes or a window.
func padding(op *plan.Op, at room) bool {
	_, most := at.padding(8)
	return op.Flags&plan.FlagPacked == 0 && most > 0
}

// left is the bits left when a number between lo and hi is `rest` plus k: at least, at most.
func left(lo, hi, k int64) (least, most uint64) {
	least, most = 0, everything
	if lo > k {
		least = 8 * uint64(lo-k)
	}
	if hi < k {
		return everything, 0
	}
	if hi-k < int64(everything/16) {
		most = 8*uint64(hi-k) + 7 // rest counts whole bytes
	}
	return least, most
}

const farthest = int64(1) << 40

// is is what a condition of the op at pc says about the bits left there, when it is true or false: at least lo, at most hi.
func (r *rests) is(t *term, pc int, holds bool) (lo, hi uint64) {
	switch t.word() {
	case "not":
		return r.is(t.x, pc, !holds)
	case "and", "or":
		if holds == (t.word() == "and") { // both sides are so
			lo1, hi1 := r.is(t.x, pc, holds)
			lo2, hi2 := r.is(t.y, pc, holds)
			return max(lo1, lo2), min(hi1, hi2)
		}
		lo1, hi1 := r.is(t.x, pc, holds)
		lo2, hi2 := r.is(t.y, pc, holds)
		return min(lo1, lo2), max(hi1, hi2)
	case "in":
		k, ok := r.offset(t.x, pc)
		if !ok || !holds {
			return 0, everything
		}
		lo, hi = everything, 0
		for a, b := range r.p.Set(t.in) {
			if t.in.SX {
				a, b = a^1<<63, b^1<<63
			}
			least, most := left(int64(a), int64(min(b, 1<<62)), k)
			lo, hi = min(lo, least), max(hi, most)
		}
		return lo, hi
	case "eq", "lt", "le":
		word, x, y := t.word(), t.x, t.y
		k, ok := r.offset(x, pc)
		swapped := false
		if !ok {
			x, y, swapped = y, x, true
			k, ok = r.offset(x, pc)
		}
		if !ok || y.word() != "const" || y.in.Imm > 1<<31 {
			return 0, everything
		}
		n := int64(y.in.Imm)
		switch {
		case word == "eq" && holds:
			return left(n, n, k)
		case word == "eq":
			if n == k { // nothing is left, it says, and that is wrong
				return 8, everything
			}
			return 0, everything
		}
		// rest+k < n, <= n; or the other way round
		strict := (word == "lt") == holds
		below := swapped != holds
		switch {
		case below && strict:
			return left(-farthest, n-1, k)
		case below:
			return left(-farthest, n, k)
		case strict:
			return left(n+1, farthest, k)
		}
		return left(n, farthest, k)
	}
	return 0, everything
}

// tagRest is the bits left where the tag of a switch, `rest` plus k, has an entry's value.
func tagRest(p *plan.Plan, operand uint32, e plan.SwitchEntry, k int64) (least, most uint64) {
	o := &p.Operands[operand]
	lo, hi := o.Key(e.Lo), o.Key(e.Hi)
	if !o.Signed {
		lo, hi = min(lo, 1<<62), min(hi, 1<<62)
	}
	return left(int64(lo), int64(hi), k)
}
