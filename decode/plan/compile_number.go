package plan

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// scalar is what a code of a type means, with the bits of the largest. num is how it is read where not every code has
// so many.
func (c *compiler) scalar(t schema.Type, sc *scope) (info LeafInfo, width int, num *Number) {
	number := func(kind NumberKind, e *schema.TypedExpr) {
		num = &Number{Kind: kind, Bits: width, Register: -1, Previous: -1, EndLeaf: -1}
		if e != nil {
			num.Operand = c.operand(e, sc)
		}
	}
	switch t := t.(type) {
	case *schema.BoolType:
		info, width = LeafInfo{Kind: LeafBool, TypeSpan: 1}, max(1, t.SwapWidth())
	case *schema.IntType:
		info, width = LeafInfo{Kind: LeafUint, TypeSpan: wire.Mask(t.Width), Signed: t.Signed}, t.Width
		if t.Signed {
			info.Kind = LeafInt
		}
		if t.Size != nil {
			number(NumberSized, t.Size)
		}
	case *schema.RangedType:
		info, width = LeafInfo{Kind: LeafRanged, Base: Low64(t.Lo), Negative: t.Lo.Sign() < 0}, t.Width
		info.TypeSpan = Low64(t.Hi) - info.Base
		if t.HiExpr != nil {
			number(NumberRanged, t.HiExpr)
			num.Lo, num.Signed = info.Base, t.HiExpr.Signed() || info.Negative
		}
	case *schema.VarintType:
		info, width = LeafInfo{TypeSpan: wire.Mask(t.Bits), ZigZag: t.ZigZag, Negative: t.ZigZag}, t.Bits
		number(NumberVarint, nil)
	case *schema.LadderType:
		info, width = LeafInfo{TypeSpan: 1<<31 - 1}, 6+32
		number(NumberLadder, t.Prev)
	case *schema.BelowType:
		_, most := t.Bits()
		info, width = LeafInfo{TypeSpan: t.Limit.Hi.Uint64() - 1}, int(most)
		number(NumberBelow, t.Limit)
	case *schema.FloatType:
		info, width = LeafInfo{Kind: LeafFloat, TypeSpan: wire.Mask(t.Width)}, t.Width
	case *schema.QuantizedType:
		info, width = LeafInfo{Kind: LeafQuantized, TypeSpan: uint64(t.Steps), Quant: t}, t.Width
	case *schema.EnumRef:
		info, width, num = c.scalar(t.Enum.Base.Type, sc)
		info.Swap = t.Enum.Base.Swap
		c.enumerate(&info, t.Enum, width)
	case *schema.StructRef, *schema.ArrayType, *schema.BlobType, *schema.TextType, *schema.ChecksumType, *schema.VectorType,
		*schema.SmallestType, *schema.OptionalType, *schema.SubsetType:
		panic(fmt.Sprintf("pktscope: internal error: %T is no leaf", t))
	default:
		panic(fmt.Sprintf("pktscope: internal error: no leaf for %T", t))
	}
	return info, width, num
}

// scalarValue compiles the leaf of a value.
func (c *compiler) scalarValue(val *schema.Value, n Node, v *schema.Var, sc *scope) NodeID {
	info, width, num := c.scalar(val.Type, sc)
	info.Swap = info.Swap != val.Swap
	info.setRule(val.Rule)
	n.Kind = NodeLeaf
	info.Node = c.node(n)
	register := int32(-1)
	if v != nil && v.Used {
		register = int32(c.valueRegister(sc, v))
	}
	bounds := val.Rule != nil && val.Rule.Bounds != nil
	if bounds {
		if register < 0 {
			register = int32(c.temp())
		}
		sc.registers[val.Rule.Bounds.Self] = uint32(register)
	}
	var leaf int
	if num != nil {
		num.Register = register
		behind := c.lay.Value(val, c.order, c.at)
		leaf = c.putNumber(*num, info)
		c.at = behind // what judges or joins the number is there
	} else {
		l := Leaf{Width: uint8(width), Swap: info.Swap}
		info.prefilter(&l)
		leaf = c.leaf(l, info)
		if register >= 0 {
			c.save(leaf, uint32(register))
		}
	}
	if bounds {
		c.bounds(val.Rule, leaf, info.Node, sc)
	}
	if v != nil && v.Used && v.Joined {
		c.join(uint32(register), info.Node, v, sc)
	}
	return info.Node
}

// valueRegister is the register of a field's value. A name that is a `let` in another branch has two: the field's own,
// so that a register which holds leaves holds nothing else, and the name's.
func (c *compiler) valueRegister(sc *scope, v *schema.Var) uint32 {
	if v.Joined {
		return c.temp()
	}
	return c.register(sc, v)
}

// join gives the value in a field's own register to its name.
func (c *compiler) join(own uint32, node NodeID, v *schema.Var, sc *scope) {
	c.p.Operands = append(c.p.Operands, Operand{Kind: OperandRegister, Register: own, Signed: v.Lo.Sign() < 0, Bool: v.Bool,
		Expr: &schema.TypedExpr{Op: schema.OpVar, Path: []*schema.Var{v}, Lo: v.Lo, Hi: v.Hi, Bool: v.Bool, Text: v.Name}})
	n := &c.p.Nodes[node]
	c.put(&Let{Register: c.register(sc, v), Value: uint32(len(c.p.Operands) - 1), Leaf: -1}, n.Parent, n.Pos)
}

// bounds compiles the range after a leaf whose ends are computed.
func (c *compiler) bounds(r *schema.Rule, leaf int, node NodeID, sc *scope) {
	b := r.Bounds
	c.p.Requires = append(c.p.Requires, Requirement{
		Item: &schema.Require{Pos: r.Pos, Cond: b.Cond, Text: r.Text}, Leaf: int32(leaf),
		Lo: c.operand(b.Lo, sc), Hi: c.operand(b.Hi, sc), Vars: c.reads(b.Hi, sc, c.reads(b.Lo, sc, nil)),
	})
	c.put(&Require{Cond: c.operand(b.Cond, sc), Index: uint32(len(c.p.Requires) - 1), Bounds: true}, node, r.Pos)
}

// putNumber adds a number with its leaf.
func (c *compiler) putNumber(num Number, info LeafInfo) int {
	leaf := c.looseLeaf(Leaf{Width: uint8(min(num.Bits, 64))}, info)
	if num.Register >= 0 {
		c.p.RegisterLeaves[num.Register] = append(c.p.RegisterLeaves[num.Register], int32(leaf))
	}
	num.Leaf, num.Index = uint32(leaf), uint32(len(c.p.Numbers))
	c.p.Numbers = append(c.p.Numbers, &num)
	c.put(&num, info.Node, c.p.Nodes[info.Node].Pos)
	return leaf
}

// looseLeaf adds a leaf that is in no run.
func (c *compiler) looseLeaf(l Leaf, info LeafInfo) int {
	l.Mask = wire.Mask(int(l.Width))
	c.p.Leaves = append(c.p.Leaves, l)
	c.p.Info = append(c.p.Info, info)
	leaf := len(c.p.Leaves) - 1
	c.p.Nodes[info.Node].Leaf = int32(leaf)
	return leaf
}

// vector compiles the parts of vec2 … vec4 and quat.
func (c *compiler) vector(t *schema.VectorType, n Node, sc *scope) NodeID {
	n.Kind = NodeStruct
	id := c.node(n)
	for _, part := range []string{"x", "y", "z", "w"}[:t.N] {
		c.value(t.Elem, Node{Parent: id, Name: part, Pos: n.Pos, Leaf: -1}, nil, sc)
	}
	return id
}

// smallest compiles `quat smallest3(n)`: two bits for the largest component, three codes, and the check on their
// squares.
func (c *compiler) smallest(t *schema.SmallestType, n Node) NodeID {
	n.Kind = NodeStruct
	id := c.node(n)
	first := -1
	for i, part := range []string{"largest", "a", "b", "c"} {
		width := t.Bits
		if i == 0 {
			width = 2
		}
		leaf := c.leaf(Leaf{Width: uint8(width), Count: count(wire.Mask(width))}, LeafInfo{
			Node:     c.node(Node{Kind: NodeLeaf, Parent: id, Name: part, Pos: n.Pos, Leaf: -1}),
			TypeSpan: wire.Mask(width),
		})
		if i == 0 {
			first = leaf
		}
	}
	c.put(&Unit{First: uint32(first), Bits: uint32(t.Bits)}, id, n.Pos)
	return id
}

// counted adds the leaf of a count, a length or an index int(lo..hi) that belongs to a larger thing, and returns the
// operand that reads it for the step right after it. hi-lo fits: the checker bounds counts by 2^32-1.
func (c *compiler) counted(lo, hi uint64, id NodeID) (leaf int, operand uint32) {
	leaf = c.leaf(Leaf{Width: uint8(wire.BitsRequired(hi - lo)), Count: count(hi - lo)},
		LeafInfo{Node: id, Kind: LeafRanged, Base: lo, TypeSpan: hi - lo})
	c.p.Operands = append(c.p.Operands, Operand{Kind: OperandLeaf, Register: uint32(leaf - c.run.First), Const: lo, Expr: noExpr})
	return leaf, uint32(len(c.p.Operands) - 1)
}

// noExpr stands for an operand that no expression of the schema made.
var noExpr = &schema.TypedExpr{Text: "count"}

// optional compiles the flag, and the value after it if the flag is set.
func (c *compiler) optional(t *schema.OptionalType, n Node, v *schema.Var, sc *scope) NodeID {
	flag := n
	flag.Kind, flag.Named, flag.Annotations, flag.Value = NodeItem, true, nil, nil
	id := c.node(flag)
	leaf := c.leaf(Leaf{Width: 1, Count: 2}, LeafInfo{Node: id, Kind: LeafBool, TypeSpan: 1})
	c.p.Operands = append(c.p.Operands, Operand{Kind: OperandLeaf, Bool: true, Register: uint32(leaf - c.run.First), Expr: &schema.TypedExpr{Text: n.Name + " is there"}})
	s := &If{Cond: uint32(len(c.p.Operands) - 1)}
	c.put(s, id, n.Pos)
	var value NodeID
	s.Then = c.nested(func() { value = c.value(t.Elem, n, v, sc) }) // the node after the flag's, see Flagged
	return value
}
