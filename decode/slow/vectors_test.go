package slow_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
)

// The vectors are what the C++ libraries wrote, hostile variants included, and how they judged it. Each line becomes a
// schema of its own.

// vector is one line: Kind is accept or reject; RejectOp is the op that refused.
type vector struct {
	ID       string
	Kind     string
	Hex      string
	Bits     int // written; absent in the hostile variants
	RejectOp int `json:"reject_op"`
	Ops      []vectorOp
}

// vectorOp is one operation and what it read; V is absent where it was not reached.
type vectorOp struct {
	Op       string
	N        int
	Min, Max json.RawMessage
	Res      json.Number
	Prev     int64
	V        json.RawMessage
}

func TestLSBVectors(t *testing.T)   { runVectors(t, "lsb", 1958) }
func TestBouskVectors(t *testing.T) { runVectors(t, "bousk", 982) }

func runVectors(t *testing.T, order string, lines int) {
	ran := 0
	eachLine(t, order, func(line []byte) {
		var v vector
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		runVector(t, order, v)
		ran++
	})
	if ran != lines {
		t.Errorf("want %d vectors, got %d", lines, ran)
	}
}

func runVector(t *testing.T, order string, v vector) {
	t.Helper()
	var items strings.Builder
	for i, op := range v.Ops {
		items.WriteString(op.item(fmt.Sprintf("f%d", i)) + "\n")
	}
	s := load(t, fmt.Sprintf("protocol test\norder %s\npacket {\n%s}\n", order, items.String()))
	payload, err := hex.DecodeString(v.Hex)
	if err != nil {
		t.Fatal(err)
	}
	r := slow.Decode(s, payload, schema.SideNone)
	agree(t, v.ID, s, payload)
	byPath := map[string]slow.Field{}
	for _, f := range r.Fields {
		byPath[f.Path] = f
	}
	reached := len(v.Ops)
	switch {
	case v.Kind == "reject":
		reached = v.RejectOp
		if r.Reject == nil {
			t.Fatalf("%s: want a reject at op %d, got accept", v.ID, v.RejectOp)
		}
		if at := strings.TrimSuffix(r.Reject.Path, ".length"); at != fmt.Sprintf("f%d", v.RejectOp) {
			t.Errorf("%s: want a reject at op %d, got %s", v.ID, v.RejectOp, showReject(*r.Reject))
		}
	// The libraries read values, we packets: whole bytes behind the last value are refused.
	case r.Reject != nil && (r.Reject.Kind != reject.TrailingBytes || r.Reject.Path != ""):
		t.Errorf("%s: want accept, got %s", v.ID, showReject(*r.Reject))
	}
	if v.Bits != 0 && r.Bits != v.Bits {
		t.Errorf("%s: want %d bits, got %d", v.ID, v.Bits, r.Bits)
	}
	for i, op := range v.Ops[:reached] {
		path := fmt.Sprintf("f%d", i)
		f, ok := byPath[path]
		if !ok {
			if op.Op != "align" {
				t.Errorf("%s: op %d was not read", v.ID, i)
			}
			continue
		}
		if want, got := op.want(t), op.got(t, s, f); got != want {
			t.Errorf("%s: op %d %s: want %s, got %s", v.ID, i, op.Op, want, got)
		}
	}
}

// item is the op in the schema's language.
func (op vectorOp) item(name string) string {
	switch op.Op {
	case "align":
		return name + " { align }"
	case "float":
		return name + " float32"
	case "double":
		return name + " float64"
	case "cfloat":
		return fmt.Sprintf("%s float(%s..%s, %s)", name, op.Min, op.Max, op.Res)
	case "bits", "bytes", "string", "wstring":
		return fmt.Sprintf("%s %s(%d)", name, op.Op, op.N)
	case "bool":
		return name + " bool"
	case "relative":
		return fmt.Sprintf("let before_%s = %d\n%s relative(before_%s)", name, op.Prev, name, name)
	}
	return fmt.Sprintf("%s int(%s..%s)", name, unquote(op.Min), unquote(op.Max))
}

// want is the value of the vector as text.
func (op vectorOp) want(t *testing.T) string {
	if op.Op != "wstring" {
		return unquote(op.V)
	}
	var units []uint16
	if err := json.Unmarshal(op.V, &units); err != nil {
		t.Fatal(err)
	}
	return string(utf16.Decode(units))
}

// got is the value that was read, in the same form.
func (op vectorOp) got(t *testing.T, s *schema.Schema, f slow.Field) string {
	switch op.Op {
	case "float":
		return fmt.Sprintf("0x%08x", f.Raw)
	case "double":
		return fmt.Sprintf("0x%016x", f.Raw)
	case "cfloat":
		for _, it := range s.Packet.Items {
			if field, ok := it.(*schema.Field); ok && field.Name == f.Path {
				q := field.Value.Type.(*schema.QuantizedType)
				return fmt.Sprintf("0x%08x", math.Float32bits(slow.Dequantize(q, f.Raw)))
			}
		}
		t.Fatalf("no field %s", f.Path)
	case "bytes", "string":
		return hex.EncodeToString(f.Data)
	case "wstring":
		return string(f.Data)
	case "bits", "bool", "relative":
		return strconv.FormatUint(f.Raw, 10)
	}
	low, ok := new(big.Int).SetString(unquote(op.Min), 10)
	if !ok {
		t.Fatalf("op %s: bad min %s", op.Op, op.Min)
	}
	return low.Add(low, new(big.Int).SetUint64(f.Raw)).String()
}

func unquote(raw json.RawMessage) string {
	return strings.Trim(string(raw), `"`)
}

// eachLine calls do for every line of a packed file.
func eachLine(t *testing.T, name string, do func(line []byte)) {
	t.Helper()
	packed, err := os.ReadFile("testdata/" + name + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		do(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
