package serialize

import (
	"fmt"
	"math"
	"strconv"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Refusals are decode's own: the kinds, bits, widths and words of wire.md, "What a reject says", but for how many
// elements a list announced. A name costs the hot
// path two words on their way through registers; the path is put together when somebody asks.

// field is a field's name and the part of it that was refused (".x", ".length"), both empty where only the scope has a
// name.
type field struct{ name, part string }

// scope is an object or a list that is being read.
type scope struct {
	name  string
	index int    // of the list's element, -1 outside lists
	inner string // what is between the element and its fields: "value" in subsets
}

// wanted is what the words of a refusal need beside the Reject.
type wanted struct {
	limits
	text string // the rule, or the check's label
	// float is the range of a float of floatBits bits, when that is not 0.
	float     [2]float64
	floatBits int
}

const maxDepth = 64

// enter opens a scope; false after a refusal.
func (s *Stream) enter(name string) bool {
	if s.mode == failed {
		s.waste()
		return false
	}
	if len(s.scopes) == maxDepth {
		s.refuse(reject.OverBudget, s.bit, 0, field{name: name}, maxDepth+1, maxDepth)
		return false
	}
	s.scopes = append(s.scopes, scope{name: name, index: -1})
	return true
}

// leave closes the scope that made len(scopes) depth. After a refusal all stay: they are its path.
func (s *Stream) leave(depth int) {
	if s.mode != failed {
		s.scopes = s.scopes[:depth-1]
	}
}

// refuse ends the packet. The first refusal is the verdict.
func (s *Stream) refuse(kind reject.Kind, bit, width int, f field, code, limit uint64) {
	if s.mode == failed {
		panic("pktscope: internal error: serialize: two refusals")
	}
	s.mode, s.data = failed, nil
	s.field, s.want = f, wanted{}
	s.bit = bit
	s.refusal = reject.Reject{
		Kind: kind, Bit: bit, Width: width, Code: code, Limit: limit,
		At: reject.Place{Point: reject.NoPoint, Leaf: -1, Parent: -1}, By: (*describer)(s),
	}
}

// refuseRange refuses a number outside its limits.
func (s *Stream) refuseRange(bit, width int, f field, code uint64, l limits) {
	s.refuse(l.kind, bit, width, f, code, 0)
	s.want.limits = l
}

// refuseText refuses by a rule that has words.
func (s *Stream) refuseText(kind reject.Kind, bit, width int, f field, code uint64, rule string) {
	s.refuse(kind, bit, width, f, code, 0)
	s.want.text = rule
}

// describer puts the refusal into words; it is not Stream itself, whose methods are the program's.
type describer Stream

// AppendPath appends the names that the program gave.
func (d *describer) AppendPath(b []byte, _ reject.Place) []byte {
	start := len(b)
	add := func(name string) {
		if name == "" {
			return
		}
		if len(b) > start {
			b = append(b, '.')
		}
		b = append(b, name...)
	}
	for i := range d.scopes {
		c := &d.scopes[i]
		add(c.name)
		if c.index >= 0 {
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(c.index), 10)
			b = append(b, ']')
		}
		add(c.inner)
	}
	add(d.field.name)
	add(d.field.part)
	return b
}

// AppendDetail names the check that failed.
func (d *describer) AppendDetail(b []byte, r *reject.Reject) []byte {
	if r.Kind == reject.CheckMismatch && d.want.text != "" {
		b = append(b, "check "...)
		b = strconv.AppendQuoteToASCII(b, d.want.text)
		b = append(b, ": "...)
	}
	return b
}

// AppendWant appends what a correct packet would have had.
func (d *describer) AppendWant(b []byte, r *reject.Reject) []byte {
	switch r.Kind {
	case reject.PastEnd, reject.OverBudget, reject.DatagramSize:
		return strconv.AppendUint(b, r.Limit, 10)
	case reject.TrailingBytes, reject.NonzeroPadding, reject.ReservedNonzero:
		return append(b, '0')
	case reject.CRCMismatch, reject.CheckMismatch:
		return appendHex(b, r.Limit, r.Width)
	case reject.BadString:
		return append(b, wire.TextRule(r.Limit).String()...)
	case reject.NotFinite:
		return append(b, "a finite number"...)
	case reject.NonUnit:
		return append(b, "squares that sum to 1 at most"...)
	case reject.NonCanonical:
		return append(b, "the shortest encoding"...)
	case reject.NotIncreasing:
		return appendInt(append(b, "more than "...), d.want.base, true)
	case reject.RuleBroken:
		return append(b, d.want.text...)
	case reject.ConstMismatch:
		return appendInt(b, d.want.base, d.want.signed)
	}
	if n := d.want.floatBits; n != 0 {
		b = appendFloat(b, d.want.float[0], n)
		return appendFloat(append(b, ".."...), d.want.float[1], n)
	}
	if d.want.zigzag {
		b = appendInt(b, uint64(wire.UnZigZag(d.want.span)), true)
		return appendInt(append(b, ".."...), d.want.span>>1, true)
	}
	b = appendInt(b, d.want.base, d.want.signed)
	b = append(b, ".."...)
	return appendInt(b, d.want.base+d.want.span, d.want.signed)
}

// A program that serializes has no secrets for this package, and no windows.
func (d *describer) AppendShownPath(b []byte, at reject.Place) []byte { return d.AppendPath(b, at) }
func (d *describer) AppendAround(b []byte, _ *reject.Reject) []byte   { return b }
func (d *describer) HidesWidth(*reject.Reject) bool                   { return false }
func (d *describer) HidesBit(reject.Place, reject.Kind) bool          { return false }

// AppendGot appends what was there.
func (d *describer) AppendGot(b []byte, r *reject.Reject) []byte {
	switch r.Kind {
	case reject.CRCMismatch, reject.CheckMismatch, reject.NotFinite, reject.NonUnit, reject.NonCanonical:
		return appendHex(b, r.Code, r.Width)
	case reject.ReservedNonzero:
		return appendHex(b, r.Code&^d.want.base, 0)
	case reject.BadString:
		return appendTextFault(b, r)
	case reject.RuleBroken:
		if d.field.name == "" {
			return append(b, "false"...)
		}
	case reject.OutOfRange, reject.UnknownCase:
		switch {
		case d.want.zigzag:
			return appendInt(b, uint64(wire.UnZigZag(r.Code)), true)
		case d.want.floatBits == 32:
			return appendFloat(b, float64(math.Float32frombits(uint32(r.Code))), 32)
		case d.want.floatBits == 64:
			return appendFloat(b, math.Float64frombits(r.Code), 64)
		}
		return appendInt(b, d.want.base+r.Code, d.want.signed)
	case reject.ConstMismatch:
		return appendInt(b, r.Code, d.want.signed)
	}
	return strconv.AppendUint(b, r.Code, 10)
}

// AppendNote is there for reject.Describer: a Stream makes no notes.
func (d *describer) AppendNote(b []byte, _ *reject.Note) []byte { return b }

func appendInt(b []byte, v uint64, signed bool) []byte {
	if signed {
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendUint(b, v, 10)
}

// appendHex appends 0x… with as many digits as width bits have, or as needed when width is 0.
func appendHex(b []byte, v uint64, width int) []byte {
	return fmt.Appendf(b, "0x%0*x", (width+3)/4, v)
}
