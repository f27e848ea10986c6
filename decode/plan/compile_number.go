package plan

import (
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// number compiles a leaf whose width is found on the way; false when the value is none.
func (c *compiler) number(val *schema.Value, n Node, v *schema.Var, sc *scope) (NodeID, bool) {
	base := val.Type
	ref, isEnum := base.(*schema.EnumRef)
	if isEnum {
		base = ref.Enum.Base.Type
	}
	num := Number{Slot: -1, Previous: -1, EndLeaf: -1}
	info, width, _ := infoOf(base)
	switch t := base.(type) {
	case *schema.IntType:
		num.Kind, num.Operand = NumberSized, c.operand(t.Size, sc)
	case *schema.RangedType:
		num.Kind, num.Operand = NumberRanged, c.operand(t.HiExpr, sc)
		num.Lo, num.Signed = info.Base, t.HiExpr.Signed() || info.Negative
	case *schema.VarintType:
		num.Kind = NumberVarint
	case *schema.LadderType:
		num.Kind, num.Operand = NumberLadder, c.operand(t.Prev, sc)
	default:
		return NoNode, false
	}
	num.Bits = width
	n.Kind = NodeLeaf
	id := c.node(n)
	info.Node, info.pos, info.Swap = id, n.Pos, val.Swap
	if isEnum {
		info.Swap = info.Swap != ref.Enum.Base.Swap
		c.enumerate(&info, ref.Enum, width)
	}
	info.setRule(val.Rule)
	if v != nil && v.Used {
		num.Slot = int32(c.slot(sc, v))
	}
	c.putNumber(num, info)
	return id, true
}

// putNumber adds a number with its leaf.
func (c *compiler) putNumber(num Number, info LeafInfo) int {
	leaf := c.looseLeaf(Leaf{Width: uint8(min(num.Bits, 64))}, info)
	if num.Slot >= 0 {
		c.p.SlotLeaves[num.Slot] = append(c.p.SlotLeaves[num.Slot], int32(leaf))
	}
	num.Leaf, num.Index = uint32(leaf), uint32(len(c.p.Numbers))
	c.p.Numbers = append(c.p.Numbers, &num)
	c.put(&num, info.Node, info.pos)
	c.phase = -1
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

// smallest compiles `quat smallest3(n)`: two bits for the largest component, three codes, and the check on their squares.
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
			TypeSpan: wire.Mask(width), pos: n.Pos,
		})
		if i == 0 {
			first = leaf
		}
	}
	c.put(&Unit{First: uint32(first), Bits: uint32(t.Bits)}, id, n.Pos)
	return id
}

// counted adds the leaf of a count, a length or an index int(lo..hi) that belongs to a larger thing, and returns the
// operand that reads it for the op right behind it. hi-lo fits: the checker bounds counts by 2^32-1.
func (c *compiler) counted(lo, hi uint64, id NodeID, pos schema.Pos) (leaf int, operand uint32) {
	leaf = c.leaf(Leaf{Width: uint8(wire.BitsRequired(hi - lo)), Count: count(hi - lo)},
		LeafInfo{Node: id, Kind: LeafRanged, Base: lo, TypeSpan: hi - lo, pos: pos})
	c.p.Operands = append(c.p.Operands, Operand{Kind: OperandLeaf, Slot: uint32(leaf - c.run.First), Const: lo, Expr: noExpr})
	return leaf, uint32(len(c.p.Operands) - 1)
}

// noExpr stands for an operand that no expression of the schema made.
var noExpr = &schema.TypedExpr{Text: "count"}

// optional compiles the flag, and the value behind it if the flag is set.
func (c *compiler) optional(t *schema.OptionalType, n Node, v *schema.Var, sc *scope) NodeID {
	flag := n
	flag.Kind, flag.Named, flag.Notes, flag.Value = NodeItem, true, nil, nil
	id := c.node(flag)
	leaf := c.leaf(Leaf{Width: 1, Count: 2}, LeafInfo{Node: id, Kind: LeafBool, TypeSpan: 1, pos: n.Pos})
	c.p.Operands = append(c.p.Operands, Operand{Kind: OperandLeaf, Bool: true, Slot: uint32(leaf - c.run.First), Expr: &schema.TypedExpr{Text: n.Name + " is there"}})
	s := &If{Cond: uint32(len(c.p.Operands) - 1)}
	c.put(s, id, n.Pos)
	start := c.phase
	var value NodeID
	s.Then = c.nested(func() { value = c.value(t.Elem, n, v, sc) }) // the node behind the flag's, see Flagged
	c.phase = join(start, c.phase)
	return value
}
