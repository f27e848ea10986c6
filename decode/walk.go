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

// walker keeps what is open between events.
type walker struct {
	t     *Trace
	open  []frame
	chain []frame
	yield func(*Event) bool
	ev    Event
	done  bool
}

// Walk goes over what a Trace holds, in wire order: of a refused packet all that was read before the failing field. Names,
// types and notes are in the plan's node.
func (t *Trace) Walk() iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		var open, chain [24]frame
		w := walker{t: t, yield: yield, open: open[:0], chain: chain[:0]}
		for i := range t.Spans {
			if !w.span(&t.Spans[i]) {
				return
			}
		}
		w.closeTo(0, len(w.t.Payload)*8)
	}
}

func (w *walker) span(s *Span) bool {
	p := w.t.Plan
	op := &p.Ops[s.Op]
	switch op.Code {
	case plan.OpRun, plan.OpCRC:
		for i := range s.N {
			leaf := int(op.A + i)
			l, info := &p.Leaves[leaf], &p.Info[leaf]
			kind := Leaf
			if p.Nodes[info.Node].Kind == plan.NodeItem {
				kind = Item
			}
			if !w.field(s, info.Node, Event{Kind: kind, Bit: int(s.Bit + l.Off), Width: int(l.Width), Leaf: leaf, Code: w.t.Raw[s.Raw+i]}) {
				return false
			}
		}
		return true
	case plan.OpNumber, plan.OpSlot:
		leaf := w.t.numberLeaf(s)
		kind := Leaf
		if p.Nodes[p.Info[leaf].Node].Kind == plan.NodeItem {
			kind = Item
		}
		return w.field(s, p.Info[leaf].Node, Event{Kind: kind, Bit: int(s.Bit), Width: int(s.N), Leaf: leaf, Code: w.t.Raw[s.Raw]})
	case plan.OpBlob:
		b := &p.Blobs[op.A]
		width := b.Unit() * int(s.N)
		if b.Text == schema.TextCString {
			width += 8
		}
		data := w.t.data(b, int(s.Bit), int(s.N), bitio.Order(op.Order))
		return w.field(s, op.Node, Event{Kind: Blob, Bit: int(s.Bit), Width: width, Leaf: -1, Data: data})
	case plan.OpReserved:
		return w.field(s, op.Node, Event{Kind: Item, Bit: int(s.Bit), Width: int(s.N), Leaf: -1})
	}
	// An array or a struct that shows itself: it is opened, and what follows is in it.
	return w.enter(op.Node, s, int(s.Bit), int(s.N))
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

// field yields one leaf inside its container.
func (w *walker) field(s *Span, node plan.NodeID, ev Event) bool {
	p := w.t.Plan
	parent, index := s.Parent, s.Index
	ev.Node, ev.parent, ev.index = node, parent, index
	if p.Nodes[node].Elem {
		ev.Index = int(index)
	}
	// The container is the node above. A count or a length stands beside the array or text that it is under.
	climb := func() {
		if p.Nodes[node].Elem {
			outer := &w.t.Spans[parent]
			parent, index = outer.Parent, outer.Index
		}
		node = p.Nodes[node].Parent
	}
	aside := p.Nodes[node].Named && !p.Nodes[node].Elem
	climb()
	if aside && p.Nodes[node].Kind != plan.NodeStruct {
		climb()
	}
	if !w.goTo(node, parent, index, ev.Bit) {
		return false
	}
	w.ev = ev
	return w.emit()
}

func (w *walker) emit() bool {
	if !w.yield(&w.ev) {
		w.done = true
	}
	return !w.done
}

// enter opens a container for which there is a span.
func (w *walker) enter(node plan.NodeID, s *Span, bit, count int) bool {
	w.ev.Count = count
	return w.goTo(node, s.Parent, s.Index, bit)
}

// goTo makes node, whose own context is given, the innermost open container: it closes what does not lead there and
// opens what is missing.
func (w *walker) goTo(node plan.NodeID, parent int32, index uint32, bit int) bool {
	if n := len(w.open); n > 0 && w.open[n-1] == (frame{node, parent, index}) {
		return true
	}
	p := w.t.Plan
	count := w.ev.Count
	w.chain = w.chain[:0]
	for id := node; p.Nodes[id].Parent != plan.NoNode; id = p.Nodes[id].Parent {
		w.chain = append(w.chain, frame{id, parent, index})
		if p.Nodes[id].Elem {
			outer := &w.t.Spans[parent]
			parent, index = outer.Parent, outer.Index
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
		w.ev = Event{Kind: Open, Node: f.node, Bit: bit, Leaf: -1, parent: f.parent, index: f.index}
		if p.Nodes[f.node].Elem {
			w.ev.Index = int(f.index)
		}
		if p.Nodes[f.node].Kind == plan.NodeArray {
			w.ev.Count = count
		}
		if !w.emit() {
			return false
		}
	}
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
