package plan

import (
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
)

// Values that a struct keeps for where it is next: prev(name, e). Each has a register, which is set before the
// innermost array around, and at the end of the struct to what is kept. Where there is no array, it is set where the
// struct begins. A struct that is in several places has one for each.

// start is what is computed before an array.
type start struct {
	first []*Let
}

// argument is a parameter that is read before an array.
type argument struct {
	value *schema.TypedExpr
	in    *scope
}

// inside says of the scope of a named struct what is known of it before the array around.
func (c *compiler) inside(inner *scope, t *schema.StructRef, sc *scope) {
	if c.start == nil {
		return
	}
	inner.start, inner.known = c.start, &scope{registers: map[*schema.Var]uint32{}, args: map[*schema.Var]argument{}}
	for i, p := range t.Struct.Params {
		if i < len(t.Args) {
			inner.known.args[p] = argument{t.Args[i], c.knownTo(sc)}
		}
	}
}

// knownTo is what is known of a scope before the array around.
func (c *compiler) knownTo(sc *scope) *scope {
	if sc.start == c.start && c.start != nil {
		return sc.known
	}
	return sc
}

// early computes a parameter before the array around.
func (c *compiler) early(at *scope, v *schema.Var, arg argument) uint32 {
	register := c.temp()
	at.registers[v] = register
	c.start.first = append(c.start.first, &Let{Register: register, Value: c.operand(arg.value, arg.in), Leaf: -1})
	return register
}

// begin gives a struct the values that are carried to it.
func (c *compiler) begin(s *schema.Struct, node NodeID, sc *scope) {
	for _, k := range s.Carries {
		let := &Let{Register: c.temp(), Leaf: -1}
		sc.registers[k.Var] = let.Register // of its own, also where exclusive branches have a struct of one name
		c.p.Carried[let.Register] = true
		if c.start == nil {
			let.Value = c.operand(k.First, sc)
			c.put(let, node, k.Pos)
			continue
		}
		let.Value = c.operand(k.First, c.knownTo(sc))
		let.Node, let.Pos = node, k.Pos
		c.start.first = append(c.start.first, let)
	}
}

// carry keeps what a struct carries on.
func (c *compiler) carry(s *schema.Struct, node NodeID, sc *scope) {
	if c.start == nil {
		return
	}
	for _, k := range s.Carries {
		e := &schema.TypedExpr{Op: schema.OpVar, Path: []*schema.Var{k.Of}, Lo: k.Of.Lo, Hi: k.Of.Hi, Bool: k.Of.Bool, Text: k.Of.Name}
		c.put(&Let{Register: c.register(sc, k.Var), Value: c.operand(e, sc), Leaf: -1}, node, k.Pos)
	}
}

// last is a value that a list keeps of its last element, and the scope around the list.
type last struct {
	*schema.Carry
	around *scope
}

// begins gives a list the values that are kept of its last element: those of a list without one.
func (c *compiler) begins(f *schema.Field, node NodeID, sc *scope) {
	if len(f.Last) == 0 {
		return
	}
	ref := f.Element()
	c.lasts[ref] = nil
	for _, k := range f.Last {
		register := c.register(sc, k.Var)
		c.p.Carried[register] = true
		c.put(&Let{Register: register, Value: c.operand(k.First, sc), Leaf: -1}, node, k.Pos)
		c.lasts[ref] = append(c.lasts[ref], last{k, sc})
	}
}

// keep keeps what an element's body gives a list.
func (c *compiler) keep(t *schema.StructRef, node NodeID, sc *scope) {
	for _, k := range c.lasts[t] {
		e := &schema.TypedExpr{Op: schema.OpVar, Path: []*schema.Var{k.Of}, Lo: k.Of.Lo, Hi: k.Of.Hi, Bool: k.Of.Bool, Text: k.Of.Name}
		c.put(&Let{Register: c.register(k.around, k.Var), Value: c.operand(e, sc), Leaf: -1}, node, k.Pos)
	}
}

// insert puts steps before an array that has just been made, and of the run in which its count is.
func (c *compiler) insert(lets []*Let, list Step) {
	if len(lets) == 0 {
		return
	}
	at := len(c.block) - 1
	if i, ok := list.Sized(); ok && c.p.Operands[i].Kind == OperandLeaf {
		at--
	}
	b := c.block[at].At()
	for i, let := range lets {
		let.Order, let.Room = b.Order, b.Room
		if let.Pos == (schema.Pos{}) {
			let.Node, let.Pos = list.At().Node, list.At().Pos
		}
		c.block = slices.Insert(c.block, at+i, Step(let))
	}
	c.steps += len(lets)
	within(c.steps+len(c.p.Leaves), MaxOps, opsAndLeaves)
}

// carrying reports whether a value is, or has in it outside of arrays, a struct that is carried something.
func (c *compiler) carrying(v *schema.Value) bool {
	for v != nil && !v.Type.Row().List {
		if ref, ok := v.Type.(*schema.StructRef); ok {
			return c.structCarries(ref.Struct)
		}
		v = v.Type.Inner()
	}
	return false
}

func (c *compiler) structCarries(s *schema.Struct) bool {
	known, ok := c.carries[s]
	if !ok {
		known = len(s.Carries) > 0 || c.itemsCarry(s.Items)
		c.carries[s] = known
	}
	return known
}

func (c *compiler) itemsCarry(items []schema.Item) bool {
	return slices.ContainsFunc(items, func(it schema.Item) bool {
		return slices.ContainsFunc(it.Ways(), func(w schema.Way) bool { return c.itemsCarry(w.Items) || c.carrying(w.Value) })
	})
}
