package protocols_test

import (
	"math/big"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Every built-in is a schema without an error, and its plan verifies.
func TestBuiltinsCompile(t *testing.T) {
	for _, name := range protocols.Names() {
		src, _ := protocols.Source(name)
		s, diags := schema.Load(name+".pks", src, nil)
		if s == nil {
			t.Fatalf("%s: %v", name, diags)
		}
		p, diags := plan.Compile(s)
		for _, d := range diags {
			t.Errorf("%s: %s", name, d.Message)
		}
		if p != nil && p.Bound.MaxSteps == 0 {
			t.Errorf("%s: no bound", name)
		}
	}
}

// The built-ins are in the one style.
func TestBuiltinsFormatted(t *testing.T) {
	for _, name := range protocols.Names() {
		src, _ := protocols.Source(name)
		formatted, diags := syntax.Format(name+".pks", src)
		if len(diags) > 0 || string(formatted) != string(src) {
			t.Errorf("%s: not as `schema fmt` has it: %v", name, diags)
		}
	}
}

// A built-in warns of nothing, but for what its comments give the reason of.
func TestBuiltinsWarnings(t *testing.T) {
	reasons := map[string][]string{
		"course":  {"`int(0..256)` uses a bit for one value: it has one more than 8 bits hold"},
		"packets": {"`int(0..MaxElements)` uses a bit for one value: it has one more than 5 bits hold"},
	}
	for _, name := range protocols.Names() {
		src, _ := protocols.Source(name)
		_, diags := schema.Load(name+".pks", src, nil)
		var got []string
		for _, d := range diags {
			got = append(got, d.Message)
		}
		if want := reasons[name]; !slices.Equal(got, want) {
			t.Errorf("%s: want %q, got %q", name, want, got)
		}
	}
}

// No two built-ins want one port: `decode` without -p tells them apart by it.
func TestBuiltinsPorts(t *testing.T) {
	taken := map[uint16]string{}
	for _, name := range protocols.Names() {
		src, _ := protocols.Source(name)
		s, _ := schema.Load(name+".pks", src, nil)
		if len(s.Ports) == 0 && name != "enet" { // whose applications choose
			t.Errorf("%s: no port", name)
		}
		if got := protocols.Ports(name); !slices.Equal(got, s.Ports) {
			t.Errorf("%s: Ports says %d, the schema %d", name, got, s.Ports)
		}
		for _, port := range s.Ports {
			if other, ok := taken[port]; ok {
				t.Errorf("%s: port %d is that of %s", name, port, other)
			}
			taken[port] = name
		}
	}
}

// MaxObjects may be set within its range, and the proof holds for every value; beyond is refused.
func TestGafferMaxObjects(t *testing.T) {
	src, _ := protocols.Source("gaffer")
	const sum = 65_507/8 + 1 // of the checksum over all of a datagram
	for _, row := range []struct {
		value int64
		steps int64 // at most; 0 where the value is refused
	}{{-1, 0}, {0, 0}, {4097, 0}, {1, sum + 100}, {64, sum + 2_000}, {125, sum + 4_000}, {126, sum + 4_000}, {4096, sum + 120_000}} {
		s, diags := schema.Load("gaffer.pks", src, map[string]*big.Int{"MaxObjects": big.NewInt(row.value)})
		if (s == nil) != (row.steps == 0) {
			t.Errorf("MaxObjects = %d: %v", row.value, diags)
		}
		if s == nil {
			continue
		}
		p, diags := plan.Compile(s)
		if p == nil || len(diags) > 0 || p.Bound.MaxSteps > row.steps {
			t.Errorf("MaxObjects = %d: %v", row.value, diags)
		}
	}
}

// The course's chapter gives the bytes of its test packet, and what they stand for.
func TestCourseChapter(t *testing.T) {
	packet := []byte{0x05, 0xA2, 0xDA, 0x9D, 0x7B, 0x00}
	src, _ := protocols.Source("course")
	s, _ := schema.Load("course.pks", src, nil)
	p, _ := plan.Compile(s)
	d := decode.New(p)
	var trace decode.Trace
	for n := range packet {
		if err := d.Decode(packet[:n], decode.FromUnknown, &trace); err == nil {
			t.Errorf("the first %d bytes were accepted", n)
		}
	}
	if err := d.Decode(packet, decode.FromUnknown, &trace); err != nil || len(trace.Notes) > 0 {
		t.Fatalf("%v, %d notes", err, len(trace.Notes))
	}
	want := []uint64{5, 3 + 7, 18, 1, 0, 3578 + 4000, 123}
	if !slices.Equal(trace.Raw, want) {
		t.Errorf("want %d, got %d", want, trace.Raw)
	}
}
