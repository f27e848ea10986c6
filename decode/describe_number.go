package decode

import (
	"fmt"
	"strconv"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// Numbers in messages: sets, ranges, constants, the values of leaves.

// maxWanted is how many intervals a reject names of a set: a hostile schema can have 100,000.
const maxWanted = 16

// intervals appends the first intervals of a set of keys, neighbours joined: `1..2, 16, 64..66`. The last of them waits:
// the next may be its neighbour. Its callers have the loops, because a function that gets an iterator cannot be compiled
// into them, and what it changes is on the heap.
type intervals struct {
	b      []byte
	as     notation
	n      int // how many there are, the last included
	lo, hi uint64
	left   bool // more than are shown
}

// add takes the next interval; false where there are as many as are shown.
func (w *intervals) add(lo, hi uint64) bool {
	switch {
	case w.n > 0 && lo == w.hi+1:
		w.hi = hi
		return true
	case w.n > 0:
		w.put()
	}
	if w.left = w.n == maxWanted; w.left {
		return false
	}
	w.lo, w.hi = lo, hi
	w.n++
	return true
}

// text is what was appended, with what waits.
func (w *intervals) text() []byte {
	if w.left {
		return append(w.b, ", …"...)
	}
	w.put()
	return w.b
}

// put appends the last.
func (w *intervals) put() {
	bias := uint64(0)
	if w.as.signed {
		bias = 1 << 63
	}
	if w.n > 1 {
		w.b = append(w.b, ", "...)
	}
	w.b = w.as.append(w.b, w.lo^bias)
	if w.hi != w.lo {
		w.b = w.as.append(append(w.b, ".."...), w.hi^bias)
	}
}

func (t *Trace) appendConst(b []byte, r *reject.Reject) []byte {
	info, width := t.leafInfo(r.At), 0
	var rule *schema.Rule
	if info != nil {
		rule, width = info.Rule, t.codeWidth(r.At.Leaf, r)
	} else {
		rule = t.step(r.At).(*plan.Blob).Rule
	}
	if rule.Kind == schema.RuleNe {
		b = append(b, "not "...)
	}
	switch {
	case info == nil:
		return appendBytes(b, rule.Bytes)
	case rule.WantFloat != nil:
		return strconv.AppendFloat(b, *rule.WantFloat, 'g', -1, width)
	case info.Kind == plan.LeafBool:
		return strconv.AppendBool(b, rule.Want.Sign() != 0)
	}
	if as := notationOf(info, width); as.hex && rule.Want.Sign() >= 0 {
		return as.append(b, rule.Want.Uint64())
	}
	return rule.Want.Append(b, 10)
}

// appendRange appends what an out-of-range field may hold: its type's range if that was broken, else its rule's.
func (t *Trace) appendRange(b []byte, r *reject.Reject, info *plan.LeafInfo) []byte {
	if info.Rule != nil && (info.Let != nil || r.Code <= info.TypeSpan) {
		if len(info.Rule.Floats) > 0 {
			for i, f := range info.Rule.Floats {
				if i > 0 {
					b = append(b, ", "...)
				}
				b = fmt.Appendf(b, "%v..%v", f.Lo, f.Hi)
			}
			return b
		}
		w := intervals{b: b, as: notationOf(info, r.Width)}
		for lo, hi := range info.RuleSet() {
			if !w.add(lo, hi) {
				break
			}
		}
		return w.text()
	}
	lo, hi, signed := info.Base, info.Base+info.TypeSpan, info.IsSigned()
	if info.ZigZag {
		hi = info.TypeSpan / 2
		lo = ^hi
	}
	b = appendInt(b, lo, signed)
	b = append(b, ".."...)
	return appendInt(b, hi, signed)
}

// appendLeafValue appends a code's value as a number; quantized floats as their code, the wire's own number.
func (t *Trace) appendLeafValue(b []byte, info *plan.LeafInfo, code uint64, width int) []byte {
	switch {
	case info.Quant != nil:
		return strconv.AppendUint(b, code, 10)
	case info.Form() == FormFloat:
		return strconv.AppendFloat(b, info.Float(code, width), 'g', -1, width)
	case info.Form() == FormBool && code <= 1:
		return strconv.AppendBool(b, code == 1)
	}
	if as := notationOf(info, width); as.hex {
		return as.append(b, info.Value(code, width))
	}
	return info.AppendInt(b, code, width)
}

// notation is how a message has integers: as the schema does.
type notation struct {
	signed bool
	hex    bool
	width  int // bits, for the digits of a hexadecimal number; 0 for as many as it needs
}

// notationOf is the notation of the values of a leaf of so many bits.
func notationOf(info *plan.LeafInfo, width int) notation {
	hex := info.Enum != nil && info.Enum.Hex || info.Rule != nil && info.Rule.Hex
	as := notation{signed: info.IsSigned(), hex: hex && !info.IsSigned()}
	if info.Let == nil && info.Base == 0 {
		as.width = width
	}
	return as
}

func (as notation) append(b []byte, v uint64) []byte {
	if as.hex {
		return appendHex(b, v, as.width)
	}
	return appendInt(b, v, as.signed)
}

func appendInt(b []byte, v uint64, signed bool) []byte {
	if signed {
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendUint(b, v, 10)
}
