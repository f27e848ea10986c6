package plan

import (
	"math/big"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// array compiles the arrays: those that know their count are an OpArray, those that find their end on the way an OpRepeat
// whose body begins by asking whether there is one more.
func (c *compiler) array(t *schema.ArrayType, n Node, sc *scope) NodeID {
	n.Kind = NodeArray
	n = c.shapedBy(n, t.Count, sc)
	if t.Kind == schema.ArrayWhile {
		n = c.shapedBy(n, t.Cond, sc)
	}
	if t.Kind == schema.ArrayRest && c.narrow {
		n.hide()
	}
	id := c.node(n)
	if t.Elem.MinBits == 0 && t.Max > maxEmpty {
		c.diags = append(c.diags, errorAt(n.Pos, "an element of this array can take no bits at all, so its %d elements cost the sender nothing: at most %d are allowed", t.Max, maxEmpty))
	}
	elem := func() {
		c.value(t.Elem, Node{Elem: true, Parent: id, Pos: t.Elem.Pos, Leaf: -1}, t.ElemVar, sc)
	}
	steady := t.Elem.MinBits == t.Elem.MaxBits && t.Elem.MinBits%8 == 0
	open := Op{Code: OpRepeat, Node: id, Imm: t.Max}
	switch t.Kind {
	case schema.ArrayCount:
		c.loop(Op{Code: OpArray, Node: id, C: c.next(t.Count, sc), Imm: t.Max}, n.Pos, steady, func(uint32) { elem() })
	case schema.ArrayCounted:
		count := c.node(Node{Kind: NodeItem, Named: true, Parent: id, Name: "count", Pos: n.Pos, Leaf: -1})
		_, operand := c.counted(t.Lo, t.Hi, count, n.Pos)
		c.loop(Op{Code: OpArray, Node: id, C: operand, Imm: t.Hi}, n.Pos, steady, func(uint32) { elem() })
	case schema.ArrayRest:
		c.loop(open, n.Pos, true, func(list uint32) {
			c.more(list, MoreRest, 0, id, n.Pos)
			elem()
		})
	case schema.ArrayWhile:
		c.loop(open, n.Pos, steady, func(list uint32) {
			c.more(list, MoreWhile, c.operand(t.Cond, sc), id, n.Pos)
			elem()
		})
	case schema.ArrayUntil:
		c.loop(open, n.Pos, steady, func(list uint32) {
			c.more(list, MoreAlways, 0, id, n.Pos)
			// The condition sees the fields of the element just read, then what is around the array.
			name := t.ElemVar
			if name == nil {
				name = &schema.Var{Name: n.Name}
			}
			c.value(t.Elem, Node{Elem: true, Parent: id, Pos: t.Elem.Pos, Leaf: -1}, name, sc)
			inside := sc
			if ref, ok := t.Elem.Type.(*schema.StructRef); ok && !ref.Struct.Inline {
				fields := sc.sub(name)
				inside = &scope{slots: fields.slots, subs: fields.subs, outer: sc}
			}
			until := c.operand(t.Cond, inside)
			if c.p.Operands[until].Secret { // the last element tells what it holds
				for i := int(id); i < len(c.p.Nodes); i++ {
					c.p.Nodes[i].hide()
				}
			}
			c.emit(Op{Code: OpUntil, Node: id, A: list, B: until}, n.Pos)
		})
	}
	return id
}

// loop brackets a body. steady says that an element leaves the position modulo 8 as it was.
func (c *compiler) loop(op Op, pos schema.Pos, steady bool, body func(list uint32)) {
	op.A = uint32(c.loops)
	start := c.emit(op, pos)
	c.loops++
	before := c.phase
	if !steady {
		c.phase = -1 // the second element may begin anywhere
	}
	body(start)
	c.emit(Op{Code: OpNext, Node: op.Node, A: start}, pos)
	c.p.Ops[start].B = c.here()
	c.phase = join(before, c.phase)
	c.loops--
}

func (c *compiler) more(list uint32, how, operand uint32, id NodeID, pos schema.Pos) {
	c.emit(Op{Code: OpMore, Node: id, A: list, B: operand, C: how}, pos)
}

// subset compiles the articles' four ways to send some elements of an array (wire.md, "Array subsets"): a list of
// {index, value}. The index that was read last is in a slot, from which the next one must rise.
func (c *compiler) subset(t *schema.SubsetType, n Node, sc *scope) NodeID {
	n.Kind = NodeArray
	id := c.node(n)
	element := func() (elem, index NodeID) {
		elem = c.node(Node{Kind: NodeStruct, Elem: true, Parent: id, Pos: n.Pos, Leaf: -1})
		return elem, c.node(Node{Kind: NodeLeaf, Parent: elem, Name: "index", Pos: n.Pos, Leaf: -1})
	}
	value := func(elem NodeID) {
		c.value(t.Elem, Node{Parent: elem, Name: "value", Pos: t.Elem.Pos, Leaf: -1}, nil, sc)
	}
	if t.Kind == schema.SubsetBitmap {
		c.loop(Op{Code: OpRepeat, Node: id, Imm: t.N}, n.Pos, false, func(list uint32) {
			elem, index := element()
			flag := c.looseLeaf(Leaf{Width: 1, Count: 2}, LeafInfo{Node: c.unnamed(id, "present", n.Pos, ""), Kind: LeafBool, TypeSpan: 1, pos: n.Pos})
			at := c.looseLeaf(Leaf{}, LeafInfo{Node: index, TypeSpan: t.N - 1, pos: n.Pos})
			pc := c.emit(Op{Code: OpSlot, Node: id, A: list, B: uint32(flag), C: uint32(at), Imm: t.N}, n.Pos)
			c.p.Info[flag].Op, c.p.Info[at].Op = pc, pc
			value(elem)
		})
		c.phase = -1 // behind the last element come the flags of empty slots
		return id
	}

	previous := c.temp()
	num := Number{Kind: NumberIndex, Most: t.N, Bits: wire.BitsRequired(t.N), Slot: -1, Previous: int32(previous), EndLeaf: -1}
	op := Op{Code: OpRepeat, Node: id, Imm: t.N + 1} // the index that ends the list is read like an element's
	switch t.Kind {
	case schema.SubsetIndex:
		num.Most, num.Bits = t.N-1, wire.BitsRequired(t.N-1)
		count := c.node(Node{Kind: NodeItem, Named: true, Parent: id, Name: "count", Pos: n.Pos, Leaf: -1})
		_, operand := c.counted(0, t.N, count, n.Pos)
		// The start value goes in front of the count, so that the count is right before its array.
		op = Op{Code: OpArray, Node: id, C: operand, Imm: t.N}
		c.letBefore(previous, id, n.Pos)
	case schema.SubsetRelative:
		num.Kind, num.Bits = NumberStep, 6+wire.BitsRequired(t.N+1)
		fallthrough
	case schema.SubsetSentinel:
		c.emit(Op{Code: OpLet, Node: id, A: previous, B: c.minusOne()}, n.Pos)
	}
	c.loop(op, n.Pos, false, func(list uint32) {
		if op.Code == OpRepeat {
			c.more(list, MoreAlways, 0, id, n.Pos)
			num.List = list
			num.EndLeaf = int32(c.looseLeaf(Leaf{Width: uint8(num.Bits)}, LeafInfo{Node: c.unnamed(id, "end", n.Pos, ""), Op: uint32(len(c.p.Ops)), TypeSpan: t.N, pos: n.Pos}))
		}
		elem, index := element()
		c.numberOp(num, LeafInfo{Node: index, TypeSpan: num.Most, pos: n.Pos})
		value(elem)
	})
	if op.Code == OpRepeat {
		c.phase = -1 // behind the last element comes the index that ends the list
	}
	return id
}

// minusOne is the operand that an ascending list starts from.
func (c *compiler) minusOne() uint32 {
	e := &schema.TypedExpr{Op: schema.OpConst, Val: big.NewInt(-1), Lo: big.NewInt(-1), Hi: big.NewInt(-1), Text: "-1"}
	return c.operand(e, nil)
}

// letBefore puts the start value of an ascending list in front of the pending run.
func (c *compiler) letBefore(slot uint32, id NodeID, pos schema.Pos) {
	c.add(Op{Code: OpLet, Node: id, A: slot, B: c.minusOne()}, pos)
}
