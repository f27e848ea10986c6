package fuzz

import (
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A reader that reads where a window ends, and does not use it, takes each packet in which that says something else: it
// shows at every field that the window cuts off then, at the window and at the rules of its size. All of that is one
// mistake.

// Bounds of what is tried to find out whether the reader uses a size.
const (
	sizeBases  = 128  // random packets whose sizes are changed
	sizeNear   = 64   // sizes below the right one, and above, that may be tried
	sizeTries  = 3    // packets for each rule that they break
	sizeRules  = 3    // rules that have to be broken, at least
	sizeMost   = 300  // rules, at most
	sizeCodes  = 8192 // sizes that are looked through for the right one
	sizesTried = 16   // sizes of one packet, the last ones
	sizeSent   = 2000
)

// unusedSize is the declaration of a size that the reader does not use, where a finding is of that: the packet differs
// from a valid one in that size alone, so that a reader which does not use it cannot refuse the packet. What is after
// the end of the whole packet is never of that: it is ignored or not whatever a size says.
func (m *Minimizer) unusedSize(f *Finding) string {
	t := &m.probe.trace
	if m.mutator.plan.HasSecret() || m.mutator.decoder.Decode(f.Packet, f.From, t) == nil {
		return "" // where a window ends can tell a secret
	}
	if r := t.Reject(); r.Kind == reject.TrailingBytes && r.At.Point < 0 {
		return ""
	}
	at := t.Reject().At.Point
	ends := f.Reject == reject.PastEnd || f.Reject == reject.TrailingBytes
	var sizes []decode.Event
	for ev := range t.Walk() {
		if m.sizesWindow(ev) && (ends || f.Changed != "" && f.Changed == string(t.AppendEventPath(nil, ev))) {
			sizes = append(sizes, *ev)
		}
	}
	slices.Reverse(sizes)
	for i := range sizes[:min(len(sizes), sizesTried)] {
		name := declarationOf(m.mutator.plan, sizes[i].Node)
		if used, known := m.uses[name]; !known || !used {
			valid := m.mended(f.Packet, f.From, &sizes[i])
			if (valid != nil || m.sizesAt(&sizes[i], at)) && !m.usesSize(name, valid, f.From) {
				return name
			}
		}
	}
	return ""
}

// sizesWindow reports whether an event is of a number that says by itself how long a window is, and that can be changed
// where it is.
func (m *Minimizer) sizesWindow(ev *decode.Event) bool {
	return ev.Kind == decode.Leaf && ev.Leaf >= 0 && m.mutator.narrows[ev.Leaf] && !ev.Cut() && m.mutator.plan.LeafRuns(int32(ev.Leaf))
}

// sizesAt reports whether the window at a point has a size: whatever else is wrong with a packet, a reader that does not
// use it cannot refuse that window.
func (m *Minimizer) sizesAt(size *decode.Event, at plan.Point) bool {
	return slices.ContainsFunc(m.mutator.sizings[size.Leaf], func(z plan.Sizing) bool { return z.Point == at })
}

// mended is a packet with another code of a size, with which it is valid; nil where none is.
func (m *Minimizer) mended(packet []byte, from decode.Direction, size *decode.Event) []byte {
	packet = slices.Clone(packet)
	for code := range min(uint64(8*len(packet)), wire.Mask(size.Width), sizeCodes) + 1 {
		if code != size.Raw && m.mutator.decoder.Decode(m.mutator.withCode(packet, size, code), from, &m.probe.trace) == nil {
			return packet
		}
	}
	return nil
}

// usesSize reports whether the reader uses a size: whether it refuses any packet in which that is wrong. It asks once,
// with a valid packet that has such a size and with random ones.
func (m *Minimizer) usesSize(name string, valid []byte, from decode.Direction) bool {
	if used, known := m.uses[name]; known {
		return used
	}
	used := m.asksForSize(name, valid, from)
	if m.failed == nil && !m.late() {
		if m.uses == nil {
			m.uses = map[string]bool{}
		}
		m.uses[name] = used
	}
	return used
}

// asksForSize tries sizes that are too small and too large in packets that the reader accepts. What it learns too little
// of is taken for used.
func (m *Minimizer) asksForSize(name string, valid []byte, from decode.Direction) (used bool) {
	of := m.asks(sizeSent)
	defer of.close()
	a := sizeTrial{m: m, name: name, tried: map[string]int{}, accepts: func(packet []byte, from decode.Direction) bool {
		accepted, _ := of.accepts(packet, from)
		return accepted
	}}
	a.base(valid, from)
	var whole decode.Trace
	for data, from := range m.bases(sizeBases, &whole) {
		if a.used {
			break
		}
		a.base(data, from)
	}
	return a.used || !a.less || !a.more || len(a.tried) < sizeRules
}

// sizeTrial is what is known of whether a reader uses a size.
type sizeTrial struct {
	m          *Minimizer
	name       string
	accepts    func(packet []byte, from decode.Direction) bool
	whole      decode.Trace
	tried      map[string]int // packets that break a rule
	less, more bool           // there were sizes too small, and too large
	used       bool           // a packet was refused, or nothing more is to be tried
}

// base tries wrong sizes in a packet, as far as the reader accepts that with the right ones.
func (a *sizeTrial) base(data []byte, from decode.Direction) {
	m := a.m
	if m.mutator.decoder.Decode(data, from, &a.whole) != nil {
		return
	}
	good := false
	for ev := range a.whole.Walk() {
		if !m.sizesWindow(ev) || declarationOf(m.mutator.plan, ev.Node) != a.name {
			continue
		}
		if !good && !a.accepts(data, from) {
			return // it has another reason to refuse this packet
		}
		good = true
		most := wire.Mask(ev.Width)
		for by := range uint64(2 * sizeNear) {
			code := ev.Raw + by - sizeNear
			switch by {
			case 0:
				code = 0
			case 2*sizeNear - 1:
				code = most
			}
			if code <= most && code != ev.Raw && !a.wrong(data, from, ev, code) {
				return
			}
		}
	}
}

// wrong tries a size. It reports whether to go on.
func (a *sizeTrial) wrong(data []byte, from decode.Direction, size *decode.Event, code uint64) bool {
	m := a.m
	packet := m.mutator.withCode(slices.Clone(data), size, code)
	sealsOf(&a.whole, m.mutator.seals).Repair(packet, -1)
	if m.mutator.decoder.Decode(packet, from, &m.probe.trace) == nil {
		return true
	}
	r := m.probe.trace.Reject()
	rule := r.Kind.String() + " " + oracle.PathRule(r.Path())
	if r.Kind == reject.TrailingBytes && r.At.Point < 0 || a.tried[rule] == sizeTries {
		return true
	}
	a.tried[rule]++
	a.less, a.more = a.less || code < size.Raw, a.more || code > size.Raw
	a.used = len(a.tried) > sizeMost || m.late() || !a.accepts(packet, from)
	return !a.used
}
