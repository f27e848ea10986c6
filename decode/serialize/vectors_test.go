package serialize_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/serialize"
	"github.com/pktscope/pktscope/decode/wire"
)

// The vectors are what the C++ libraries wrote, hostile variants included, and how they judged it. A line becomes one
// Serialize, which reads its packet, writes it and measures it.

type vector struct {
	ID       string
	Kind     string // accept or reject
	Hex      string
	Bits     int // written; 0 where the file does not say
	RejectOp int `json:"reject_op"`
	Ops      []*vectorOp
	Written  []*vectorOp // what the library was given to write, where Hex is what it wrote
}

// vectorOp is one operation and what it read or was given to write; V is absent where it was not reached.
type vectorOp struct {
	Op       string
	N        int
	Min, Max json.RawMessage
	Res      json.Number
	Prev     int64
	V        json.RawMessage

	// What Serialize reads into, or writes from.
	u     uint64
	i     int64
	b     bool
	f     float32
	d     float64
	text  string
	bytes []byte
	done  bool
}

// vectorPacket is a vector's ops, after so many bits.
type vectorPacket struct {
	before int
	ops    []*vectorOp
}

func (v *vectorPacket) Serialize(s *serialize.Stream) {
	var zero uint8
	serialize.Bits(s, "before", &zero, v.before)
	for i := range s.Array("f", len(v.ops)) {
		v.ops[i].serialize(s)
		v.ops[i].done = s.OK()
	}
}

func (vo *vectorOp) number(raw json.RawMessage) int64 {
	text := strings.Trim(string(raw), `"`)
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return v
	}
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return int64(v)
}

func (vo *vectorOp) single(raw json.RawMessage) float32 {
	v, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 32)
	if err != nil {
		panic(err)
	}
	return float32(v)
}

func integer[T serialize.Integer](s *serialize.Stream, op *vectorOp) {
	v := T(op.i)
	serialize.Int(s, "", &v, T(op.number(op.Min)), T(op.number(op.Max)))
	op.i = int64(v)
}

func (vo *vectorOp) serialize(s *serialize.Stream) {
	switch vo.Op {
	case "align":
		s.Align(8)
	case "bits":
		serialize.Bits(s, "", &vo.u, vo.N)
	case "bool":
		s.Bool("", &vo.b)
	case "float":
		s.Float32("", &vo.f)
	case "double":
		s.Float64("", &vo.d)
	case "cfloat":
		q := serialize.NewQuantized(vo.single(vo.Min), vo.single(vo.Max), vo.single(json.RawMessage(vo.Res)))
		s.Quantized("", &vo.f, &q)
	case "bytes":
		s.BytesN("", &vo.bytes, vo.N)
	case "string":
		s.String("", &vo.text, vo.N)
	case "wstring":
		s.WString("", &vo.text, vo.N)
	case "relative":
		serialize.Ladder(s, "", &vo.i, vo.Prev)
	case "int", "int32":
		integer[int32](s, vo)
	case "int64":
		integer[int64](s, vo)
	case "int8":
		integer[int8](s, vo)
	case "int16":
		integer[int16](s, vo)
	case "uint8":
		integer[uint8](s, vo)
	case "uint16":
		integer[uint16](s, vo)
	case "uint32":
		integer[uint32](s, vo)
	case "uint64":
		integer[uint64](s, vo)
	default:
		panic(vo.Op)
	}
}

// value is what was read, in the vectors' form.
func (vo *vectorOp) value() string {
	switch vo.Op {
	case "align":
		return ""
	case "bits":
		return strconv.FormatUint(vo.u, 10)
	case "bool":
		return map[bool]string{false: "0", true: "1"}[vo.b]
	case "float", "cfloat":
		return fmt.Sprintf("0x%08x", math.Float32bits(vo.f))
	case "double":
		return fmt.Sprintf("0x%016x", math.Float64bits(vo.d))
	case "bytes":
		return hex.EncodeToString(vo.bytes)
	case "string":
		return hex.EncodeToString([]byte(vo.text))
	case "wstring":
		return string(vo.text)
	case "uint64":
		return strconv.FormatUint(uint64(vo.i), 10)
	}
	return strconv.FormatInt(vo.i, 10)
}

// want is the vector's value in the form of value.
func (vo *vectorOp) want(t *testing.T) string {
	if vo.Op != "wstring" {
		return strings.Trim(string(vo.V), `"`)
	}
	var units []uint16
	if err := json.Unmarshal(vo.V, &units); err != nil {
		t.Fatal(err)
	}
	return string(utf16.Decode(units))
}

// fill sets what is to be written from V.
func (vo *vectorOp) fill(t *testing.T) {
	text := vo.want(t)
	base, digits := 10, text
	if rest, ok := strings.CutPrefix(text, "0x"); ok {
		base, digits = 16, rest
	}
	bits, err := strconv.ParseUint(digits, base, 64)
	switch vo.Op {
	case "align":
		return
	case "bits":
		vo.u = bits
	case "bool":
		vo.b = bits == 1
	case "float", "cfloat":
		vo.f = math.Float32frombits(uint32(bits))
	case "double":
		vo.d = math.Float64frombits(bits)
	case "bytes", "string":
		vo.bytes, err = hex.DecodeString(text)
		vo.text = string(vo.bytes)
	case "wstring":
		vo.text, err = text, nil
	default:
		vo.i, err = vo.number(vo.V), nil
	}
	if err != nil {
		t.Fatalf("op %s: %v", vo.Op, err)
	}
}

func TestLSBVectors(t *testing.T)      { runVectors(t, wire.LSB, 1958, 400) }
func TestBytewiseVectors(t *testing.T) { runVectors(t, wire.Bytewise, 982, 250) }

func runVectors(t *testing.T, order wire.Order, lines, writes int) {
	ran, wrote := 0, 0
	var s serialize.Stream
	eachLine(t, order.String(), func(line []byte) {
		var v vector
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		ran++
		packet, err := hex.DecodeString(v.Hex)
		if err != nil {
			t.Fatal(err)
		}
		readVector(t, &s, order, &v, packet)
		if order == wire.Bytewise && !strings.Contains(v.ID, "-h") {
			v.Written = v.Ops // what the course's library read is what it had written
		}
		if v.Written != nil {
			wrote++
			writeVector(t, &s, order, &v, packet)
		}
	})
	if ran != lines || wrote != writes {
		t.Errorf("want %d vectors, %d of them written, got %d and %d", lines, writes, ran, wrote)
	}
}

func readVector(t *testing.T, s *serialize.Stream, order wire.Order, v *vector, packet []byte) {
	t.Helper()
	p := vectorPacket{ops: v.Ops}
	err := s.Read(order, packet, &p)
	reached := len(v.Ops)
	var r *reject.Reject
	if err != nil {
		r = err.(*reject.Reject)
	}
	switch {
	case v.Kind == "reject":
		reached = v.RejectOp
		want := fmt.Sprintf("f[%d]", v.RejectOp)
		if r == nil {
			t.Fatalf("%s: want a reject at op %d, got accept", v.ID, v.RejectOp)
		}
		// An alignment is refused in the object it is in: here the element.
		if at := strings.TrimSuffix(r.Path(), ".length"); at != want {
			t.Errorf("%s: want a reject at %s, got %v", v.ID, want, r)
		}
	// The libraries read values, we packets: whole bytes after the last value are refused.
	case r != nil && (r.Kind != reject.TrailingBytes || r.Path() != ""):
		t.Errorf("%s: want accept, got %v", v.ID, r)
	}
	if v.Kind == "accept" && v.Bits != 0 && s.Bit() != v.Bits {
		t.Errorf("%s: want %d bits, got %d", v.ID, v.Bits, s.Bit())
	}
	for i, op := range v.Ops {
		if op.done != (i < reached) {
			t.Errorf("%s: op %d was read: %v", v.ID, i, op.done)
		}
		if i < reached && op.value() != op.want(t) {
			t.Errorf("%s: op %d %s: want %s, got %s", v.ID, i, op.Op, op.want(t), op.value())
		}
	}
	if v.Kind == "reject" {
		return
	}
	// What was read can be written, and reads again as it did.
	written, err := s.Append(order, nil, &p)
	if err != nil {
		t.Errorf("%s: written back: %v", v.ID, err)
		return
	}
	var values []string
	for _, op := range v.Ops {
		values = append(values, op.value())
	}
	if err := s.Read(order, written, &p); err != nil {
		t.Errorf("%s: read back: %v", v.ID, err)
	}
	for i, op := range v.Ops {
		if op.value() != values[i] {
			t.Errorf("%s: op %d reads back as %s, was %s", v.ID, i, op.value(), values[i])
		}
	}
}

func writeVector(t *testing.T, s *serialize.Stream, order wire.Order, v *vector, packet []byte) {
	t.Helper()
	p := vectorPacket{ops: v.Written}
	for _, op := range v.Written {
		op.fill(t)
	}
	got, err := s.Append(order, []byte("kept"), &p)
	if want := "kept" + string(packet); err != nil || string(got) != want {
		t.Errorf("%s: want %x, got %x %v", v.ID, want, got, err)
	}
	if v.Bits != 0 && s.Bit() != v.Bits {
		t.Errorf("%s: want %d bits written, got %d", v.ID, v.Bits, s.Bit())
	}
	// A buffer without a byte to spare takes it too, and dirty memory after it does not show.
	exact := bytes.Repeat([]byte{0xff}, len(packet))
	if got, err := s.Append(order, exact[:0], &p); err != nil || !bytes.Equal(got, packet) || len(got) > 0 && &got[0] != &exact[0] {
		t.Errorf("%s: want %x in the same memory, got %x %v", v.ID, packet, got, err)
	}
	bound, err := s.Measure(order, &p)
	if err != nil {
		t.Errorf("%s: measured: %v", v.ID, err)
	}
	for p.before = range 8 {
		if _, err := s.Append(order, nil, &p); err != nil || s.Bit()-p.before > bound {
			t.Errorf("%s: at bit %d: %d bits, measured %d, %v", v.ID, p.before, s.Bit()-p.before, bound, err)
		}
	}
}

// eachLine calls do for every line of one of the packed vector files.
func eachLine(t *testing.T, name string, do func(line []byte)) {
	t.Helper()
	packed, err := os.ReadFile("../slow/rows/testdata/" + name + ".jsonl.gz")
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
