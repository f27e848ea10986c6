package plan

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema"
)

func (c *compiler) blob(t *schema.BlobType, val *schema.Value, n Node, sc *scope) NodeID {
	n.Kind = NodeBlob
	id := c.node(n)
	b := Blob{Size: -1, Rest: t.Size == nil, Max: t.Max, Rule: val.Rule, Encoding: val.Encoding()}
	if t.Size != nil && !t.Size.IsConst() {
		b.Size = int32(c.operand(t.Size, sc))
	} else if t.Size != nil {
		b.MinBits = 8 * uint64(t.Max)
	}
	if note := c.holds(n); note != nil {
		b.Fragment = c.fragment(note, sc)
	}
	c.putBlob(b, id, n.Pos, true)
	return id
}

// text compiles the strings. A length in front is a leaf of its own, which the step after it takes as its size.
func (c *compiler) text(t *schema.TextType, val *schema.Value, n Node) NodeID {
	n.Kind = NodeBlob
	id := c.node(n)
	b := Blob{Text: t.Kind, Size: -1, Max: t.N, Rule: val.Rule, Encoding: val.Encoding()}
	switch t.Kind {
	case schema.TextChar:
		b.MinBits = 8 * uint64(t.N)
	case schema.TextCString, schema.TextName:
		b.MinBits = 8
	default:
		b.Max = t.N - 1
		length := c.node(Node{Kind: NodeItem, Named: true, Parent: id, Name: "length", Pos: n.Pos, Leaf: -1})
		_, size := c.counted(0, uint64(t.N-1), length)
		b.Size = int32(size)
	}
	c.putBlob(b, id, n.Pos, t.Kind != schema.TextWString)
	return id
}

func (c *compiler) putBlob(b Blob, node NodeID, pos schema.Pos, aligned bool) {
	b.Index, b.Packed = uint32(len(c.p.Blobs)), c.order == schema.Bytewise || !aligned
	c.p.Blobs = append(c.p.Blobs, &b)
	c.put(&b, node, pos)
}

// window compiles `within`: what is inside sees no further than its end.
func (c *compiler) window(it *schema.Within, node NodeID, sc *scope) {
	id := c.unnamed(node, fmt.Sprintf("within#%d", it.Index), it.Pos, "")
	size := c.operand(it.Size, sc)
	s := &Window{Size: size, Unit: 8, Packed: it.Bits || c.order == schema.Bytewise, Fill: it.Fill, Trimmed: it.Trimmed}
	if it.Bits {
		s.Unit = 1
	}
	c.put(s, id, it.Pos)
	behind := c.lay.Item(it, c.order, c.at)
	if !s.Packed {
		c.at = c.at.Align(8)
	}
	s.Body = c.nested(func() {
		c.opens(&c.win, &place{end: behind}, node, it.Pos, func() { c.items(it.Items, node, sc) })
	})
	c.at = behind
}
