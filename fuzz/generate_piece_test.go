package fuzz_test

import (
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
)

// Pieces that are made are within their messages: where the numbers are fields of their own, computed, bounded, or of
// bytes. What puts messages together, alone, refuses none.
func TestGeneratePieces(t *testing.T) {
	const message = "\nmessage M max 4000 { m bytes(rest, max 4000) }\n"
	sources := map[string]string{
		"own":       "packet {\nid uint32\ncount uint32\nindex uint32\nb bytes(rest, max 300) @fragment(M, id, index index, count count)\n}" + message,
		"computed":  "packet {\nid uint8\nlast uint16\nindex uint16\nb bytes(rest, max 300) @fragment(M, id, index index + 1, count last * 2)\n}" + message,
		"bytes":     "packet {\nid uint16\ntotal uint32\nat uint32\nn uint8\nb bytes(n) @fragment(M, id, offset at, total total)\n}" + message,
		"the last":  "packet {\nid uint16\nat uint16\nend bool\nreserved(7)\nb bytes(rest, max 300) @fragment(M, id, offset at, last end)\n}" + message,
		"in a list": "packet {\nid uint16\nl [1..4]{\ncount uint8\nindex uint8\nb bytes(3) @fragment(M, id, index index, count count)\n}\n}" + message,
	}
	decoders := map[string]*decode.Decoder{}
	for name, src := range sources {
		d, err := decode.Load("x.pks", []byte("protocol xyz\norder msb\nmax datagram 400\n"+src))
		if err != nil {
			t.Fatal(err)
		}
		decoders[name] = d
	}
	for _, name := range append(protocols.Names(), examples.Names()...) {
		src, _ := protocols.Shipped(name)
		d, err := decode.LoadFS(protocols.Dir(), name+".pks", src)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(d.Plan().Blobs, func(b *plan.Blob) bool { return b.Fragment != nil && b.Fragment.ID >= 0 }) {
			decoders[name] = d
		}
	}
	if len(decoders) < len(sources)+4 {
		t.Errorf("only %d protocols have pieces", len(decoders))
	}
	for name, d := range decoders {
		t.Run(name, func(t *testing.T) {
			var trace decode.Trace
			n, pieces, all := 0, 0, need.Rounds(500, 200)
			for p, err := range fuzz.NewGenerator(d).Packets(3, int64(all), func(fuzz.Missed) {}) {
				if err != nil {
					t.Fatal(err)
				}
				n++
				alone := flow.New(d, flow.Limits{})
				if err := alone.Decode(&decode.Packet{Data: p.Data, From: p.From}, &decode.Envelope{}, &trace); err != nil {
					t.Fatalf("packet %d (%s): %v", n, p.Why, err)
				}
				for i := range trace.Fragments {
					if !trace.Fragments[i].Whole() {
						pieces++
					}
				}
			}
			if n != all || pieces < 20 {
				t.Errorf("%d packets with %d pieces", n, pieces)
			}
		})
	}
}
