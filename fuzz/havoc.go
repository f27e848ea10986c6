package fuzz

import (
	"math/rand/v2"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// havoc makes packets that nobody enumerates: havoc, which changes several fields of a packet at once, and splices of
// two. Elements come and go and texts change their lengths through an encoder, so that counts, padding and checksum are
// right, also where there is one too many; then fields are set in place, to what they may hold or not, and bits
// flipped; at last the checksum is made right. It is for one goroutine.
type havoc struct {
	*Mutator
	g        *Generator
	encoder  *decode.Encoder
	looser   *decode.Encoder // of the raised plan
	random   *rand.Rand
	base     spliceSource
	other    spliceSource
	source   splice
	traces   [2]decode.Trace
	buf, out []byte
	shaped   []byte        // the valid packet that is broken at the moment: to write one takes longer than to break it
	shape    *decode.Trace // of shaped
	turn     int
}

// reuses is how many packets of havoc are made between two that the encoder writes anew; splices are written three
// times as often.
const reuses = 12

func newHavoc(m *Mutator, g *Generator) *havoc {
	return &havoc{Mutator: m, g: g, encoder: decode.NewEncoder(m.decoder), looser: decode.NewEncoder(decode.New(m.raised))}
}

// take begins with a packet that the protocol accepts, and another for splices. It reports false when the first is
// refused.
func (h *havoc) take(packet, other []byte, from decode.Direction) bool {
	if h.decoder.Decode(packet, from, &h.traces[0]) != nil {
		return false
	}
	h.turn = 0
	h.plain()
	h.base.use(&h.traces[0])
	if h.decoder.Decode(other, from, &h.traces[1]) == nil {
		h.other.use(&h.traces[1])
	} else {
		h.other.use(&h.traces[0])
	}
	return true
}

// havoc makes a packet with several changes, valid until the next.
func (h *havoc) mutate(from decode.Direction) []byte {
	if h.turn++; h.turn%reuses == 0 {
		h.base.keep()
		for range 1 + h.random.IntN(3) {
			h.change()
		}
		h.source.begin(h.g, h.random, nil, &h.base)
		h.write(from)
	} else if h.turn%reuses == reuses/2 {
		h.plain()
	}
	h.buf = append(h.buf[:0], h.shaped...)
	for range h.random.IntN(4) {
		h.set()
	}
	return h.finish()
}

// splice makes a packet of the head of one and the tail of another.
func (h *havoc) splice(from decode.Direction) []byte {
	if h.turn++; h.turn%(reuses/3) == 0 {
		h.base.keep()
		h.other.keep()
		h.source.begin(h.g, h.random, h.seam(), &h.base, &h.other)
		h.write(from)
		h.buf = append(h.buf[:0], h.shaped...)
		return h.finish()
	}
	h.buf = append(h.buf[:0], h.shaped...)
	h.set()
	return h.finish()
}

// write writes the packet that the source describes; without an encoding it is the base again.
func (h *havoc) write(from decode.Direction) {
	out, err := h.looser.AppendOverridden(h.out[:0], &h.source, from, nil)
	if err != nil {
		h.plain() // the encoder's trace is of a part
		return
	}
	h.out = out
	h.shape, h.shaped = h.looser.Written(), append(h.shaped[:0], out...)
}

// plain goes on from the packet as it was given.
func (h *havoc) plain() {
	h.shape, h.shaped = &h.traces[0], append(h.shaped[:0], h.traces[0].Payload...)
}

// finish flips bits now and then, cuts or lengthens the packet rarely, and makes the checksum right.
func (h *havoc) finish() []byte {
	r := h.random
	if r.IntN(5) == 0 && len(h.buf) > 0 {
		for range 1 + r.IntN(3) {
			at := r.IntN(8 * len(h.buf))
			h.buf[at/8] ^= 1 << (at % 8)
		}
	}
	switch r.IntN(32) {
	case 0:
		h.buf = h.buf[:r.IntN(len(h.buf)+1)]
	case 1:
		for range 1 + r.IntN(8) {
			h.buf = append(h.buf, byte(r.IntN(2)*r.IntN(256)))
		}
	case 2:
		if most := h.plan.Schema.MaxDatagram; r.IntN(64) == 0 && len(h.buf) <= most {
			h.buf = append(h.buf, make([]byte, most+1-len(h.buf))...)
		}
	}
	if len(h.plan.Checksums) > 0 && r.IntN(64) != 0 {
		sealsOf(h.shape, h.seals).Repair(h.buf, -1)
	}
	return h.buf
}

// sealsOf are the checksums of a packet as far as it was read, those first that others cover; otherwise are those that
// are known without that.
func sealsOf(t *decode.Trace, otherwise plan.Seals) plan.Seals {
	if len(t.Seals) == 0 {
		return otherwise
	}
	return slices.Clone(t.Seals).Sort()
}

// set sets a field in place: mostly to what it may hold, also where that is a lie about what follows.
func (h *havoc) set() {
	t := h.shape
	if len(t.Records) == 0 {
		return
	}
	i := h.random.IntN(len(t.Records))
	s := &t.Records[i]
	step := h.plan.StepAt(s.Point)
	store := func(bit, n int, code uint64) {
		if _, has := t.Clip(i, bit, n); has == n { // what a window has cut off is not there to be changed
			step.At().Order.Store(h.buf, bit, n, code)
		}
	}
	if run, ok := step.(*plan.Run); ok && s.N > 0 {
		leaf := run.First + h.random.IntN(int(s.N))
		l := &h.plan.Leaves[leaf]
		code := h.pick(leaf, int(l.Width))
		if h.plan.Info[leaf].Swap {
			code = wire.SwapBytes(code, int(l.Width))
		}
		store(int(s.Bit+l.Off), int(l.Width), code)
	} else if _, ok := step.(*plan.Number); ok && 0 < s.N && s.N <= 64 {
		store(int(s.Bit), int(s.N), h.random.Uint64()&wire.Mask(int(s.N)))
	} else if blob, ok := step.(*plan.Blob); ok && s.N > 0 {
		store(int(s.Bit)+blob.Unit()*h.random.IntN(int(s.N)), 8, h.random.Uint64()&0xff)
	}
}

// pick is a code for a leaf in place.
func (h *havoc) pick(leaf, width int) uint64 {
	switch n := h.random.IntN(16); {
	case n < 9 && len(h.g.leaves[leaf].all) > 0:
		all := h.g.leaves[leaf].all
		return all[h.random.IntN(len(all))]
	case n < 12:
		if refused := h.refusedOf(leaf).codes; len(refused) > 0 {
			return refused[h.random.IntN(len(refused))]
		}
	case n < 14 && len(h.codes[leaf]) > 0:
		return h.codes[leaf][h.random.IntN(len(h.codes[leaf]))].code
	}
	return h.random.Uint64() & wire.Mask(width) >> (h.random.IntN(2) * h.random.IntN(width+1))
}

// change chooses something for the encoder to write otherwise.
func (h *havoc) change() {
	d, r := &h.base, h.random
	if len(d.trace.Records) == 0 {
		return
	}
	span := int32(r.IntN(len(d.trace.Records)))
	s := &d.trace.Records[span]
	step := h.raised.StepAt(s.Point)
	if h.plan.ListAt(s.Point) {
		d.reshape(h.sizings, span, h.elements(int(s.N), plan.MostOf(step)))
	} else if blob, ok := step.(*plan.Blob); ok {
		most := blob.Max
		n := r.IntN(most + 1)
		switch r.IntN(8) {
		case 0:
			n = most - r.IntN(min(most, 1)+1) // one too many, or all
		case 1, 2, 3, 4:
			n = min(r.IntN(8), n)
		}
		if blob.Size >= 0 {
			d.resize(h.sizings, span, uint64(n))
		}
		d.texts[span] = h.text(d.blobs[span], n)
	} else if first, n := numbersOf(h.plan, s); n > 0 {
		k := 0
		if _, ok := step.(*plan.Run); ok {
			k = r.IntN(int(n))
		}
		if all := h.g.leaves[first+k].all; len(all) > 0 {
			d.codes[int32(s.Raw)+int32(k)] = all[r.IntN(len(all))]
		}
	}
}

// maxGrown bounds how many elements a list of few gets at once.
const maxGrown = 1 << 10

// elements chooses the elements of a list anew: one less, one twice, two exchanged, none, as many as there may be and
// one more, which is most.
func (h *havoc) elements(n int, most uint64) []int32 {
	r := h.random
	all := make([]int32, n, n+1)
	for i := range all {
		all[i] = int32(i)
	}
	if n == 0 {
		if r.IntN(2) == 0 {
			return []int32{0}
		}
		return make([]int32, r.IntN(int(min(most, maxGrown))+1))
	}
	i := r.IntN(n)
	switch r.IntN(8) {
	case 0, 1:
		return append(all[:i], all[i+1:]...)
	case 2, 3:
		return append(all, int32(i))
	case 4:
		k := r.IntN(n)
		all[i], all[k] = all[k], all[i]
	case 5:
		return all[:0]
	case 6:
		return all[:i]
	default:
		for most -= uint64(r.IntN(2)); len(all) < int(min(most, maxGrown)); {
			all = append(all, int32(len(all)%n))
		}
	}
	return all
}

// text is n bytes like those of a text.
func (h *havoc) text(like []byte, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = 'a' + byte(h.random.IntN(26))
	}
	copy(out, like)
	return out
}

// seam chooses where a splice goes over from one packet to the other: at an op, inside a list at an element.
func (h *havoc) seam() func(a *decode.Query) bool {
	t := h.base.trace
	if len(t.Records) == 0 {
		return func(*decode.Query) bool { return false }
	}
	s := t.Records[h.random.IntN(len(t.Records))]
	list, elem, ok := outermost(t, s.Parent, s.Index)
	return func(a *decode.Query) bool {
		l, e, in := outermost(a.Trace, a.Parent, a.Index)
		if ok && in && l == list {
			return e >= elem
		}
		return a.Point > s.Point
	}
}

// outermost is the outermost list around a place, by its point, and the element there.
func outermost(t *decode.Trace, parent int32, index uint32) (list plan.Point, elem uint32, ok bool) {
	for parent >= 0 {
		s := &t.Records[parent]
		list, elem, ok = s.Point, index, true
		parent, index = s.Parent, s.Index
	}
	return list, elem, ok
}
