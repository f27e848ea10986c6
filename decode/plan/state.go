package plan

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
)

// What a flow keeps, as a packet's steps see it. A register of the schema has two registers of the plan, which hold its
// value and whether it has one before the first step; no step writes them. Before each step that names one is a
// Require that it has a value.

// MaxState is how many registers, each side counted, the steps of a plan name at most.
const MaxState = 64

// StateValue is a register of the flow that steps name.
type StateValue struct {
	Schema       *schema.Register
	Side         schema.Side
	Value, Known uint32 // registers of the plan
}

// Name is how the schema names it, without `state.`: `cid_len`, `cid_len.peer`.
func (s *StateValue) Name() string { return s.Schema.Path(s.Side)[len("state."):] }

// Context is what registers hold in every packet that a plan is for. One that is not in it is not set.
type Context map[ContextKey]*big.Int

// ContextKey is a register; of an `each`, which side's.
type ContextKey struct {
	Register *schema.Register
	Side     schema.Direction // Client, unless it is an `each`
}

// Of is the value of a side in the packets of a sender, the client where that is not known; nil of one that is not set.
func (c Context) Of(r *schema.Register, side schema.Side, sender schema.Direction) *big.Int {
	key := ContextKey{r, schema.Client}
	if r.Each {
		key.Side = side.Of(max(sender, schema.Client))
	}
	return c[key]
}

// KeepsState reports whether something is kept of accepted packets for registers that steer.
func (p *Plan) KeepsState() bool { return len(p.Kept) > 0 }

// state is the register of the flow that a variable stands for.
func (c *compiler) state(v *schema.StateVar) int {
	i := slices.IndexFunc(c.p.State, func(s StateValue) bool { return s.Schema == v.Register && s.Side == v.Side })
	if i < 0 {
		i = len(c.p.State)
		within(i+1, MaxState, "registers of the flow")
		c.p.State = append(c.p.State, StateValue{v.Register, v.Side, c.temp(), c.temp()})
	}
	return i
}

// given is what a variable is in the packets of the client and of the server, where what flows hold is given.
func (c *compiler) given(v *schema.Var) (client, server uint64, ok bool) {
	if c.context == nil || v.State == nil {
		return 0, 0, false
	}
	of := func(sender schema.Direction) uint64 {
		held := c.context.Of(v.State.Register, v.State.Side, sender)
		switch {
		case v.State.Known:
			return flag(held != nil)
		case held != nil:
			return Low64(held)
		}
		return Low64(v.Lo) // a Require in front refuses
	}
	return of(schema.Client), of(schema.Server), true
}

// constant is what a variable is in every packet, where that is given.
func (c *compiler) constant(v *schema.Var) (value uint64, ok bool) {
	client, server, ok := c.given(v)
	return client, ok && client == server
}

// variable appends the instructions of a variable.
func (c *compiler) variable(path []*schema.Var, sc *scope) {
	client, server, ok := c.given(path[0])
	if !ok {
		c.inst(Inst{Code: instRegister, A: c.resolve(path, sc)})
		return
	}
	if c.inst(Inst{Code: instConst, Imm: client}); client != server {
		c.inst(Inst{Code: instConst, Imm: server - client})
		c.inst(Inst{Code: instFrom, A: uint32(schema.Server)})
		c.inst(Inst{Code: instMul})
		c.inst(Inst{Code: instAdd})
	}
}

// recall puts the Require of what an expression names before the step that it is of.
func (c *compiler) recall(e *schema.TypedExpr) {
	if !c.p.Schema.Steers() {
		return
	}
	named, needed := e.State()
	if len(named) == 0 {
		return
	}
	q := Requirement{Leaf: -1}
	cond := &schema.TypedExpr{Op: schema.OpConst, Val: big.NewInt(1)}
	for _, v := range needed {
		if set, ok := c.constant(v.State.Has()); ok && set != 0 {
			continue
		}
		known := &schema.TypedExpr{Op: schema.OpVar, Path: []*schema.Var{v.State.Has()}, Text: v.State.Has().Name}
		if cond.Op == schema.OpConst {
			cond = known
		} else {
			cond = &schema.TypedExpr{Op: schema.OpLAnd, X: cond, Y: known, Text: cond.Text + " && " + known.Text}
		}
	}
	for x := cond; x != nil; x = x.X {
		x.Lo, x.Hi, x.Bool, x.Pos = new(big.Int), big.NewInt(1), true, e.Pos
		if y := x.Y; y != nil {
			y.Lo, y.Hi, y.Bool, y.Pos = x.Lo, x.Hi, true, e.Pos
		}
	}
	if c.context != nil && cond.Op == schema.OpConst {
		return
	}
	sc := newScope()
	if c.context == nil {
		for _, v := range named {
			q.State |= 1 << c.state(v.State)
		}
		q.Vars = c.reads(cond, sc, nil)
	}
	q.Item = &schema.Require{Pos: e.Pos, Cond: cond, Text: cond.Text}
	c.p.Requires = append(c.p.Requires, q)
	s := &Require{Cond: c.compute(cond, sc), Index: uint32(len(c.p.Requires) - 1)}
	c.put(s, c.unnamed(c.around, fmt.Sprintf("state@%d", e.Pos.Line), e.Pos, ""), e.Pos)
}

// kept compiles `let state.name = e` and `let state = none`.
func (c *compiler) kept(it *schema.Let, node NodeID, sc *scope) {
	if c.context != nil {
		c.recall(it.Value)
		return
	}
	c.p.Kept = append(c.p.Kept, *it.State)
	s := &Let{Value: c.operand(it.Value, sc), Leaf: -1, Keep: uint32(len(c.p.Kept))}
	s.Register = c.temp()
	c.put(s, node, it.Pos)
}

// secretState refuses what a packet would show of a secret by what others are read by.
func (p *Plan) secretState() *schema.Diagnostic {
	for _, s := range p.Steps {
		if let, ok := s.(*Let); ok && let.Keep > 0 && (p.Operands[let.Value].Secret || p.DecisionAt(let.Point) != nil) {
			d := errorAt(let.Pos, "what steers is seen in the packets: no register is set from a secret, or where one decides")
			return &d
		}
	}
	return nil
}
