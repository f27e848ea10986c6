package fuzz

import (
	"bytes"
	"context"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/coverage"
)

// Some ways to be refused take two changes that fit together, or a value that no edge of a rule names, and nothing
// proves them out of reach. At the end of an audit they are hunted for: with the decoder alone, which reads a million
// packets in the time in which a target reads a few thousand. Only what is found is sent.

// huntWork bounds a hunt, in small packets decoded. Time has no say, so what is found follows from the protocol, the
// bases and the seed.
const huntWork = 200_000

// What else a hunt pays for.
const (
	workPerBase  = 16  // to make a packet to begin with, made or not
	bytesPerWork = 256 // of a packet
)

// How many packets a hunt makes of one, before it takes another. Of small fields all codes come to that.
const (
	huntResized  = 48
	huntCombined = 160
	huntHavoc    = 64
	huntNoise    = 8
)

// hunter hunts.
type hunter struct {
	*havoc
	cover *coverage.Set // for the names of refusals
	left  []int         // refusals that nothing was refused by, as in Rules
	given []decode.Packet
	seed  uint64
	work  int
	trace decode.Trace
	from  decode.Direction
	yield func(attack) bool

	fields  []huntField // of the packet at hand
	lists   []int       // its spans that are lists with elements
	changed []byte
	moved   []byte
}

// huntField is a field of the packet at hand.
type huntField struct {
	span             int
	leaf, bit, width int
	code             uint64
	number           bool // its bits are no code
}

// unmet are the refusals that cover lacks, that nothing proves out of reach, and that the target can be sent.
func (e *enumeration) unmet(cover *coverage.Set) (left []int) {
	for i, rule := range cover.Rules() {
		if !rule.Reached && rule.Unreachable == "" && (rule.Kind != reject.DatagramSize || e.tooLarge) {
			left = append(left, i)
		}
	}
	return left
}

// newHunter is the hunter of what cover lacks.
func (e *enumeration) newHunter(cover *coverage.Set) *hunter {
	h := &hunter{cover: cover, left: e.unmet(cover), given: e.bases, seed: e.seed}
	if len(h.left) > 0 {
		h.havoc = newHavoc(e.mutator, NewGenerator(e.mutator.decoder))
	}
	return h
}

// attacks yields a packet for each refusal that is left and that a bounded number of tries finds one for, until ctx
// ends.
func (h *hunter) attacks(ctx context.Context) iter.Seq[attack] {
	return func(yield func(attack) bool) {
		h.yield = yield
		var last []byte
		for n := uint64(0); ctx.Err() == nil && len(h.left) > 0 && h.work < huntWork; n++ {
			h.random = rand.New(rand.NewPCG(h.seed, ^n))
			base, ok := h.base(n)
			h.work += workPerBase
			if ok {
				ok = h.take(base, last, h.from)
				last = base
			}
			if ok && !h.around(base) || !h.noise() {
				return
			}
		}
	}
}

// base is packet number n to begin with: one that comes to a refusal that is left, with the most of what that bounds or
// not, one at a boundary, or one that was given.
func (h *hunter) base(n uint64) ([]byte, bool) {
	r := h.cover.RejectPoint(h.left[n/4%uint64(len(h.left))])
	var to *goal
	hold := h.random.IntN(2) == 0
	switch n % 4 {
	case 0:
		to, hold = h.g.goalAt(r), false
	case 1:
		if ways := h.g.fullest(r); len(ways) > 0 {
			to, hold = &ways[h.random.IntN(len(ways))], true
		}
	case 2:
		if len(h.given) > 0 {
			b := h.given[h.random.IntN(len(h.given))]
			h.from = b.From
			return bytes.Clone(b.Data), h.decoder.Decode(b.Data, b.From, &h.trace) == nil
		}
	}
	if to == nil && len(h.g.goals) > 0 {
		to = &h.g.goals[h.random.IntN(len(h.g.goals))]
	}
	p, err := h.g.make(h.random, to, hold)
	h.from = p.From
	return bytes.Clone(p.Data), err == nil
}

// try has the decoder look at a packet. It reports whether to go on.
func (h *hunter) try(data []byte) bool {
	if len(data) > h.plan.Schema.MaxDatagram+1 {
		return true
	}
	h.work += 1 + len(data)/bytesPerWork
	_ = h.decoder.Decode(data, h.from, &h.trace) // the verdict is in the trace
	i := slices.Index(h.left, h.cover.RejectPointOf(&h.trace))
	if i < 0 {
		return h.work < huntWork
	}
	said := h.trace.Reject()
	rule := h.cover.RejectPoint(h.left[i])
	node := rule.Node
	if rule.At == plan.NoPoint {
		node = plan.NoNode
	}
	h.left = slices.Delete(h.left, i, i+1)
	found := Mutation{
		Data: data, Class: ClassHavoc, Node: node, Path: said.Path(), Done: "several things at once, to be refused so",
		Bit: said.Bit, Width: said.Width,
	}
	return h.yield(attack{Mutation: found, from: h.from}) && len(h.left) > 0 && h.work < huntWork
}

// mend makes the checksum right and tries a packet.
func (h *hunter) mend(data []byte) bool {
	sealsOf(&h.traces[0], h.seals).Repair(data, -1)
	return h.try(data)
}

// around tries what lies around a packet that was taken.
func (h *hunter) around(base []byte) bool {
	h.look()
	r := h.random
	if len(h.fields) > 0 && !h.sweep(base, &h.fields[r.IntN(len(h.fields))]) {
		return false
	}
	for range huntResized {
		h.changed = append(h.changed[:0], base...)
		if h.resize(); !h.mend(h.changed) {
			return false
		}
	}
	for range huntCombined {
		h.changed = append(h.changed[:0], base...)
		for n := r.IntN(4); n > 0 && len(h.fields) > 0; n-- {
			f := &h.fields[r.IntN(len(h.fields))]
			h.put(h.changed, f, h.guess(f))
		}
		if r.IntN(2) == 0 {
			h.repeat()
		}
		if r.IntN(2) == 0 {
			h.resize()
		}
		if !h.mend(h.changed) {
			return false
		}
	}
	for range huntHavoc {
		if !h.try(h.mutate(h.from)) {
			return false
		}
	}
	return true
}

// noise tries bytes that are no packet's, of any small length.
func (h *hunter) noise() bool {
	for range huntNoise {
		h.changed = h.changed[:0]
		for range h.random.IntN(65) {
			h.changed = append(h.changed, byte(h.random.Uint32()))
		}
		h.from = decode.Direction(1 + h.random.IntN(2))
		if !h.try(h.changed) {
			return false
		}
	}
	return true
}

// look finds the fields and the lists of the packet at hand.
func (h *hunter) look() {
	t := &h.traces[0]
	h.fields, h.lists = h.fields[:0], h.lists[:0]
	for i := range t.Records {
		list := int(t.Records[i].Parent)
		if n := len(h.lists); list >= 0 && (n == 0 || h.lists[n-1] != list) {
			h.lists = append(h.lists, list)
		}
	}
	slices.Sort(h.lists)
	h.lists = slices.Compact(h.lists)
	for ev := range t.Walk() {
		if ev.Leaf >= 0 && 0 < ev.Width && ev.Width <= 64 {
			_, number := h.plan.StepAt(t.Records[ev.Record].Point).(*plan.Number)
			h.fields = append(h.fields, huntField{ev.Record, ev.Leaf, ev.Bit, ev.Width, ev.Raw, number})
		}
	}
}

// put sets a field.
func (h *hunter) put(data []byte, f *huntField, code uint64) {
	info := &h.plan.Info[f.leaf]
	if code &= wire.Mask(f.width); info.Swap && !f.number {
		code = wire.SwapBytes(code, f.width)
	}
	h.plan.Reader(f.leaf).At().Order.Store(data, f.bit, f.width, code)
}

// sweep gives a field every code that it has, or of a larger one those at edges and the least ones.
func (h *hunter) sweep(base []byte, f *huntField) bool {
	try := func(code uint64) bool {
		h.changed = append(h.changed[:0], base...)
		h.put(h.changed, f, code)
		return h.mend(h.changed)
	}
	for code := range min(uint64(1)<<min(f.width, 8), 1<<8) {
		if !try(code) {
			return false
		}
	}
	if f.width <= 8 {
		return true
	}
	for _, c := range h.codes[f.leaf] {
		if !try(c.code) {
			return false
		}
	}
	for bit := range f.width {
		if !try(1<<bit) || !try(^uint64(0)<<bit) {
			return false
		}
	}
	return true
}

// guess is a code for a field: an edge, a small one, one near to what it has, or any.
func (h *hunter) guess(f *huntField) uint64 {
	r := h.random
	switch r.IntN(4) {
	case 0:
		if !f.number {
			return h.pick(f.leaf, f.width)
		}
	case 1:
		return r.Uint64N(1 << r.IntN(7))
	case 2:
		return f.code + r.Uint64N(17) - 8
	}
	return r.Uint64() >> r.IntN(64)
}

// resize cuts the packet or makes it longer.
func (h *hunter) resize() {
	r := h.random
	n := 1 + r.IntN(64)
	with := r.IntN(4)
	if with == 0 {
		h.changed = h.changed[:max(0, len(h.changed)-n)]
		return
	}
	for range n {
		h.changed = append(h.changed, [4]byte{2: 0xff, 3: byte(r.Uint32())}[with])
	}
}

// repeat puts copies of a list's element after it, and makes the fields that size the list, and windows around it, say
// so.
func (h *hunter) repeat() {
	if len(h.lists) == 0 {
		return
	}
	r, t := h.random, &h.traces[0]
	list := h.lists[r.IntN(len(h.lists))]
	s := &t.Records[list]
	i := uint32(r.IntN(int(s.N)))
	start, end := h.element(t, list, i)
	if i+1 < s.N {
		end, _ = h.element(t, list, i+1)
	} else if align := 8 << r.IntN(4); r.IntN(4) > 0 {
		end = start + (end-start+align-1)/align*align // padding is no span
	}
	size := end - start
	if start < 0 || size <= 0 || end > t.Bits {
		return
	}
	copies := 1 + r.IntN(3)
	if most := plan.MostOf(h.plan.StepAt(s.Point)); r.IntN(2) == 0 && most < maxGrown && most >= uint64(s.N) {
		copies = int(most) + 1 - int(s.N)
	}
	total := t.Bits + copies*size
	if (total+7)/8 > h.plan.Schema.MaxDatagram {
		return
	}
	h.tell(list, uint64(copies), uint64(copies*size))
	order := h.plan.Order
	h.moved = slices.Grow(h.moved[:0], (total+7)/8)[:(total+7)/8]
	clear(h.moved)
	at := copyBits(order, h.moved, 0, h.changed, 0, end)
	for range copies {
		at = copyBits(order, h.moved, at, h.changed, start, end)
	}
	copyBits(order, h.moved, at, h.changed, end, t.Bits)
	h.changed, h.moved = h.moved, h.changed
}

// tell makes what sizes a list say more elements, and what sizes windows around it more bits.
func (h *hunter) tell(list int, more, bits uint64) {
	t := &h.traces[0]
	of := t.Records[list].Point
	told := map[plan.Point]bool{}
	for i := len(h.fields) - 1; i >= 0; i-- {
		f := &h.fields[i]
		if f.span > list || f.number {
			continue
		}
		info := &h.plan.Info[f.leaf]
		value := int64(info.Value(f.code, f.width))
		for _, by := range h.sizings[f.leaf] {
			add := more
			w, ok := h.plan.StepAt(by.Point).(*plan.Window)
			switch {
			case told[by.Point]:
				continue
			case by.Point == of:
			case ok && w.Point < of && of <= w.Last:
				add = bits / uint64(w.Unit)
			default:
				continue
			}
			told[by.Point] = true
			if to, ok := by.Value(uint64(by.K*value+by.C) + add); ok {
				h.put(h.changed, f, info.CodeOf(uint64(to), f.width))
			}
		}
	}
}
