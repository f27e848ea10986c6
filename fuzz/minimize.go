package fuzz

import (
	"bytes"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// simplest is the simplest code that a leaf may hold.
func (m *Minimizer) simplest(leaf int) uint64 {
	all := m.havoc.g.leaves[leaf].all
	if len(all) == 0 {
		return 0
	}
	if _, ok := slices.BinarySearch(all, 0); ok {
		return 0
	}
	return all[0]
}

// simplify works on the fixed packet until nothing becomes simpler. What a change does not make simpler may be a packet
// that is only another: what it sets can be decided elsewhere, as the rest of a packet is whose size a rule knows.
func (m *Minimizer) simplify() {
	m.base.use(&m.h.trace)
	for most := m.complex() + 1; m.complex() < most; {
		most = m.complex()
		m.lists()
		m.texts()
		m.values()
	}
}

// complex is how much is left of the packet to make simpler: its bytes, its elements, what is in its texts, and the
// values that are not their simplest.
func (m *Minimizer) complex() (left int) {
	left = len(m.least.Packet)
	for i := range m.base.trace.Records {
		r := &m.base.trace.Records[i]
		if m.mutator.plan.ListAt(r.Point) {
			left += int(r.N)
		}
		left += m.textLeft(int32(i))
		first, n := numbersOf(m.mutator.plan, r)
		for k := range n {
			if m.base.trace.Raw[r.Raw+k] != m.simplest(first+int(k)) {
				left++
			}
		}
	}
	return left
}

// attempt writes the packet with the changes that are made to the splice source, corrupts it again, and tries it. If it
// shows the mistake, it is the new packet.
func (m *Minimizer) attempt(change func() bool) bool {
	if m.failed != nil || m.late() {
		return false
	}
	d := &m.base
	d.keep()
	if !change() {
		return false
	}
	b := m.havoc
	b.source.begin(b.g, b.random, nil, d)
	b.source.least = true
	out, err := b.encoder.Append(b.out[:0], &b.source, m.f.From)
	if err != nil {
		return false
	}
	b.out = out
	t := b.encoder.Written()
	became := map[int32]int32{}
	for i := range t.Records {
		s := &t.Records[i]
		if from := d.find(t, s.Point, s.Parent, s.Index); from >= 0 {
			if _, ok := became[from]; !ok {
				became[from] = int32(i)
			}
		}
	}
	at := func(span int32) int32 {
		if i, ok := became[span]; ok {
			return i
		}
		return -1
	}
	valid := bytes.Clone(out)
	data, ok := m.h.recorrupt(m.mutator.seals, out, t, at)
	if !ok || !m.shows(m.least.Before, data) {
		return false
	}
	for i := range m.h.patches {
		m.h.patches[i].span = at(m.h.patches[i].span)
	}
	for i := range m.h.sums {
		m.h.sums[i].record = at(m.h.sums[i].record)
	}
	m.h.cut.span = at(m.h.cut.span)
	_ = m.mutator.decoder.Decode(valid, m.f.From, &m.h.trace) // the encoder has read it back
	d.use(&m.h.trace)
	return true
}

// pathOf is the path of the field with a code.
func (m *Minimizer) pathOf(raw int32) (path string) {
	for ev := range m.base.trace.Walk() {
		if s := &m.base.trace.Records[max(ev.Record, 0)]; ev.Kind == decode.Leaf && rawOf(m.mutator.plan, s, ev.Leaf) == int(raw) {
			return string(m.base.trace.AppendEventPath(nil, ev))
		}
	}
	return ""
}

// shorten finds the shortest beginning of the packet that shows the mistake.
func (m *Minimizer) shorten() {
	cut := func(n int) bool {
		data := bytes.Clone(m.least.Packet[:n])
		sealsOf(&m.h.trace, m.mutator.seals).Repair(data, -1)
		return m.shows(m.least.Before, data)
	}
	for len(m.least.Packet) > fewBytes && cut(len(m.least.Packet)/2) {
	}
	for n := range min(len(m.least.Packet), fewBytes) {
		if cut(n) {
			return
		}
	}
}

// fewBytes is how many lengths are all tried.
const fewBytes = 256

// inPlace sets the fields before the mistake where they stand, for a packet of which only those are understood.
func (m *Minimizer) inPlace() {
	t := &m.h.trace
	_ = m.mutator.decoder.Decode(m.least.Packet, m.f.From, t) // as far as it goes
	for _, s := range slices.Clone(t.Records) {
		run, ok := m.mutator.plan.StepAt(s.Point).(*plan.Run)
		if !ok {
			continue
		}
		for k := range int(s.N) {
			leaf := run.First + k
			l, info := &m.mutator.plan.Leaves[leaf], &m.mutator.plan.Info[leaf]
			if info.Writes() == plan.Constant || m.mutator.sizes[leaf] {
				continue
			}
			code := m.simplest(leaf)
			if info.Swap {
				code = wire.SwapBytes(code, int(l.Width))
			}
			data := bytes.Clone(m.least.Packet)
			order := run.Order
			if bit := int(s.Bit + l.Off); bit+int(l.Width) <= 8*len(data) && order.Load(data, bit, int(l.Width)) != code {
				order.Store(data, bit, int(l.Width), code)
				sealsOf(t, m.mutator.seals).Repair(data, -1)
				m.shows(m.least.Before, data)
			}
		}
	}
}
