package budget

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/pktscope/pktscope/decode/plan"
)

// leaf is how one leaf is counted.
type leaf struct {
	place  int // in Budget.places
	fixed  bool
	mode   mode
	class  Class
	secret bool
	direct bool // few bits: counts for every code
	varint bool // wide enough that a varint might be shorter
	info   *plan.LeafInfo
	width  int
	base   uint64
	column int32       // of its declaration in Budget.moments, -1 for what is not a number
	order  int32       // of a signed declaration: its second column; see columns
	words  *plan.Cases // of an enum
}

// mode is how a code is ordered and written as text.
type mode uint8

const (
	plain  mode = iota // the code, plus base, is the value
	signed             // two's complement, zigzag, or a negative base
	float
	quant
	opaque // a check, a checksum, reserved bits, or a secret: no values are looked at
)

// classes are those of bits that are no number.
var classes = map[plan.LeafKind]Class{plan.LeafCheck: Check, plan.LeafChecksum: Checksum, plan.LeafReserved: Reserved}

func (s *shape) leafOf(i int, sizes bool) leaf {
	info, node := &s.plan.Info[i], &s.plan.Nodes[s.plan.Info[i].Node]
	width := int(s.plan.Leaves[i].Width)
	r := &s.records[info.Point]
	l := leaf{place: len(s.plan.Steps) + i, class: Value, secret: node.Secret, info: info, width: width, base: info.Base}
	if l.fixed = r.shape == plan.ShapeCodes && !r.filled; l.fixed {
		l.place = r.place
	}
	if sizes || node.Kind == plan.NodeItem || node.Value == nil {
		l.class = Count // also the index of a subset, which nothing in the schema declares
	}
	switch form := info.Form(); {
	case info.Writes() != plan.Given:
		l.class, l.mode = classes[info.Kind], opaque
	case info.Quant != nil:
		l.mode = quant
	case form == plan.FormFloat:
		l.mode = float
	case info.IsSigned():
		l.mode = signed
	}
	if node.Value == nil && node.Kind == plan.NodeLeaf && sizesNothing(node) {
		l.class = Value // a component of a quaternion
	}
	if l.secret {
		l.mode = opaque
		return l
	}
	l.direct = width <= 8 && l.fixed && 1<<width <= 2*s.limit && l.mode != opaque
	l.varint = l.class == Value && l.mode == plain && info.Kind == plan.LeafUint && width >= 16 && info.Rule == nil
	if info.Enum != nil && !info.Enum.Flags {
		l.words = info.Cases
	}
	return l
}

// sizesNothing tells a component of a quaternion from the index of a subset, which is declared no more than that.
func sizesNothing(n *plan.Node) bool { return n.Name != "index" }

const signBit = 1 << 63

// key orders the codes of a leaf by their values.
func (l *leaf) key(code uint64) uint64 {
	switch l.mode {
	case signed:
		return l.info.Value(code, l.width) ^ signBit
	case float:
		return floatKey(l.info.Float(code, l.width))
	}
	return code
}

// append appends the value of a key.
func (l *leaf) append(b []byte, key uint64) []byte {
	switch l.mode {
	case signed:
		return strconv.AppendInt(b, int64(key^signBit), 10)
	case float:
		return strconv.AppendFloat(b, floatOfKey(key), 'g', -1, l.width)
	case quant:
		return strconv.AppendFloat(b, l.info.Float(key, l.width), 'g', -1, 32)
	}
	return strconv.AppendUint(b, key+l.base, 10)
}

func (l *leaf) text(key uint64) string { return string(l.append(nil, key)) }

// digits is how long text is.
func (l *leaf) digits(key uint64) uint64 {
	if l.mode == plain {
		return digits(key + l.base)
	} else if l.mode == signed {
		return signedDigits(int64(key ^ signBit))
	}
	var room [32]byte
	return uint64(len(l.append(room[:0], key)))
}

// wordLength is how long a case's name is, or the number of what is not listed.
func (l *leaf) wordLength(code uint64) uint64 {
	if name := l.words.Name(code); name != "" {
		return uint64(len(name))
	}
	return digits(code + l.base)
}

// magnitude orders values by the bits that they need: one below zero stands for one above.
func magnitude(value uint64) uint64 { return value ^ uint64(int64(value)>>63) }

// floatKey orders floats as unsigned numbers; floatOfKey is its inverse.
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
