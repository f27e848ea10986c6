package decode

import (
	"iter"

	"github.com/pktscope/pktscope/decode/bitio"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// EventKind is what an Event tells.
type EventKind uint8

// The events of a walk. Open and Close bracket a struct or an array, except the packet itself; between them come its
// contents in wire order.
const (
	Open  EventKind = iota + 1
	Close           // of the innermost Open
	Leaf            // a number: Code, Leaf
	Blob            // bytes or text: Data
	Item            // an item without a name: a check (Leaf ≥ 0) or reserved bits
)

// Event is one step of a walk over a Trace, valid until the next step.
type Event struct {
	Kind  EventKind
	Node  plan.NodeID
	Index int // the element's number where the node is an array's element
	Bit   int // first bit; of an Open where its contents or its position begin
	Width int // bits; 0 for Open and Close
	Count int // Open of an array: elements announced
	Leaf  int // index of the plan's leaf, -1 without one
	Code  uint64
	Data  []byte
	Span  int // of a Leaf, Blob or Item: index of its span
	// Place for paths: AppendEventPath.
	parent int32
	index  uint32
}

// frame is an open struct or array.
type frame struct {
	node   plan.NodeID
	parent int32 // context of the node itself: span and element of the innermost array around it
	index  uint32
}

// walker keeps what is open between events. A Trace has one, so that walks allocate nothing.
type walker struct {
	t     *Trace
	open  []frame
	chain []frame
	yield func(*Event) bool
	ev    Event
	at    int // the span being walked
	busy  bool
}

// Walk goes over what a Trace holds, in wire order: of a refused packet all that was read before the failing field. Names,
// types and notes are in the plan's node.
func (t *Trace) Walk() iter.Seq[*Event] { return t.Visit }

// Visit is Walk for a function that the caller keeps, without an allocation.
func (t *Trace) Visit(yield func(*Event) bool) {
	w := &t.walker
	if w.busy { // a walk inside a walk
		w = &walker{}
	}
	w.busy = true
	defer func() { w.busy = false }()
	w.t, w.yield, w.open = t, yield, w.open[:0]
	w.ev = Event{}
	for i := range t.Spans {
		if w.at = i; !w.span(&t.Spans[i]) {
			return
		}
	}
	w.closeTo(0, len(t.Payload)*8)
}

func (w *walker) span(s *Span) bool {
	p := w.t.Plan
	op := &p.Ops[s.Op]
	switch op.Code {
	case plan.OpRun, plan.OpCRC:
		for i := range s.N {
			leaf := int(op.A + i)
			l := &p.Leaves[leaf]
			if !w.leaf(s, leaf, int(s.Bit+l.Off), int(l.Width), w.t.Raw[s.Raw+i]) {
				return false
			}
		}
		return true
	case plan.OpNumber, plan.OpSlot:
		return w.leaf(s, w.t.numberLeaf(s), int(s.Bit), int(s.N), w.t.Raw[s.Raw])
	case plan.OpBlob:
		b := &p.Blobs[op.A]
		width := b.Unit() * int(s.N)
		if b.Text == schema.TextCString {
			width += 8
		}
		w.ev.Data = w.t.data(b, int(s.Bit), int(s.N), bitio.Order(op.Order))
		ok := w.field(s, op.Node, Blob, -1, int(s.Bit), width, 0)
		w.ev.Data = nil
		return ok
	case plan.OpReserved:
		return w.field(s, op.Node, Item, -1, int(s.Bit), int(s.N), 0)
	}
	// An array or a struct that shows itself: it is opened, and what follows is in it.
	w.ev.Count = int(s.N)
	return w.goTo(op.Node, s.Parent, s.Index, int(s.Bit))
}

func (w *walker) leaf(s *Span, leaf, bit, width int, code uint64) bool {
	node := w.t.Plan.Info[leaf].Node
	kind := Leaf
	if w.t.Plan.Nodes[node].Kind == plan.NodeItem {
		kind = Item
	}
	return w.field(s, node, kind, leaf, bit, width, code)
}

// field yields one leaf or blob inside its container.
func (w *walker) field(s *Span, id plan.NodeID, kind EventKind, leaf, bit, width int, code uint64) bool {
	p := w.t.Plan
	n := &p.Nodes[id]
	node, parent, index := n.Parent, s.Parent, s.Index
	if n.Elem {
		parent, index = w.outer(parent)
	}
	if n.Named && !n.Elem && p.Nodes[node].Kind != plan.NodeStruct {
		// A count or a length stands beside the array or text that it is under.
		if p.Nodes[node].Elem {
			parent, index = w.outer(parent)
		}
		node = p.Nodes[node].Parent
	}
	if !w.goTo(node, parent, index, bit) {
		return false
	}
	ev := &w.ev
	ev.Kind, ev.Node, ev.Leaf, ev.Bit, ev.Width, ev.Code = kind, id, leaf, bit, width, code
	ev.Index, ev.Count, ev.Span = 0, 0, w.at
	if n.Elem {
		ev.Index = int(s.Index)
	}
	ev.parent, ev.index = s.Parent, s.Index
	return w.emit()
}

// outer is the context of the array whose span is given: leaving an element leads there.
func (w *walker) outer(array int32) (parent int32, index uint32) {
	s := &w.t.Spans[array]
	return s.Parent, s.Index
}

func (w *walker) emit() bool { return w.yield(&w.ev) }

// goTo makes node, whose own context is given, the innermost open container: it closes what does not lead there and
// opens what is missing.
func (w *walker) goTo(node plan.NodeID, parent int32, index uint32, bit int) bool {
	n := len(w.open)
	if n > 0 && w.open[n-1] == (frame{node, parent, index}) || n == 0 && node == 0 {
		return true
	}
	p := w.t.Plan
	count, data := w.ev.Count, w.ev.Data
	w.chain = w.chain[:0]
	for id := node; p.Nodes[id].Parent != plan.NoNode; id = p.Nodes[id].Parent {
		w.chain = append(w.chain, frame{id, parent, index})
		if p.Nodes[id].Elem {
			parent, index = w.outer(parent)
		}
	}
	same := 0
	for same < len(w.open) && same < len(w.chain) && w.open[same] == w.chain[len(w.chain)-1-same] {
		same++
	}
	if !w.closeTo(same, bit) {
		return false
	}
	for i := len(w.chain) - 1 - same; i >= 0; i-- {
		f := w.chain[i]
		w.open = append(w.open, f)
		n := &p.Nodes[f.node]
		w.ev = Event{Kind: Open, Node: f.node, Bit: bit, Leaf: -1, parent: f.parent, index: f.index}
		if n.Elem {
			w.ev.Index = int(f.index)
		}
		if n.Kind == plan.NodeArray {
			w.ev.Count = count
		}
		if !w.emit() {
			return false
		}
	}
	w.ev.Data = data
	return true
}

func (w *walker) closeTo(depth, bit int) bool {
	for len(w.open) > depth {
		f := w.open[len(w.open)-1]
		w.open = w.open[:len(w.open)-1]
		w.ev = Event{Kind: Close, Node: f.node, Bit: bit, Leaf: -1, parent: f.parent, index: f.index}
		if w.t.Plan.Nodes[f.node].Elem {
			w.ev.Index = int(f.index)
		}
		if !w.emit() {
			return false
		}
	}
	return true
}

// numberLeaf is the leaf of an OpNumber's or OpSlot's span.
func (t *Trace) numberLeaf(s *Span) int {
	op := &t.Plan.Ops[s.Op]
	if op.Code == plan.OpSlot {
		if s.N == 0 {
			return int(op.C)
		}
		return int(op.B)
	}
	// The index that ends a list is recorded outside its elements.
	if n := &t.Plan.Numbers[op.B]; n.EndLeaf >= 0 && t.Raw[s.Raw] == n.Most {
		return int(n.EndLeaf)
	}
	return int(op.A)
}

// data is what a blob holds: a slice of the payload where its bytes lie on bytes, a wstring as UTF-8.
func (t *Trace) data(b *plan.Blob, bit, size int, order bitio.Order) []byte {
	switch {
	case b.Text == schema.TextWString:
		return appendWide(nil, t.Payload, bit, size, order)
	case bit%8 == 0:
		return t.Payload[bit/8 : bit/8+size : bit/8+size]
	}
	return appendBytesAt(nil, t.Payload, bit, size, order)
}

// Element is which element of the innermost array around an event it is in, and how many there are; ok is false outside
// arrays.
func (t *Trace) Element(ev *Event) (index, of int, ok bool) {
	if ev.parent < 0 {
		return 0, 0, false
	}
	return int(ev.index), int(t.Spans[ev.parent].N), true
}

// AppendEventPath appends the path of an event's node in this packet: `body.players[2].health`.
func (t *Trace) AppendEventPath(b []byte, ev *Event) []byte {
	return t.appendPath(b, ev.Node, ev.parent, ev.index)
}

// appendPath appends a node's path; parent and index are the node's own context.
func (t *Trace) appendPath(b []byte, node plan.NodeID, parent int32, index uint32) []byte {
	return t.Plan.AppendPath(b, node, func() (uint64, bool) {
		if parent < 0 {
			return 0, false
		}
		at := index
		outer := &t.Spans[parent]
		parent, index = outer.Parent, outer.Index
		return uint64(at), true
	})
}
