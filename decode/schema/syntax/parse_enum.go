package syntax

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// Enums and flags. What is missing (the base, a value) is complained about when all cases are read, since the advice
// has to fit them: nobody shall be told to write what is refused next.

func (p *parser) enumDecl(start int, pos Pos) Decl {
	d := &EnumDecl{}
	d.Open = p.acceptWord("open")
	kind := p.word()
	if d.Open && kind != "enum" && kind != "flags" {
		p.want("`enum` or `flags` after `open`")
	}
	d.Flags = kind == "flags"
	p.advance()
	if p.word() == "class" || p.word() == "struct" {
		p.complain(p.span(p.i), "remove it", "no `%s` after `%s`", p.word(), kind)
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
	lo, hi := p.missingValues(d, missing)
	if baseless {
		p.complain(head, "write `"+kind+" "+clip(d.Name.Text)+" : "+baseFor(lo, hi)+" {`", "%s has no base type", clip(d.Name.Text))
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
		if p.kind == tokString {
			p.complain(p.span(p.i), "write the bytes as a number: "+numberOf(unquote(p.source(p.i))), "a case is a number, not a string")
			p.advance()
		} else {
			c.Value = p.arith()
		}
		if p.kind == tokDotDot {
			to := p.i
			for !p.ends(to) {
				to++
			}
			p.refuse("cut the byte into two fields, or `switch` on the integer with an arm `"+clip(p.between(p.prev, to))+": …`", "a case is one value, not a range")
		}
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
// above it, as in C, or the least that is free. lo..hi is where the values lie, these ones included.
func (p *parser) missingValues(d *EnumDecl, missing []*CaseDecl) (lo, hi *big.Int) {
	lo, hi = new(big.Int), new(big.Int)
	include := func(v *big.Int) {
		if v.Cmp(lo) < 0 {
			lo = v
		} else if v.Cmp(hi) > 0 {
			hi = v
		}
	}
	used := map[uint64]bool{}
	for _, c := range d.Cases {
		if v := literalValue(c.Value); v != nil {
			include(v)
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
			include(new(big.Int).SetUint64(v))
		}
		p.complain(c.Value.Place(), fix, "the case `%s` has no value", clip(c.Name.Text))
	}
	return lo, hi
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
	most = math.MaxUint64
	switch t := base.Type.(type) {
	case *SimpleType:
		w, _ := strconv.Atoi(strings.TrimLeft(t.Word, "uint"))
		if t.Word[0] == 'i' {
			w--
		}
		most = 1<<w - 1
	case *SizedType:
		if n := literalValue(t.Size); n != nil && n.Cmp(big.NewInt(64)) < 0 && n.Sign() > 0 {
			most = 1<<n.Uint64() - 1
		}
	case *IntRangeType:
		if a, b := literalValue(t.Lo), literalValue(t.Hi); a != nil && b != nil {
			least, most = nearest64(a), nearest64(b)
		}
	}
	return least, most
}

// nearest64 is the uint64 next to v.
func nearest64(v *big.Int) uint64 {
	switch {
	case v.Sign() < 0:
		return 0
	case !v.IsUint64():
		return math.MaxUint64
	}
	return v.Uint64()
}

// baseFor is the least fixed type that holds lo..hi, where lo ≤ 0 ≤ hi.
func baseFor(lo, hi *big.Int) string {
	width, word := hi.BitLen(), "uint"
	if lo.Sign() < 0 {
		width, word = 1+max(width, new(big.Int).Not(lo).BitLen()), "int"
	}
	for _, w := range []int{8, 16, 32} {
		if width <= w {
			return fmt.Sprint(word, w)
		}
	}
	return word + "64"
}
