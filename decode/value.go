package decode

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/display"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// Form is how a Value reads: which of its methods answers, and its shape in text and JSON.
type Form = plan.Form

// The forms.
const (
	FormUint  = plan.FormUint  // Uint
	FormInt   = plan.FormInt   // Int
	FormFloat = plan.FormFloat // Float
	FormBool  = plan.FormBool  // Bool
	FormCase  = plan.FormCase  // of an enum: String is its name; Uint or Int
	FormFlags = plan.FormFlags // String is their names, Up|Left; Uint
	FormHex   = plan.FormHex   // a checksum, a check, reserved bits: Uint
	FormText  = plan.FormText  // Bytes, without the padding after a NUL
	FormBytes = plan.FormBytes // Bytes
)

// Value is what a field of a packet holds: a number, a name, text or bytes. It is valid as long as what it was taken
// from, a Field or an Event, and costs no memory of its own.
//
// What it is as text or JSON is masked where the schema says @secret, whoever prints it; Reveal gives a Value that is
// not. Uint, Int, Float, Bool and Bytes give the value itself in any case.
type Value struct {
	info   *plan.LeafInfo // of a number
	code   uint64
	data   []byte
	own    []byte // of a dnsname that has a pointer: its bytes in the packet
	width  int32  // bits
	text   bool
	secret secrecy

	display *display.Display // how it is shown, nil as it is
}

// secrecy is what of a value may be shown.
type secrecy uint8

const (
	open    secrecy = iota
	masked          // that it is there, and its size
	unsized         // that it is there: its size is a secret, too
)

// Value is the value of an event of kind Leaf, Blob or Item. One of a Struct, an array or reserved bits above 64 has
// none: it panics.
func (t *Trace) Value(ev *Event) Value {
	n := &t.Plan.Nodes[ev.Node]
	if ev.Leaf >= 0 {
		return leafValue(n, &t.Plan.Info[ev.Leaf], ev.Raw, ev.CodeWidth)
	}
	if ev.Kind != Blob {
		panic("decode: a Value of an event without one")
	}
	v := leafValue(n, nil, ev.Raw, ev.CodeWidth)
	v.data = ev.Data
	if v.text = n.Value.IsText(); v.text {
		v.data = TextOf(n.Value, v.data)
		v.own = t.Own(ev)
	}
	return v
}

// leafValue is the value of a node, of a number where info is not nil.
func leafValue(n *plan.Node, info *plan.LeafInfo, code uint64, width int) Value {
	v := Value{info: info, code: code, width: int32(width), display: n.Display}
	if n.Secret {
		v.secret = masked
		if n.Unsized {
			v.secret = unsized
		}
	}
	return v
}

// Own is the bytes of a dnsname in the packet where they end with a pointer, so that its text does not lead back to
// them; nil of all other events. It shows secrets.
func (t *Trace) Own(ev *Event) []byte {
	text, ok := t.Plan.Nodes[ev.Node].Value.Type.(*schema.TextType)
	if !ok || ev.Kind != Blob || text.Kind != schema.TextName {
		return nil
	}
	if own := t.Payload[ev.Bit/8 : (ev.Bit+ev.Width)/8]; wire.NamePointed(own) {
		return own
	}
	return nil
}

// AppendJSON appends Value(ev).AppendJSON: of an integer, which most values are, without making a Value.
func (t *Trace) AppendJSON(b []byte, ev *Event) []byte {
	if ev.Leaf >= 0 {
		return appendLeafJSON(b, &t.Plan.Nodes[ev.Node], &t.Plan.Info[ev.Leaf], ev.Raw, ev.CodeWidth)
	}
	v := t.Value(ev)
	return v.appendJSON(b)
}

// AppendLeafJSON appends the value of a leaf that ShowLeaves gave beside others, as AppendJSON does.
func (t *Trace) AppendLeafJSON(b []byte, leaf int, code uint64) []byte {
	info := &t.Plan.Info[leaf]
	return appendLeafJSON(b, &t.Plan.Nodes[info.Node], info, code, int(t.Plan.Leaves[leaf].Width))
}

func appendLeafJSON(b []byte, n *plan.Node, info *plan.LeafInfo, code uint64, width int) []byte {
	if info.Form() <= FormInt && !info.Tells && !n.Secret && n.Display == nil {
		return appendJSONInt(b, info, code, width)
	}
	v := leafValue(n, info, code, width)
	return v.appendJSON(b)
}

// Case is the packet's case: the tag of the first switch directly in `packet`. ok is false where the packet has none,
// or was refused before.
func (t *Trace) Case() (v Value, ok bool) {
	if !t.HasTag {
		return Value{}, false
	}
	return CaseOf(t.Plan, t.Tag), true
}

// CaseOf is the case of packets with a tag, of a plan that has cases.
func CaseOf(p *plan.Plan, tag uint64) Value {
	v := Value{info: p.Case, code: p.CaseTag(tag), width: 64}
	if p.CaseSecret() {
		v.secret = unsized
	}
	return v
}

// Form is how the value reads.
func (v Value) Form() Form {
	switch {
	case v.info != nil:
		return v.info.Form()
	case v.text:
		return FormText
	}
	return FormBytes
}

// Secret reports whether its text is a mask.
func (v Value) Secret() bool { return v.secret != open }

// Reveal is the same value with its text for everybody to read.
func (v Value) Reveal() Value {
	v.secret = open
	return v
}

// Raw is the code on the wire as a number, `le` and `be` applied: for int(a..b) the offset from a, for floats the IEEE
// bits or the step. Of text and bytes it is 0.
func (v Value) Raw() uint64 { return v.code }

// number panics unless the value is one of the forms.
func (v *Value) number(method string, ok bool) {
	if !ok {
		panic("decode: " + method + " of " + v.Form().String())
	}
}

// IsSigned reports whether an integer or a case can be negative: then it is Int's, else Uint's.
func (v Value) IsSigned() bool { return v.info != nil && v.info.IsSigned() }

// Uint is a whole number that is not negative: an unsigned integer, a case, flags, a checksum, a bool as 0 or 1.
func (v Value) Uint() uint64 {
	v.number("Uint", v.info != nil && v.info.Form() != FormFloat && !v.info.IsSigned())
	return v.info.Value(v.code, int(v.width))
}

// Int is a whole number. One above 2^63-1 panics, and is Uint's.
func (v Value) Int() int64 {
	v.number("Int", v.info != nil && v.info.Form() != FormFloat)
	n := v.info.Value(v.code, int(v.width))
	if !v.info.IsSigned() && n > math.MaxInt64 {
		panic("decode: Int of " + strconv.FormatUint(n, 10))
	}
	return int64(n)
}

// Float is a float's value, or an integer's as the nearest float.
func (v Value) Float() float64 {
	v.number("Float", v.info != nil)
	switch {
	case v.info.Form() == FormFloat:
		return v.info.Float(v.code, int(v.width))
	case v.info.IsSigned():
		return float64(int64(v.info.Value(v.code, int(v.width))))
	}
	return float64(v.info.Value(v.code, int(v.width)))
}

// Exact reports whether the value leads back to Raw: not where two steps of a quantized float read as one, nor for a
// NaN with a payload, a char(n) whose text is no UTF-8, a dnsname with a pointer, or flags of which some bits have no
// name.
func (v Value) Exact() bool {
	switch v.Form() {
	case FormFloat:
		return v.info.Exact(v.code, int(v.width))
	case FormFlags:
		return v.named() == v.code
	case FormText:
		return utf8.Valid(v.data) && v.own == nil
	}
	return true
}

// Bool is a bool's value.
func (v Value) Bool() bool {
	v.number("Bool", v.info != nil && v.info.Kind == plan.LeafBool)
	return v.code != 0
}

// Bytes are the bytes of FormBytes, or of FormText in UTF-8 unless the packet has others in a char(n). They belong to
// the packet or the Trace: do not change them.
func (v Value) Bytes() []byte {
	v.number("Bytes", v.info == nil)
	return v.data
}

// named is the bits of flags that have a name.
func (v *Value) named() uint64 {
	var sum uint64
	for i := range v.info.Cases.List {
		if c := v.info.Cases.List[i].Code; v.code&c == c {
			sum |= c
		}
	}
	return sum
}

// String is AppendText as a string.
func (v Value) String() string { return string(v.AppendText(nil)) }

// AppendText appends the value as people read it, in one line that a terminal can show: true, -3, 0.25, Ready,
// Up|Left|0x40 or none, 0x1badc0de, "text", 00ff. NaN and the infinities are words. Units and @scale are the caller's.
func (v Value) AppendText(b []byte) []byte { return v.appendText(b) }

func (v *Value) appendText(b []byte) []byte {
	switch {
	case v.secret != open:
		return v.appendMask(b)
	case v.display != nil:
		return v.appendDisplay(b)
	}
	switch v.Form() {
	case FormText:
		return syntax.AppendQuoted(b, v.data)
	case FormBytes:
		return hex.AppendEncode(b, v.data)
	case FormBool:
		return strconv.AppendBool(b, v.code != 0)
	case FormFloat:
		return appendFloat(b, v.info.Float(v.code, int(v.width)), v.info.FloatWidth(int(v.width)))
	case FormCase:
		if name := v.info.Cases.Name(v.code); name != "" {
			return append(b, name...)
		}
	case FormFlags:
		return v.appendFlags(b)
	case FormHex:
		return appendHex(b, v.code, int(v.width))
	case FormUint, FormInt:
	}
	return v.AppendNumber(b)
}

// AppendNumber appends a whole number in decimal: of a case its number, of a checksum too.
func (v Value) AppendNumber(b []byte) []byte {
	if v.secret != open {
		return v.appendMask(b)
	}
	v.number("AppendNumber", v.info != nil && v.info.Form() != FormFloat)
	return v.info.AppendInt(b, v.code, int(v.width))
}

// CaseName is the name of an enum's case, "" where it has none or is masked.
func (v Value) CaseName() string {
	if v.secret != open || v.info == nil {
		return ""
	}
	return v.info.CaseName(v.code)
}

// appendFlags appends the set flags as the schema's own expressions have them, Up|Right; bits without a name as
// hexadecimal, and `none` for no bits.
func (v *Value) appendFlags(b []byte) []byte {
	start, left := len(b), v.code
	for i := range v.info.Cases.List {
		f := &v.info.Cases.List[i]
		if v.code&f.Code != f.Code {
			continue
		}
		if len(b) > start {
			b = append(b, '|')
		}
		b = append(b, f.Name...)
		left &^= f.Code
	}
	if left != 0 {
		if len(b) > start {
			b = append(b, '|')
		}
		b = strconv.AppendUint(append(b, "0x"...), left, 16)
	}
	if len(b) == start {
		b = append(b, "none"...)
	}
	return b
}

// AppendJSON appends the value as a JSON value, of the shape that `pktscope help json` describes: true, -3, 0.25,
// "Ready", ["Up","Left"], "text", "00ff". An integer whose type admits values outside ±(2^53-1) is a string, as are NaN
// and the infinities; where the value does not lead back to its code, it is {"value": …, "raw": …}. Of a `let` that
// says which way an open branch went it is {"value": …, "raw": null}.
func (v Value) AppendJSON(b []byte) []byte { return v.appendJSON(b) }

func (v *Value) appendJSON(b []byte) []byte {
	switch {
	case v.secret != open:
		return append(v.appendMask(append(b, '"')), '"')
	case v.info != nil && v.info.Tells:
		b = v.appendJSONPlain(append(b, `{"value":`...))
		return append(b, `,"raw":null}`...)
	}
	return v.appendJSONPlain(b)
}

func (v *Value) appendJSONPlain(b []byte) []byte {
	switch {
	case v.display != nil:
		return append(v.appendDisplay(append(b, '"')), '"')
	case v.text:
		return v.appendJSONText(b)
	case v.info == nil:
		return append(hex.AppendEncode(append(b, '"'), v.data), '"')
	}
	switch v.info.Form() {
	case FormBool:
		return strconv.AppendBool(b, v.code != 0)
	case FormFloat:
		return v.appendJSONFloat(b)
	case FormCase:
		if name := v.info.Cases.Name(v.code); name != "" {
			return syntax.AppendJSON(b, name)
		}
	case FormFlags:
		return v.appendJSONFlags(b)
	case FormUint, FormInt, FormHex:
	case FormText, FormBytes:
		panic("pktscope: internal error: decode: a leaf that is " + v.info.Form().String())
	}
	return appendJSONInt(b, v.info, v.code, int(v.width))
}

// appendDisplay appends what the schema says that the value stands for: printable ASCII without quotes.
func (v *Value) appendDisplay(b []byte) []byte {
	if v.info == nil {
		return v.display.AppendBytes(b, v.data)
	}
	return v.display.AppendNumber(b, v.info.Value(v.code, int(v.width)), v.info.ValueBits(), v.info.IsSigned())
}

// appendJSONInt appends a whole number.
func appendJSONInt(b []byte, info *plan.LeafInfo, code uint64, width int) []byte {
	if !info.Wide() {
		return info.AppendInt(b, code, width)
	}
	return append(info.AppendInt(append(b, '"'), code, width), '"')
}

func (v *Value) appendJSONText(b []byte) []byte {
	if utf8.Valid(v.data) && v.own == nil {
		return syntax.AppendJSON(b, v.data)
	}
	b = syntax.AppendJSON(append(b, `{"value":`...), v.data)
	own := v.own
	if own == nil { // the padding of a char(n) is after its text, in the same bytes
		own = v.data[:cap(v.data)]
	}
	return append(hex.AppendEncode(append(b, `,"raw":"`...), own), '"', '}')
}

func (v *Value) appendJSONFloat(b []byte) []byte {
	f := v.info.Float(v.code, int(v.width))
	exact := v.info.Exact(v.code, int(v.width))
	if !exact {
		b = append(b, `{"value":`...)
	}
	if f-f != 0 { // NaN and the infinities are no JSON numbers
		b = append(appendFloat(append(b, '"'), f, v.info.FloatWidth(int(v.width))), '"')
	} else {
		b = appendFloat(b, f, v.info.FloatWidth(int(v.width)))
	}
	if !exact {
		b = v.appendJSONRaw(b)
	}
	return b
}

// appendJSONFlags appends the names of the set flags. Where they do not make up the code (an undeclared bit of open
// flags, half of a flag of two bits), the code is beside them.
func (v *Value) appendJSONFlags(b []byte) []byte {
	exact := v.named() == v.code
	if !exact {
		b = append(b, `{"value":`...)
	}
	b = append(b, '[')
	for i := range v.info.Cases.List {
		if f := &v.info.Cases.List[i]; v.code&f.Code == f.Code {
			if b[len(b)-1] != '[' {
				b = append(b, ',')
			}
			b = syntax.AppendJSON(b, f.Name)
		}
	}
	b = append(b, ']')
	if !exact {
		b = v.appendJSONRaw(b)
	}
	return b
}

// appendJSONRaw ends an object that has the value with the code.
func (v *Value) appendJSONRaw(b []byte) []byte {
	return append(strconv.AppendUint(append(b, `,"raw":"`...), v.code, 10), '"', '}')
}

// appendMask appends the mask of a secret: with its size, unless the size is secret, too.
func (v *Value) appendMask(b []byte) []byte {
	if v.secret == unsized {
		return AppendMask(b, Hidden)
	}
	return AppendMask(b, int(v.width))
}

// AppendMask appends what is in the place of a secret of so many bits, 0 of what is computed; Hidden where not even
// the size may be shown.
func AppendMask(b []byte, bits int) []byte {
	if bits == Hidden || bits == 0 {
		return append(b, reject.Masked...)
	}
	b = append(b, "‹secret "...)
	b = strconv.AppendInt(b, int64((bits+7)/8), 10)
	return append(b, " B›"...)
}

// appendFloat appends the shortest number that reads back as f in its width; NaN and the infinities as words.
func appendFloat(b []byte, f float64, width int) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	}
	form := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		form = 'e'
	}
	return strconv.AppendFloat(b, f, form, -1, width)
}

// TextOf is the text in the bytes of a text field, declared as v: without the padding of a char(n), which stays behind
// it up to its capacity. Bytes in an encoding have no padding, and a NUL is a character of theirs.
func TextOf(v *schema.Value, data []byte) []byte {
	if _, padded := v.Type.(*schema.TextType); padded {
		if i := bytes.IndexByte(data, 0); i >= 0 {
			return data[:i:len(data)]
		}
	}
	return data[:len(data):len(data)]
}
