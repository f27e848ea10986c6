package report_test

import (
	"os"
	"testing"

	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// BenchmarkMessage encodes one packet from what it was decoded to: from its trace, from its tree, and from its JSON.
func BenchmarkMessage(b *testing.B) {
	flat, err := os.ReadFile("../decode/testdata/flat97.pks")
	if err != nil {
		b.Fatal(err)
	}
	packets, err := os.ReadFile("../decode/testdata/flat97.bin")
	if err != nil {
		b.Fatal(err)
	}
	rtype, _ := protocols.Source("rtype")
	var largest []byte
	for _, s := range corpus.Seeds("rtype") {
		if len(s.Data) > len(largest) {
			largest = s.Data
		}
	}
	b.Run("flat97", func(b *testing.B) { benchmarkMessage(b, string(flat), packets[:180]) })
	b.Run("rtype", func(b *testing.B) { benchmarkMessage(b, string(rtype), largest) })
}

func benchmarkMessage(b *testing.B, source string, packet []byte) {
	p, diags := plan.Compile(rows.Load(b, source))
	if p == nil {
		b.Fatal(diags)
	}
	var t decode.Trace
	if err := decode.New(p).Decode(packet, decode.FromUnknown, &t); err != nil {
		b.Fatal(err)
	}
	e, m := decode.NewEncoder(decode.New(p)), message.New(p)
	line := report.NewJSON(p).Append(nil, &scan.Packet{Envelope: decode.Envelope{N: 1}, Trace: &t})
	var out []byte
	var err error
	run := func(name string, do func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(packet)))
			b.ReportAllocs()
			for b.Loop() {
				if do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("replay", func() { out, err = e.Append(out[:0], decode.Replay(&t), t.From) })
	run("from-trace", func() { m.FromTrace(&t) })
	run("from-trace-encode", func() {
		m.FromTrace(&t)
		out, err = m.Encode(e, out[:0])
	})
	run("from-json", func() { err = m.FromJSON(line) })
	run("from-json-encode", func() {
		if err = m.FromJSON(line); err == nil {
			out, err = m.Encode(e, out[:0])
		}
	})
}
