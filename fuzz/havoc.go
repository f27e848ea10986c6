package fuzz

import (
	"math/rand/v2"

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
func (b *havoc) take(packet, other []byte, from decode.Direction) bool {
	if b.decoder.Decode(packet, from, &b.traces[0]) != nil {
		return false
	}
	b.turn = 0
	b.plain()
	b.base.use(&b.traces[0])
	if b.decoder.Decode(other, from, &b.traces[1]) == nil {
		b.other.use(&b.traces[1])
	} else {
		b.other.use(&b.traces[0])
	}
	return true
}

// havoc makes a packet with several changes, valid until the next.
func (b *havoc) mutate(from decode.Direction) []byte {
	if b.turn++; b.turn%reuses == 0 {
		b.base.keep()
		for range 1 + b.random.IntN(3) {
			b.change()
		}
		b.source.begin(b.g, b.random, nil, &b.base)
		b.write(from)
	} else if b.turn%reuses == reuses/2 {
		b.plain()
	}
	b.buf = append(b.buf[:0], b.shaped...)
	for range b.random.IntN(4) {
		b.set()
	}
	return b.finish()
}

// splice makes a packet of the head of one and the tail of another.
func (b *havoc) splice(from decode.Direction) []byte {
	if b.turn++; b.turn%(reuses/3) == 0 {
		b.base.keep()
		b.other.keep()
		b.source.begin(b.g, b.random, b.seam(), &b.base, &b.other)
		b.write(from)
		b.buf = append(b.buf[:0], b.shaped...)
		return b.finish()
	}
	b.buf = append(b.buf[:0], b.shaped...)
	b.set()
	return b.finish()
}

// write writes the packet that the source describes; without an encoding it is the base again.
func (b *havoc) write(from decode.Direction) {
	out, err := b.looser.AppendOverridden(b.out[:0], &b.source, from, nil)
	if err != nil {
		b.plain() // the encoder's trace is of a part
		return
	}
	b.out = out
	b.shape, b.shaped = b.looser.Written(), append(b.shaped[:0], out...)
}

// plain goes on from the packet as it was given.
func (b *havoc) plain() {
	b.shape, b.shaped = &b.traces[0], append(b.shaped[:0], b.traces[0].Payload...)
}

// finish flips bits now and then, cuts or lengthens the packet rarely, and makes the checksum right.
func (b *havoc) finish() []byte {
	r := b.random
	if r.IntN(5) == 0 && len(b.buf) > 0 {
		for range 1 + r.IntN(3) {
			at := r.IntN(8 * len(b.buf))
			b.buf[at/8] ^= 1 << (at % 8)
		}
	}
	switch r.IntN(32) {
	case 0:
		b.buf = b.buf[:r.IntN(len(b.buf)+1)]
	case 1:
		for range 1 + r.IntN(8) {
			b.buf = append(b.buf, byte(r.IntN(2)*r.IntN(256)))
		}
	case 2:
		if most := b.plan.Schema.MaxDatagram; r.IntN(64) == 0 && len(b.buf) <= most {
			b.buf = append(b.buf, make([]byte, most+1-len(b.buf))...)
		}
	}
	if b.crc.Step != nil && r.IntN(64) != 0 {
		checksumOf(b.shape, b.crc).Repair(b.buf)
	}
	return b.buf
}

// checksumOf is where the checksum of a packet stands; otherwise is where it would.
func checksumOf(t *decode.Trace, otherwise plan.Seal) plan.Seal {
	for i := range t.Records {
		if sum, ok := t.Plan.StepAt(t.Records[i].Point).(*plan.Checksum); ok {
			return sum.Seal(int(t.Records[i].Bit), t.Registers())
		}
	}
	return otherwise
}

// set sets a field in place: mostly to what it may hold, also where that is a lie about what follows.
func (b *havoc) set() {
	t := b.shape
	if len(t.Records) == 0 {
		return
	}
	i := b.random.IntN(len(t.Records))
	s := &t.Records[i]
	step := b.plan.StepAt(s.Point)
	store := func(bit, n int, code uint64) {
		if _, has := t.Clip(i, bit, n); has == n { // what a window has cut off is not there to be changed
			step.At().Order.Store(b.buf, bit, n, code)
		}
	}
	if run, ok := step.(*plan.Run); ok && s.N > 0 {
		leaf := run.First + b.random.IntN(int(s.N))
		l := &b.plan.Leaves[leaf]
		code := b.pick(leaf, int(l.Width))
		if b.plan.Info[leaf].Swap {
			code = wire.SwapBytes(code, int(l.Width))
		}
		store(int(s.Bit+l.Off), int(l.Width), code)
	} else if _, ok := step.(*plan.Number); ok && 0 < s.N && s.N <= 64 {
		store(int(s.Bit), int(s.N), b.random.Uint64()&wire.Mask(int(s.N)))
	} else if blob, ok := step.(*plan.Blob); ok && s.N > 0 {
		store(int(s.Bit)+blob.Unit()*b.random.IntN(int(s.N)), 8, b.random.Uint64()&0xff)
	}
}

// pick is a code for a leaf in place.
func (b *havoc) pick(leaf, width int) uint64 {
	switch n := b.random.IntN(16); {
	case n < 9 && len(b.g.leaves[leaf].all) > 0:
		all := b.g.leaves[leaf].all
		return all[b.random.IntN(len(all))]
	case n < 12:
		if refused := b.sampleOf(leaf); len(refused) > 0 {
			return refused[b.random.IntN(len(refused))]
		}
	case n < 14 && len(b.codes[leaf]) > 0:
		return b.codes[leaf][b.random.IntN(len(b.codes[leaf]))].code
	}
	return b.random.Uint64() & wire.Mask(width) >> (b.random.IntN(2) * b.random.IntN(width+1))
}

// change chooses something for the encoder to write otherwise.
func (b *havoc) change() {
	d, r := &b.base, b.random
	if len(d.trace.Records) == 0 {
		return
	}
	span := int32(r.IntN(len(d.trace.Records)))
	s := &d.trace.Records[span]
	step := b.raised.StepAt(s.Point)
	if b.plan.ListAt(s.Point) {
		d.reshape(b.sizings, span, b.elements(int(s.N), plan.MostOf(step)))
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
			d.resize(b.sizings, span, uint64(n))
		}
		d.texts[span] = b.text(d.blobs[span], n)
	} else if first, n := numbersOf(b.plan, s); n > 0 {
		k := 0
		if _, ok := step.(*plan.Run); ok {
			k = r.IntN(int(n))
		}
		if all := b.g.leaves[first+k].all; len(all) > 0 {
			d.codes[int32(s.Raw)+int32(k)] = all[r.IntN(len(all))]
		}
	}
}

// maxGrown bounds how many elements a list of few gets at once.
const maxGrown = 1 << 10

// elements chooses the elements of a list anew: one less, one twice, two exchanged, none, as many as there may be and
// one more, which is most.
func (b *havoc) elements(n int, most uint64) []int32 {
	r := b.random
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
func (b *havoc) text(like []byte, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = 'a' + byte(b.random.IntN(26))
	}
	copy(out, like)
	return out
}

// seam chooses where a splice goes over from one packet to the other: at an op, inside a list at an element.
func (b *havoc) seam() func(a *decode.Query) bool {
	t := b.base.trace
	if len(t.Records) == 0 {
		return func(*decode.Query) bool { return false }
	}
	s := t.Records[b.random.IntN(len(t.Records))]
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
