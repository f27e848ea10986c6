package decode

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// Hidden is the Bit or the Width of an event that must not be shown: it is computed from a secret.
const Hidden = -1

// reached is an `if` or a switch of a packet that a secret decides, and what was read before it.
type reached struct {
	at     plan.Point
	bit    uint32
	span   int // the next one
	parent int32
	index  uint32
}

// reach notes that a decision was reached.
func (m *machine) reach() {
	m.t.reached = append(m.t.reached, reached{m.at, uint32(m.bit), len(m.t.Records), m.parent, m.index})
}

// EndsEarly reports whether the packet was refused because it ends too early, and a secret decides how far it was read:
// then less is shown of it, see Show.
func (t *Trace) EndsEarly() bool { return t.Plan.HasSecret() && t.endsEarly() }

// shower keeps what a Show knows of the packet. A Trace has one, so that shows allocate nothing.
type shower struct {
	t     *Trace
	w     *walker
	yield func(*Event) bool
	visit func(*Event) bool
	busy  bool
	next  int // of reached

	depth    int   // containers that are open in the outermost secret one
	outer    Event // the outermost
	lost     bool  // its place is a secret
	from, to int   // what was read of it; from is -1 before the first
	span     int   // the first of it
	inside   bool  // a Stretch
	known    int   // the end of what has a place
	short    bool  // how far the packet was read is a secret
	made     Event
	stretch  Event
}

// Show goes over what may be shown of a Trace: Walk, with one event Masked for each outermost secret thing, and for all
// that a secret `if` decides about whichever side was taken. The Width of such an event is Hidden where it is computed
// from a secret, and so is the Bit of any event. Where places begin to be secrets an event Stretch says which bits all
// events up to the next with a place are in.
//
// Where a packet ends too early and a secret decides how far it was read, nothing of which the place or the size is a
// secret is shown.
func (t *Trace) Show(yield func(*Event) bool) { t.ShowLeaves(yield, nil) }

// Beside takes leaves that are fields of one struct, no secrets, and lie in one run: n from first on in the plan. Codes
// are theirs, and those of the same leaves of more elements, n of each. The innermost Open is the struct's, or with next
// that of the element before: that one was closed, and the next of the same array was opened.
type Beside func(first, n int, codes []uint64, next bool)

// ShowLeaves is Show for a caller that does not need the place of each leaf: beside gets some of them, instead of an
// event Leaf or Item each.
func (t *Trace) ShowLeaves(yield func(*Event) bool, beside Beside) {
	if !t.Plan.HasSecret() {
		t.walk(yield, nil, beside)
		return
	}
	s := &t.shower
	if s.busy {
		s = &shower{}
	}
	if s.visit == nil {
		s.visit = s.event
	}
	s.t, s.yield, s.busy = t, yield, true
	defer func() { s.busy = false }()
	s.next, s.depth, s.inside, s.known, s.short = 0, 0, false, 0, t.endsEarly()
	t.walk(s.visit, s, beside)
}

// endsEarly reports whether the packet was refused because something did not fit, and a secret says how much it needs
// or how much was left for it. Which field that is tells the secret as well as the bits do.
func (t *Trace) endsEarly() bool {
	return t.refused && t.reject.Kind == reject.PastEnd && t.Plan.WidthSecret(t.reject.At.Point)
}

// decisions shows the decisions that were reached before span i, and reports whether to go on.
func (s *shower) decisions(i int) bool {
	for ; s.awaits(i); s.next++ {
		r := &s.t.reached[s.next]
		d := s.t.Plan.DecisionOf(r.at)
		if s.t.Plan.Nodes[d.Base].Secret || s.skips(r.at) {
			continue
		}
		if !s.w.goTo(s.visit, d.Base, r.parent, r.index, int(r.bit)) {
			return false
		}
		bit, end := int(r.bit), s.t.Bits
		for k, span := range s.t.Records[i:] {
			if s.t.Plan.DecisionAt(span.Point) != d {
				end, _ = s.t.Clip(i+k, int(span.Bit), 0)
				break
			}
		}
		if s.t.Plan.PlaceSecret(r.at) {
			bit = Hidden
		}
		for _, id := range d.Shown {
			s.made = Event{Kind: Masked, Node: id, Bit: bit, Width: Hidden, Leaf: -1, parent: r.parent, index: r.index, bit: int(r.bit), width: end - int(r.bit)}
			if !s.masked(&s.made, i) {
				return false
			}
		}
	}
	return true
}

// awaits reports whether a decision was reached before span i.
func (s *shower) awaits(i int) bool {
	return s.next < len(s.t.reached) && s.t.reached[s.next].span == i
}

// until is the span up to which no decision was reached, at most so many.
func (s *shower) until(spans int) int {
	if s.next < len(s.t.reached) {
		return min(spans, s.t.reached[s.next].span)
	}
	return spans
}

// skips reports whether what was read at a point is not shown, not even as a mask.
func (s *shower) skips(at plan.Point) bool {
	if s.short && (s.t.Plan.LeftSecret(at) || s.t.Plan.PlaceSecret(at)) {
		return true
	}
	d := s.t.Plan.DecisionAt(at)
	return d != nil && !d.List
}

// event takes an event of the walk.
func (s *shower) event(ev *Event) bool {
	if ev.Kind == Close && s.depth == 0 {
		return s.yield(ev)
	}
	at, p := s.w.at, s.t.Plan
	lost := at < len(s.t.Records) && p.PlaceSecret(s.t.Records[at].Point)
	if n := &p.Nodes[ev.Node]; !n.Secret {
		return s.plain(ev, lost)
	}
	switch ev.Kind {
	case Open:
		if s.depth++; s.depth == 1 {
			s.outer, s.lost, s.from, s.to = *ev, lost, -1, ev.Bit
		}
		return true
	case Close:
		if s.depth--; s.depth > 0 {
			return true
		}
		if s.from >= 0 {
			s.outer.Bit, s.outer.Record = s.from, s.span
		}
		s.outer.Width, lost = s.to-s.outer.Bit, s.lost
		s.made = s.outer
	default:
		if s.depth > 0 {
			if s.from < 0 {
				s.from, s.span = ev.Bit, ev.Record
			}
			s.to = max(s.to, ev.Bit+ev.Width)
			return true
		}
		s.made = *ev
		at++
	}
	ev = &s.made
	kind := ev.Kind
	ev.Kind, ev.Data, ev.Raw, ev.bit, ev.width = Masked, nil, 0, ev.Bit, ev.Width
	if p.Nodes[ev.Node].Unsized && kind != Item { // a count and a flag have their own size
		ev.Width = Hidden
	}
	if lost {
		ev.Bit = Hidden
	}
	return s.masked(ev, at)
}

// masked yields a mask; next is the span after it.
func (s *shower) masked(ev *Event, next int) bool {
	switch {
	case ev.Bit == Hidden:
		return s.begin(s.known, next) && s.yield(ev)
	case ev.Width == Hidden:
		return s.begin(ev.Bit, next) && (s.short || s.yield(ev))
	}
	s.placed(ev.Bit + ev.Width)
	return s.yield(ev)
}

// plain yields what is no secret.
func (s *shower) plain(ev *Event, lost bool) bool {
	switch {
	case lost && ev.Width > 0:
		if !s.begin(s.known, s.w.at) {
			return false
		}
		fallthrough
	case lost:
		ev.bit, ev.Bit = ev.Bit, Hidden
	case ev.Width > 0:
		s.placed(ev.Bit + ev.Width)
	}
	return s.yield(ev)
}

// placed notes that what ends at a bit has a place.
func (s *shower) placed(end int) { s.inside, s.known = false, end }

// begin begins a stretch, unless one is open: from a bit up to the next thing from a span on that has a place.
func (s *shower) begin(from, next int) bool {
	if s.inside {
		return true
	}
	s.inside = true
	t, to := s.t, 8*len(s.t.Payload)
	if r := t.Reject(); r != nil && !r.HidesBit() {
		to = min(to, r.Bit)
	}
	for i := next; i < len(t.Records); i++ {
		if at := t.Records[i].Point; !t.Plan.PlaceSecret(at) && !s.skips(at) {
			to, _ = t.Clip(i, int(t.Records[i].Bit), 0)
			break
		}
	}
	if to <= from {
		return true
	}
	s.stretch = Event{Kind: Stretch, Bit: from, Width: to - from, Leaf: -1, parent: -1}
	return s.yield(&s.stretch)
}
