package oracle

import (
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Every oracle can fail. What it watches over is made wrong here, one thing at a time, and it has to say so; with
// nothing wrong it has to be silent.

// oraclePlan compiles the schema with some text replaced.
func oraclePlan(t *testing.T, replace ...string) *plan.Plan {
	t.Helper()
	whole, err := os.ReadFile("testdata/oracle.pks")
	if err != nil {
		t.Fatal(err)
	}
	src := strings.NewReplacer(replace...).Replace(string(whole))
	if len(replace) > 0 && src == string(whole) {
		t.Fatalf("%q is not in the schema", replace)
	}
	s, diags := schema.Load("oracle.pks", []byte(src), nil)
	if s == nil {
		t.Fatalf("%s", diags[0].AppendLine(nil, "oracle.pks"))
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatalf("%s", diags[0].AppendLine(nil, "oracle.pks"))
	}
	return p
}

// oraclePacket is a packet of kind 9, which deserves a note, with padding set, which deserves another, and two
// elements.
func oraclePacket(p *plan.Plan) []byte {
	data := []byte{0, 0, 0, 0, 9, 50 | 0x80, 2, 0x34, 0x12, 0xaa, 0xaa, 0x02}
	data[9], data[10], data[11] = 5, 6, 7 // y, and x and y of the second across bytes
	p.RepairChecksum(data)
	return data
}

// What the decoder promises: each broken promise has its words.
func TestOracleCanFail(t *testing.T) {
	for _, row := range []struct {
		name  string
		wrong func(t *testing.T, p *plan.Plan, o *Oracle)
		want  string // in the error; "" for none
	}{
		{"steps", func(_ *testing.T, p *plan.Plan, _ *Oracle) { p.Bound.MaxSteps = 3 }, "steps, at most 3 are proved"},
		{"fields", func(_ *testing.T, p *plan.Plan, _ *Oracle) { p.Bound.MaxFields = 2 }, "fields, at most 2 are proved"},
		{"longest packet", func(_ *testing.T, p *plan.Plan, _ *Oracle) { p.Bound.MaxBits = 8 }, "bits, at most 8 are proved"},
		{"shortest packet", func(_ *testing.T, p *plan.Plan, _ *Oracle) { p.Bound.MinBits = 800 }, "at least 800 are proved"},
		{"memory", func(_ *testing.T, _ *plan.Plan, o *Oracle) { o.trace.Raw = make([]uint64, 0, 1<<20) }, "memory for 1048576 codes"},
		{"spans", func(_ *testing.T, _ *plan.Plan, o *Oracle) { o.trace.Records = make([]decode.Record, 0, 1<<20) }, "1048576 spans"},
		{"the verdict", func(t *testing.T, p *plan.Plan, _ *Oracle) {
			p.Schema = oraclePlan(t, "int(0..100)", "int(0..100) in 0..40").Schema
		}, `reference: reject: out-of-range at "health"`},
		{"values", func(t *testing.T, p *plan.Plan, _ *Oracle) {
			p.Schema = oraclePlan(t, "x uint16, y bits(3)", "x uint16 be, y bits(3)").Schema
		}, "field 5: reference"},
		{"bits", func(t *testing.T, p *plan.Plan, _ *Oracle) {
			p.Schema = oraclePlan(t, "x uint16, y bits(3)", "x uint16, y bits(2)").Schema
		}, "reference"},
		{"notes", func(t *testing.T, p *plan.Plan, _ *Oracle) {
			p.Schema = oraclePlan(t, "Pong = 2", "Pong = 9").Schema
		}, "reference: 1 notes"},
		{"encode(decode(b)) == b", func(t *testing.T, p *plan.Plan, o *Oracle) {
			o.encoder = decode.NewEncoder(decode.New(oraclePlan(t, "prefix 7", "prefix 8")))
		}, "encodes to other bits"},
		{"encode(decode(b)) exists", func(t *testing.T, p *plan.Plan, o *Oracle) {
			o.encoder = decode.NewEncoder(decode.New(oraclePlan(t, "in 0..4", "in 0..1")))
		}, "has no encoding"},
		{"encode(decode(b)) is as long", func(t *testing.T, p *plan.Plan, o *Oracle) {
			o.encoder = decode.NewEncoder(decode.New(oraclePlan(t, "x uint16, y bits(3)", "x uint16, y bits(9)")))
		}, "bytes encodes to"},
		{"nothing wrong", func(*testing.T, *plan.Plan, *Oracle) {}, ""},
	} {
		p := oraclePlan(t)
		packet := oraclePacket(p)
		o := NewOracle(decode.New(p))
		row.wrong(t, p, o)
		_, err := o.Decode(packet, decode.FromUnknown)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
	}
}

// What a terminal would obey is seen.
func TestPrintableCanFail(t *testing.T) {
	for _, row := range []struct {
		text string
		good bool
	}{
		{"\x1b[2J", false}, {"a\nb", false}, {"a\x00", false}, {"\xff", false}, {"\u202e", false}, {"\u2028", false}, {"\u200b", false}, {"é ‹€›", true},
	} {
		if err := Printable([]byte(row.text)); (err == nil) != row.good {
			t.Errorf("%q: %v", row.text, err)
		}
	}
}

// decode(encode(v)) == v: values that read back as other ones, or that no reader takes, are an error of the encoder.
func TestEncodeLawCanFail(t *testing.T) {
	p := oraclePlan(t)
	var trace decode.Trace
	if err := decode.New(p).Decode(oraclePacket(p), decode.FromUnknown, &trace); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		leaf string
		code uint64
		good bool
	}{{"a value out of its range", "health", 120, false}, {"more elements than there are", "count", 4, false}, {"as they were", "health", 50, true}} {
		src := &lying{Source: decode.Replay(&trace), path: row.leaf, code: row.code}
		if _, err := decode.NewEncoder(decode.New(p)).Append(nil, src, decode.FromUnknown); (err == nil) != row.good {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

// lying answers one question with another code.
type lying struct {
	decode.Source
	path string
	code uint64
}

func (l *lying) Code(a *decode.Query) (uint64, error) {
	if a.Path() == l.path {
		return l.code, nil
	}
	return l.Source.Code(a)
}
