package diff

import (
	"bytes"
	"cmp"
	"iter"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// Difference is a field that two packets do not have alike. The events are valid until the next difference, and those
// of a secret tell its path and its place only.
type Difference struct {
	A, B   *decode.Event // nil where the packet has no such field
	Secret bool
}

// Result is how two packets compare.
type Result struct {
	Fields int // that differ
	// UnreadA are fields that only B has because A was refused or cut before them; UnreadB the other way round. They
	// are no differences.
	UnreadA, UnreadB int
}

// Compare yields the fields in which two packets of one plan differ, in the order of the wire. Fields are the same
// where their paths are; elements of lists are by their position. A number is alike when its code and its width are.
// Padding, checks and the flags of bitmaps follow from the rest and are not compared.
//
// partA and partB say that the packet was cut by its capture, so that what is missing tells nothing; of a refused
// packet that is so as well.
func Compare(a, b *decode.Trace, partA, partB bool, yield func(*Difference) bool) Result {
	if a.Plan != b.Plan {
		panic("pktscope: internal error: packets of two plans are compared")
	}
	ranks := ranksOf(a.Plan)
	x, y := newCursor(a, ranks), newCursor(b, ranks)
	defer x.stop()
	defer y.stop()
	var r Result
	var d Difference
	for x.ev != nil || y.ev != nil {
		d = Difference{A: x.ev, B: y.ev}
		switch order := x.order(y); {
		case order < 0:
			d.B = nil
		case order > 0:
			d.A = nil
		case x.equal(y):
			x.advance()
			y.advance()
			continue
		}
		d.Secret = d.A != nil && x.secret || d.B != nil && y.secret
		switch {
		case d.A == nil && x.ev == nil && (partA || a.Rejected()):
			r.UnreadA++
		case d.B == nil && y.ev == nil && (partB || b.Rejected()):
			r.UnreadB++
		default:
			r.Fields++
			if yield != nil && !yield(&d) {
				return r
			}
		}
		if d.A != nil {
			x.advance()
		}
		if d.B != nil {
			y.advance()
		}
	}
	return r
}

// step is a struct, an element or a field on the way from the packet: siblings are in the order of their ranks,
// elements in that of their indexes.
type step struct {
	rank  int64
	index int
}

// ranksOf gives each node its place among its siblings on the wire, and nodes of one path the same: arms of a switch
// have names in common, and an element of a list in one arm is that of the list in another. A count or a length is
// before what it is of.
func ranksOf(p *plan.Plan) []int64 {
	type place struct {
		parent     int64
		elem, item bool
		name       string
	}
	ranks := make([]int64, len(p.Nodes))
	first := map[place]int64{}
	for id := range p.Nodes {
		n := &p.Nodes[id]
		ranks[id] = int64(id) << 32
		if n.Parent == plan.NoNode || n.Kind == plan.NodeItem && !n.Named {
			continue
		}
		up := ranks[n.Parent]
		if n.Kind == plan.NodeItem && !n.Elem && p.Nodes[n.Parent].Kind != plan.NodeStruct {
			ranks[id] = int64(id) // before everything in its parent
		}
		at := place{up, n.Elem, n.Kind == plan.NodeItem && !n.Elem, n.Name} // the flag of an element has its place
		if have, ok := first[at]; ok {
			ranks[id] = have
			continue
		}
		first[at] = ranks[id]
	}
	return ranks
}

// cursor goes over a packet's fields.
type cursor struct {
	t      *decode.Trace
	ranks  []int64
	next   func() (*decode.Event, bool)
	stop   func()
	chain  []step        // what is open, and the field itself
	own    int           // steps of the chain that are the field's
	ev     *decode.Event // nil after the last
	secret bool
}

func newCursor(t *decode.Trace, ranks []int64) *cursor {
	c := &cursor{t: t, ranks: ranks}
	c.next, c.stop = iter.Pull[*decode.Event](t.Show)
	c.advance()
	return c
}

// advance goes to the next field.
func (c *cursor) advance() {
	c.chain = c.chain[:len(c.chain)-c.own]
	c.own = 0
	for {
		ev, ok := c.next()
		if !ok {
			c.ev = nil
			return
		}
		n := &c.t.Plan.Nodes[ev.Node]
		at := step{c.ranks[ev.Node], ev.Index}
		c.secret = ev.Kind == decode.Masked
		switch {
		case ev.Kind == decode.Stretch, c.secret && n.Kind == plan.NodeItem, n.Leaf >= 0 && c.t.Plan.Info[n.Leaf].Let != nil: // it follows from what differs
			continue // the flag of something secret, which is compared itself
		case ev.Kind == decode.Open:
			c.chain = append(c.chain, at)
			continue
		case ev.Kind == decode.Close:
			c.chain = c.chain[:len(c.chain)-1]
			continue
		case ev.Kind == decode.Item && !n.Named && !c.reserved(ev):
			continue
		default:
			c.ev = ev
		}
		if up := &c.t.Plan.Nodes[max(n.Parent, 0)]; n.Kind == plan.NodeItem && !n.Elem && up.Kind != plan.NodeStruct {
			// The walk has it beside what it is of.
			outer := step{rank: c.ranks[n.Parent]}
			if index, _, ok := c.t.Element(c.ev); ok && up.Elem {
				outer.index = index
			}
			c.chain = append(c.chain, outer)
			c.own++
		}
		c.chain = append(c.chain, at)
		c.own++
		return
	}
}

func (c *cursor) reserved(ev *decode.Event) bool {
	return ev.Leaf < 0 || c.t.Plan.Info[ev.Leaf].Kind == plan.LeafReserved
}

// order says which of two fields comes first on the wire.
func (c *cursor) order(o *cursor) int {
	switch {
	case c.ev == nil:
		return 1
	case o.ev == nil:
		return -1
	}
	for i := range min(len(c.chain), len(o.chain)) {
		a, b := c.chain[i], o.chain[i]
		if n := cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.index, b.index)); n != 0 {
			return n
		}
	}
	return cmp.Compare(len(o.chain), len(c.chain)) // a length comes before its text
}

// equal compares two fields of one path.
func (c *cursor) equal(o *cursor) bool {
	a, b := c.ev, o.ev
	bitA, width := a.Extent()
	bitB, widthB := b.Extent()
	if width != widthB || a.Kind != b.Kind || c.secret != o.secret {
		return false
	}
	switch {
	case c.secret || a.Leaf < 0 && a.Kind == decode.Item:
		return sameBits(c.t, o.t, bitA, bitB, width)
	case a.Kind == decode.Blob:
		return bytes.Equal(a.Data, b.Data)
	}
	return a.Raw == b.Raw && (a.Leaf == b.Leaf || alike(c.info(), o.info()))
}

func (c *cursor) info() *plan.LeafInfo { return &c.t.Plan.Info[c.ev.Leaf] }

// alike reports whether the same code is the same value in two leaves: in two arms of a switch a name can be of two
// types.
func alike(a, b *plan.LeafInfo) bool {
	return a.Kind == b.Kind && a.Base == b.Base && a.Signed == b.Signed && a.ZigZag == b.ZigZag && a.Enum == b.Enum &&
		(a.Quant == b.Quant || a.Quant != nil && b.Quant != nil && a.Quant.Min == b.Quant.Min && a.Quant.Max == b.Quant.Max && a.Quant.Step == b.Quant.Step)
}

// sameBits compares bits of two packets.
func sameBits(a, b *decode.Trace, bitA, bitB, width int) bool {
	order := a.Plan.Order
	for width > 0 {
		n := min(width, 8-max(bitA%8, bitB%8)) // in one byte of each
		if order == wire.Bytewise {
			order = wire.MSB // which bits, not what number
		}
		if order.Load(a.Payload, bitA, n) != order.Load(b.Payload, bitB, n) {
			return false
		}
		bitA, bitB, width = bitA+n, bitB+n, width-n
	}
	return true
}
