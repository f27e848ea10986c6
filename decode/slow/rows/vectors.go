package rows

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

//go:embed testdata
var testdata embed.FS

// Vector is one line: Kind is accept or reject; RejectOp is the op that refused.
type Vector struct {
	ID       string
	Kind     string
	Hex      string
	Bits     int // written; absent in the hostile variants
	RejectOp int `json:"reject_op"`
	Ops      []VectorOp
}

// VectorOp is one operation and what it read; V is absent where it was not reached.
type VectorOp struct {
	Op       string
	N        int
	Min, Max json.RawMessage
	Res      json.Number
	Prev     int64
	V        json.RawMessage
}

// Source is a schema of the vector's operations, in one order.
func (v *Vector) Source(order string) string {
	return fmt.Sprintf("protocol test\norder %s\npacket {\n%s}\n", order, v.Items())
}

// Items are the vector's operations as a struct's fields.
func (v *Vector) Items() string {
	var items strings.Builder
	for i, op := range v.Ops {
		items.WriteString(op.Item(fmt.Sprintf("f%d", i)) + "\n")
	}
	return items.String()
}

// Item is the op in the schema's language.
func (v VectorOp) Item(name string) string {
	switch v.Op {
	case "align":
		return name + " { align }"
	case "float":
		return name + " float32"
	case "double":
		return name + " float64"
	case "cfloat":
		return fmt.Sprintf("%s float(%s..%s, %s)", name, v.Min, v.Max, v.Res)
	case "bits", "bytes", "string", "wstring":
		return fmt.Sprintf("%s %s(%d)", name, v.Op, v.N)
	case "bool":
		return name + " bool"
	case "relative":
		return fmt.Sprintf("let before_%s = %d\n%s relative(before_%s)", name, v.Prev, name, name)
	}
	return fmt.Sprintf("%s int(%s..%s)", name, Unquote(v.Min), Unquote(v.Max))
}

// Want is the value of the vector as text.
func (v VectorOp) Want(t testing.TB) string {
	if v.Op != "wstring" {
		return Unquote(v.V)
	}
	var units []uint16
	if err := json.Unmarshal(v.V, &units); err != nil {
		t.Fatal(err)
	}
	return string(utf16.Decode(units))
}

func Unquote(raw json.RawMessage) string {
	return strings.Trim(string(raw), `"`)
}

type Scene struct {
	ID      string
	Scene   string
	Hex     string
	Objects []struct {
		Index       uint64
		Position    []string
		Orientation map[string]uint64
		AtRest      bool     `json:"at_rest"`
		Linear      []string `json:"linear_velocity"`
		Angular     []string `json:"angular_velocity"`
	}
}

// EachLine calls do for every line of a packed file.
func EachLine(t testing.TB, name string, do func(line []byte)) {
	t.Helper()
	packed, err := testdata.ReadFile("testdata/" + name + ".jsonl.gz")
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
