package plan

import "slices"

// Sizing says that a leaf's value decides how large something after it is: size = value*K + C, in elements of an
// array, in bytes of raw bytes, in units of a text, in bytes or bits of a window. Who writes a packet can then derive
// the value from what is there.
type Sizing struct {
	Point Point // of a List, Subset, Blob or Window
	K, C  int64 // K is not 0
}

// Value is the value that gives a size; false when none does.
func (s Sizing) Value(size uint64) (int64, bool) {
	n := int64(size) - s.C
	if n%s.K != 0 {
		return 0, false
	}
	return n / s.K, true
}

// Most is the value that gives the greatest size of at most so much; false when none does.
func (s Sizing) Most(size uint64) (value int64, ok bool) {
	for less := uint64(0); less <= size && less < s.step(); less++ {
		if value, ok = s.Value(size - less); ok {
			return value, true
		}
	}
	return 0, false
}

// step is how far two sizes lie apart.
func (s Sizing) step() uint64 { return uint64(max(s.K, -s.K)) }

// Missing is how much more there has to be than size for a value to give it.
func (s Sizing) Missing(size uint64) int {
	k := int64(s.step())
	return int(((s.C-int64(size))%k + k) % k)
}

// Sizings lists, for each leaf, what its value sizes by itself: a plain field after `[f]`, `bytes(f*k+c)`,
// `within(f*k+c)`, also through a `let` or a struct's argument, and the counts and lengths that belong to a type.
func (p *Plan) Sizings() [][]Sizing {
	all := make([][]Sizing, len(p.Leaves))
	lets := p.lets()
	for _, s := range p.Steps {
		operand, ok := s.Sized()
		if !ok {
			continue
		}
		l, ok := lets.line(operand, s.At().ID, maxLets)
		if !ok || l.k == 0 {
			continue
		}
		for _, leaf := range l.leaves {
			all[leaf] = append(all[leaf], Sizing{s.At().Point, l.k, l.c})
		}
	}
	return all
}

// linear is a value that is k times one leaf's value, plus c. leaves are those that may have been read as that leaf:
// exclusive branches can declare the same name. No leaf: the constant c.
type linear struct {
	leaves []int32
	k, c   int64
}

// maxLets bounds the chain of `let`s that is followed; a hostile schema can make it long, not circular.
const maxLets = 32

// lets knows the `let`s that write each register.
type lets struct {
	*Plan
	all   [][]*Let
	vague []bool // several write it, or one of those that it is computed from
}

func (p *Plan) lets() lets {
	l := lets{p, p.Lets(), make([]bool, p.Registers)}
	for _, s := range p.Steps {
		if let, ok := s.(*Let); ok && (len(l.all[let.Register]) > 1 || l.several(l.Plan.code(&p.Operands[let.Value]))) {
			l.vague[let.Register] = true
		}
	}
	return l
}

// Lets lists the `let`s that write each register.
func (p *Plan) Lets() [][]*Let {
	all := make([][]*Let, p.Registers)
	for _, s := range p.Steps {
		if let, ok := s.(*Let); ok {
			all[let.Register] = append(all[let.Register], let)
		}
	}
	return all
}

// sources gives the leaves that an operand of a step is computed from, through `let`s and what is carried from element to
// element. It comes to no register twice, and to so many at most.
func (p lets) sources(operand uint32, id StepID, seen map[uint32]bool, most int, give func(leaf int32)) {
	if o := &p.Operands[operand]; o.Kind == OperandLeaf {
		give(int32(p.LeafOf(o, id)))
	} else {
		p.sourcesOf(p.Plan.code(o), seen, most, give)
	}
}

// sourcesOf is sources of an expression.
func (p lets) sourcesOf(code []Inst, seen map[uint32]bool, most int, give func(leaf int32)) {
	for _, in := range code {
		if in.Code != instRegister || seen[in.A] || len(seen) >= most {
			continue
		}
		seen[in.A] = true
		for _, leaf := range p.RegisterLeaves[in.A] {
			give(leaf)
		}
		for _, by := range p.all[in.A] {
			p.sources(by.Value, by.ID, seen, most, give)
		}
	}
}

// several reports whether an expression reads a register that several `let`s write, itself or through others.
func (p lets) several(code []Inst) bool {
	return slices.ContainsFunc(code, func(in Inst) bool { return in.Code == instRegister && p.vague[in.A] })
}

// line finds the line that operand i of a step is, if it is one.
func (p lets) line(i uint32, id StepID, depth int) (linear, bool) {
	o := &p.Operands[i]
	if o.Kind == OperandLeaf {
		return linear{leaves: []int32{int32(p.LeafOf(o, id))}, k: 1}, true
	}
	return p.code(p.Plan.code(o), depth)
}

// register is the line that a register holds: its leaves', or that of the one `let` that writes it.
func (p lets) register(register uint32, depth int) (linear, bool) {
	if leaves := p.RegisterLeaves[register]; len(leaves) > 0 {
		return linear{leaves: leaves, k: 1}, true
	}
	by := p.all[register]
	if len(by) != 1 || depth == 0 {
		return linear{}, false
	}
	return p.line(by[0].Value, by[0].ID, depth-1)
}

// code runs an expression over lines. What is no line, or may leave int64 on the way, is none: all numbers stay below
// 2^31.
func (p lets) code(code []Inst, depth int) (linear, bool) {
	var stack [maxStack]linear
	sp := 0
	for i := range code {
		in := &code[i]
		sp -= instRows[in.Code].takes
		l, ok := linear{}, true
		switch instRows[in.Code].takes {
		case 0:
			l, ok = p.atom(in, depth)
		case 1:
			l, ok = linear{stack[sp].leaves, -stack[sp].k, -stack[sp].c}, in.Code == instNeg
		case 2:
			l, ok = combine(in.Code, stack[sp], stack[sp+1])
		}
		if !ok {
			return linear{}, false
		}
		stack[sp] = l
		sp++
	}
	return stack[0], true
}

func (p lets) atom(in *Inst, depth int) (linear, bool) {
	if in.Code == instRegister {
		return p.register(in.A, depth)
	}
	return linear{c: int64(in.Imm)}, in.Code == instConst
}

func combine(code InstCode, x, y linear) (linear, bool) {
	constant := len(x.leaves) == 0 || len(y.leaves) == 0
	if len(x.leaves) == 0 && code == instMul {
		x, y = y, x
	}
	out := linear{leaves: x.leaves}
	switch {
	case code == instAdd, code == instSub:
		if code == instSub {
			y.k, y.c = -y.k, -y.c
		}
		out.k, out.c = x.k+y.k, x.c+y.c
		if len(out.leaves) == 0 {
			out.leaves = y.leaves
		}
	case code == instMul:
		out.k, out.c = x.k*y.c, x.c*y.c
	case code == instShl && len(y.leaves) == 0 && 0 <= y.c && y.c <= 30:
		out.k, out.c = x.k<<y.c, x.c<<y.c
	default:
		return linear{}, false
	}
	const most = 1 << 31
	return out, constant && -most < out.k && out.k < most && -most < out.c && out.c < most
}

// ReadsAhead reports whether an expression looks at bits that have not been read: how many are left, or what they are.
func (p *Plan) ReadsAhead() bool {
	return slices.ContainsFunc(p.Insts, func(in Inst) bool { return in.Code.Looks() })
}

// Looks reports whether the instruction looks at bits that have not been read.
func (i InstCode) Looks() bool { return i == instRest || i == instPeek || i == instTail }

// mostDeciders is how many registers are followed that one operand is computed from: a hostile chain of `let`s has all.
const mostDeciders = 64

// Decided lists, for each leaf, the steps that its value decides, also through `let`s and whatever is computed on the way:
// how large something is, whether something is there, which arm is taken.
func (p *Plan) Decided() [][]StepID {
	all, lets := make([][]StepID, len(p.Leaves)), p.lets()
	for id, s := range p.Steps {
		operand, ok := s.Expr()
		if _, sized := s.Sized(); !ok || !sized && s.Flow() == Straight {
			continue
		}
		lets.sources(operand, StepID(id), map[uint32]bool{}, mostDeciders, func(leaf int32) {
			if !slices.Contains(all[leaf], StepID(id)) {
				all[leaf] = append(all[leaf], StepID(id))
			}
		})
	}
	return all
}
