package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/pcap"
)

// An example is what strangers copy: it checks without a warning, stands in the one style, is named as its file is, and
// says what it describes and where that is from.
func TestExamplesCheck(t *testing.T) {
	if len(examples.Names()) < 15 {
		t.Errorf("%d examples", len(examples.Names()))
	}
	for _, name := range examples.Names() {
		src, _ := examples.Source(name)
		s, diags := schema.LoadFS(protocols.Dir(), name+".pks", src, nil)
		if len(diags.List) > 0 {
			t.Error(diags)
		}
		if s == nil {
			continue
		}
		if formatted, _ := syntax.Format(name+".pks", src); !bytes.Equal(formatted, src) {
			t.Errorf("%s: not as `schema fmt` has it", name)
		}
		if _, builtIn := protocols.Source(name); builtIn || s.Name != name {
			t.Errorf("%s: describes %s, a built-in: %t", name, s.Name, builtIn)
		}
		if !strings.Contains(s.Doc, "\n\nFrom ") && !strings.Contains(s.Doc, "\nFrom ") {
			t.Errorf("%s: its doc does not say what it is written from: %q", name, s.Doc)
		}
	}
}

// Packets that the generator makes of an example are accepted and encode to themselves.
func TestExamplesGenerated(t *testing.T) {
	for _, name := range examples.Names() {
		d := loadDecoder(t, name)
		encoder, count := decode.NewEncoder(d), need.Rounds[int64](400, 60)
		var trace decode.Trace
		n := int64(0)
		for p, err := range fuzz.NewGenerator(d).Packets(1, count, nil) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := d.Decode(p.Data, p.From, &trace); err != nil {
				t.Fatalf("%s: %x: %v", name, p.Data, err)
			}
			if again, err := encoder.Append(nil, decode.Replay(&trace), p.From); err != nil || !bytes.Equal(again, p.Data) {
				t.Fatalf("%s: %x: encodes to %x, %v", name, p.Data, again, err)
			}
			n++
		}
		if n < count {
			t.Errorf("%s: %d packets, want %d", name, n, count)
		}
	}
}

// An audit of each example finds nothing, as far as it comes with its share of packets. It starts from the packets of the
// example's capture, where there is one.
func TestExamplesAudited(t *testing.T) {
	for _, name := range examples.Names() {
		t.Run(name, func(t *testing.T) {
			d := loadDecoder(t, name)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			share := &share{Target: oracle.NewBuiltin(d), left: need.Rounds(8_000, 300), end: cancel}
			a := &fuzz.Audit{Decoder: d, Seed: 1, Workers: 1, SelfTest: true, NewTarget: func(context.Context) (oracle.Target, error) { return share, nil }}
			a.Bases = captured(t, d, (exhibit{name: name, example: true}).file("pcap"))
			got, err := a.Run(ctx)
			if err != nil && (!errors.Is(err, context.Canceled) || share.left > 0) {
				t.Fatal(err)
			}
			for _, f := range got.Findings {
				t.Errorf("%v: %s (%d packets, %x)", f.Kind, f.What(), f.Count, f.Packet)
			}
			if got.Refused != got.Hostile || got.Accepted != got.Valid || got.Packets == 0 {
				t.Errorf("%d of %d hostile packets refused, %d of %d valid ones accepted", got.Refused, got.Hostile, got.Accepted, got.Valid)
			}
			t.Logf("%d of %d hostile packets refused, %d of %d valid ones accepted, %d bases, %d places untested", got.Refused, got.Hostile, got.Accepted, got.Valid, got.Bases, len(got.Unreached))
		})
	}
}

// share is a target that ends what sends to it after so many packets.
type share struct {
	oracle.Target
	left int
	end  func()
}

func (s *share) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	if s.left--; s.left == 0 {
		s.end()
	}
	return s.Target.Send(packet, from)
}

// captured is the packets of a capture; none where there is no such file.
func captured(t *testing.T, d *decode.Decoder, path string) (list []decode.Packet) {
	t.Helper()
	file, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for datagrams := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(file))); ; {
		dg, err := datagrams.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, decode.Packet{Data: bytes.Clone(dg.Payload), From: decode.DirectionOf(d.Plan().Schema, dg.Src.Port(), dg.Dst.Port())})
	}
}
