package coverage

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// atoms are the numbers that forms of a plan are sums of.
type atoms struct {
	p       *plan.Plan
	terms   *Terms
	types   []numbers  // what each can be, whatever else is known
	typed   []bool     // of registers: that is known
	reads   [][]uint32 // the registers that each other atom reads
	byText  map[string]int
	writers [][]plan.StepID  // of each register: the steps that write it, in order
	using   map[uint32][]int // atoms that are computed from a register
}

func newAtoms(r *Terms) *atoms {
	p := r.Plan
	a := &atoms{p: p, terms: r, byText: map[string]int{}, using: map[uint32][]int{}}
	a.writers = make([][]plan.StepID, p.Registers)
	for id, s := range p.Steps {
		for _, register := range s.Registers() {
			a.writers[register] = append(a.writers[register], plan.StepID(id))
		}
	}
	a.types, a.typed, a.reads = make([]numbers, p.Registers), make([]bool, p.Registers), make([][]uint32, p.Registers)
	return a
}

// typeOf is what an atom can be, whatever else is known.
func (a *atoms) typeOf(atom int) numbers {
	if atom < len(a.typed) && !a.typed[atom] {
		a.types[atom], a.typed[atom] = a.registerNumbers(uint32(atom)), true
	}
	return a.types[atom]
}

// registerNumbers is what a register can hold.
func (a *atoms) registerNumbers(register uint32) numbers {
	p := a.p
	var all numbers
	some := false
	add := func(n numbers) {
		if some {
			n = n.join(all)
		}
		all, some = n, true
	}
	for _, id := range a.writers[register] {
		if let, ok := p.Steps[id].(*plan.Let); ok {
			add(a.terms.intervalOf(let.Value, id).numbers())
		} else if len(p.RegisterLeaves[register]) == 0 {
			return anyNumber
		}
	}
	lets := some
	for _, leaf := range p.RegisterLeaves[register] {
		if lets {
			break // an argument, which has them from the field that it is
		}
		add(a.leafNumbers(int(leaf)))
	}
	if !some {
		return anyNumber
	}
	return all
}

// leafNumbers is what the value of a leaf can be that was accepted.
func (a *atoms) leafNumbers(leaf int) numbers {
	p := a.p
	info, width := &p.Info[leaf], int(p.Leaves[leaf].Width)
	signed := info.IsSigned()
	number := func(v uint64) int64 {
		if signed {
			return max(-unbounded, min(int64(v), unbounded))
		}
		return int64(min(v, uint64(unbounded)))
	}
	if info.Form() == plan.FormFloat {
		return anyNumber
	}
	var all numbers
	some := false
	add := func(lo, hi uint64) {
		n, ok := numbers{number(lo), number(hi), 1, 0}.tidy()
		if some {
			n = n.join(all)
		}
		if ok {
			all, some = n, true
		}
	}
	switch {
	case info.Kind == plan.LeafEnum && !info.Enum.Open && len(info.Enum.Cases) < 1<<10:
		for i := range info.Enum.Cases {
			v := lowBits(info.Enum.Cases[i].Value)
			if kind, _ := info.Judge(info.CodeOf(v, width), width); width > 0 && kind == reject.None || width == 0 {
				add(v, v)
			}
		}
	default:
		for lo, hi := range info.RuledValues() {
			add(lo, hi)
		}
	}
	whole := anyNumber
	switch {
	case info.ZigZag, info.Signed && width == 0:
	case info.Signed && width < 62:
		whole = fromTo(-(int64(1) << (width - 1)), int64(1)<<(width-1)-1)
	case info.Signed:
	case info.Base+info.TypeSpan >= info.Base || signed:
		whole = numbers{number(info.Base), number(info.Base + info.TypeSpan), 1, 0}
		whole, _ = whole.tidy()
	}
	if !some {
		return whole
	}
	if both, ok := all.meet(whole); ok {
		return both
	}
	return all
}

// numbers is an interval that may be larger than int64.
func (i interval) numbers() numbers {
	out := anyNumber
	if i.lo.IsInt64() {
		out.lo = i.lo.Int64()
	} else if i.lo.Sign() > 0 {
		out.lo = mostBound
	}
	if i.hi.IsInt64() {
		out.hi = i.hi.Int64()
	}
	out, _ = out.tidy()
	return out
}

// alias is the `let` that a register stands for: the only one that writes it, from registers that are written before it
// only, so that it says the same wherever the register is read.
func (a *atoms) alias(register uint32) (operand uint32, ok bool) {
	if len(a.writers[register]) != 1 {
		return 0, false
	}
	let, ok := a.p.Steps[a.writers[register][0]].(*plan.Let)
	if !ok || a.p.Opens() != nil && a.p.Opens()[let.Value] || a.terms.Of(let.Value) == nil {
		return 0, false
	}
	for _, from := range a.p.Reads(let.Value) {
		if w := a.writers[from]; len(w) == 0 || w[len(w)-1] >= let.ID {
			return 0, false
		}
	}
	return let.Value, true
}
