package message_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/decode"
)

// What the C++ libraries wrote from some values, the encoder must write from the same values, which go through JSON. A
// compressed float is the value that the library was given, before it was quantized.

func TestLSBWritten(t *testing.T)      { runWritten(t, "lsb", 400, 10) }
func TestBytewiseWritten(t *testing.T) { runWritten(t, "bousk", 240, 0) }

func runWritten(t *testing.T, order string, atLeast, outside int) {
	ran, clamped := 0, 0
	rows.EachLine(t, order, func(line []byte) {
		var v struct {
			ID, Hex      string
			Written, Ops []rows.VectorOp
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		if hostile := strings.Contains(v.ID, "-h"); order == "bousk" && !hostile {
			v.Written = v.Ops // the course's library quantizes nothing: what was read is what was written
		}
		if v.Written == nil {
			return
		}
		ran++
		var items strings.Builder
		var given, fitting []string
		for i, op := range v.Written {
			name := fmt.Sprintf("f%d", i)
			items.WriteString(op.Item(name) + "\n")
			if op.Op != "align" {
				given = append(given, fmt.Sprintf("%q:%s", name, jsonOf(t, op)))
				fitting = append(fitting, fmt.Sprintf("%q:%s", name, clampedJSON(t, op)))
			}
		}
		source := fmt.Sprintf("protocol test\norder %s\npacket {\n%s}\n", order, items.String())
		l := newWriter(t, source)
		object := `{"fields":{` + strings.Join(given, ",") + `}}`
		if !slices.Equal(given, fitting) {
			// The library clamps a float to its range. Here that is a mistake of whoever gives it.
			clamped++
			if _, err := writeJSON(t, l, object); err == nil || !strings.Contains(err.Error(), "out-of-range") {
				t.Errorf("%s: want a value outside its range refused, got %v\n%s%s", v.ID, err, source, object)
			}
			object = `{"fields":{` + strings.Join(fitting, ",") + `}}`
		}
		if got, err := writeJSON(t, l, object); err != nil || got != v.Hex {
			t.Errorf("%s: want %s\ngot %s, %v\n%s%s", v.ID, v.Hex, got, err, source, object)
		}
	})
	if ran < atLeast || clamped < outside {
		t.Errorf("only %d vectors were written, %d clamped", ran, clamped)
	}
}

// writer makes packets of JSON.
type writer struct {
	decoder *decode.Decoder
	encoder *decode.Encoder
	message *message.Message
}

func newWriter(tb testing.TB, source string) *writer {
	p := compile(tb, source)
	return &writer{decode.New(p), decode.NewEncoder(decode.New(p)), message.New(p)}
}

func gafferWriter(tb testing.TB) *writer {
	source, _ := protocols.Source("gaffer")
	return newWriter(tb, string(source))
}

func writeJSON(t testing.TB, l *writer, line string) (string, error) {
	t.Helper()
	packet, err := writeLine(t, l.message, l.encoder, []byte(line))
	return hex.EncodeToString(packet), err
}

// json is the op's value as -T json has it.
func jsonOf(t *testing.T, op rows.VectorOp) string {
	v := op.Want(t)
	switch op.Op {
	case "bool":
		return map[string]string{"0": "false", "1": "true"}[v]
	case "bytes":
		return strconv.Quote(v)
	case "string":
		data, err := hex.DecodeString(v)
		if err != nil {
			t.Fatal(err)
		}
		return quote(t, string(data))
	case "wstring":
		return quote(t, v)
	case "float", "cfloat":
		bits, err := strconv.ParseUint(v, 0, 32)
		if err != nil {
			t.Fatal(err)
		}
		return floatJSON(float64(math.Float32frombits(uint32(bits))), 32, bits)
	case "double":
		bits, err := strconv.ParseUint(v, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		return floatJSON(math.Float64frombits(bits), 64, bits)
	}
	return v
}

// clamped is json with a compressed float inside its range.
func clampedJSON(t *testing.T, op rows.VectorOp) string {
	if op.Op != "cfloat" {
		return jsonOf(t, op)
	}
	bits, err := strconv.ParseUint(op.Want(t), 0, 32)
	if err != nil {
		t.Fatal(err)
	}
	limit := func(text json.RawMessage) float32 {
		f, err := strconv.ParseFloat(string(text), 32)
		if err != nil {
			t.Fatal(err)
		}
		return float32(f)
	}
	return floatJSON(float64(max(limit(op.Min), min(limit(op.Max), math.Float32frombits(uint32(bits))))), 32, bits)
}

func floatJSON(f float64, width int, bits uint64) string {
	switch {
	case f != f:
		return fmt.Sprintf(`{"value":"NaN","raw":"%d"}`, bits)
	case math.IsInf(f, 1):
		return `"Infinity"`
	case math.IsInf(f, -1):
		return `"-Infinity"`
	}
	return strconv.FormatFloat(f, 'g', -1, width)
}

func quote(t *testing.T, text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The articles' packets come back from nothing but the values of their objects: checksum, count, flags of the bitmap,
// closing indexes and the check at the end are the encoder's.
func TestScenesWritten(t *testing.T) {
	l := gafferWriter(t)
	scenes := 0
	rows.EachLine(t, "scenes", func(line []byte) {
		var s rows.Scene
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		scenes++
		type object = map[string]any
		objects := []object{}
		for _, o := range s.Objects {
			value := object{"position": vectorJSON(t, o.Position), "orientation": o.Orientation, "at_rest": o.AtRest}
			if !o.AtRest {
				value["linear_velocity"], value["angular_velocity"] = vectorJSON(t, o.Linear), vectorJSON(t, o.Angular)
			}
			objects = append(objects, object{"index": o.Index, "value": value})
		}
		text, err := json.Marshal(object{"fields": object{"type": int(s.Scene[0] - 'a'), "body": object{"objects": objects}}})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := writeJSON(t, l, string(text)); err != nil || got != s.Hex {
			t.Errorf("%s: want %s\ngot %s, %v", s.ID, s.Hex, got, err)
		}
	})
	if scenes != 48 {
		t.Errorf("want 48 scenes, got %d", scenes)
	}
}

func vectorJSON(t *testing.T, parts []string) map[string]any {
	out := map[string]any{}
	for i, part := range parts {
		bits, err := strconv.ParseUint(part, 0, 32)
		if err != nil {
			t.Fatal(err)
		}
		out[[]string{"x", "y", "z"}[i]] = math.Float32frombits(uint32(bits))
	}
	return out
}

// The message of a long packet takes no more memory with each that follows.
func TestMessageReusesMemory(t *testing.T) {
	l := gafferWriter(t)
	var line []byte
	rows.EachLine(t, "scenes", func(b []byte) { line = append(line[:0], b...) })
	var s rows.Scene
	if err := json.Unmarshal(line, &s); err != nil {
		t.Fatal(err)
	}
	packet, err := hex.DecodeString(s.Hex)
	if err != nil {
		t.Fatal(err)
	}
	var trace decode.Trace
	if err := l.decoder.Decode(packet, decode.FromUnknown, &trace); err != nil {
		t.Fatal(err)
	}
	// What else the process does is counted as well, so the best of a few runs is this package's.
	var out []byte
	least := math.Inf(1)
	for range 5 {
		least = min(least, testing.AllocsPerRun(50, func() {
			l.message.FromTrace(&trace)
			out, err = l.message.Encode(l.encoder, out[:0])
		}))
	}
	if least > 0 || err != nil {
		t.Errorf("want no allocation, got %v; %v", least, err)
	}
}
