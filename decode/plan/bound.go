package plan

import (
	"math/big"
	"math/bits"

	"github.com/pktscope/pktscope/decode/wire"
)

// satMax is where counting stops: far above every limit, far below overflow.
const satMax = uint64(1) << 40

func satAdd(a, b uint64) uint64 {
	if a >= satMax || b >= satMax || a+b >= satMax {
		return satMax
	}
	return a + b
}

func satMul(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return 0
	}
	if a >= satMax || b >= satMax || a > satMax/b {
		return satMax
	}
	return a * b
}

// The bound on work (schema-language.md, "The checker and the bound"). For a stretch of ops, work ≤ a + b × bits
// consumed: an item is (1, 0), a sequence adds, ways that meet take the larger of each, an array of constant count n is
// (n·a, n·b's share of the same bits: b), and any other array of elements of at least m bits is (1, a/m + b), because k
// elements consume k·m bits at least.
//
// A small array has a second bound, k·a with its largest count, which is far tighter when it stands alone (a snapshot
// with at most 4 players) and far looser when nested. Neither is always better, so both are carried through and the
// smaller total counts.

// fixOne is 1.0 in the fixed-point numbers that b is held in, rounded up.
const fixOne = 1 << 20

// line is a + b × bits; b in units of 1/fixOne.
type line struct{ a, b uint64 }

func (l line) add(o line) line { return line{satAdd(l.a, o.a), max(l.b, o.b)} }
func (l line) max(o line) line { return line{max(l.a, o.a), max(l.b, o.b)} }

// at is the bound for a packet of n bits.
func (l line) at(n uint64) uint64 {
	hi, lo := bits.Mul64(l.b, n)
	if hi >= fixOne {
		return satMax
	}
	q, r := bits.Div64(hi, lo, fixOne)
	if r > 0 {
		q++
	}
	return satAdd(l.a, q)
}

// work is both bounds for both things counted, and the fewest and most bits.
type work struct {
	steps, fields [2]line // [0] by rate, as the page has it; [1] by largest count
	minBits       uint64
	maxBits       uint64
}

func (w work) add(o work) work {
	for i := range w.steps {
		w.steps[i] = w.steps[i].add(o.steps[i])
		w.fields[i] = w.fields[i].add(o.fields[i])
	}
	w.minBits, w.maxBits = satAdd(w.minBits, o.minBits), satAdd(w.maxBits, o.maxBits)
	return w
}

func (w work) meet(o work) work {
	for i := range w.steps {
		w.steps[i] = w.steps[i].max(o.steps[i])
		w.fields[i] = w.fields[i].max(o.fields[i])
	}
	w.minBits, w.maxBits = min(w.minBits, o.minBits), max(w.maxBits, o.maxBits)
	return w
}

// cost is the work of one thing that takes steps and leaves fields.
func cost(steps, fields, minBits, maxBits uint64) work {
	l, f := line{steps, 0}, line{fields, 0}
	return work{steps: [2]line{l, l}, fields: [2]line{f, f}, minBits: minBits, maxBits: maxBits}
}

// times is the work of an array: n elements when the count is a constant, else up to n.
func (w work) times(n uint64, constant bool) work {
	out := work{maxBits: satMul(n, w.maxBits)}
	if constant {
		out.minBits = satMul(n, w.minBits)
	}
	for i := range w.steps {
		out.steps[i] = repeat(w.steps[i], n, w.minBits, constant || i == 1)
		out.fields[i] = repeat(w.fields[i], n, w.minBits, constant || i == 1)
	}
	return out
}

func repeat(l line, n, m uint64, byCount bool) line {
	if byCount || m == 0 {
		return line{satMul(n, l.a), l.b}
	}
	rate := satMul(l.a, fixOne)
	return line{0, satAdd((rate+m-1)/m, l.b)}
}

// bound computes the plan's Bound from its ops, which region has found well-formed.
func (v *verifier) bound() Bound {
	w := v.work(0, len(v.p.Ops))
	limit := uint64(v.p.Schema.MaxDatagram) * 8
	used := min(w.maxBits, limit)
	// The two bounds hold for every packet, so the smaller one does.
	total := func(l [2]line) int64 { return int64(min(l[0].at(used), l[1].at(used))) }
	return Bound{MinBits: int64(w.minBits), MaxBits: int64(used), MaxFields: total(w.fields), MaxSteps: total(w.steps)}
}

// work adds up ops start … end-1. Jumps are forward, so one pass with a table of what arrives at later ops will do.
func (v *verifier) work(start, end int) work {
	arrives := map[int]work{}
	var now work
	live := true
	arrive := func(at int, w work) {
		if o, ok := arrives[at]; ok {
			w = w.meet(o)
		}
		arrives[at] = w
	}
	for pc := start; pc < end; pc++ {
		if w, ok := arrives[pc]; ok {
			if live {
				w = w.meet(now)
			}
			now, live = w, true
			delete(arrives, pc)
		}
		op := &v.p.Ops[pc]
		now = now.add(v.opWork(op))
		switch op.Code {
		case OpIf:
			arrive(int(op.B), now)
		case OpJump:
			arrive(int(op.A), now)
			live = false
		case OpSwitch:
			s := &v.p.Switches[op.B]
			for _, e := range s.Entries {
				arrive(int(e.Target), now)
			}
			if s.Default >= 0 {
				arrive(int(s.Default), now)
			}
			live = false
		case OpArray, OpRepeat:
			next := int(op.B) - 1
			body := v.work(pc+1, next)
			constant := op.Code == OpArray && v.p.Operands[op.C].Kind == OperandConst
			now = now.add(body.times(op.Imm, constant))
			if op.Code == OpRepeat {
				now = now.add(v.leaving(pc))
			}
			if v.p.Ops[pc+1].Code == OpSlot {
				// An empty slot is a step and a field for its one bit; large elements alone would make less of a bit.
				now.steps[0].b, now.fields[0].b = max(now.steps[0].b, fixOne), max(now.fields[0].b, fixOne)
			}
			pc = next
		}
	}
	if w, ok := arrives[end]; ok {
		if live {
			w = w.meet(now)
		}
		now = w
	}
	return now
}

// leaving is what a list that finds its end on the way takes beyond its elements: asking once more, the flags of a bitmap's
// last empty slots, the index that ends it.
func (v *verifier) leaving(pc int) work {
	p := v.p
	w := v.opWork(&p.Ops[pc+1])
	w.minBits = 0
	if p.Ops[pc+1].Code == OpSlot {
		w.minBits = p.Ops[pc].Imm
	}
	for i := pc + 2; i < int(p.Ops[pc].B); i++ {
		if op := &p.Ops[i]; op.Code == OpNumber && p.Numbers[op.B].EndLeaf >= 0 && p.Numbers[op.B].List == uint32(pc) {
			w = w.add(v.opWork(op))
		}
	}
	return w
}

// opWork is the work of one op by itself: a step for each item of the schema (of a run: for each leaf) and for each
// expression instruction. What only leads from one to the next (saves, jumps, the ends of loops) is not counted: there is
// a fixed number of those per item.
func (v *verifier) opWork(op *Op) work {
	p := v.p
	eval := func(i uint32) uint64 { o := &p.Operands[i]; return uint64(o.End - o.Start) }
	switch op.Code {
	case OpRun:
		n := uint64(op.B)
		return cost(n, n, uint64(op.C), uint64(op.C))
	case OpCRC:
		return cost(1, 1, 32, 32)
	case OpAlign:
		least, most := padding(op, uint64(op.A)-1)
		return cost(1, 0, least, most)
	case OpReserved:
		return cost(1+uint64(op.A)/64, 1, uint64(op.A), uint64(op.A))
	case OpNumber:
		return v.numberWork(op)
	case OpSlot:
		// The flags of all slots are counted here, once per list, and one more per element; so the list is bounded by its
		// slots even where all of them are empty.
		return cost(2, 2, 1, 1)
	case OpWindow:
		least, most := padding(op, 7)
		return cost(1+eval(op.A), 0, least, most)
	case OpClose:
		return cost(1, 0, 0, 7)
	case OpMore, OpUntil:
		if op.Code == OpMore && op.C != MoreWhile {
			return cost(1, 0, 0, 0)
		}
		return cost(1+eval(op.B), 0, 0, 0)
	case OpSave, OpJump, OpNext, OpEnd:
		return work{}
	case OpBlob:
		b := &p.Blobs[op.A]
		least, most := padding(op, 7)
		w := cost(1, 1, satAdd(least, b.MinBits), satAdd(most, satMul(uint64(b.Unit()), uint64(b.Max))))
		if b.Size >= 0 {
			w.steps[0].a += eval(uint32(b.Size))
			w.steps[1].a += eval(uint32(b.Size))
		}
		return w
	case OpArray:
		return cost(1+eval(op.C), 0, 0, 0)
	case OpIf, OpSwitch, OpRequire:
		return cost(1+eval(op.A), 0, 0, 0)
	case OpLet:
		return cost(1+eval(op.B), 0, 0, 0)
	}
	return cost(1, 0, 0, 0)
}

// padding is the fewest and most bits that an op skips to reach a boundary.
func padding(op *Op, most uint64) (uint64, uint64) {
	switch {
	case op.Flags&FlagPacked != 0:
		return 0, 0
	case op.Imm > 0:
		return op.Imm - 1, op.Imm - 1
	}
	return 0, most
}

// numberWork is the work of a number: its fewest bits are what an element of a list must have at least.
func (v *verifier) numberWork(op *Op) work {
	n := &v.p.Numbers[op.B]
	most := uint64(n.Bits)
	least, steps := uint64(0), uint64(1)
	switch n.Kind {
	case NumberVarint:
		groups := uint64(n.Bits+6) / 7
		least, most, steps = 8, 8*groups, 1+groups
	case NumberLadder, NumberStep:
		least, steps = 1, 7
		if n.Kind == NumberStep {
			most = max(most, 6+6) // six flags and a step of 62..125
		}
	case NumberIndex:
		least = uint64(wire.BitsRequired(n.Most))
	}
	if n.Kind == NumberSized || n.Kind == NumberRanged || n.Kind == NumberLadder {
		o := &v.p.Operands[n.Operand]
		steps += uint64(o.End - o.Start)
		if n.Kind != NumberLadder {
			least = leastWidth(n, o)
		}
	}
	return cost(steps, 1, least, most)
}

// leastWidth is the narrowest that an expression-sized number can be.
func leastWidth(n *Number, o *Operand) uint64 {
	lo := o.Expr.Lo
	if lo == nil {
		return 0
	}
	if n.Kind == NumberRanged {
		span := new(big.Int).Sub(lo, wide(n.Lo, n.Signed))
		if span.Sign() <= 0 {
			return 0
		}
		return uint64(span.BitLen())
	}
	if lo.Sign() <= 0 {
		return 0
	}
	return lo.Uint64()
}

// wide is a 64-bit value as a mathematical integer.
func wide(v uint64, signed bool) *big.Int {
	if signed {
		return big.NewInt(int64(v))
	}
	return new(big.Int).SetUint64(v)
}
