package fuzz

import (
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
	around     []around
}

// around is a window that bits of the packet are in, and the field that says how large it is.
type around struct {
	size   decode.Event
	sizing plan.Sizing
	start  int // bits
	width  int
	unit   int
}

// announced sets a field that decides a size to the last code that may be, the first that may not, the first that
// announces more than may be, the last that a datagram holds and the largest: each with what it announces, and without.
func (r *mutating) announced(ev *decode.Event, path string) bool {
	if ev.Width == 0 {
		return true
	}
	mute := r.mute
	r.mute = false
	defer func() { r.mute = mute }()
	for _, id := range r.decided[ev.Leaf] {
		// Where the field is first met, what it decides may be in another branch.
		key := dedupKey{leaf: ev.Leaf, at: r.plan.Steps[id].At().Point, place: placeOf(r.trace.Element(ev)), codes: true}
		if mute && r.seen[key] {
			continue
		}
		at, ok := r.regionOf(ev, r.plan.Steps[id])
		if !ok {
			continue
		}
		if r.seen != nil {
			r.seen[key] = true
		}
		at.around = r.windowsAround(at.start, at.end)
		if at.now, ok = r.announces(ev, &at, ev.Raw); !ok {
			continue
		}
		at.next, at.used = r.behind(at.end)
		for _, c := range r.announcing(ev, &at) {
			if !r.announce(ev, &at, path, c) {
				return false
			}
		}
	}
	return true
}

// announce gives the packet with a code: with what it announces, and without.
func (r *mutating) announce(ev *decode.Event, at *region, path string, c candidate) bool {
	f, without := r.fields[ev.Leaf], oracle.Expectation{}
	head, longer := r.coded(r.buf[:0], ev, c.code, r.trace.Bits)
	r.buf, r.width = head, ev.Width+longer
	defer func() { r.width = 0 }()
	known := slices.ContainsFunc(r.codes[ev.Leaf], func(o candidate) bool { return o.code == c.code })
	kind := reject.None
	if f != nil {
		kind = f.refuses(c.code)
	} else if r.varintOf(ev) != nil && r.decoder.Decode(head, r.from, &r.related) != nil && r.related.Reject().Bit == ev.Bit {
		kind = r.related.Reject().Kind
	}
	if kind != reject.None {
		without = refused(kind, path, ev.Bit, r.width)
	}
	if c.code != ev.Raw && !known && !r.give(classCount, head, path, c.done, ev.Bit, c.code, without) {
		return false
	}
	data := r.keeping(ev, at, c.code, schema.MaxUDPPayload)
	if data == nil {
		return true
	}
	give := func(data []byte, want oracle.Expectation, done string) bool {
		return r.giveAsIs(classCount, data, path, c.done+done, ev.Bit, c.code, want)
	}
	if len(data) > r.plan.Schema.MaxDatagram { // whether a reader takes it is its own business
		unit := min((at.unit+7)/8, len(data)-1)
		return !r.roomForLarge() || give(data, oracle.Expectation{}, ", and all of it there") &&
			give(data[:len(data)-unit], oracle.Expectation{}, ", and all but the last of it there")
	}
	want := without
	if r.decoder.Decode(data, r.from, &r.related) == nil {
		want = accepted
	}
	return give(data, want, ", and all of it there")
}

// largePairs is how many pairs of packets an enumeration has that are larger than the schema allows.
const largePairs = 4

// roomForLarge notes one more pair of packets that are larger than the schema allows, and reports whether there is
// room.
func (r *mutating) roomForLarge() bool {
	for n := range uint8(largePairs) {
		if key := (dedupKey{leaf: -1, codes: true, reach: n}); r.seen != nil && !r.seen[key] {
			r.seen[key] = true
			return true
		}
	}
	return false
}

// announcing are the codes to try, in ascending order. It takes for granted that a larger code announces no less.
func (r *mutating) announcing(ev *decode.Event, at *region) (list []candidate) {
	largest := wire.Mask(ev.Width)
	if n := r.varintOf(ev); n != nil {
		largest = wire.Mask(n.Bits)
	}
	size := func(code uint64) uint64 {
		n, _ := r.announces(ev, at, code)
		return n
	}
	if size(largest) < at.now {
		return nil
	}
	after := func(code uint64, is func(code uint64) bool) uint64 { // the first code from one on for which it is
		const most = 1 << 30 // of a wider field, codes beyond it announce what no datagram has
		return code + uint64(sort.Search(int(min(largest-code, most)), func(n int) bool { return is(code + uint64(n)) }))
	}
	accepted := func(code uint64) bool {
		data := r.keeping(ev, at, code, r.plan.Schema.MaxDatagram)
		return data != nil && r.decoder.Decode(data, r.from, &r.related) == nil
	}
	within := func(most int) func(code uint64) bool {
		return func(code uint64) bool { return r.keeping(ev, at, code+1, most) == nil }
	}
	holds := after(ev.Raw, within(r.plan.Schema.MaxDatagram))
	last := after(ev.Raw, func(code uint64) bool { return !accepted(code + 1) })
	if _, ok := at.step.(*plan.Window); ok { // what is in it has to end with it: not every size can be made
		for code := holds; code > last && holds-code < mostWindows; code-- {
			if accepted(code) {
				last = code
			}
		}
	}
	more := size(last) + uint64(max(1, 8/at.unit)) // of what is in bits, a byte
	for _, c := range []candidate{
		{last, "the most", 0}, {last + 1, "one more than may be", 0},
		{after(last, func(code uint64) bool { return size(code) >= more }), "the first that announces more than may be", 0},
		{holds, "the most that a datagram has", 0}, {after(holds, within(schema.MaxUDPPayload)), "the most that UDP carries", 0}, {largest, "all ones", 0},
	} {
		if c.code <= largest && !slices.ContainsFunc(list, func(o candidate) bool { return o.code == c.code }) {
			list = append(list, c)
		}
	}
	return list
}

// varintOf is the varint of an event, nil where it is none.
func (r *mutating) varintOf(ev *decode.Event) *plan.Number {
	if n, ok := r.plan.Reader(ev.Leaf).(*plan.Number); ok && n.Kind == plan.NumberVarint {
		return n
	}
	return nil
}

// coded appends the packet up to a bit after the field, with another code. A varint is longer by so many bits then.
func (r *mutating) coded(to []byte, ev *decode.Event, code uint64, end int) (data []byte, longer int) {
	data = append(to, r.packet[:min((end+7)/8, len(r.packet))]...)
	n := r.varintOf(ev)
	if n == nil {
		return r.withCode(data, ev, code), 0
	}
	pieces, after := varintPieces(code), ev.Bit+ev.Width
	longer = wide(pieces) - ev.Width
	whole := make([]byte, max(0, 8*len(data)+longer+7)/8)
	copyBits(r.plan.Order, whole, 0, data, 0, ev.Bit)
	copyBits(r.plan.Order, whole, after+longer, data, after, min(end, 8*len(data)))
	putPieces(whole, n.Order, ev.Bit, pieces)
	return whole, longer
}

// putPieces writes the pieces of a number.
func putPieces(data []byte, order wire.Order, bit int, pieces []decode.Piece) {
	for _, p := range pieces {
		order.Store(data, bit, p.Width, p.Code)
		bit += p.Width
	}
}

// announces is what a code announces, in the units of a step; false where the packet is refused before it.
func (r *mutating) announces(ev *decode.Event, at *region, code uint64) (uint64, bool) {
	var longer int
	r.scratch, longer = r.coded(r.scratch[:0], ev, code, at.start)
	r.widen(r.scratch, at.around, ev, longer, func(w *around) int { return len(r.scratch)*8 - longer - w.start - w.width })
	for range schema.MaxSums + 1 { // a checksum before the field is another one now
		if r.loose.Decode(r.scratch, r.from, &r.asked) == nil || r.asked.Reject().Kind != reject.CRCMismatch {
			break
		}
		r.asked.Seals[len(r.asked.Seals)-1:].Repair(r.scratch, -1)
	}
	if why := r.asked.Reject(); why == nil || why.Bit >= (at.start+longer)/8*8 {
		return r.asked.Asked(at.step), true
	}
	return 0, false
}

// keeping is the packet with a code and all that it announces: copies of the last there is, or zeros. It is nil where
// the code announces less than there is, or more than so many bytes hold.
func (r *mutating) keeping(ev *decode.Event, at *region, code uint64, most int) []byte {
	size, ok := r.announces(ev, at, code)
	if !ok || size < at.now || size-at.now > 8*uint64(most) {
		return nil
	}
	more := int(size-at.now) * at.unit
	head, longer := r.coded(r.buf[:0], ev, code, r.trace.Bits)
	r.buf = head
	rest := at.end + longer + more
	if at.next > at.end {
		rest = (rest + 7) &^ 7
	}
	whole := (rest + at.used - at.next + 7) / 8
	if whole > most {
		return nil
	}
	r.widen(head, at.around, ev, longer, func(*around) int { return rest - longer - at.next })
	order, data := r.plan.Order, r.blank(whole)
	to := copyBits(order, data, 0, head, 0, at.end+longer)
	if part := at.to - at.from; part > 0 && more%part == 0 {
		for range more / part {
			to = copyBits(order, data, to, head, at.from+longer, at.to+longer)
		}
	}
	copyBits(order, data, rest, head, at.next+longer, at.used+longer)
	r.repair(data)
	if whole != len(r.packet) {
		r.relate(data)
	}
	return data
}

// windowAfter is the first window that a step opens after a field, nil where there is none.
func (r *mutating) windowAfter(ev *decode.Event, opens plan.Point) *decode.Gap {
	i := slices.IndexFunc(r.gaps, func(g decode.Gap) bool {
		return g.Window && g.At.Point == opens && g.Bit >= ev.Bit+ev.Width
	})
	if i < 0 {
		return nil
	}
	return &r.gaps[i]
}

// windowsAround are the windows around bits of the packet whose sizes fields say.
func (r *mutating) windowsAround(start, end int) (all []around) {
	if !slices.ContainsFunc(r.gaps, func(g decode.Gap) bool { return g.Window && g.Bit <= start && end <= g.Bit+g.Width }) {
		return nil
	}
	for ev := range r.trace.Walk() {
		if ev.Leaf < 0 || ev.Bit >= start {
			continue
		}
		for _, z := range r.sizings[ev.Leaf] {
			if g := r.windowAfter(ev, z.Point); g != nil && g.Bit <= start && end <= g.Bit+g.Width {
				all = append(all, around{*ev, z, g.Bit, g.Width, r.plan.StepAt(z.Point).(*plan.Window).Unit})
			}
		}
	}
	return all
}

// widen sets the sizes of windows, which hold so many bits more now, beside those that the field of ev is longer by. A
// size that has no code for that, or is a varint of more groups then, stays.
func (r *mutating) widen(data []byte, windows []around, ev *decode.Event, longer int, more func(*around) int) {
	for i := range windows {
		w := &windows[i]
		size, info, grown := w.size, &r.plan.Info[w.size.Leaf], w.width+more(w)
		if size.Bit == ev.Bit { // it decides this, too
			continue
		}
		if w.start <= ev.Bit {
			grown += longer
		}
		code, ok := codeOfSize(info, w.sizing, uint64(max(0, grown/w.unit)), size.CodeWidth)
		if !ok || grown%w.unit != 0 {
			continue
		}
		if size.Bit > ev.Bit {
			size.Bit += longer
		}
		if n := r.varintOf(&size); n == nil && code <= wire.Mask(size.Width) {
			r.withCode(data, &size, code)
		} else if pieces := varintPieces(code); n != nil && wide(pieces) == size.Width {
			putPieces(data, n.Order, size.Bit, pieces)
		}
	}
}

// regionOf finds what a step with a size is in the packet, after the field.
func (r *mutating) regionOf(ev *decode.Event, s plan.Step) (region, bool) {
	if _, sized := s.Sized(); !sized {
		return region{}, false
	}
	at := region{step: s}
	if w, ok := s.(*plan.Window); ok {
		g := r.windowAfter(ev, s.At().Point)
		if g == nil || w.Fill > 0 {
			return region{}, false
		}
		at.start, at.end, at.unit = g.Bit, g.Bit+g.Width, w.Unit
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
