package plan

import (
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
)

// operand compiles an expression in the scope of one struct instance.
func (c *compiler) operand(e *schema.TypedExpr, sc *scope) uint32 {
	c.recall(e)
	return c.compute(e, sc)
}

// compute is operand where nothing has to be in front.
func (c *compiler) compute(e *schema.TypedExpr, sc *scope) uint32 {
	o := Operand{Signed: e.Signed(), Bool: e.Bool, Expr: e}
	switch {
	case e.IsConst():
		o.Kind, o.Const = OperandConst, Low64(e.Val)
	case e.Op == schema.OpVar:
		if client, server, ok := c.given(e.Path[0]); !ok {
			o.Kind, o.Register = OperandRegister, c.resolve(e.Path, sc)
			break
		} else if client == server {
			o.Kind, o.Const = OperandConst, client
			break
		}
		fallthrough
	default:
		c.resolveAll(e, sc)
		o.Kind, o.Start = OperandCode, uint32(len(c.p.Insts))
		c.expr(e, sc)
		o.End = uint32(len(c.p.Insts))
	}
	c.p.Operands = append(c.p.Operands, o)
	return uint32(len(c.p.Operands) - 1)
}

// resolveAll resolves what an expression reads before its own instructions begin: an argument that is read before
// an array is computed there, by an expression of its own.
func (c *compiler) resolveAll(e *schema.TypedExpr, sc *scope) {
	if e == nil || c.start == nil {
		return
	}
	if len(e.Path) > 0 && e.Path[0].State == nil {
		c.resolve(e.Path, sc)
	}
	c.resolveAll(e.X, sc)
	c.resolveAll(e.Y, sc)
}

// next compiles an expression for the step that comes right after the pending run. Where it is one field of that run
// and nothing else reads that field, the step takes the code from where it lies and the register is saved the trouble.
func (c *compiler) next(e *schema.TypedExpr, sc *scope) uint32 {
	if e.Op == schema.OpVar && e.Path[0].State == nil && c.uses[e.Path[len(e.Path)-1]] == 1 {
		register := c.resolve(e.Path, sc)
		for i, s := range c.saves() {
			if s.Register == register {
				c.run.Saves = slices.Delete(c.run.Saves, i, i+1)
				o := Operand{Kind: OperandLeaf, Signed: e.Signed(), Bool: e.Bool, Register: uint32(s.Leaf - c.run.First), Const: c.p.Info[s.Leaf].Base, Expr: e}
				o.Extend = c.p.Info[s.Leaf].Extension(int(c.p.Leaves[s.Leaf].Width))
				c.p.Operands = append(c.p.Operands, o)
				return uint32(len(c.p.Operands) - 1)
			}
		}
	}
	return c.operand(e, sc)
}

// saves are those of the run before the next step.
func (c *compiler) saves() []Save {
	if c.run == nil {
		return nil
	}
	return c.run.Saves
}

// resolve finds the register of a dotted path: each part but the last is a struct earlier in the packet.
func (c *compiler) resolve(path []*schema.Var, sc *scope) uint32 {
	for _, v := range path[:len(path)-1] {
		if v.Struct != nil && !v.Struct.Inline {
			for sc.outer != nil && sc.subs[v] == nil {
				sc = sc.outer
			}
			sc = sc.sub(v)
		}
	}
	return c.register(sc, path[len(path)-1])
}

var instOf = map[schema.ExprOp]InstCode{
	schema.OpAdd: instAdd, schema.OpSub: instSub, schema.OpMul: instMul, schema.OpDiv: instDiv, schema.OpMod: instMod,
	schema.OpAnd: instAnd, schema.OpOr: instOr, schema.OpXor: instXor, schema.OpShl: instShl, schema.OpShr: instShr,
	schema.OpLAnd: instAnd, schema.OpLOr: instOr, schema.OpEq: instEq, schema.OpNe: instEq,
	schema.OpLt: instLt, schema.OpGe: instLt, schema.OpLe: instLe, schema.OpGt: instLe,
}

// expr appends an expression in postfix order. Both sides of && and || are computed: nothing they do can fail, and a
// division on a dead side gives 0.
func (c *compiler) expr(e *schema.TypedExpr, sc *scope) {
	switch e.Op {
	case schema.OpConst:
		c.inst(Inst{Code: instConst, Imm: Low64(e.Val)})
	case schema.OpVar:
		c.variable(e.Path, sc)
	case schema.OpFlag:
		c.inst(Inst{Code: instRegister, A: c.resolve(e.Path, sc)})
		c.inst(Inst{Code: instFlag, Imm: e.Mask})
	case schema.OpRest:
		c.inst(Inst{Code: instRest})
	case schema.OpPeek:
		c.inst(Inst{Code: instPeek, A: uint32(e.Bits), Imm: uint64(e.Order)})
	case schema.OpTail:
		c.inst(Inst{Code: instTail, A: uint32(e.Bits), Imm: uint64(e.Order)})
	case schema.OpFrom:
		c.inst(Inst{Code: instFrom, A: uint32(e.Side)})
	case schema.OpNeg:
		c.expr(e.X, sc)
		c.inst(Inst{Code: instNeg})
	case schema.OpNot:
		c.expr(e.X, sc)
		c.inst(Inst{Code: instNot})
	case schema.OpIn:
		c.expr(e.X, sc)
		c.p.Sets = append(c.p.Sets, makeSet(e.Set, e.X.Signed()))
		c.inst(Inst{Code: instIn, SX: e.X.Signed(), A: uint32(len(c.p.Sets) - 1)})
	case schema.OpTable:
		c.expr(e.X, sc)
		c.inst(Inst{Code: instTable, SX: e.X.Signed(), A: c.table(e.Table, e.X.Signed())})
	default:
		c.expr(e.X, sc)
		c.expr(e.Y, sc)
		c.inst(Inst{Code: instOf[e.Op], SX: e.X.Signed(), SY: e.Y.Signed()})
		switch e.Op {
		case schema.OpNe, schema.OpGe, schema.OpGt: // the negations of ==, < and <=
			c.inst(Inst{Code: instNot})
		}
	}
}

func (c *compiler) inst(i Inst) {
	c.p.Insts = append(c.p.Insts, i)
	within(len(c.p.Insts), MaxOps, "steps of expressions")
}

// reads lists what an expression reads, each value once.
func (c *compiler) reads(e *schema.TypedExpr, sc *scope, list []NamedRegister) []NamedRegister {
	if e == nil {
		return list
	}
	if e.Op == schema.OpVar || e.Op == schema.OpFlag {
		v := e.Path[len(e.Path)-1]
		if _, _, ok := c.given(v); ok {
			return list
		}
		name := e.Path[0].Name
		for _, part := range e.Path[1:] {
			name += "." + part.Name
		}
		n := NamedRegister{Name: name, Register: c.resolve(e.Path, sc), Signed: e.Op == schema.OpVar && e.Signed(), Bool: v.Bool}
		for _, have := range list {
			if have.Register == n.Register {
				return list
			}
		}
		return append(list, n)
	}
	return c.reads(e.Y, sc, c.reads(e.X, sc, list))
}

// asks reports whether an expression has such an atom in it.
func asks(e *schema.TypedExpr, atom schema.ExprOp) bool {
	return e != nil && (e.Op == atom || asks(e.X, atom) || asks(e.Y, atom))
}
