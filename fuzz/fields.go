package fuzz

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

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// The values that a reader found, as JSON: an object that nests as paths do, or has whole paths for keys, or both:
//
//	{"body":{"players":[{"health":7}]}}   {"body.players[0].health":7}
//
// Only what it gives is compared. Numbers are numbers or strings of digits, enums names or numbers, flags lists of names or
// numbers, bytes hex; true is 1 and false 0; a quantised float is right when it is in its step, another when it is as near
// as six digits are. {"value":…,"raw":…} is what -T json writes where a value does not lead back to its code. The key @bits
// is how many bits the reader took.

// bitsKey is no field's name.
const bitsKey = "@bits"

// Bounds of what a reader may say.
const (
	maxFieldDepth = 64
	maxFields     = 1 << 16
)

// fieldValue is a value with its path.
type fieldValue struct {
	path  string
	value any
}

// flatten lists the values of an object by path.
func flatten(line []byte) ([]fieldValue, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		return nil, fmt.Errorf("its values are no JSON object: %v", err)
	}
	if d.More() {
		return nil, fmt.Errorf("there is more than one JSON value behind an A")
	}
	var all []fieldValue
	if err := flattenInto(&all, "", object, 0); err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b fieldValue) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

func flattenInto(all *[]fieldValue, path string, value any, depth int) error {
	if depth > maxFieldDepth || len(*all) > maxFields {
		return fmt.Errorf("its values nest deeper than %d, or are more than %d", maxFieldDepth, maxFields)
	}
	switch v := value.(type) {
	case map[string]any:
		if _, ok := v["raw"]; ok && len(v) == 2 && path != "" {
			if _, ok := v["value"]; ok {
				*all = append(*all, fieldValue{path, v})
				return nil
			}
		}
		for key, inner := range v {
			at := key
			if path != "" {
				at = path + "." + key
			}
			if err := flattenInto(all, at, inner, depth+1); err != nil {
				return err
			}
		}
	case []any:
		if names(v) {
			*all = append(*all, fieldValue{path, v})
			return nil
		}
		for i, inner := range v {
			if err := flattenInto(all, path+"["+strconv.Itoa(i)+"]", inner, depth+1); err != nil {
				return err
			}
		}
	case nil: // an optional that is not there
	default:
		*all = append(*all, fieldValue{path, value})
	}
	return nil
}

// names reports whether a list may be that of flags. What it is, the field's type decides.
func names(list []any) bool {
	for _, v := range list {
		if _, ok := v.(string); !ok {
			return false
		}
	}
	return true
}

// FieldBits is how many bits a reader says that it took, -1 when it does not say. The error is that of an object that is none.
func FieldBits(line []byte) (int, error) {
	if !bytes.Contains(line, []byte(bitsKey)) {
		return -1, nil
	}
	var only struct {
		Bits *int `json:"@bits"`
	}
	if err := json.Unmarshal(line, &only); err != nil {
		return -1, fmt.Errorf("its values are no JSON object with a whole number %s: %v", bitsKey, err)
	}
	if only.Bits == nil {
		return -1, nil
	}
	return *only.Bits, nil
}

// CompareFields compares what a reader found in an accepted packet with its trace: a Wrong for each value that is not the
// schema's, and for each that the packet has not.
func CompareFields(t *decode.Trace, line []byte) []Wrong {
	values, err := flatten(line)
	if err != nil {
		return []Wrong{{Kind: FoundWrongValue, What: err.Error()}}
	}
	index := make(map[string]any, len(values))
	for _, v := range values {
		if v.path != bitsKey {
			index[v.path] = v.value
		}
	}
	var wrong []Wrong
	var path []byte
	for ev := range t.Walk() {
		if len(index) == 0 {
			break
		}
		if ev.Kind == decode.Close || ev.Kind == decode.Item && !t.Plan.Nodes[ev.Node].Named {
			continue
		}
		path = t.AppendEventPath(path[:0], ev)
		if ev.Kind == decode.Open {
			// An empty list says that there are no elements.
			if list, ok := index[string(path)].([]any); ok {
				wrong = append(wrong, compareList(t, index, string(path), list, ev.Count)...)
			}
			continue
		}
		value, ok := index[string(path)]
		if !ok {
			continue
		}
		delete(index, string(path))
		if want, ok := sameField(t.Plan, ev, value); !ok {
			if t.Plan.Nodes[ev.Node].Secret {
				wrong = append(wrong, Wrong{FoundWrongValue, string(path), "another value than the schema says, which is a secret"})
				continue
			}
			wrong = append(wrong, Wrong{FoundWrongValue, string(path), fmt.Sprintf("%s where the schema says %s", show(value), want)})
		}
	}
	for _, v := range values {
		if _, left := index[v.path]; left {
			wrong = append(wrong, Wrong{FoundWrongValue, v.path, show(v.value) + " where the packet has no such field"})
		}
	}
	return wrong
}

// compareList takes a list of texts apart that is an array's.
func compareList(t *decode.Trace, index map[string]any, path string, list []any, count int) []Wrong {
	delete(index, path)
	for i, v := range list {
		index[path+"["+strconv.Itoa(i)+"]"] = v
	}
	if len(list) > count {
		return []Wrong{{FoundWrongValue, path, fmt.Sprintf("%d elements where the schema says %d", len(list), count)}}
	}
	return nil
}

// sameField compares a value with a field's; want is what the field has.
func sameField(p *plan.Plan, ev *decode.Event, got any) (want string, ok bool) {
	if object, is := got.(map[string]any); is { // {"value":…,"raw":…}
		if ev.Kind == decode.Blob {
			return sameField(p, ev, object["raw"])
		}
		return strconv.FormatUint(ev.Code, 10) + " as its code", fmt.Sprint(object["raw"]) == strconv.FormatUint(ev.Code, 10)
	}
	if ev.Kind == decode.Blob {
		return sameBytes(p, ev, got)
	}
	info := &p.Info[ev.Leaf]
	switch info.Kind {
	case plan.LeafFloat, plan.LeafQuant:
		return sameFloat(info, ev, got)
	}
	value := new(big.Int).SetUint64(info.Value(ev.Code, ev.Width))
	if info.IsSigned() {
		value.SetInt64(int64(info.Value(ev.Code, ev.Width)))
	}
	want = value.String()
	if info.Enum != nil {
		if name, is := enumWant(info.Enum, value, got); name != "" || is {
			return name, is
		}
	}
	n, isNumber := whole(got)
	return want, isNumber && n.Cmp(value) == 0
}

// enumWant compares names; want is "" when got is a number.
func enumWant(e *schema.Enum, value *big.Int, got any) (want string, same bool) {
	var names []string
	for i := range e.Cases {
		c := &e.Cases[i]
		if !e.Flags && c.Value.Cmp(value) == 0 || e.Flags && c.Value.Sign() != 0 && new(big.Int).And(c.Value, value).Cmp(c.Value) == 0 {
			names = append(names, c.Name)
		}
	}
	switch v := got.(type) {
	case string:
		if !e.Flags && len(names) == 1 && !digits(v) {
			return names[0], names[0] == v
		}
	case []any:
		list := make([]string, len(v))
		for i := range v {
			list[i] = fmt.Sprint(v[i])
		}
		slices.Sort(list)
		slices.Sort(names)
		return "[" + strings.Join(names, " ") + "]", slices.Equal(list, names)
	}
	return "", false
}

func digits(s string) bool {
	_, ok := new(big.Int).SetString(s, 10)
	return len(s) < 80 && ok
}

// whole is a number without a fraction.
func whole(got any) (*big.Int, bool) {
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
	if n, ok := new(big.Int), false; len(text) < 80 {
		if n, ok = n.SetString(text, 10); ok {
			return n, true
		}
		// 7.0 and 1e3 are whole, too.
		if f, err := strconv.ParseFloat(text, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return big.NewInt(int64(f)), true
		}
	}
	return nil, false
}

// sameFloat compares numbers as far as six digits show them: what C prints of a float unless it is asked for more.
func sameFloat(info *plan.LeafInfo, ev *decode.Event, got any) (want string, ok bool) {
	w := info.Float(ev.Code, ev.Width)
	want = strconv.FormatFloat(w, 'g', -1, 64)
	if info.Kind == plan.LeafQuant || ev.Width == 32 {
		want = strconv.FormatFloat(w, 'g', -1, 32)
	}
	var text string
	switch v := got.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
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
	case info.Kind == plan.LeafQuant:
		// Quantize takes what is beyond an end for the end.
		step := float64(plan.Dequantize(info.Quant, 1)) - float64(plan.Dequantize(info.Quant, 0))
		if uint64(plan.Quantize(info.Quant, float32(f))) == ev.Code && math.Abs(f-w) <= step {
			return want, true
		}
	}
	return want, math.Abs(f-w) <= absolute+relative*math.Abs(w)
}

func sameBytes(p *plan.Plan, ev *decode.Event, got any) (want string, ok bool) {
	text, isText := got.(string)
	if _, is := p.Nodes[ev.Node].Value.Type.(*schema.TextType); is {
		data := ev.Data
		if i := bytes.IndexByte(data, 0); i >= 0 { // padding
			data = data[:i]
		}
		return strconv.Quote(clipText(string(data))), isText && (text == string(data) || text == strings.ToValidUTF8(string(data), "\ufffd"))
	}
	want = hex.EncodeToString(ev.Data)
	return clipText(want), isText && strings.EqualFold(text, want)
}

// show is a value in a finding's line.
func show(value any) string {
	switch v := value.(type) {
	case string:
		return strconv.Quote(clipText(v))
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
