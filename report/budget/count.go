package budget

import (
	"math"
	"math/bits"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// The hot path: codes are counted by their leaf's number, straight from the trace. Nothing here knows a name.

// count counts what an accepted packet holds.
func (b *Budget) count(t *decode.Trace) {
	covered := 0
	for i := range t.Records {
		s := &t.Records[i]
		r := &b.shape.records[s.Point]
		if r.folded {
			continue
		}
		n := int(s.N)
		_, bits := t.Clip(i, int(s.Bit), r.bits+n*r.perN)
		covered += bits
		switch {
		case r.shape == plan.ShapeCodes && r.filled:
			for j, code := range t.Raw[s.Raw:][:n] {
				leaf := r.leaves[0] + j
				l := &b.shape.plan.Leaves[leaf]
				_, bits := t.Clip(i, int(s.Bit+l.Off), int(l.Width))
				b.met(b.shape.leaves[leaf].place, uint64(bits), false)
				b.value(leaf, code)
			}
		case r.shape == plan.ShapeCodes:
			b.met(r.place, 1, r.once)
			for j, code := range t.Raw[s.Raw:][:n] {
				b.value(r.leaves[0]+j, code)
			}
		case r.shape == plan.ShapeCode:
			leaf := t.LeafOf(s)
			b.met(b.shape.leaves[leaf].place, uint64(bits), false)
			b.value(leaf, t.Raw[s.Raw])
		case r.list:
			b.met(r.place, uint64(n), false)
			if n == 0 {
				b.places[r.place].empty++
			}
		default:
			b.met(r.place, uint64(bits), r.once)
		}
	}
	b.settle()
	if b.shape.blurred { // where padding is, and how much, tells a secret as well
		b.masked.addGap(8*len(t.Payload) - covered)
		return
	}
	b.padding.addGap(t.Bits - covered)
	b.end.addGap(8*len(t.Payload) - t.Bits)
}

// value counts a code of a leaf.
func (b *Budget) value(leaf int, code uint64) {
	l, v := &b.shape.leaves[leaf], &b.values[leaf]
	if v.direct != nil {
		v.direct[code]++
	} else if l.mode != opaque {
		v.add(l, code)
	}
	switch {
	case l.column < 0:
	case l.mode == plain:
		b.moments.see(l.column, code+l.base)
	default:
		key := l.key(code)
		b.moments.see(l.column, magnitude(key^signBit))
		b.moments.see(l.order, key)
	}
}

// add counts a value of a leaf that is not direct.
func (v *values) add(l *leaf, code uint64) {
	key := l.key(code)
	v.digits += l.digits(key)
	if l.varint {
		v.groups += uint64(bits.Len64(code|1)+6) / 7
	}
	if l.words != nil {
		v.words += l.wordLength(code)
	}
	v.sample.add(code)
	if l.mode == float && math.IsNaN(floatOfKey(key)) {
		v.nan++
	} else if !v.seen || key < v.least || key > v.most {
		v.see(key)
	}
}

// see widens what was seen by a key.
func (v *values) see(key uint64) {
	if !v.seen {
		v.least, v.most, v.seen = key, key, true
		return
	}
	v.least, v.most = min(v.least, key), max(v.most, key)
}

func (p *place) addGap(n int) {
	if n > 0 {
		p.times++
		p.packets++
		p.weight += uint64(n)
		p.spread.add(uint64(n))
	}
}

// met counts one occurrence: what comes at most once in a packet and always with one weight needs no histogram.
func (b *Budget) met(at int, weight uint64, once bool) {
	p := &b.places[at]
	p.times++
	p.weight += weight
	if once {
		p.packets++
		return
	}
	n := b.now[at]
	if n == 0 {
		b.touched = append(b.touched, uint32(at))
		n = 1
	}
	b.now[at] = n + weight<<1
}

// settle puts the packet's weights into the histograms.
func (b *Budget) settle() {
	for _, at := range b.touched {
		p := &b.places[at]
		p.packets++
		p.spread.add(b.now[at] >> 1)
		b.now[at] = 0
	}
	b.touched = b.touched[:0]
}
