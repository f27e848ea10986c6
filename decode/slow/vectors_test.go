package slow_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
)

// The vectors are what the C++ libraries wrote, hostile variants included, and how they judged it. Each line becomes a
// schema of its own.

func TestLSBVectors(t *testing.T)      { runVectors(t, "lsb", 1958) }
func TestBytewiseVectors(t *testing.T) { runVectors(t, "bousk", 982) }

func runVectors(t *testing.T, order string, lines int) {
	ran := 0
	rows.EachLine(t, order, func(line []byte) {
		var v rows.Vector
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

func runVector(t *testing.T, order string, v rows.Vector) {
	t.Helper()
	s := rows.Load(t, v.Source(order))
	payload, err := hex.DecodeString(v.Hex)
	if err != nil {
		t.Fatal(err)
	}
	r := slow.Decode(s, payload, schema.FromUnknown)
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
	// The libraries read values, we packets: whole bytes after the last value are refused.
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
		if want, got := op.Want(t), read(t, op, s, f); got != want {
			t.Errorf("%s: op %d %s: want %s, got %s", v.ID, i, op.Op, want, got)
		}
	}
}

// got is the value that was read, in the same form.
func read(t *testing.T, op rows.VectorOp, s *schema.Schema, f slow.Field) string {
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
	low, ok := new(big.Int).SetString(rows.Unquote(op.Min), 10)
	if !ok {
		t.Fatalf("op %s: bad min %s", op.Op, op.Min)
	}
	return low.Add(low, new(big.Int).SetUint64(f.Raw)).String()
}
