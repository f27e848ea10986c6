package budget

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// The hot path: codes are counted by their leaf's number, straight from the trace. Nothing here knows a name.

// count counts what an accepted packet holds.
func (b *Budget) count(t *decode.Trace) {
	covered := 0
	for i := range t.Spans {
		s := &t.Spans[i]
		r := &b.shape.records[s.Op]
		if r.folded {
			continue
		}
		n := int(s.N)
		bits := r.bits + n*r.perN
		covered += bits
		switch {
		case r.fixed():
			b.met(r.place, 1, r.once)
			for j, code := range t.Raw[s.Raw:][:n] {
				b.value(r.leaves[0]+j, code)
			}
		case len(r.leaves) > 0:
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
		v.add(l, code, b.shape.plan, leaf)
	}
	if l.column >= 0 {
		b.seeMoment(l, code, leaf)
	}
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

const signBit = 1 << 63

// see widens what was seen by a key.
func (v *values) see(key uint64) {
	if !v.seen {
		v.least, v.most, v.seen = key, key, true
		return
	}
	v.least, v.most = min(v.least, key), max(v.most, key)
}

// add counts a value of a leaf that is not direct.
func (v *values) add(l *leaf, code uint64, p *plan.Plan, index int) {
	key := code
	switch l.mode {
	case plain:
		v.digits += digits(code + l.base)
		if l.varint {
			v.groups += uint64(bits.Len64(code|1)+6) / 7
		}
		if l.words != nil {
			v.words += l.wordLength(code)
		}
	case signed:
		value := p.Info[index].Value(code, leafWidth(p, index))
		key = value ^ signBit
		v.digits += signedDigits(int64(value))
		if l.words != nil {
			v.words += l.wordLength(code)
		}
	default:
		f := p.Info[index].Float(code, leafWidth(p, index))
		var room [32]byte
		width := 64
		if l.mode == quant || p.Leaves[index].Width == 32 {
			width = 32
		}
		v.digits += uint64(len(strconv.AppendFloat(room[:0], f, 'g', -1, width)))
		if l.mode == float {
			if math.IsNaN(f) {
				v.nan++
				v.sample.add(code)
				return
			}
			key = floatKey(f)
		}
	}
	if !v.seen || key < v.least || key > v.most {
		v.see(key)
	}
	v.sample.add(code)
}

// seeMoment counts a number in the columns of its leaf.
func (b *Budget) seeMoment(l *leaf, code uint64, index int) {
	if l.mode == plain {
		b.moments.see(l.column, code+l.base)
		return
	}
	value := b.shape.plan.Info[index].Value(code, leafWidth(b.shape.plan, index))
	b.moments.see(l.column, magnitude(value))
	b.moments.see(l.order, value^signBit)
}

// magnitude orders values by the bits that they need: one below zero stands for one above.
func magnitude(value uint64) uint64 { return value ^ uint64(int64(value)>>63) }

func leafWidth(p *plan.Plan, index int) int { return int(p.Leaves[index].Width) }

// floatKey orders floats as unsigned numbers; valueOfKey is its inverse.
func floatKey(f float64) uint64 {
	b := math.Float64bits(f)
	if b&signBit != 0 {
		return ^b
	}
	return b | signBit
}

func floatOfKey(key uint64) float64 {
	if key&signBit != 0 {
		return math.Float64frombits(key &^ signBit)
	}
	return math.Float64frombits(^key)
}

func (l *leaf) wordLength(code uint64) uint64 {
	if name := l.words.Name(code); name != "" {
		return uint64(len(name))
	}
	return digits(code + l.base)
}

// powers[n] is 10^n.
var powers = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// digits is the length of v as a decimal number: log10 is log2 × 1233/4096, one too low from each power of ten on.
func digits(v uint64) uint64 {
	n := uint64(bits.Len64(v|1)) * 1233 >> 12
	if n < 20 && v >= powers[n] {
		return n + 1
	}
	return max(n, 1)
}

func signedDigits(v int64) uint64 {
	if v < 0 {
		return digits(-uint64(v)) + 1
	}
	return digits(uint64(v))
}

func appendInt(b []byte, v uint64, signed bool) []byte {
	if signed {
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendUint(b, v, 10)
}
