package decode

import (
	"iter"

	"github.com/pktscope/pktscope/decode/plan"
)

// EventKind is what an Event tells.
type EventKind uint8

// The events of a walk. Open and Close bracket a struct or an array, except the packet itself; between them come its
// contents in wire order.
const (
	Open    EventKind = iota + 1
	Close             // of the innermost Open
	Leaf              // a number: Code, Leaf
	Blob              // bytes or text: Data
	Item              // an item without a name: a check (Leaf ≥ 0) or reserved bits
	Masked            // of a Show: a secret, with all that is in it
	Stretch           // of a Show: the bits that what follows is in, up to the next event that has a place
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
	Raw   uint64
	Data  []byte
	// CodeWidth is the bits of Raw: Width, unless the window around it was filled with zeros, and not all of it is in the
	// datagram.
	CodeWidth int
	Record    int // of a Leaf, Blob or Item, or an Open of an array: index in Trace.Records
	// Place for paths: AppendEventPath.
	parent int32
	index  uint32
	// bit and width are where it is, of what a Show does not place.
	bit, width int
}

// Extent is where an event's bits are, also where that must not be shown: for a comparison of two packets.
func (e *Event) Extent() (bit, width int) {
	bit, width = e.Bit, e.Width
	if bit == Hidden {
		bit = e.bit
	}
	if width == Hidden {
		width = e.width
	}
	return bit, width
}

// Cut reports whether some of it is not in the datagram: the window around it was filled with zeros.
func (e *Event) Cut() bool { return e.Width < e.CodeWidth }

// frame is an open struct or array.
type frame struct {
	node   plan.NodeID
	parent int32 // context of the node itself: span and element of the innermost array around it
	index  uint32
}

// walker keeps what is open between events. A Trace has one, so that walks allocate nothing. The function that takes
// the events is handed down and not kept: so the body of a loop over them is not on the heap.
type walker struct {
	t     *Trace
	open  []frame
	chain []frame
	ev    Event
	one   Field // what Fields yields
	reuse bool  // bytes that do not lie in the payload go to room, which is overwritten
	room  []byte
	at    int // the span being walked
	busy  bool
	// Of a Show whose caller takes leaves that are beside each other as one.
	beside Beside
	shower *shower
}

// Walk goes over what a Trace holds, in wire order: of a refused packet all that was read before the failing field.
// Names, types and notes are in the plan's node. It shows secrets; it allocates nothing.
func (t *Trace) Walk() iter.Seq[*Event] {
	return func(yield func(*Event) bool) { t.walk(yield, nil, nil) }
}

// walk yields what Walk gives, or with s what of it may be shown. Leaves beside each other go to beside, unless it is nil.
func (t *Trace) walk(yield func(*Event) bool, s *shower, beside Beside) {
	w := &t.walker
	if w.busy { // a walk inside a walk
		w = &walker{}
	}
	w.beside = beside
	w.each(t, yield, s)
}

// each yields all events of a walk, or with s what of them may be shown.
func (w *walker) each(t *Trace, yield func(*Event) bool, s *shower) {
	w.busy, w.shower = true, s
	defer func() { w.busy, w.beside, w.shower = false, nil, nil }()
	w.t, w.open = t, w.open[:0]
	w.ev = Event{}
	if s != nil {
		s.w = w
	}
	for i := 0; i < len(t.Records); i++ {
		w.at = i
		if s != nil {
			if !s.decisions(i) {
				return
			}
			if s.skips(t.Records[i].Point) {
				continue
			}
		}
		if !w.span(yield, &t.Records[i]) {
			return
		}
		if beside := w.beside; beside != nil {
			i = w.elements(i, beside)
		}
	}
	w.at = len(t.Records)
	if s != nil && !s.decisions(w.at) {
		return
	}
	w.closeTo(yield, 0, len(t.Payload)*8)
}

func (w *walker) span(yield func(*Event) bool, s *Record) bool {
	p := w.t.Plan
	switch p.ShapeAt(s.Point) {
	case plan.ShapeCodes:
		return w.run(yield, s)
	case plan.ShapeCode:
		return w.leaf(yield, s, w.t.LeafOf(s), int(s.Bit), int(s.N), w.t.Raw[s.Raw])
	case plan.ShapeBytes:
		b := p.StepAt(s.Point).(*plan.Blob)
		if !w.reuse {
			w.room = nil
		}
		w.ev.Data = w.t.Bytes(w.at, &w.room)
		ok := w.field(yield, s, b.Node, Blob, -1, int(s.Bit), b.Extent(p, int(s.N)), 0)
		w.ev.Data = nil
		return ok
	case plan.ShapeGap:
		return w.field(yield, s, p.StepAt(s.Point).At().Node, Item, -1, int(s.Bit), int(s.N), 0)
	case plan.ShapeOpen:
	case plan.NoShape:
		fallthrough
	default:
		panic("pktscope: internal error: a span of nothing")
	}
	// An array or a struct that shows itself: it is opened, and what follows is in it.
	w.ev.Count = int(s.N)
	return w.goTo(yield, p.StepAt(s.Point).At().Node, s.Parent, s.Index, int(s.Bit))
}

// run yields the leaves of a run. Most are beside the one before, in the struct that was opened for it.
func (w *walker) run(yield func(*Event) bool, s *Record) bool {
	p := w.t.Plan
	first := p.LeafAt(s.Point)
	leaves, infos, raw := p.Leaves[first:][:s.N], p.Info[first:][:s.N], w.t.Raw[s.Raw:][:s.N]
	inside := plan.NoNode
	together := w.together(s)
	for i := 0; i < len(leaves); i++ {
		l, id := &leaves[i], infos[i].Node
		n := &p.Nodes[id]
		if k := min(infos[i].Beside, len(leaves)-i); together && k > 0 {
			next := n.Parent != inside && w.next(n.Parent, s)
			if n.Parent != inside && !next && !w.goTo(yield, n.Parent, s.Parent, s.Index, int(s.Bit+l.Off)) {
				return false
			}
			w.beside(first+i, k, raw[i:][:k], next)
			inside = n.Parent
			i += k - 1
			if end := leaves[i].Off + uint32(leaves[i].Width); w.shower != nil && end > l.Off {
				w.shower.placed(int(s.Bit + end))
			}
			continue
		}
		kind := Leaf
		if n.Kind == plan.NodeItem {
			kind = Item
		}
		if n.Elem || n.Named {
			inside = plan.NoNode
		} else if n.Parent == inside {
			if !w.here(yield, s, id, kind, first+i, int(s.Bit+l.Off), int(l.Width), raw[i]) {
				return false
			}
			continue
		} else {
			inside = n.Parent
		}
		if !w.field(yield, s, id, kind, first+i, int(s.Bit+l.Off), int(l.Width), raw[i]) {
			return false
		}
	}
	return true
}

// elements gives beside the elements after record at, which is one, as long as each is one run whose leaves are beside
// each other: a list of structs has hundreds, and what surrounds them is the same. It returns the last record's number.
func (w *walker) elements(at int, beside Beside) int {
	t, p := w.t, w.t.Plan
	s := &t.Records[at]
	if p.ShapeAt(s.Point) != plan.ShapeCodes || s.N == 0 || len(w.open) == 0 || len(t.fills) > 0 {
		return at
	}
	first, n := p.LeafAt(s.Point), int(s.N)
	f := &w.open[len(w.open)-1]
	if p.Info[first].Beside < n || f.node != p.Nodes[p.Info[first].Node].Parent || !p.Nodes[f.node].Elem || !w.together(s) {
		return at
	}
	until := len(t.Records)
	if w.shower != nil {
		until = w.shower.until(until)
	}
	last := at
	for last+1 < until {
		r, before := &t.Records[last+1], &t.Records[last]
		if r.Point != s.Point || r.N != s.N || r.Parent != f.parent || r.Index == before.Index || r.Raw != before.Raw+s.N {
			break
		}
		last++
	}
	if last == at {
		return at
	}
	beside(first, n, t.Raw[t.Records[at+1].Raw:][:(last-at)*n], true)
	w.at, f.index = last, t.Records[last].Index
	leaf := &p.Leaves[first+n-1]
	if end := leaf.Off + uint32(leaf.Width); w.shower != nil && end > 0 {
		w.shower.placed(int(t.Records[last].Bit + end))
	}
	return last
}

// together reports whether leaves of a run can be shown as one: all of them have their places and are in the datagram.
func (w *walker) together(s *Record) bool {
	return w.beside != nil && w.t.fillOf(w.at) == nil && (w.shower == nil || !w.t.Plan.PlaceSecret(s.Point))
}

// next makes the record's element the innermost open container where that is the element before it.
func (w *walker) next(node plan.NodeID, s *Record) bool {
	if n := len(w.open); n > 0 && w.t.Plan.Nodes[node].Elem {
		if f := &w.open[n-1]; f.node == node && f.parent == s.Parent && f.index != s.Index {
			f.index = s.Index
			return true
		}
	}
	return false
}

func (w *walker) leaf(yield func(*Event) bool, s *Record, leaf, bit, width int, code uint64) bool {
	node := w.t.Plan.Info[leaf].Node
	kind := Leaf
	if w.t.Plan.Nodes[node].Kind == plan.NodeItem {
		kind = Item
	}
	return w.field(yield, s, node, kind, leaf, bit, width, code)
}

// field yields one leaf or blob inside its container.
func (w *walker) field(yield func(*Event) bool, s *Record, id plan.NodeID, kind EventKind, leaf, bit, width int, code uint64) bool {
	p := w.t.Plan
	n := &p.Nodes[id]
	node, parent, index := n.Parent, s.Parent, s.Index
	if n.Elem {
		parent, index = w.outer(parent)
	}
	if n.Named && !n.Elem && p.Nodes[node].Kind != plan.NodeStruct {
		// A count or a length is beside the array or text that it is under.
		if p.Nodes[node].Elem {
			parent, index = w.outer(parent)
		}
		node = p.Nodes[node].Parent
	}
	if !w.goTo(yield, node, parent, index, bit) {
		return false
	}
	return w.here(yield, s, id, kind, leaf, bit, width, code)
}

// here yields a leaf or blob whose container is the innermost open one.
func (w *walker) here(yield func(*Event) bool, s *Record, id plan.NodeID, kind EventKind, leaf, bit, width int, code uint64) bool {
	ev := &w.ev
	ev.CodeWidth = width
	if f := w.t.fillOf(w.at); f != nil {
		bit, width = f.clip(bit, width)
	}
	ev.Kind, ev.Node, ev.Leaf, ev.Bit, ev.Width, ev.Raw = kind, id, leaf, bit, width, code
	ev.Index, ev.Count, ev.Record = 0, 0, w.at
	if w.t.Plan.Nodes[id].Elem {
		ev.Index = int(s.Index)
	}
	ev.parent, ev.index = s.Parent, s.Index
	return yield(ev)
}

// outer is the context of the array whose span is given: leaving an element leads there.
func (w *walker) outer(array int32) (parent int32, index uint32) {
	s := &w.t.Records[array]
	return s.Parent, s.Index
}

// bracket makes the event an Open or a Close. (Field by field: a literal is made elsewhere and copied.)
func (w *walker) bracket(kind EventKind, f *frame, bit int) *Event {
	ev := &w.ev
	if w.at < len(w.t.Records) {
		bit, _ = w.t.Clip(w.at, bit, 0)
	}
	ev.CodeWidth = 0
	ev.Kind, ev.Node, ev.Leaf, ev.Bit, ev.Width, ev.Raw = kind, f.node, -1, bit, 0, 0
	ev.Index, ev.Count, ev.Record, ev.Data = 0, 0, 0, nil
	if w.t.Plan.Nodes[f.node].Elem {
		ev.Index = int(f.index)
	}
	ev.parent, ev.index = f.parent, f.index
	return ev
}

// goTo makes node, whose own context is given, the innermost open container: it closes what does not lead there and
// opens what is missing.
func (w *walker) goTo(yield func(*Event) bool, node plan.NodeID, parent int32, index uint32, bit int) bool {
	n := len(w.open)
	if n > 0 && w.open[n-1] == (frame{node, parent, index}) || n == 0 && node == 0 {
		return true
	}
	p := w.t.Plan
	count, data := w.ev.Count, w.ev.Data
	if n > 0 && p.Nodes[node].Elem && w.open[n-1].node == node && w.open[n-1].parent == parent {
		// The next element of the same array: all around it stays open.
		if !w.closeTo(yield, n-1, bit) || !w.enter(yield, frame{node, parent, index}, bit, count) {
			return false
		}
		w.ev.Data = data
		return true
	}
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
	if !w.closeTo(yield, same, bit) {
		return false
	}
	for i := len(w.chain) - 1 - same; i >= 0; i-- {
		if !w.enter(yield, w.chain[i], bit, count) {
			return false
		}
	}
	w.ev.Data = data
	return true
}

// enter opens a container; count is of the array that is to be opened last.
func (w *walker) enter(yield func(*Event) bool, f frame, bit, count int) bool {
	w.open = append(w.open, f)
	ev := w.bracket(Open, &f, bit)
	if w.t.Plan.Nodes[f.node].Kind == plan.NodeArray {
		ev.Count, ev.Record = count, w.at // its own span: no array is opened for what is in it
	}
	return yield(ev)
}

func (w *walker) closeTo(yield func(*Event) bool, depth, bit int) bool {
	for len(w.open) > depth {
		f := &w.open[len(w.open)-1]
		w.open = w.open[:len(w.open)-1]
		if !yield(w.bracket(Close, f, bit)) {
			return false
		}
	}
	return true
}

// LeafOf is the leaf of a span of one code.
func (t *Trace) LeafOf(s *Record) int {
	step := t.Plan.StepAt(s.Point)
	n, ok := step.(*plan.Number)
	switch {
	case !ok && s.N == 0 && step.Flow() == plan.Repeat: // of a bitmap, an index that a flag stands for
		return int(step.(*plan.Subset).Index)
	case ok && n.EndLeaf >= 0 && t.Raw[s.Raw] == n.Most: // the index that ends a list is recorded outside its elements
		return int(n.EndLeaf)
	}
	return t.Plan.LeafAt(s.Point)
}

// Element is which element of the innermost array around an event it is in, and how many there are; ok is false outside
// arrays.
func (t *Trace) Element(ev *Event) (index, of int, ok bool) {
	if ev.parent < 0 {
		return 0, 0, false
	}
	return int(ev.index), int(t.Records[ev.parent].N), true
}

// Leads reports whether an event is in the elements of these indexes, innermost first; -1 is any.
func (t *Trace) Leads(ev *Event, chain []int64) bool {
	parent, index := ev.parent, ev.index
	for _, want := range chain {
		if parent < 0 || want != -1 && int64(index) != want {
			return false
		}
		parent, index = t.Records[parent].Parent, t.Records[parent].Index
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
		outer := &t.Records[parent]
		parent, index = outer.Parent, outer.Index
		return uint64(at), true
	})
}
