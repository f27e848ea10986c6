package message

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// code is the code that a value stands for in the leaf that is asked for. Whether the leaf may have it is the Encoder's
// to judge, as far as a code can say it.
func (s *source) code(a *decode.Query, info *plan.LeafInfo, v *Value) (uint64, error) {
	switch v.Kind {
	case Code:
		a.Long = v.Long
		return v.Code, nil
	case Object:
		s.take(v)
		return s.raw(a, info, v)
	case List:
		s.take(v)
	}
	switch info.Form() {
	case plan.FormBool:
		if v.Kind != Bool {
			return 0, s.unlike(a, v, "true or false")
		}
		return v.Code, nil
	case plan.FormFloat:
		return s.float(a, info, v)
	case plan.FormFlags:
		if v.Kind == List {
			return s.flags(a, info, v)
		}
	case plan.FormCase:
		if v.Kind == Text {
			if code, ok := s.caseOf(info, string(v.Data), a.Width); ok {
				return code, nil
			}
		}
	case plan.FormUint, plan.FormInt, plan.FormHex:
	case plan.FormText, plan.FormBytes:
		panic("pktscope: internal error: a leaf that is a blob")
	default:
		panic("pktscope: internal error: a leaf of an unknown form")
	}
	n, ok := integer{}, false
	if d := s.p.Nodes[a.Node].Display; d != nil && v.Kind == Text {
		var value uint64
		if value, ok = d.Number(string(v.Data), info.ValueBits(), info.IsSigned()); ok {
			n = integerOf(value, info.IsSigned())
		}
	}
	if !ok && (v.Kind == Number || v.Kind == Text) {
		n, ok = parseInteger(v.Data)
	}
	if !ok {
		return 0, s.notInteger(a, info, v)
	}
	code, ok := s.integer(info, a.Width, n)
	if !ok {
		lo, hi := span(info, a.Width)
		err := s.fail(a, fmt.Sprintf("out-of-range: want %s..%s, got %s", lo, hi, s.show(a.Node, v)))
		err.Kind = outOfRange
		return 0, err
	}
	return code, nil
}

// notInteger is the error of what cannot be the value of an integer, an enum or flags.
func (s *source) notInteger(a *decode.Query, info *plan.LeafInfo, v *Value) error {
	switch {
	case info.Form() == plan.FormCase && v.Kind == Text && !s.masked(a.Node, v):
		return s.unknownName(a, info, v)
	case info.Form() == plan.FormCase:
		return s.unlike(a, v, "a case of "+info.Enum.Name)
	case info.Form() == plan.FormFlags:
		return s.unlike(a, v, "a list of flags of "+info.Enum.Name)
	}
	if d := s.p.Nodes[a.Node].Display; d != nil {
		return s.unlike(a, v, "an integer, or a text as @"+d.Word+" shows it")
	}
	return s.unlike(a, v, "an integer")
}

func (s *source) unknownName(a *decode.Query, info *plan.LeafInfo, v *Value) error {
	var names []string
	for i := range info.Enum.Cases {
		names = append(names, info.Enum.Cases[i].Name)
	}
	what := "a case"
	if info.Enum.Flags {
		what = "a flag"
	}
	return s.unlike(a, v, what+" of "+info.Enum.Name, syntax.Suggest(string(v.Data), names))
}

// raw takes the raw of {"value": …, "raw": …}: it is there because the value does not lead back to the code.
func (s *source) raw(a *decode.Query, info *plan.LeafInfo, v *Value) (uint64, error) {
	raw, value, err := s.beside(a, v)
	switch {
	case err != nil:
		return 0, err
	case raw == nil:
		return s.code(a, info, value)
	case raw.Kind == Text || raw.Kind == Number:
		if code, err := strconv.ParseUint(string(raw.Data), 10, 64); err == nil {
			return code, nil
		}
	}
	return 0, s.fail(a, "want the code in decimal as raw, got "+s.show(a.Node, raw))
}

// beside is the raw, or the value where there is no raw.
func (s *source) beside(a *decode.Query, v *Value) (raw, value *Value, err error) {
	for i := range v.Items {
		switch m := &v.Items[i]; {
		case m.Name == "raw":
			raw = m
		case m.Name == "value" && m.Kind != Object:
			value = m
		default:
			return nil, nil, s.unlike(a, v, "a value")
		}
	}
	if raw == nil && value == nil {
		return nil, nil, s.unlike(a, v, "a value")
	}
	return raw, value, nil
}

// flags is the code of a list of flags.
func (s *source) flags(a *decode.Query, info *plan.LeafInfo, v *Value) (uint64, error) {
	code := uint64(0)
	for i := range v.Items {
		flag := &v.Items[i]
		if flag.Kind != Text {
			return 0, s.unlike(a, flag, "a flag of "+info.Enum.Name)
		}
		bits, ok := s.caseOf(info, string(flag.Data), a.Width)
		if !ok {
			return 0, s.unknownName(a, info, flag)
		}
		code |= bits
	}
	return code, nil
}

// caseOf is the code of an enum's case or a flag. An enum of a hostile schema can have 100,000.
func (s *source) caseOf(info *plan.LeafInfo, name string, width int) (uint64, bool) {
	values, ok := s.enums[info.Enum]
	if !ok {
		values = make(map[string]uint64, len(info.Enum.Cases))
		for i := range info.Enum.Cases {
			values[info.Enum.Cases[i].Name] = plan.Low64(info.Enum.Cases[i].Value)
		}
		s.enums[info.Enum] = values
	}
	value, ok := values[name]
	if width == 0 {
		width = 64
	}
	return info.CodeOf(value, width) & wire.Mask(width), ok
}

// float is the code of a float32, a float64 or a quantized float.
func (s *source) float(a *decode.Query, info *plan.LeafInfo, v *Value) (uint64, error) {
	width := info.FloatWidth(int(s.p.Leaves[a.Leaf].Width))
	f := 0.0
	switch {
	case v.Kind == Number:
		var err error
		if f, err = strconv.ParseFloat(string(v.Data), width); err != nil {
			return 0, s.fail(a, fmt.Sprintf("out-of-range: want a float%d, got %s", width, s.show(a.Node, v)))
		}
	case v.Kind == Text && string(v.Data) == "NaN":
		f = math.NaN()
	case v.Kind == Text && string(v.Data) == "Infinity":
		f = math.Inf(1)
	case v.Kind == Text && string(v.Data) == "-Infinity":
		f = math.Inf(-1)
	default:
		return 0, s.unlike(a, v, `a number, "NaN", "Infinity" or "-Infinity"`)
	}
	switch {
	case info.Kind == plan.LeafQuantized:
		return s.quantized(a, info.Quant, float32(f), v)
	case width == 32 && f != f:
		return 0x7fc00000, nil // the one that everybody makes of the word
	case f != f:
		return 0x7ff8000000000000, nil
	case width == 32:
		return uint64(math.Float32bits(float32(f))), nil
	}
	return math.Float64bits(f), nil
}

// quantized is the step of a quantized float. A writer in a game clamps; here a value outside the range is a mistake.
// The outermost steps can read as a little more than the range, by rounding.
func (s *source) quantized(a *decode.Query, q *schema.QuantizedType, f float32, v *Value) (uint64, error) {
	lo, hi := min(q.Min, q.Value(0)), max(q.Max, q.Value(q.Steps))
	if !(lo <= f && f <= hi) {
		err := s.fail(a, fmt.Sprintf("out-of-range: want %v..%v, got %s", q.Min, q.Max, s.show(a.Node, v)))
		err.Kind = outOfRange
		return 0, err
	}
	return uint64(q.Code(f)), nil
}

// bytes is the content of raw bytes or of a text, valid until the next call.
func (s *source) bytes(a *decode.Query, v *Value) ([]byte, error) {
	b := a.Step().(*plan.Blob)
	text := b.IsText()
	switch {
	case v.Kind == Bytes, v.Kind == Text && text && !s.masked(a.Node, v):
		a.Own = v.Own
		return v.Data, nil
	case v.Kind == Text && !text && !s.masked(a.Node, v):
		if d := s.p.Nodes[a.Node].Display; d != nil {
			if data, ok := d.Bytes(string(v.Data)); ok {
				return data, nil
			}
		}
		return s.hex(a, v)
	case v.Kind == Object:
		s.take(v)
		raw, value, err := s.beside(a, v)
		switch {
		case err != nil:
			return nil, err
		case raw == nil:
			return s.bytes(a, value)
		case raw.Kind == Text && b.Encoding.Converts():
			return s.converted(a, b, raw)
		case raw.Kind == Text:
			data, err := s.hex(a, raw)
			if err != nil || a.Step().(*plan.Blob).Text != schema.TextName {
				return data, err
			}
			if value == nil { // only so, as it stands
				a.Own = data
				return nil, nil
			}
			text, err := s.bytes(a, value)
			a.Own = data
			return text, err
		}
		return nil, s.unlike(a, raw, "hex as raw")
	case text:
		return nil, s.unlike(a, v, "a string")
	}
	return nil, s.unlike(a, v, "a string of hex")
}

// converted is the text of which the packet is to have these bytes.
func (s *source) converted(a *decode.Query, b *plan.Blob, raw *Value) ([]byte, error) {
	data, err := s.hex(a, raw)
	if err != nil {
		return nil, err
	}
	if fault := b.Encoding.Fault(data); fault.Rule != 0 {
		return nil, s.fail(a, fmt.Sprintf("bad-string: want %s", fault.Rule))
	}
	return b.Encoding.AppendText(nil, wire.MSB, data, 0, len(data)), nil
}

func (s *source) hex(a *decode.Query, v *Value) ([]byte, error) {
	s.scratch = slices.Grow(s.scratch[:0], len(v.Data)/2)[:len(v.Data)/2]
	_, err := hex.Decode(s.scratch, v.Data)
	if err == nil {
		return s.scratch, nil
	}
	if bad, ok := err.(hex.InvalidByteError); ok {
		got := strconv.QuoteToASCII(string(rune(bad)))
		if s.p.Nodes[a.Node].Secret {
			got = hidden
		}
		return nil, s.fail(a, "want hex, got "+got)
	}
	return nil, s.fail(a, fmt.Sprintf("want hex, got %s, half a byte too many", s.sizeText(a.Node, len(v.Data), "digit")))
}

// maskStart and maskEnd are around what stands for a secret in JSON: ‹secret 12 B›, or ‹secret›.
const (
	maskStart = "‹secret"
	maskEnd   = "›"
)

// masked reports whether a value is what stands for a secret.
func (s *source) masked(node plan.NodeID, v *Value) bool {
	return s.p.Nodes[node].Secret && isMask(v)
}

// isMask reports whether a value is what stands for a secret, if its field is one.
func isMask(v *Value) bool {
	return v.Kind == Text &&
		strings.HasPrefix(string(v.Data), maskStart) && strings.HasSuffix(string(v.Data), maskEnd)
}
