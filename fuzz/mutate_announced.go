package fuzz

import (
	"math/bits"
	"slices"
	"sort"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// What a field announces, and a packet that has it: a reader that copies as much as the field says, and looks only whether
// it is there, is right about every packet but one that announces too much and keeps its word. One rule for lists, bytes,
// texts and windows, however the size is computed from the field, and whatever limits it.

// loosest is how much more than its most a size may be to be announced, in units: more than any datagram has.
const loosest = 1 << 20

// mostWindows is how many sizes of a window are tried, from the largest on, for one that its content can be copied to fill.
const mostWindows = 64

// region is what a step with a size is in a packet.
type region struct {
	step       plan.Step
	start, end int    // bits
	now        uint64 // how many units the packet announces
	unit       int    // bits of one more: of an element, a byte; of a window those of its unit
	from, to   int    // bits to copy for more of it: of its last element or byte; the same where it has none
	next, used int    // bits: where the next thing begins, behind padding, and where the last one ends
}

// announced sets a field that decides a size to the last code that may be, the first that may not, the first that
// announces more than may be, the last that a datagram holds and the largest: each with what it announces, and without.
func (r *mutating) announced(ev *decode.Event, path string) bool {
	if r.mute || ev.Width == 0 {
		return true
	}
	for _, id := range r.decided[ev.Leaf] {
		at, ok := r.regionOf(ev, r.plan.Steps[id])
		if ok {
			at.now, ok = r.announces(ev, &at, ev.Raw)
			at.next, at.used = r.behind(at.end)
		}
		if !ok {
			continue
		}
		for _, c := range r.announcing(ev, &at) {
			if c.code != ev.Raw && bits.Len64(c.code) <= ev.Width && !slices.ContainsFunc(r.codes[ev.Leaf], func(o candidate) bool { return o.code == c.code }) {
				if f := r.fields[ev.Leaf]; f != nil {
					c.kind = f.refuses(c.code)
				}
				if !r.try(classCount, ev, path, c) {
					return false
				}
			}
			data := r.keeping(ev, &at, c.code)
			if data == nil {
				continue
			}
			want := oracle.Expectation{}
			if err := r.decoder.Decode(data, r.from, &r.related); err == nil {
				want = accepted
			} else if f := r.fields[ev.Leaf]; f != nil && f.refuses(c.code) != reject.None {
				want = refused(f.refuses(c.code), path, ev.Bit, ev.Width)
			}
			r.width = ev.Width
			ok := r.giveAsIs(classCount, data, path, c.done+", and all of it there", ev.Bit, c.code, want)
			if r.width = 0; !ok {
				return false
			}
		}
	}
	return true
}

// announcing are the codes to try, in ascending order. It takes for granted that a larger code announces no less.
func (r *mutating) announcing(ev *decode.Event, at *region) (list []candidate) {
	largest := wire.Mask(ev.Width)
	size := func(code uint64) uint64 {
		n, _ := r.announces(ev, at, code)
		return n
	}
	if size(largest) < size(ev.Raw) {
		return nil
	}
	after := func(code uint64, is func(code uint64) bool) uint64 { // the first code from one on for which it is
		const most = 1 << 30 // of a wider field, codes beyond it announce what no datagram has
		return code + uint64(sort.Search(int(min(largest-code, most)), func(n int) bool { return is(code + uint64(n)) }))
	}
	accepted := func(code uint64) bool {
		data := r.keeping(ev, at, code)
		return data != nil && r.decoder.Decode(data, r.from, &r.related) == nil
	}
	holds := after(ev.Raw, func(code uint64) bool { return r.keeping(ev, at, code+1) == nil })
	last := after(ev.Raw, func(code uint64) bool { return !accepted(code + 1) })
	if _, ok := at.step.(*plan.Window); ok { // what is in it has to end with it: not every size can be made
		for code := holds; code > last && holds-code < mostWindows; code-- {
			if accepted(code) {
				last = code
			}
		}
	}
	one := uint64(max(1, 8/at.unit)) // of what is in bits, a byte
	if _, list := at.step.(*plan.List); list {
		one = 1
	}
	more := after(last, func(code uint64) bool { return size(code) >= size(last)+one })
	for _, c := range []candidate{
		{last, "the most", 0}, {last + 1, "one more than may be", 0}, {more, "the first that announces more than may be", 0},
		{holds, "the most that a datagram has", 0}, {largest, "all ones", 0},
	} {
		if c.code <= largest && !slices.ContainsFunc(list, func(o candidate) bool { return o.code == c.code }) {
			list = append(list, c)
		}
	}
	return list
}

// announces is what a code announces, in the units of a step; false where the packet is refused before it.
func (r *mutating) announces(ev *decode.Event, at *region, code uint64) (uint64, bool) {
	r.scratch = r.withCode(append(r.scratch[:0], r.packet[:min((at.start+7)/8, len(r.packet))]...), ev, code)
	for range schema.MaxSums + 1 { // a checksum before the field is another one now
		if r.loose.Decode(r.scratch, r.from, &r.asked) == nil || r.asked.Reject().Kind != reject.CRCMismatch {
			break
		}
		r.asked.Seals[len(r.asked.Seals)-1:].Repair(r.scratch, -1)
	}
	if why := r.asked.Reject(); why == nil || why.Bit >= at.start/8*8 {
		return r.asked.Asked(at.step), true
	}
	return 0, false
}

// keeping is the packet with a code and all that it announces, nil where it announces less than there is, what cannot be
// made of copies, or more than a datagram has.
func (r *mutating) keeping(ev *decode.Event, at *region, code uint64) []byte {
	size, ok := r.announces(ev, at, code)
	if !ok || size < at.now || size-at.now > 8*uint64(r.plan.Schema.MaxDatagram) {
		return nil
	}
	more := int(size-at.now) * at.unit
	rest := at.end + more
	if at.next > at.end {
		rest = (rest + 7) &^ 7
	}
	whole := (rest + at.used - at.next + 7) / 8
	if whole > r.plan.Schema.MaxDatagram {
		return nil
	}
	order, head := r.plan.Order, r.setTo(ev, code)
	data := r.blank(whole)
	to := copyBits(order, data, 0, head, 0, at.end)
	if part := at.to - at.from; part > 0 && more%part == 0 {
		for range more / part {
			to = copyBits(order, data, to, head, at.from, at.to)
		}
	}
	copyBits(order, data, rest, head, at.next, at.used)
	r.repair(data)
	return data
}

// regionOf finds what a step with a size is in the packet, after the field.
func (r *mutating) regionOf(ev *decode.Event, s plan.Step) (region, bool) {
	if _, sized := s.Sized(); !sized {
		return region{}, false
	}
	at := region{step: s}
	if w, ok := s.(*plan.Window); ok {
		i := slices.IndexFunc(r.gaps, func(g decode.Gap) bool { return g.Window && g.At.Point == s.At().Point && g.Bit >= ev.Bit+ev.Width })
		if i < 0 || w.Fill > 0 {
			return region{}, false
		}
		at.start, at.end, at.unit = r.gaps[i].Bit, r.gaps[i].Bit+r.gaps[i].Width, w.Unit
		at.from, at.to = r.lastInside(at.start, at.end)
		return at, at.end <= 8*len(r.packet)
	}
	t := &r.trace
	i := slices.IndexFunc(t.Records[ev.Record+1:], func(one decode.Record) bool { return one.Point == s.At().Point })
	if i < 0 {
		return region{}, false
	}
	i += ev.Record + 1
	span := &t.Records[i]
	at.start = int(span.Bit)
	if b, ok := s.(*plan.Blob); ok {
		at.unit = b.Unit()
		at.end = at.start + at.unit*int(span.N)
		at.from, at.to = at.end-min(at.unit, at.end-at.start), at.end
		return at, at.end <= 8*len(r.packet) // else the window around it is filled with zeros
	}
	if _, ok := s.(*plan.List); ok && span.N > 0 { // of what an element is, nothing is in an empty one
		at.from, at.to = r.element(t, i, span.N-1)
		at.unit, at.end = at.to-at.from, at.to
		return at, at.unit > 0 && at.end <= 8*len(r.packet)
	}
	return region{}, false
}

// behind is where the first thing begins that is not before a bit, if it is less than a byte behind it, and where the last
// thing in the packet ends.
func (r *mutating) behind(bit int) (next, used int) {
	next, used = bit+8, bit
	for i := range r.trace.Records {
		one := &r.trace.Records[i]
		if size := r.spanBits(one); size > 0 {
			used = max(used, int(one.Bit)+size)
			if int(one.Bit) >= bit {
				next = min(next, int(one.Bit))
			}
		}
	}
	if next == bit+8 { // nothing is behind it, or what has no padding before it
		next = bit
	}
	whole := 8 * len(r.packet) // what a window is filled with is not in it
	return min(next, whole), min(max(used, next), whole)
}

// lastInside is the last element of the list that a window ends with, or its last byte.
func (r *mutating) lastInside(start, end int) (from, to int) {
	t := &r.trace
	for i := range t.Records {
		one := &t.Records[i]
		if int(one.Bit) < start || int(one.Bit) >= end || one.N == 0 {
			continue
		}
		if _, ok := r.plan.StepAt(one.Point).(*plan.List); !ok {
			continue
		}
		if from, to = r.element(t, i, one.N-1); to == end && from >= start {
			return from, to
		}
	}
	return end - min(8, end-start), end
}
