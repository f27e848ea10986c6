package plan

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// structBody compiles the items of a struct whose node and scope exist.
func (c *compiler) structBody(s *schema.Struct, node NodeID, sc *scope) {
	was := c.order
	if was != s.Order {
		c.flush() // one run has one order, that of the struct it began in
	}
	c.order = s.Order
	if !c.alwaysVisible(s) && !s.IsPacket {
		c.put(&Open{}, node, s.Pos)
	}
	c.begin(s, node, sc)
	c.items(s.Items, node, sc)
	c.carry(s, node, sc)
	if was != s.Order {
		c.flush()
	}
	c.order = was
}

func (c *compiler) items(items []schema.Item, node NodeID, sc *scope) {
	for _, it := range items {
		c.item(it, node, sc)
	}
}

func (c *compiler) item(it schema.Item, node NodeID, sc *scope) {
	around := c.around
	c.around = node
	defer func() { c.around = around }()
	switch it := it.(type) {
	case *schema.Field:
		c.field(it, node, sc)
	case *schema.If:
		c.branch(it, node, sc)
	case *schema.Let:
		if it.State != nil {
			c.kept(it, node, sc)
		} else {
			c.let(it, node, sc)
		}
	case *schema.Require:
		v := c.operand(it.Cond, sc)
		c.p.Requires = append(c.p.Requires, Requirement{
			Item: it, Leaf: -1, Vars: c.reads(it.Cond, sc, nil), Rest: asks(it.Cond, schema.OpRest), From: asks(it.Cond, schema.OpFrom),
		})
		id := c.unnamed(node, fmt.Sprintf("require@%d", it.Pos.Line), it.Pos, it.Doc)
		c.put(&Require{Cond: v, Index: uint32(len(c.p.Requires) - 1)}, id, it.Pos)
	case *schema.Align:
		id := c.unnamed(node, fmt.Sprintf("align#%d", it.Index), it.Pos, it.Doc)
		c.align(it.Bits, it.Any, id, it.Pos)
	case *schema.Reserved:
		c.reserved(it, node)
	case *schema.Check:
		c.check(it, node)
	case *schema.Within:
		c.window(it, node, sc)
	default:
		panic(fmt.Sprintf("pktscope: internal error: no step for %T", it))
	}
}

// let compiles a computed value. One that nothing reads, shows or judges is left out.
func (c *compiler) let(it *schema.Let, node NodeID, sc *scope) {
	shown, judged := it.Shown(), it.Range != nil
	if !shown && !judged && !it.Var.Used {
		c.recall(it.Value) // it is read all the same
		return
	}
	s := &Let{Value: c.operand(it.Value, sc), Leaf: -1, Shown: shown, Judged: judged}
	s.Register = c.register(sc, it.Var)
	if shown || judged || it.Annotations.Secret {
		n := Node{Kind: NodeLeaf, Parent: node, Name: it.Var.Name, Pos: it.Pos, Doc: it.Doc, Annotations: &it.Annotations, Leaf: -1}
		if !shown {
			n.Kind, n.Named = NodeItem, true
		}
		node = c.node(n)
		s.Leaf = int32(c.looseLeaf(Leaf{}, c.computed(it, node)))
	}
	c.put(s, node, it.Pos)
}

// computed is what the value of a `let` means.
func (c *compiler) computed(it *schema.Let, node NodeID) LeafInfo {
	in := it.Interval()
	info := LeafInfo{Node: node, Let: it, Negative: it.Value.Signed(), TypeSpan: Low64(in.Hi)}
	if info.Negative {
		info.TypeSpan = ^uint64(0)
	}
	if e := it.Value.Enum; it.Value.Bool {
		info.Kind = LeafBool
	} else if e != nil {
		info.Cases, info.Enum, info.Kind = info.casesOf(e, 64), e, LeafEnum
		if e.Flags {
			info.Kind = LeafFlags
		}
	}
	info.setRule(it.Range)
	return info
}

// unnamed adds the node of an item without a name of its own.
func (c *compiler) unnamed(parent NodeID, name string, pos schema.Pos, doc string) NodeID {
	return c.node(Node{Kind: NodeItem, Parent: parent, Name: name, Pos: pos, Doc: doc, Leaf: -1})
}

func (c *compiler) align(bits int, any bool, node NodeID, pos schema.Pos) {
	if _, most := c.at.Padding(uint64(bits)); most == 0 {
		return
	}
	c.put(&Align{Bits: bits, Any: any}, node, pos)
	c.at = c.at.Align(uint64(bits))
}

func (c *compiler) reserved(it *schema.Reserved, node NodeID) {
	id := c.unnamed(node, fmt.Sprintf("reserved#%d", it.Index), it.Pos, it.Doc)
	if it.Bits <= 64 {
		c.leaf(Leaf{Width: uint8(it.Bits), Count: 1}, LeafInfo{Node: id, Kind: LeafReserved, Any: it.Any})
		return
	}
	c.put(&Reserved{Bits: it.Bits, Any: it.Any}, id, it.Pos)
	c.at = c.at.Plus(uint64(it.Bits))
}

func (c *compiler) check(it *schema.Check, node NodeID) {
	id := c.unnamed(node, fmt.Sprintf("check#%d", it.Index), it.Pos, it.Doc)
	if it.HasLabel && c.order != schema.Bytewise {
		c.align(8, false, id, it.Pos)
	}
	want := uint64(it.Value)
	if it.HasLabel {
		want = uint64(wire.LabelHash(it.Label))
	}
	c.leaf(Leaf{Width: 32, Lo: want, Count: 1}, LeafInfo{Node: id, Kind: LeafCheck, Check: it, Want: want})
}

// branch compiles an if: both sides write the same registers where they declare the same name.
func (c *compiler) branch(it *schema.If, node NodeID, sc *scope) {
	s := &If{Cond: c.next(it.Cond, sc)}
	c.put(s, node, it.Pos)
	start := c.at
	s.Then = c.nested(func() { c.items(it.Then, node, sc) })
	end := c.at
	c.at = start
	if len(it.Else) > 0 {
		s.Else = append([]Step{}, c.nested(func() { c.items(it.Else, node, sc) })...)
	}
	c.at |= end
}

func (c *compiler) field(f *schema.Field, parent NodeID, sc *scope) {
	n := Node{Parent: parent, Name: f.Name, Pos: f.Pos, Doc: f.Doc, Annotations: &f.Annotations, Leaf: -1}
	aligned := 1
	if f.Value != nil && c.order != schema.Bytewise {
		if l := f.Value.Type.Layout(); l.Aligned && l.Head == 0 {
			aligned = 8
		}
	}
	c.begins(f, parent, sc)
	c.end(f.Var.First, aligned, parent, f.Pos, sc)
	if c.at.OnBytes() {
		c.onByte = f.Name
	}
	c.from(f.Annotations.From, f.Pos, func() NodeID {
		if f.Switch != nil {
			return c.choose(f, n, sc)
		}
		id := c.value(f.Value, n, f.Var, sc)
		if _, ok := f.Value.Type.(*schema.BlobType); ok {
			c.bytes[f] = c.p.Blobs[len(c.p.Blobs)-1]
			c.p.Keeps = c.p.Keeps || len(f.Annotations.Sets) > 0
		}
		return id
	})
	c.end(f.Var.Behind, 1, parent, f.Pos, sc)
}

// from brackets what carries @from in a Group, which notes a wrong direction.
func (c *compiler) from(side schema.Direction, pos schema.Pos, body func() NodeID) {
	if side == schema.FromUnknown {
		body()
		return
	}
	if c.marked == len(c.marks) {
		c.marks = append(c.marks, c.temp())
	}
	s := &Group{From: side, Register: c.marks[c.marked]}
	c.marked++
	c.put(s, NoNode, pos)
	s.Body = c.nested(func() { s.Node = body() })
	c.marked--
}

// choose compiles a switch: each arm's value is a node of its own with the field's name.
func (c *compiler) choose(f *schema.Field, n Node, sc *scope) NodeID {
	sw := f.Switch
	tag := c.next(sw.Tag, sc)
	n.Kind = NodeStruct
	id := c.node(n)
	s := &Switch{Item: sw, Index: uint32(len(c.p.Switches)), Tag: tag, Default: -1, TagRegister: -1}
	if c.p.Nodes[n.Parent].Parent == NoNode && !c.gotCase && c.p.Nodes[n.Parent].Struct.IsPacket {
		c.gotCase, s.Case = true, true
	}
	c.put(s, id, f.Pos)
	if sw.Tag.Op == schema.OpVar && sw.Tag.Path[0].State == nil {
		s.TagRegister = int32(c.resolve(sw.Tag.Path, sc))
	}
	c.p.Switches = append(c.p.Switches, s)
	var value *schema.Var // what expressions call the value of each arm
	if f.Var.Lo != nil {
		value = f.Var
	}
	start, end := c.at, schema.Places(0)
	for i, arm := range sw.Arms {
		c.at = start
		if arm.Default {
			s.Default = i
		}
		if !s.enter(arm, int32(i), c.p.Operands[tag].Signed) {
			c.diags = append(c.diags, errorAt(arm.Pos, "the tag of this switch never has the value of this arm"))
		}
		armNode := Node{Kind: NodeStruct, Parent: n.Parent, Name: n.Name, Case: arm.Label, Pos: arm.Pos, Doc: arm.Doc, Annotations: &arm.Annotations, Secret: f.Annotations.Secret, Leaf: -1}
		s.Arms = append(s.Arms, Block{int32(i), c.nested(func() {
			c.from(arm.Annotations.From, arm.Pos, func() (id NodeID) {
				if arm.Value == nil {
					id = c.node(armNode)
				} else {
					id = c.value(arm.Value, armNode, value, sc)
				}
				s.Nodes = append(s.Nodes, id)
				return id
			})
		})})
		end |= c.at
	}
	c.at = end
	s.sort()
	return id
}
