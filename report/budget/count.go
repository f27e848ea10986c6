package budget

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// The hot path: codes are counted by their leaf's number, straight from the trace. Nothing here knows a name.

// count counts what an accepted packet holds.
func (b *Budget) count(t *decode.Trace) {
	p := b.shape.plan
	covered := 0
	for i := range t.Spans {
		s := &t.Spans[i]
		op := &p.Ops[s.Op]
		if b.shape.folded[s.Op] {
			continue
		}
		switch op.Code {
		case plan.OpRun:
			covered += int(op.C)
			b.met(int(s.Op), 1)
			leaves, raw := b.shape.leaves[op.A:][:s.N], t.Raw[s.Raw:][:s.N]
			values := b.values[op.A:][:s.N]
			for j, code := range raw {
				l := &leaves[j]
				if v := &values[j]; v.direct != nil {
					v.direct[code]++
				} else if l.mode != opaque {
					v.add(l, code, p, int(op.A)+j)
				}
				if l.column >= 0 {
					b.seeMoment(l, code, int(op.A)+j)
				}
			}
		case plan.OpCRC:
			covered += int(p.Leaves[op.A].Width)
			b.met(int(s.Op), 1)
		case plan.OpNumber, plan.OpSlot:
			covered += int(s.N)
			leaf := numberLeaf(t, s, op)
			b.met(len(p.Ops)+leaf, uint64(s.N))
			if l := &b.shape.leaves[leaf]; l.mode != opaque {
				b.values[leaf].add(l, t.Raw[s.Raw], p, leaf)
				if l.column >= 0 {
					b.seeMoment(l, t.Raw[s.Raw], leaf)
				}
			}
		case plan.OpBlob:
			size := blobBits(p.Blobs[op.A], s)
			covered += size
			b.met(int(s.Op), uint64(size))
		case plan.OpReserved:
			covered += int(s.N)
			b.met(int(s.Op), uint64(s.N))
		case plan.OpArray, plan.OpRepeat:
			b.met(int(s.Op), uint64(s.N))
			if s.N == 0 {
				b.places[s.Op].empty++
			}
		case plan.OpStruct:
			b.met(int(s.Op), 0)
		}
	}
	b.settle()
	if b.shape.blurred { // where padding is, and how much, tells a secret as well
		b.masked().addGap(8*len(t.Payload) - covered)
		return
	}
	b.padding.addGap(t.Bits - covered)
	b.end.addGap(8*len(t.Payload) - t.Bits)
}

// masked is the place of all bits that are counted together because each by itself tells a secret: that of the op that ends the
// packet, which takes none.
func (b *Budget) masked() *place { return &b.places[len(b.shape.plan.Ops)-1] }

// foldSaved does to what was read what count would have done.
func (b *Budget) foldSaved() {
	if !b.shape.blurred {
		return
	}
	into := b.masked()
	for i := range b.places {
		pc := i
		if leaf := i - len(b.shape.folded); leaf >= 0 {
			pc = int(b.shape.plan.Info[leaf].Op)
		}
		op := &b.shape.plan.Ops[pc]
		if !b.shape.folded[pc] || pc == i && (op.Code == plan.OpNumber || op.Code == plan.OpSlot) {
			continue
		}
		pl := &b.places[i]
		if op.Code == plan.OpRun {
			into.weight += pl.weight * uint64(op.C)
		} else if op.Code != plan.OpArray && op.Code != plan.OpRepeat && op.Code != plan.OpStruct { // which weigh their elements
			into.weight += pl.weight
		}
		*pl = place{}
	}
	for _, pl := range []*place{&b.padding, &b.end} {
		into.weight += pl.weight
		*pl = place{}
	}
	if into.weight > 0 && into.packets == 0 {
		into.times, into.packets = b.all.packets, b.all.packets
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

// met counts one occurrence. What is in no loop and has one size needs no histogram.
func (b *Budget) met(at int, weight uint64) {
	p := &b.places[at]
	p.times++
	p.weight += weight
	if b.once(at) {
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

// once reports whether a place comes at most once in a packet and always with one weight.
func (b *Budget) once(at int) bool {
	if at >= len(b.shape.loop) || b.shape.loop[at] {
		return false
	}
	switch b.shape.plan.Ops[at].Code {
	case plan.OpBlob, plan.OpArray, plan.OpRepeat:
		return false
	}
	return true
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

// blobBits is how many bits a blob takes without its length and its padding.
func blobBits(b *plan.Blob, s *decode.Span) int {
	n := b.Unit() * int(s.N)
	if b.Text == schema.TextCString {
		n += 8 // its NUL
	}
	return n
}

// numberLeaf is the leaf of a number's span, as the walk has it.
func numberLeaf(t *decode.Trace, s *decode.Span, op *plan.Op) int {
	if op.Code == plan.OpSlot {
		if s.N == 0 {
			return int(op.C)
		}
		return int(op.B)
	}
	if n := t.Plan.Numbers[op.B]; n.EndLeaf >= 0 && t.Raw[s.Raw] == n.Most {
		return int(n.EndLeaf)
	}
	return int(op.A)
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
	lo, hi := 0, len(l.words)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if l.words[mid].code < code {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(l.words) && l.words[lo].code == code {
		return l.words[lo].length
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
