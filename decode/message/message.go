package message

import (
	"fmt"
	"net/netip"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// Message is the content of one packet of a plan as a tree. It is filled again and again (FromTrace, FromJSON), reuses
// its memory, and is not for two goroutines at once.
type Message struct {
	Root Value // an Object: the packet's fields
	From decode.Direction
	// Case is the tag of the packet's case as JSON has it, "" when it was not given. It counts only where the tag's own
	// field is missing.
	Case string
	// Rederive: counts, lengths and flags of optionals follow from what is there, whatever the tree says of them.
	Rederive bool

	// Opened is what a Sealer seals in the packet; Encode does not look at it.
	Opened []Opened

	// What JSON knows beside the packet; zero where it does not say.
	Src, Dst netip.AddrPort
	Time     int64  // ns since the Unix epoch
	Timed    bool   // it says when, if only 1970
	Verdict  string // accept, reject or cut; the fields of the last two are not all there

	plan    *plan.Plan
	ladders []bool                     // of each leaf
	wide    map[plan.NodeID]wire.Order // reserved bits that no leaf holds and that may have any value
	names   names
	depth   int // that JSON may nest
	arena   arena
	keys    []string
	visit   func(*decode.Event) bool // event
	trace   *decode.Trace
	open    []int // of each open container of a walk: where its contents begin on the arena's stack
	source  source
	unused  unused
	stream  stream
	known   known
}

// New makes an empty Message for packets of a plan.
func New(p *plan.Plan) *Message {
	m := &Message{plan: p, ladders: make([]bool, len(p.Leaves)), wide: map[plan.NodeID]wire.Order{}, depth: minDepth}
	m.names = names{all: map[string]string{}, room: moreNames}
	for _, n := range p.Numbers {
		m.ladders[n.Leaf] = n.Kind == plan.NumberLadder
	}
	for _, step := range p.Steps {
		if r, ok := step.(*plan.Reserved); ok && r.Any {
			m.wide[r.Node] = r.Order
		}
	}
	for i := range p.Nodes {
		m.names.all[p.Nodes[i].Name] = p.Nodes[i].Name
		m.depth = max(m.depth, int(p.Nodes[i].Depth)+2)
	}
	m.Root.Kind = Object
	m.visit = m.event
	m.source.prepare(m)
	m.prepareStream()
	m.unused = unused{m: m, names: map[string][]string{}}
	return m
}

// Ends is where the message goes in a capture: its Src and Dst, and for one that is not given that of a datagram
// between client and server. The two must have the same version of IP.
func (m *Message) Ends(client, server netip.AddrPort) (src, dst netip.AddrPort, err error) {
	src, dst = decode.Ends(m.From, client, server)
	if m.Src.IsValid() {
		src = m.Src
	}
	if m.Dst.IsValid() {
		dst = m.Dst
	}
	if src.Addr().Is4() != dst.Addr().Is4() {
		err = fmt.Errorf("src, dst: %s and %s are not of one version of IP", src, dst)
	}
	return src, dst, err
}

// Reset empties the message; Rederive stays.
func (m *Message) Reset() {
	m.arena.reset()
	m.Root = Value{Kind: Object}
	m.From, m.Case, m.Src, m.Dst, m.Time, m.Timed, m.Verdict = decode.FromUnknown, "", netip.AddrPort{}, netip.AddrPort{}, 0, false, ""
	m.Opened, m.stream.line = nil, nil
	m.source.forget()
}

// FromTrace fills the message with what a Trace of its plan holds: of a refused packet what was read. Bits that may
// have any value are members by their node's name (`reserved#1`), those of `align` excepted, which become zero. Bytes
// refer to the trace's payload, so the message is valid as long as that is.
func (m *Message) FromTrace(t *decode.Trace) {
	if t.Plan != m.plan {
		panic("pktscope: internal error: a message got a packet of another plan")
	}
	m.Reset()
	m.From = t.From
	m.open = m.open[:0]
	m.trace = t
	t.Walk()(m.visit)
	m.trace = nil
	m.Root.Items = m.arena.take(0)
}

// event takes one step of a walk.
func (m *Message) event(ev *decode.Event) bool {
	a, n := &m.arena, &m.plan.Nodes[ev.Node]
	switch ev.Kind {
	case decode.Open:
		v := a.push()
		v.Name, v.Kind = n.Name, Object
		if n.Kind == plan.NodeArray {
			v.Kind = List
		}
		m.open = append(m.open, len(a.stack))
	case decode.Close:
		start := m.open[len(m.open)-1]
		m.open = m.open[:len(m.open)-1]
		items := a.take(start)
		a.stack[start-1].Items = items
	case decode.Leaf:
		if info := &m.plan.Info[ev.Leaf]; info.Let != nil {
			m.let(n, info)
			break
		}
		v := a.push()
		v.Name, v.Kind, v.Code = n.Name, Code, ev.Raw
		v.Long = m.ladders[ev.Leaf] && ev.Width == lastRung
	case decode.Blob:
		v := a.push()
		v.Name, v.Kind, v.Data, v.Own = n.Name, Bytes, ev.Data, m.trace.Own(ev)
	case decode.Item:
		m.item(m.trace, n, ev)
	}
	return true
}

// let keeps of a computed value only that it stands in the place of a field, where nothing else says so.
func (m *Message) let(n *plan.Node, info *plan.LeafInfo) {
	if !info.Tells {
		return
	}
	start := len(m.arena.stack)
	v := m.arena.push()
	v.Name, v.Kind = n.Name, Object
	raw := m.arena.push()
	raw.Name, raw.Kind = "raw", Null
	items := m.arena.take(start + 1)
	m.arena.stack[start].Items = items
}

// lastRung is the bits of a ladder's last rung (wire.md, "Integers").
const lastRung = 6 + 32

// item keeps what has no name of its own, if nothing else tells it.
func (m *Message) item(t *decode.Trace, n *plan.Node, ev *decode.Event) {
	p := m.plan
	switch {
	case ev.Leaf < 0:
		m.wideReserved(t, n, ev)
	case p.Info[ev.Leaf].Kind == plan.LeafReserved && ev.Raw != 0:
		v := m.arena.push()
		v.Name, v.Kind, v.Code = n.Name, Code, ev.Raw
	case p.Info[ev.Leaf].Form() == plan.FormBool && n.Elem && ev.Raw == 0:
		m.arena.push() // an absent element keeps its place
	}
}

// wideReserved keeps reserved bits that no leaf holds as a list of codes of 64 bits.
func (m *Message) wideReserved(t *decode.Trace, n *plan.Node, ev *decode.Event) {
	order, any := m.wide[ev.Node]
	if !any {
		return
	}
	start := len(m.arena.stack)
	v := m.arena.push()
	v.Name, v.Kind = n.Name, List
	for at := 0; at < ev.Width; at += 64 {
		c := m.arena.push()
		c.Kind, c.Code = Code, order.Load(t.Payload, ev.Bit+at, min(64, ev.Width-at))
	}
	items := m.arena.take(start + 1)
	m.arena.stack[start].Items = items
}
