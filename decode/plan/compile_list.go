package plan

import (
	"math/big"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// array compiles the arrays: those that know their count before the elements, and those that find their end on the way,
// which ask before each element whether there is one more.
func (c *compiler) array(t *schema.ArrayType, n Node, sc *scope) NodeID {
	n.Kind = NodeArray
	id := c.node(n)
	if t.Elem.MinBits == 0 && t.Max > maxEmpty {
		c.diags = append(c.diags, errorAt(n.Pos, "an element of this array can take no bits at all, so its %d elements cost the sender nothing: at most %d are allowed", t.Max, maxEmpty))
	}
	element := func(name *schema.Var) {
		c.elem(id, t.Elem.Pos, func() {
			c.value(t.Elem, Node{Elem: true, Parent: id, Pos: t.Elem.Pos, Display: c.p.Nodes[id].Display, Leaf: -1}, name, sc)
		})
	}
	elem := func() { element(t.ElemVar) }
	starts := c.lay.Elements(n.Value, c.order, c.at)
	list := &List{Max: t.Max}
	switch t.Kind {
	case schema.ArrayCount:
		if c.carrying(t.Elem) { // first values are computed in between
			list.Size = c.operand(t.Count, sc)
		} else {
			list.Size = c.next(t.Count, sc)
		}
		c.loop(list, &list.Body, id, n.Pos, starts, elem)
	case schema.ArrayCounted:
		if c.carrying(t.Elem) { // the same: the count is in a run of its own
			c.flush()
		}
		count := c.node(Node{Kind: NodeItem, Named: true, Parent: id, Name: "count", Pos: n.Pos, Leaf: -1})
		list.Max = t.Hi
		_, list.Size = c.counted(t.Lo, t.Hi, count)
		c.loop(list, &list.Body, id, n.Pos, starts, elem)
	case schema.ArrayRest:
		list.Kind, list.Left = ListRest, t.Left()
		c.loop(list, &list.Body, id, n.Pos, starts, elem)
	case schema.ArrayWhile:
		list.Kind, list.Size = ListWhile, c.operand(t.Cond, sc)
		c.loop(list, &list.Body, id, n.Pos, starts, elem)
	case schema.ArrayUntil:
		list.Kind = ListUntil
		c.loop(list, &list.Body, id, n.Pos, starts, func() {
			// The condition sees the fields of the element just read, then what is around the array.
			name := t.ElemVar
			if name == nil {
				name = &schema.Var{Name: n.Name}
			}
			element(name)
			inside := sc
			if ref, ok := t.Elem.Type.(*schema.StructRef); ok && !ref.Struct.Inline {
				fields := sc.sub(name)
				inside = &scope{registers: fields.registers, subs: fields.subs, outer: sc}
			}
			list.Size = c.operand(t.Cond, inside)
		})
	}
	return id
}

// loop adds a list whose elements something makes, which begin at starts.
func (c *compiler) loop(s Step, body *[]Step, id NodeID, pos schema.Pos, starts schema.Places, element func()) {
	around := c.start
	c.start = &start{}
	c.put(s, id, pos)
	c.at = starts
	*body = c.nested(element)
	first := c.start.first
	c.start = around
	c.insert(first, s)
}

// subset compiles the articles' four ways to send some elements of an array (wire.md, "Array subsets"): a list of
// {index, value}. The index that was read last is in a register, from which the next one must rise.
func (c *compiler) subset(t *schema.SubsetType, n Node, sc *scope) NodeID {
	n.Kind = NodeArray
	id := c.node(n)
	element := func() (elem, index NodeID) {
		elem = c.node(Node{Kind: NodeStruct, Elem: true, Parent: id, Pos: n.Pos, Leaf: -1})
		return elem, c.node(Node{Kind: NodeLeaf, Parent: elem, Name: "index", Pos: n.Pos, Leaf: -1})
	}
	value := func(elem NodeID) {
		c.elem(elem, t.Elem.Pos, func() {
			c.value(t.Elem, Node{Parent: elem, Name: "value", Pos: t.Elem.Pos, Display: c.p.Nodes[id].Display, Leaf: -1}, nil, sc)
		})
	}
	s := &Subset{Kind: t.Kind, Any: t.Any, N: t.N}
	starts := c.lay.Elements(n.Value, c.order, c.at)
	if t.Kind == schema.SubsetBitmap {
		c.loop(s, &s.Body, id, n.Pos, starts, func() {
			elem, index := element()
			s.Flag = uint32(c.looseLeaf(Leaf{Width: 1, Count: 2}, LeafInfo{Node: c.unnamed(id, "present", n.Pos, ""), Kind: LeafBool, TypeSpan: 1}))
			s.Index = uint32(c.looseLeaf(Leaf{}, LeafInfo{Node: index, TypeSpan: t.N - 1}))
			c.at = c.at.Plus(1) // after its flag
			value(elem)
		})
		return id
	}

	previous := c.temp()
	num := Number{Kind: NumberIndex, Any: t.Any, Most: t.N, Bits: wire.BitsRequired(t.N), Register: -1, Previous: int32(previous), EndLeaf: -1}
	begin := &Let{Register: previous, Leaf: -1}
	ends := true // an index of N ends the list
	switch t.Kind {
	case schema.SubsetIndex:
		ends = false
		if c.carrying(t.Elem) {
			c.flush()
		}
		num.Most, num.Bits = t.N-1, wire.BitsRequired(t.N-1)
		count := c.node(Node{Kind: NodeItem, Named: true, Parent: id, Name: "count", Pos: n.Pos, Leaf: -1})
		_, s.Count = c.counted(0, t.N, count)
		// The start goes before the run with the count, so that the count is right before its list.
		run := c.block[len(c.block)-1]
		c.block = c.block[:len(c.block)-1]
		begin.Value = c.minusOne()
		c.add(begin, id, n.Pos)
		begin.Room = run.At().Room
		c.block = append(c.block, run)
	case schema.SubsetRelative:
		num.Kind, num.Bits = NumberStep, 6+wire.BitsRequired(t.N+1)
	}
	if ends {
		begin.Value = c.minusOne()
		c.put(begin, id, n.Pos)
	}
	c.loop(s, &s.Body, id, n.Pos, starts, func() {
		if ends {
			num.EndLeaf = int32(c.looseLeaf(Leaf{Width: uint8(num.Bits)}, LeafInfo{Node: c.unnamed(id, "end", n.Pos, ""), TypeSpan: t.N}))
		}
		elem, index := element()
		c.putNumber(num, LeafInfo{Node: index, TypeSpan: num.Most})
		least, most := num.bits(c.p)
		c.at = c.at.Units(least, most, 1)
		value(elem)
	})
	return id
}

// minusOne is the operand that an ascending list starts from.
func (c *compiler) minusOne() uint32 {
	e := &schema.TypedExpr{Op: schema.OpConst, Val: big.NewInt(-1), Lo: big.NewInt(-1), Hi: big.NewInt(-1), Text: "-1"}
	return c.operand(e, nil)
}
