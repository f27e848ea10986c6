package schema

import (
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// Enums and flags. What is missing (the base, a value) is complained about when all cases are read, since the advice has
// to fit them: nobody shall be told to write what is refused next.

func (p *parser) enumDecl(start int, pos Pos) Decl {
	d := &EnumDecl{}
	d.Open = p.acceptWord("open")
	kind := p.word()
	if d.Open && kind != "enum" && kind != "flags" {
		p.want("`enum` or `flags` behind `open`")
	}
	d.Flags = kind == "flags"
	p.advance()
	if p.word() == "class" || p.word() == "struct" {
		p.complain(p.span(p.i), "remove it", "no `%s` behind `%s`", p.word(), kind)
		p.advance()
	}
	d.Name = p.typeName(kind)
	head := p.gap()
	d.Base = &ValueExpr{Span: head, Type: &BadType{head}}
	baseless := false
	switch {
	case p.kind == tokColon:
		p.advance()
		if baseless = p.kind == tokLBrace; !baseless {
			d.Base = p.intType()
		}
	case p.kind == tokWord && typeWords[p.word()].form != 0:
		p.complain(p.gap(), "write `"+kind+" "+clip(d.Name.Text)+" : "+p.word()+"`", "missing `:` before the base type")
		d.Base = p.intType()
	default:
		baseless = !p.stopped
	}
	var missing []*CaseDecl
	p.block(func() {
		c, valued := p.caseDecl()
		if c == nil {
			return
		}
		d.Cases = append(d.Cases, c)
		if !valued {
			missing = append(missing, c)
		}
	}, func(i int) bool { return p.at(i).kind == tokName && p.at(i+1).kind == tokAssign })
	all := p.missingValues(d, missing)
	if baseless {
		p.complain(head, "write `"+kind+" "+clip(d.Name.Text)+" : "+baseFor(all)+" {`", "%s has no base type", clip(d.Name.Text))
	}
	d.Span, d.Doc = p.from(pos), p.doc(start)
	return d
}

// caseDecl reads Case, nil where there is nothing to keep; valued is false where the value is left out.
func (p *parser) caseDecl() (c *CaseDecl, valued bool) {
	c = &CaseDecl{Value: p.badExpr()}
	start, pos := p.i, p.here()
	if p.kind == tokAt {
		p.refuse("annotations belong to fields and arms", "a case has no annotation")
		return nil, true
	}
	if p.word() == "case" && p.after(1) == tokName {
		p.complain(p.span(p.i), "remove it", "no `case` before a case's name")
		p.advance()
	}
	c.Name = p.upper("a case's name")
	valued = p.stopped || !p.itemEnds()
	if valued {
		p.assign("a case is `Name = value`")
		c.Value = p.arith()
	} else {
		c.Value = p.badExpr()
	}
	if p.kind == tokAt {
		p.refuse("annotations belong to fields and arms", "a case has no annotation")
	}
	c.Span, c.Doc = p.from(pos), p.doc(start)
	return c, valued
}

// missingValues complains about the cases without a value. Each is told one that it can have: one more than the case
// above it, as in C, or the least that is free. all is where the values lie, these ones included.
func (p *parser) missingValues(d *EnumDecl, missing []*CaseDecl) (all interval) {
	all = single(bigZero)
	used := map[uint64]bool{}
	for _, c := range d.Cases {
		if v := literalValue(c.Value); v != nil {
			all = all.union(single(v))
			if len(missing) > 0 && v.IsUint64() {
				used[v.Uint64()] = true
			}
		}
	}
	least, most := limitsOf(d.Base)
	step := func(v uint64) uint64 { return v + 1 }
	if d.Flags {
		least, step = max(least, 1), func(v uint64) uint64 { return v << 1 }
	}
	next, free := least, least // what follows on the case above; nothing below is free
	for _, c := range d.Cases {
		if len(missing) == 0 || p.done {
			break
		}
		if c != missing[0] {
			if v := literalValue(c.Value); v != nil && v.IsUint64() {
				next = step(v.Uint64())
			}
			continue
		}
		missing = missing[1:]
		v := next
		if used[v] || v < least || v > most || d.Flags && bits.OnesCount64(v) != 1 {
			for used[free] && free < most {
				free = step(free)
			}
			v = free
		}
		fix := "give it a value of its own, and the base type room for that"
		if !used[v] && v >= least && v <= most {
			fix = fmt.Sprintf("write `%s = %d`", clip(c.Name.Text), v)
			used[v], next = true, step(v)
			all = all.union(single(new(big.Int).SetUint64(v)))
		}
		p.complain(c.Value.Place(), fix, "the case `%s` has no value", clip(c.Name.Text))
	}
	return all
}

// literalValue is the value of an expression of plain numbers, as cases have them, else nil.
func literalValue(e Expr) *big.Int {
	switch e := e.(type) {
	case *IntLit:
		return e.Value
	case *UnaryExpr:
		if n, ok := e.X.(*IntLit); ok && e.Op == Minus {
			return new(big.Int).Neg(n.Value)
		}
	case *BinaryExpr:
		x, ok := e.X.(*IntLit)
		y, also := e.Y.(*IntLit)
		if ok && also && e.Op == Shl && y.Value.Cmp(big.NewInt(64)) < 0 {
			return new(big.Int).Lsh(x.Value, uint(y.Value.Uint64()))
		}
	}
	return nil
}

// limitsOf is what a base type that says it in plain numbers holds from 0 on, else what a uint64 does.
func limitsOf(base *ValueExpr) (least, most uint64) {
	lo, hi := bigZero, maxUint64
	switch t := base.Type.(type) {
	case *SimpleType:
		w, _ := strconv.Atoi(strings.TrimLeft(t.Word, "uint"))
		if t.Word[0] == 'i' {
			w--
		}
		hi = mask(uint(w))
	case *SizedType:
		if n := literalValue(t.Size); n != nil && n.Cmp(big.NewInt(64)) < 0 && n.Sign() > 0 {
			hi = mask(uint(n.Uint64()))
		}
	case *IntRangeType:
		if a, b := literalValue(t.Lo), literalValue(t.Hi); a != nil && b != nil {
			lo, hi = maxBig(a, bigZero), minBig(maxBig(b, bigZero), maxUint64)
			lo = minBig(lo, maxUint64)
		}
	}
	return lo.Uint64(), hi.Uint64()
}

// baseFor is the least fixed type that holds the values.
func baseFor(all interval) string {
	for _, w := range []uint{8, 16, 32} {
		switch {
		case all.lo.Sign() >= 0 && all.hi.Cmp(mask(w)) <= 0:
			return fmt.Sprintf("uint%d", w)
		case all.lo.Sign() < 0 && all.lo.Cmp(new(big.Int).Neg(pow2(w-1))) >= 0 && all.hi.Cmp(mask(w-1)) <= 0:
			return fmt.Sprintf("int%d", w)
		}
	}
	if all.lo.Sign() < 0 {
		return "int64"
	}
	return "uint64"
}
