package oracle

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/display"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// What is the same value, by type. Values are those that pktscope shows: the bare code of a field with @scale is wrong,
// because a reader that forgets the scale gives just that. Numbers are numbers or their digits, in hexadecimal after
// 0x; true is 1 and false 0. Enums are names or numbers, flags lists of names, names with | between them, or numbers.
// Floats are as near as six digits are; a quantized one is right in its step, one with @scale in the half step around
// it or in what a float32 holds. Bytes are hexadecimal digits or a list of numbers, where they are shown as text also
// text; for text that is not UTF-8 see fields_text.go, for quaternions in three parts fields_quaternion.go.

// sameField compares a value with a field's; want is what the field has.
func sameField(p *plan.Plan, ev *decode.Event, got any) (want string, ok bool) {
	object, isRaw := got.(map[string]any)
	if ev.Kind == decode.Blob {
		return sameBytes(&p.Nodes[ev.Node], ev.Data, got)
	}
	if isRaw {
		n, is := whole(object["raw"])
		return strconv.FormatUint(ev.Raw, 10) + " as its code", is && n.IsUint64() && n.Uint64() == ev.Raw
	}
	info := &p.Info[ev.Leaf]
	if info.Form() == plan.FormFloat {
		return sameFloat(info, ev, got)
	}
	value := new(big.Int).SetUint64(info.Value(ev.Raw, ev.CodeWidth))
	if info.IsSigned() {
		value.SetInt64(int64(info.Value(ev.Raw, ev.CodeWidth)))
	}
	if notes := p.Nodes[ev.Node].Annotations; notes != nil && notes.Scale != 0 {
		return sameScaled(value, notes.Scale, got)
	}
	if shown, ok := displayed(&p.Nodes[ev.Node], got, func(d *display.Display) []byte {
		return d.AppendNumber(nil, info.Value(ev.Raw, ev.Width), info.ValueBits(), info.IsSigned())
	}); ok {
		return shown, true
	}
	want = value.String()
	if info.Enum != nil {
		if name, same, is := sameNames(info.Enum, value, got); is {
			return name, same
		}
	}
	n, isNumber := whole(got)
	return want, isNumber && n.Cmp(value) == 0
}

// sameNames compares names; is says that got is made of names.
func sameNames(e *schema.Enum, value *big.Int, got any) (want string, same, is bool) {
	var names []string
	for i := range e.Cases {
		c := &e.Cases[i]
		if !e.Flags && c.Value.Cmp(value) == 0 || e.Flags && c.Value.Sign() != 0 && new(big.Int).And(c.Value, value).Cmp(c.Value) == 0 {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	switch v := got.(type) {
	case string:
		if _, number := whole(v); number {
			return "", false, false
		}
		if e.Flags {
			want = "[" + strings.Join(names, " ") + "]"
			return want, sameFlags(e, value, strings.Split(v, "|")), true
		}
		if len(names) == 1 {
			return names[0], names[0] == v, true
		}
	case []any:
		list := make([]string, len(v))
		for i := range v {
			list[i] = fmt.Sprint(v[i])
		}
		slices.Sort(list)
		return "[" + strings.Join(names, " ") + "]", slices.Equal(list, names), true
	}
	return "", false, false
}

// sameFlags compares what the line of a tree has: names, the number of what has none, or none.
func sameFlags(e *schema.Enum, value *big.Int, words []string) bool {
	sum := new(big.Int)
	for _, word := range words {
		i := slices.IndexFunc(e.Cases, func(c schema.Case) bool { return c.Name == word })
		n, number := whole(word)
		switch {
		case i >= 0:
			n = e.Cases[i].Value
		case word == "none" && len(words) == 1:
			n = sum
		case !number:
			return false
		}
		sum = new(big.Int).Or(sum, n)
	}
	return sum.Cmp(value) == 0
}

// whole is a number without a fraction.
func whole(got any) (*big.Int, bool) {
	const longest = 80 // digits that are worth a look
	var text string
	switch v := got.(type) {
	case bool:
		if v {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	case json.Number:
		text = v.String()
	case string:
		text = v
	}
	if len(text) >= longest {
		return nil, false
	}
	digits, base := text, 10
	if rest, ok := strings.CutPrefix(text, "0x"); ok {
		digits, base = rest, 16
	}
	if n, ok := new(big.Int).SetString(digits, base); ok {
		return n, true
	}
	// 7.0 and 1e3 are whole, too.
	if f, err := strconv.ParseFloat(text, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return big.NewInt(int64(f)), true
	}
	return nil, false
}

// real is a number that may have a fraction.
func real(got any) (float64, bool) {
	var text string
	switch v := got.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}

// sameFloat compares numbers as far as six digits show them: what C prints of a float unless it is asked for more.
func sameFloat(info *plan.LeafInfo, ev *decode.Event, got any) (want string, ok bool) {
	w := info.Float(ev.Raw, ev.CodeWidth)
	want = strconv.FormatFloat(w, 'g', -1, 64)
	if info.Kind == plan.LeafQuantized || ev.CodeWidth == 32 {
		want = strconv.FormatFloat(w, 'g', -1, 32)
	}
	f, ok := real(got)
	if !ok {
		return want, false
	}
	const relative, absolute = 1e-5, 1e-6
	switch {
	case math.IsNaN(w):
		return want, math.IsNaN(f)
	case f == w:
		return want, true
	case math.IsInf(w, 0) || math.IsInf(f, 0) || math.IsNaN(f):
		return want, false
	case info.Kind == plan.LeafQuantized:
		// Quantize takes what is beyond an end for the end.
		step := float64(info.Quant.Value(1)) - float64(info.Quant.Value(0))
		if uint64(info.Quant.Code(float32(f))) == ev.Raw && math.Abs(f-w) <= step {
			return want, true
		}
	}
	return want, math.Abs(f-w) <= absolute+relative*math.Abs(w)
}

// sameScaled compares what a number with @scale shows.
func sameScaled(value *big.Int, scale float64, got any) (want string, ok bool) {
	v, _ := new(big.Float).SetInt(value).Float64()
	w := v * scale
	want = fmt.Sprintf("%s, which is %s times the scale", strconv.FormatFloat(w, 'g', 12, 64), value)
	f, ok := real(got)
	const float32s = 0x1p-22 // three roundings: of the number, of the scale, of their product
	return want, ok && math.Abs(f-w) <= max(math.Abs(scale)/2, float32s*math.Abs(w))
}

// displayed reports whether a reader gives a value as the schema shows it, in letters of either case.
func displayed(n *plan.Node, got any, show func(*display.Display) []byte) (shown string, ok bool) {
	text, isString := got.(string)
	if !isString || n.Display == nil {
		return "", false
	}
	shown = string(show(n.Display))
	return shown, strings.EqualFold(shown, text)
}

// sameBytes compares bytes and text.
func sameBytes(n *plan.Node, data []byte, got any) (want string, ok bool) {
	if shown, ok := displayed(n, got, func(d *display.Display) []byte { return d.AppendBytes(nil, data) }); ok {
		return shown, true
	}
	if t, ok := n.Value.Type.(*schema.TextType); ok && t.Kind == schema.TextName {
		return sameName(data, got)
	}
	isText := n.Value.IsText()
	if isText {
		data = decode.TextOf(n.Value, data)
	}
	if object, isRaw := got.(map[string]any); isRaw {
		data, _ = n.Value.Encoding().Append(nil, data)
		want, ok = sameHex(data, object["raw"])
		if !ok && isText { // with its padding
			given, err := hex.DecodeString(fmt.Sprint(object["raw"]))
			ok = err == nil && bytes.Equal(bytes.TrimRight(given, "\x00"), bytes.TrimRight(data, "\x00"))
		}
		return want, ok
	}
	text, isString := got.(string)
	switch {
	case isText:
		front, _, _ := bytes.Cut(data, []byte{0}) // all that a language whose texts end with a NUL has of it
		return strconv.Quote(clipText(string(data))), isString && (text == string(data) || sameText(front, text))
	case isString && n.Annotations != nil && n.Annotations.Text && sameText(bytes.TrimRight(data, "\x00"), text):
		return "", true
	}
	return sameHex(data, got)
}

// sameName compares domain names: the last point may be missing, and what is in the packet beside the name is not
// looked at.
func sameName(name []byte, got any) (want string, ok bool) {
	if object, isRaw := got.(map[string]any); isRaw {
		got = object["value"]
	}
	text, isString := got.(string)
	return strconv.Quote(clipText(string(name))), isString && (text == string(name) || text != "" && text+"." == string(name))
}

// sameHex compares bytes with hexadecimal digits, or with numbers.
func sameHex(data []byte, got any) (want string, ok bool) {
	want = clipText(hex.EncodeToString(data))
	list, isList := got.([]any)
	if !isList {
		text, isString := got.(string)
		return want, isString && strings.EqualFold(text, hex.EncodeToString(data))
	}
	if len(list) != len(data) {
		return want, false
	}
	for i, v := range list {
		if n, is := whole(v); !is || !n.IsInt64() || byte(n.Int64()) != data[i] || n.Int64() < -128 || n.Int64() > 255 {
			return want, false
		}
	}
	return want, true
}

// show is a value in a finding's line.
func show(value any) string {
	switch v := value.(type) {
	case string:
		return strconv.Quote(clipText(v))
	case map[string]any:
		if raw, ok := v["raw"]; ok {
			return show(raw) + " as what is on the wire"
		}
	}
	return clipText(fmt.Sprint(value))
}

func clipText(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
