package flow

import (
	"net/netip"

	"github.com/pktscope/pktscope/decode"
)

// Table puts messages together from the pieces that packets carry. For one goroutine.
//
// For each packet: Meet, Add for each of its pieces, and Accept if the packet was accepted. A packet that was refused
// must not Add.
type Table struct {
	limits   Limits
	sections []Section
	shards   [Shards]*shard // made when it has a flow

	// Of the packet that was met: its ends, its shard and flow in there, its direction and time.
	src, dst netip.AddrPort
	key      Key
	in       *shard
	flow     *flow
	half     uint8
	now      int64

	whole Whole
	lost  []Lost
	took  []*slot               // that pieces of the packet that was met are in
	parts []decode.MessagePiece // of what was put together or given up since Meet
	data  []byte                // of what was put together
}

// NewTable makes a table for messages of sections, which are numbered from 0.
func NewTable(l Limits, sections []Section) *Table {
	return &Table{limits: l.orDefaults(), sections: sections}
}

// seek turns to the shard of a packet between two ends.
func (t *Table) seek(src, dst netip.AddrPort) {
	if t.in != nil && src == t.src && dst == t.dst { // the ends of the packet before
		return
	}
	t.src, t.dst = src, dst
	t.key, t.half = ends(src, dst)
	n := ShardOf(src, dst)
	if t.shards[n] == nil {
		t.shards[n] = &shard{limits: t.limits.shard(), flows: map[Key]*flow{}}
	}
	t.in = t.shards[n]
}

// Find is what the flow of a packet holds that is to be decoded, and who sent the packet, as Meet will have it; nil where
// nothing is held. It is for flows that are told by their ends alone.
func (t *Table) Find(src, dst netip.AddrPort, now int64, from decode.Direction) (*decode.Held, decode.Direction) {
	t.seek(src, dst)
	t.key.by = 0
	f := t.in.find(&t.key)
	switch {
	case f == nil || away(f.seen, now, int64(t.in.limits.Idle)):
		return nil, sender(from, true)
	default:
		return &f.registers, sender(from, t.half == f.first)
	}
}

// Meet turns to the flow of a packet that was sent at a time, in ns; 0 where the capture does not say. by is what the
// flow is told by beside its ends. What Lost had before is forgotten.
func (t *Table) Meet(src, dst netip.AddrPort, by uint64, now int64) {
	t.lost, t.took, t.parts, t.data, t.now = t.lost[:0], t.took[:0], t.parts[:0], t.data[:0], now
	t.seek(src, dst)
	t.key.by = by
	t.in.expire(t)
	t.flow = t.in.meet(t, &t.key)
	t.in.settle(t)
}

// Accept says that the packet that was met was accepted: after a few of them a flow may hold more.
func (t *Table) Accept() {
	f := t.flow
	if f.grown > 0 {
		return
	}
	f.accepted = min(f.accepted+1, grownPackets)
	if f.accepted == grownPackets {
		t.in.grow(f)
	}
}

// Registers are what the flow that was met keeps: to read, see Keep.
func (t *Table) Registers() *decode.Held { return &t.flow.registers }

// Side is who sent the packet that was met, as its port says, else the client if the flow's first packet had that sender.
func (t *Table) Side(from decode.Direction) decode.Direction {
	return sender(from, t.half == t.flow.first)
}

// sender is who sent a packet, as its port says, else the client if the flow's first packet had that sender.
func sender(from decode.Direction, first bool) decode.Direction {
	switch {
	case from != decode.FromUnknown:
		return from
	case first:
		return decode.Client
	}
	return decode.Server
}

// Keep sets the flow's registers as an accepted packet, or a message of it, says.
func (t *Table) Keep(trace *decode.Trace, side decode.Direction) {
	f := t.flow
	f.registers.Keep(trace, side)
	t.count(f)
}

// Commit keeps what an accepted packet, or a message of it, says of registers that steer: see decode.Held. record is the
// packet's number.
func (t *Table) Commit(trace *decode.Trace, side decode.Direction, record int64) (conflicts int) {
	conflicts = t.flow.registers.Commit(trace, side, record)
	t.count(t.flow)
	return conflicts
}

// count counts what a flow's registers take.
func (t *Table) count(f *flow) {
	if f.registers.Size() > t.in.limits.Memory/4 {
		f.registers.Forget()
	}
	t.in.used += f.registers.Size() - f.kept
	f.kept = f.registers.Size()
	t.in.settle(t)
}

// Authentic says that a key has opened something of the packet that was met: its flow is no stranger's.
func (t *Table) Authentic() {
	if f := t.flow; f.grown == 0 {
		f.accepted = grownPackets
		t.in.grow(f)
	}
}

// Add takes a piece of the packet that was met. It gives the message that the piece completes, or nil; and what is odd about the piece. What had to make room is in Lost.
func (t *Table) Add(p *Piece) (*Whole, Odd) {
	if !p.fits() {
		return nil, ConflictingFragment
	}
	f, key := t.flow, p.key()
	h := &f.halves[t.half]
	s := h.find(key)
	if s == nil {
		if h.knows(key, t.now, int64(t.limits.Timeout)) {
			return nil, DuplicateMessage
		}
		if p.alone() {
			h.finish(key, t.now, t.sections[p.Section].Remember)
			first := len(t.parts)
			t.parts = append(t.parts, decode.MessagePiece{Record: p.Record, At: 0, N: len(p.Data)})
			t.whole = Whole{Section: p.Section, ID: p.ID, Data: p.Data, Parts: t.from(first)}
			return &t.whole, 0
		}
		s = t.open(key)
	}
	before := s.held
	odd := s.add(p)
	s.held = s.cost()
	f.held += s.held - before
	t.in.used += s.held - before
	if s.have() == s.want() {
		t.deliver(s)
		return &t.whole, odd
	}
	t.took = append(t.took, s)
	t.in.settle(t)
	return nil, odd
}

// Ask marks the open messages of which the packet that was met has pieces: see Lost.Asked.
func (t *Table) Ask() {
	for _, s := range t.took {
		s.asked = true
	}
}

// open makes a slot in the flow that was met.
func (t *Table) open(k slotKey) *slot {
	f, sh := t.flow, t.in
	h := &f.halves[t.half]
	if _, open := f.limits(); len(h.open) >= open {
		t.lose(sh, h.open[0].slot, Evicted)
	}
	s := sh.slot()
	s.key, s.flow, s.half, s.opened, s.held = k, f, t.half, t.now, s.cost()
	f.held += s.held
	sh.used += s.held
	h.open = append(h.open, opened{k, s})
	sh.open.Push(s)
	sh.rank(f)
	return s
}

// deliver puts a slot's message into t.whole, and closes the slot.
func (t *Table) deliver(s *slot) {
	part, first := len(t.parts), len(t.data)
	for i := range s.pieces {
		p := &s.pieces[i]
		t.parts = append(t.parts, decode.MessagePiece{Record: p.record, At: len(t.data) - first, N: int(p.n)})
		t.data = append(t.data, s.bytes(p)...)
	}
	t.whole = Whole{Section: int(s.key.section), ID: s.key.id, Data: t.data[first:len(t.data):len(t.data)], Parts: t.from(part)}
	if s.unordered {
		t.whole.Odd = OutOfOrder
	}
	s.flow.halves[s.half].finish(s.key, t.now, t.sections[s.key.section].Remember)
	t.in.close(s)
}

// lose gives an open message up.
func (t *Table) lose(sh *shard, s *slot, why Reason) {
	first := len(t.parts)
	for i := range s.pieces {
		t.parts = append(t.parts, decode.MessagePiece{Record: s.pieces[i].record, At: -1, N: int(s.pieces[i].n)})
	}
	src, dst := s.flow.key.a, s.flow.key.b
	if s.half == 1 {
		src, dst = dst, src
	}
	t.lost = append(t.lost, Lost{
		Section: int(s.key.section), ID: s.key.id, Reason: why, Asked: s.asked, Src: src, Dst: dst,
		Have: s.have(), Want: s.want(), Bytes: s.key.bytes, Parts: t.from(first),
	})
	sh.close(s)
}

// from is the parts from one on, which nothing is appended to.
func (t *Table) from(first int) []decode.MessagePiece {
	return t.parts[first:len(t.parts):len(t.parts)]
}

// Lost is the messages that were given up since the last Meet, in the order in which that happened; valid until the next.
func (t *Table) Lost() []Lost { return t.lost }

// Flush gives up all open messages at the end of a capture; Lost has them. Flows stay.
func (t *Table) Flush() {
	t.lost, t.parts, t.data = t.lost[:0], t.parts[:0], t.data[:0]
	for _, sh := range t.shards {
		for sh != nil && sh.open.First() != nil {
			t.lose(sh, sh.open.First(), End)
		}
	}
}

// Flows is how many flows are remembered.
func (t *Table) Flows() (n int) {
	for _, sh := range t.shards {
		if sh != nil {
			n += len(sh.flows)
		}
	}
	return n
}

// Held is what is kept, as Limits.Memory counts it.
func (t *Table) Held() (n int) {
	for _, sh := range t.shards {
		if sh != nil {
			n += sh.used
		}
	}
	return n
}
