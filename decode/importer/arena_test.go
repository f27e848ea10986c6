package importer_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/importer"
	"github.com/pktscope/pktscope/decode/reject"
)

// drafted imports a file of testdata and loads what comes out.
func drafted(t *testing.T, name string, o importer.Options) *decode.Decoder {
	t.Helper()
	src, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	draft, err := importer.Import([]importer.File{{Name: name, Src: src}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(draft.Warnings.List) > 0 {
		t.Errorf("%s: want no warnings, got\n%s", name, draft.Warnings.Error())
	}
	d, err := decode.Load("draft.pks", draft.Source)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range d.Schema().Warnings {
		t.Errorf("%s: the draft has a warning: %s", name, w.Message)
	}
	return d
}

// judged is a line of arena.jsonl: a packet that generated C++ wrote, and what its reader said of it.
type judged struct {
	Hex    string
	Accept bool
	Bits   int
	Value  map[string]any
}

// fields flattens a value of the C++ side to the paths of the draft.
func fields(path string, v any, out map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		for key, one := range v {
			fields(path+"."+key, one, out)
		}
	case []any:
		for i, one := range v {
			fields(fmt.Sprintf("%s[%d]", path, i), one, out)
		}
	default:
		out[path] = v
	}
}

// Three thousand packets that mas-bandwidth's generated C++ wrote and judged: what it accepts decodes, with equal values,
// and what it refuses is refused. Its reader does not look after the last field, and only that differs.
func TestArena(t *testing.T) {
	d := drafted(t, "arena.schema", importer.Options{})
	f, err := os.Open("testdata/arena.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var tr decode.Trace
	packets, values, refused, tails := 0, 0, 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var one judged
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.UseNumber()
		if err := dec.Decode(&one); err != nil {
			t.Fatal(err)
		}
		packets++
		data, err := hex.DecodeString(one.Hex)
		if err != nil {
			t.Fatal(err)
		}
		err = d.Decode(data, decode.FromUnknown, &tr)
		var why *reject.Reject
		if errors.As(err, &why) && why.Kind == reject.TrailingBytes {
			// What it read is a packet by itself.
			tails++
			err = d.Decode(data[:(why.Bit+7)/8], decode.FromUnknown, &tr)
		}
		if one.Accept != (err == nil) {
			t.Fatalf("packet %d, %s: C++ accepts: %v; here: %v", packets, one.Hex, one.Accept, err)
		}
		if !one.Accept {
			refused++
		}
		if one.Value != nil {
			values += agree(t, packets, &one, &tr)
		}
	}
	if packets != 3000 || values < 10000 || refused != 666 || tails == 0 {
		t.Errorf("%d packets, %d values, %d refused, %d with bytes after the last field", packets, values, refused, tails)
	}
	t.Logf("%d packets, %d values, %d refused, %d with bytes after the last field", packets, values, refused, tails)
}

// agree compares all values of a packet, and says how many there are.
func agree(t *testing.T, n int, one *judged, tr *decode.Trace) int {
	t.Helper()
	want := map[string]any{}
	for key, v := range one.Value {
		fields("body."+key, v, want)
	}
	// The names that differ: a tag, a text in its struct, scaled integers, and vectors by their parts.
	want["type"] = want["body.type"]
	delete(want, "body.type")
	if name, ok := want["body.name"]; ok {
		want["body.name.text"] = name
		delete(want, "body.name")
	}
	for _, name := range []string{"speed", "drift"} {
		if v, ok := want["body."+name+"_raw"]; ok {
			want["body."+name] = v
			delete(want, "body."+name+"_raw")
		}
	}
	got, end := 0, 0
	for f := range tr.Fields() {
		end = max(end, f.Bit()+f.Width())
		path := f.Path()
		wanted, ok := want[path]
		if !ok && len(path) > 2 && path[len(path)-2] == '.' { // position.x is position[0]
			path = fmt.Sprintf("%s[%d]", path[:len(path)-2], path[len(path)-1]-'x')
			wanted, ok = want[path]
		}
		if !ok {
			if f.Name() != "size" && f.Name() != "token_size" {
				t.Fatalf("packet %d: %s is not in the C++ value", n, path)
			}
			continue
		}
		delete(want, path)
		got++
		if !same(f, wanted) {
			t.Fatalf("packet %d: %s is %v, C++ wrote %v", n, path, f.Value(), wanted)
		}
	}
	for path := range want {
		t.Fatalf("packet %d: %s was not decoded", n, path)
	}
	if end != one.Bits {
		t.Fatalf("packet %d: ends at bit %d, C++ wrote %d", n, end, one.Bits)
	}
	return got
}

// same compares a field with what was written: quantized floats within half a step, float64 within ten digits.
func same(f *decode.Field, want any) bool {
	switch want := want.(type) {
	case bool:
		return f.Value().Bool() == want
	case string:
		if f.Name() == "token" {
			return hex.EncodeToString(f.Value().Bytes()) == want
		}
		if f.Name() == "tick" {
			return strconv.FormatUint(f.Raw(), 10) == want
		}
		if f.Name() == "text" {
			return string(f.Value().Bytes()) == want
		}
		return f.Value().String() == want
	case json.Number:
		number, err := want.Float64()
		if err != nil {
			return false
		}
		switch f.Name() {
		case "x", "y", "z":
			step := map[string]float64{"x": 0.01, "y": 0.01, "z": 0.05}[f.Name()]
			return math.Abs(f.Value().Float()-number) <= step/2+1e-4
		case "clock":
			return math.Abs(f.Value().Float()-number) <= 1e-9*math.Abs(number)
		}
		return f.Value().Float() == number
	}
	return false
}

// The draft of a flat packet is the packet that was described by hand, in every field of every packet.
func TestFlat97(t *testing.T) {
	mine := drafted(t, "flat97.schema", importer.Options{Packet: "Flat97"})
	src, err := os.ReadFile("../testdata/flat97.pks")
	if err != nil {
		t.Fatal(err)
	}
	hand, err := decode.Load("flat97.pks", src)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../testdata/flat97.bin")
	if err != nil {
		t.Fatal(err)
	}
	const size = 180
	var a, b decode.Trace
	compared := 0
	for ; len(data) >= size; data = data[size:] {
		if err := errors.Join(mine.Decode(data[:size], decode.FromUnknown, &a), hand.Decode(data[:size], decode.FromUnknown, &b)); err != nil {
			t.Fatal(err)
		}
		var want []string
		for f := range b.Fields() {
			want = append(want, fmt.Sprint(f.Path(), f.Bit(), f.Width(), f.Value()))
		}
		at := 0
		for f := range a.Fields() {
			if got := fmt.Sprint(f.Path(), f.Bit(), f.Width(), f.Value()); at >= len(want) || got != want[at] {
				t.Fatalf("field %d: got %s, by hand %s", at, got, want[at])
			}
			at++
		}
		if at != len(want) {
			t.Fatalf("%d fields, by hand %d", at, len(want))
		}
		compared += at
	}
	if compared < 1000 {
		t.Errorf("only %d fields compared", compared)
	}
}
