package fuzz

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A reader that reads the fields of a struct one after the other, as long as there is anything, accepts it without its
// last fields: that shows at each of them, and is one mistake.

// Bounds of what is tried to find out where structs may end.
const (
	frontBases  = 128 // random packets that are cut
	frontTries  = 3   // cuts in front of each declaration
	frontFewest = 3   // declarations of a struct
	frontSent   = 1000
)

// front is how often a struct was cut in front of each of its fields.
type front map[string]int

// endsInFront is the declaration of the struct that a finding's packet cuts, in front of one of its fields, where the
// reader accepts that in front of each; "" where it does not, or that is not known.
func (m *Minimizer) endsInFront(f *Finding) string {
	if m.mutator.plan.HasSecret() {
		return "" // where something ends can tell a secret
	}
	around, _ := m.cutInFront(f.Packet, f.From)
	if around == "" {
		return ""
	}
	if m.fronts == nil {
		fronts := m.asksForFronts()
		if m.failed != nil || m.late() {
			return ""
		}
		m.fronts = fronts
	}
	if !m.fronts[around] {
		return ""
	}
	return around
}

// cutInFront is the declaration of the struct that a packet cuts in front of a field, and that of the field; "" where the
// packet is refused for something else.
func (m *Minimizer) cutInFront(packet []byte, from decode.Direction) (around, field string) {
	t, _ := m.judge.Truth(packet, from)
	r := t.Reject()
	if r == nil || r.Kind != reject.PastEnd || r.Code != 0 {
		return "", ""
	}
	node := m.judge.broken()
	if node == plan.NoNode || t.Plan.Nodes[node].Elem || t.Plan.Nodes[node].Case != "" {
		return "", "" // what is there instead of others is no field beside them
	}
	field = declarationOf(t.Plan, node)
	if around, inside := strings.CutSuffix(field, "."+StableName(t.Plan, &t.Plan.Nodes[node])); inside {
		return around, field
	}
	return reject.Packet, field
}

// asksForFronts finds the structs that the reader accepts when they are cut in front of any of their fields. A struct that
// it refuses once is none.
func (m *Minimizer) asksForFronts() map[string]bool {
	all := map[string]bool{}
	if m.late() {
		return all
	}
	t, err := m.NewTarget(m.ctx)
	if err != nil {
		m.fail(err)
		return all
	}
	defer t.Close()
	fronts := map[string]front{} // nil of a struct that was refused
	sent, over := 0, false
	accepts := func(packet []byte, from decode.Direction) bool {
		if sent++; over || sent > frontSent || m.late() {
			over = true
			return false
		}
		reply, err := t.Send(packet, from)
		if over = err != nil || !reply.Outcome.Answered(); err != nil {
			return m.fail(err)
		}
		return reply.Outcome == oracle.Accepted
	}
	try := func(packet []byte, from decode.Direction) {
		around, field := m.cutInFront(packet, from)
		fields, met := fronts[around]
		if around == "" || met && fields == nil || fields[field] == frontTries {
			return
		}
		if !met {
			fields = front{}
			fronts[around] = fields
		}
		if fields[field]++; !accepts(packet, from) {
			fronts[around] = nil
		}
	}
	var whole decode.Trace
	for n := uint64(0); n < frontBases && !over; n++ {
		p, err := m.havoc.g.Random(m.Seed, n)
		if err != nil {
			continue
		}
		data, from := slices.Clone(p.Data), p.From
		if m.mutator.decoder.Decode(data, from, &whole) != nil || !accepts(data, from) {
			continue
		}
		last := lastPath(&whole)
		for ev := range whole.Walk() {
			if ev.Bit%8 == 0 && (ev.Kind == decode.Leaf || ev.Kind == decode.Blob) {
				path := whole.AppendEventPath(nil, ev)
				if strings.HasPrefix(last, string(path[:bytes.LastIndexByte(path, '.')+1])) {
					try(data[:ev.Bit/8], from)
				}
			}
			if !m.sizesWindow(ev) {
				continue
			}
			for by := uint64(1); by <= min(ev.Raw, sizeNear); by++ {
				if short := m.narrowed(&whole, data, from, ev, by); short != nil {
					try(short, from)
				}
			}
		}
	}
	for around, fields := range fronts {
		all[around] = !over && len(fields) >= frontFewest
	}
	return all
}

// lastPath is the path of the last field of a packet that has any bits: it is in every struct whose cutting takes nothing
// else along.
func lastPath(t *decode.Trace) (path string) {
	for ev := range t.Walk() {
		if ev.Width > 0 && (ev.Kind == decode.Leaf || ev.Kind == decode.Blob) {
			path = string(t.AppendEventPath(nil, ev))
		}
	}
	return path
}

// narrowed is a packet with a window whose size says less, without the bytes that would be cut off, which are its last; nil
// where that cuts in front of nothing.
func (m *Minimizer) narrowed(whole *decode.Trace, data []byte, from decode.Direction, size *decode.Event, by uint64) []byte {
	short := m.mutator.withCode(slices.Clone(data), size, (size.Raw-by)&wire.Mask(size.Width))
	if around, _ := m.cutInFront(short, from); around == "" {
		return nil
	}
	at := m.judge.trace.Reject().Bit
	for _, z := range m.mutator.sizings[size.Leaf] {
		w, ok := m.mutator.plan.StepAt(z.Point).(*plan.Window)
		if !ok || at%8 != 0 || z.K < 0 {
			continue
		}
		if gone := int(by) * int(z.K) * w.Unit; gone%8 == 0 && at/8+gone/8 == len(short) {
			short = short[:at/8]
			sealsOf(whole, m.mutator.seals).Repair(short, -1)
			return short
		}
	}
	return nil
}
