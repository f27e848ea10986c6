package gogen_test

import (
	"bytes"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/gogen/testdata/gaffer"
	"github.com/pktscope/pktscope/decode/gogen/testdata/rtype"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
)

// inProcess is a generated package as a target: its verdict, and what it writes of what it has accepted.
type inProcess struct {
	oracle *fuzz.Oracle
	read   func(data []byte, from decode.Direction) (kind, path string, bit, width, bits int)
	write  func(from decode.Direction) ([]byte, error)
}

func targets(tb testing.TB) map[string]*inProcess {
	var r rtype.Reader
	var rv rtype.Packet
	var g gaffer.Reader
	var gv gaffer.Packet
	all := map[string]*inProcess{
		"rtype": {
			read: func(data []byte, from decode.Direction) (string, string, int, int, int) {
				if err := r.Decode(data, rtype.Side(from), &rv); err != nil {
					no := err.(*rtype.Reject)
					return no.Kind.String(), no.Path(), no.Bit, no.Width, 0
				}
				return "none", "", 0, 0, r.Bits()
			},
			write: func(from decode.Direction) ([]byte, error) { return rv.Append(nil, rtype.Side(from)) },
		},
		"gaffer": {
			read: func(data []byte, from decode.Direction) (string, string, int, int, int) {
				if err := g.Decode(data, gaffer.Side(from), &gv); err != nil {
					no := err.(*gaffer.Reject)
					return no.Kind.String(), no.Path(), no.Bit, no.Width, 0
				}
				return "none", "", 0, 0, g.Bits()
			},
			write: func(from decode.Direction) ([]byte, error) { return gv.Append(nil, gaffer.Side(from)) },
		},
	}
	for name, t := range all {
		src, _ := protocols.Source(name)
		t.oracle = fuzz.NewOracle(decode.New(compile(tb, name, src)))
	}
	return all
}

// hold asks interpreter, reference and generated code about one packet.
func (p *inProcess) hold(t *testing.T, data []byte, from decode.Direction) {
	t.Helper()
	want, err := p.oracle.Decode(data, from)
	if err != nil {
		t.Fatal(err)
	}
	kind, path, bit, width, bits := p.read(data, from)
	if kind != want.Kind.String() || path != want.Path || bit != want.Bit || width != want.Width {
		t.Fatalf("%x from %v: want %v, got %s at %q, bit %d, width %d", data, from, want, kind, path, bit, width)
	}
	if want.Kind != reject.None {
		return
	}
	out, err := p.write(from)
	if err != nil {
		t.Fatalf("%x from %v: accepted, but not written: %v", data, from, err)
	}
	// A checksum covers set bits behind the last field, too, which a writer leaves zero (both protocols are whole bytes or lsb).
	trailing := bits%8 != 0 && data[bits/8]>>(bits%8) != 0
	if len(out) != len(data) || !trailing && !bytes.Equal(out, data) {
		t.Fatalf("%x from %v is written as %x", data, from, out)
	}
}

// The three-way oracle in one process: the fuzzing engine looks for a packet that one of the three sees differently.
func FuzzGenerated(f *testing.F) {
	all := targets(f)
	names := []string{"rtype", "gaffer"}
	for i, name := range names {
		for _, s := range corpus.Seeds(name) {
			f.Add(uint8(i), uint8(senders[s.From]), s.Data)
		}
	}
	f.Fuzz(func(t *testing.T, which, from uint8, data []byte) {
		all[names[int(which)%len(names)]].hold(t, data, decode.Direction(from%3))
	})
}

var senders = map[string]decode.Direction{corpus.Client: decode.Client, corpus.Server: decode.Server, corpus.Unknown: decode.Unknown}

// Refusing allocates as little as accepting.
func TestRejectsDoNotAllocate(t *testing.T) {
	for name, p := range targets(t) {
		seed := corpus.Seeds(name)[0]
		data := seed.Data[:len(seed.Data)-1]
		var r rtype.Reader
		var rv rtype.Packet
		var g gaffer.Reader
		var gv gaffer.Packet
		got := testing.AllocsPerRun(100, func() {
			if r.Decode(data, rtype.Client, &rv) == nil || g.Decode(data, gaffer.Client, &gv) == nil {
				t.Errorf("%s: a cut packet is accepted", name)
			}
		})
		if got != 0 {
			t.Errorf("%s: %v allocations for a reject", name, got)
		}
		p.hold(t, data, senders[seed.From])
	}
}
