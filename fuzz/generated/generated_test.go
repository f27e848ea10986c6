package generated

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
)

func compile(t *testing.T, name string, src []byte) *plan.Plan {
	t.Helper()
	s, diags := schema.Load(name, src, nil)
	if s == nil {
		t.Fatalf("%s: %v", name, diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatalf("%s: %v", name, diags)
	}
	return p
}

func builtin(t *testing.T, name string) *plan.Plan {
	t.Helper()
	src, ok := protocols.Source(name)
	if !ok {
		t.Fatal(name)
	}
	return compile(t, name, src)
}

// temporary makes the directory for temporary files this test's own, and fails when something is left in it.
func temporary(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
}

func needsGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no Go toolchain")
	}
}

// seeds are those of a built-in, and packets that are drawn.
func seeds(d *decode.Decoder, name string) (bases []decode.Packet) {
	for _, s := range corpus.Seeds(name) {
		bases = append(bases, decode.Packet{Data: s.Data, From: fuzz.Sender(s.From)})
	}
	g := fuzz.NewGenerator(d)
	for i := range uint64(4) {
		if k, err := g.Random(1, i); err == nil {
			bases = append(bases, decode.Packet{Data: bytes.Clone(k.Data), From: k.From})
		}
	}
	return bases
}

// attack sends packets, and what breaks them, to a program.
func attack(t *testing.T, g *Program, bases []decode.Packet) *fuzz.AuditResult {
	t.Helper()
	d := decode.New(g.plan)
	a := &fuzz.Audit{Decoder: d, NewTarget: func(context.Context) (oracle.Target, error) { return g.NewTarget(t.Context(), process.Options{}) }}
	m := fuzz.NewMutator(d)
	for _, b := range bases {
		a.Only = append(a.Only, b)
		for mutation := range m.Mutations(b.Data, b.From) {
			a.Only = append(a.Only, decode.Packet{Data: bytes.Clone(mutation.Data), From: b.From})
		}
	}
	r, err := a.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBuildRefuses(t *testing.T) {
	needsGo(t)
	temporary(t)
	p := builtin(t, "course")
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Build(ended, p); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: got %v", err)
	}
	if _, err := build(t.Context(), p, func(source []byte) []byte { return append(source, "\nfunc (\n"...) }); err == nil || strings.Contains(err.Error(), "\n") ||
		!strings.Contains(err.Error(), "does not build: reader/") {
		t.Errorf("no Go: got %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Build(t.Context(), p); err == nil || err.Error() != "the generated reader is built with the Go toolchain: go is not in PATH" {
		t.Errorf("no toolchain: got %v", err)
	}
}

// What is generated for the built-ins and for a schema that was drawn has no findings, and a mistake in it is found as
// what it is.
func TestAudit(t *testing.T) {
	needsGo(t)
	temporary(t)
	number := regexp.MustCompile(`v\.SequenceNum = uint16\(c\d+\)`)
	for i, row := range []struct {
		name  string
		spoil func(source []byte) []byte
		want  []oracle.FindingKind
	}{
		{"rtype", nil, nil},
		{"gaffer", nil, nil},
		{"drawn", nil, nil},
		{"rtype", func(source []byte) []byte {
			source = bytes.ReplaceAll(source, []byte("r.refuse(RejectTrailingBytes,"), []byte("r.refuse(RejectPastEnd,"))
			return number.ReplaceAll(source, []byte("${0} ^ 1"))
		}, []oracle.FindingKind{oracle.FoundRefusedElsewhere, oracle.FoundWrongValue, oracle.FoundNotCanonical}},
		{"course", func(source []byte) []byte {
			source = bytes.ReplaceAll(source, []byte("r.bits = bit\n"), []byte("r.bits = bit + 1\nif data[0] == 255 { panic(data[0]) }\n"))
			return bytes.ReplaceAll(source, []byte("left >= 8 {"), []byte("left >= 16 {"))
		}, []oracle.FindingKind{oracle.FoundCrash, oracle.FoundAcceptedMalformed, oracle.FoundWrongBits}},
	} {
		if i < need.Rounds(0, 4) {
			continue // of a course, with mistakes, is the smallest
		}
		var p *plan.Plan
		if row.name == "drawn" {
			const seed, fields = 4, 7 // a switch with a number, a struct and an optional list for arms, secrets, what depends on rest
			p = compile(t, row.name, []byte(anyschema.Source(anyschema.Seeded(seed), fields)))
		} else {
			p = builtin(t, row.name)
		}
		g, err := build(t.Context(), p, row.spoil)
		if err != nil {
			t.Fatal(err)
		}
		bases := seeds(decode.New(p), row.name)
		s := attack(t, g, bases[:need.Rounds(len(bases), 8)]) // each crash is a process
		found := map[oracle.FindingKind]bool{}
		for _, f := range s.Findings {
			found[f.Kind] = true
			if len(row.want) == 0 {
				t.Errorf("%s: %v %s: %x", row.name, f.Kind, f.What(), f.Packet)
			}
		}
		for _, kind := range row.want {
			if !found[kind] {
				t.Errorf("%s: no %v in %d packets: %v", row.name, kind, s.Packets, found)
			}
		}
		t.Logf("%s: %d packets, %d findings", row.name, s.Packets, len(s.Findings))
		if s.Valid < 20 || s.Hostile < 20 {
			t.Errorf("%s: only %d valid packets, %d hostile", row.name, s.Valid, s.Hostile)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A sparing target looks at the values of some packets of a batch and of each that is sent alone, and at what is
// written of all.
func TestSparing(t *testing.T) {
	if testing.Short() {
		t.Skip("TestAudit has a reader with mistakes")
	}
	needsGo(t)
	temporary(t)
	p := builtin(t, "rtype")
	number := regexp.MustCompile(`v\.SequenceNum = uint16\(c\d+\)`)
	g, err := build(t.Context(), p, func(source []byte) []byte { return number.ReplaceAll(source, []byte("${0} ^ 1")) })
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	target, err := g.NewTarget(t.Context(), process.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	d, trace := decode.New(p), new(decode.Trace)
	const heartbeat = 1
	var packets [][]byte
	for i := range 256 {
		packets = append(packets, []byte{0, heartbeat, 0xab, byte(i), 0, 0, 0, 0, 0, 0, 0, 0})
	}
	senders := make([]decode.Direction, len(packets))
	values, written := 0, 0
	count := func(i int, r oracle.Reply) bool {
		if err := d.Decode(packets[i], senders[i], trace); err != nil || r.Outcome != oracle.Accepted || r.Bits != trace.Bits {
			t.Fatalf("%x: %v, %v in %d bits", packets[i], err, r.Outcome, r.Bits)
		}
		for _, w := range target.Check(trace) {
			switch w.Kind {
			case oracle.FoundWrongValue:
				values++
			case oracle.FoundNotCanonical:
				written++
			}
		}
		return true
	}
	for _, row := range []struct {
		sparing, alone bool
		least, most    int
	}{{true, false, 1, 64}, {false, false, 256, 256}, {true, true, 256, 256}} {
		target.Sparing, values, written = row.sparing, 0, 0
		if row.alone {
			for i := range packets {
				r, err := target.Send(packets[i], senders[i])
				if err != nil {
					t.Fatal(err)
				}
				count(i, r)
			}
		} else if err := target.SendBatch(packets, senders, count); err != nil {
			t.Fatal(err)
		}
		if values < row.least || values > row.most || written != len(packets) {
			t.Errorf("%+v: %d wrong values, %d written otherwise", row, values, written)
		}
	}
}
