package generated_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/pcap"
)

// The whole corpus, seeds and captures, is the same to interpreter, reference and generated code; so is every beginning
// of the seeds and of some of what was captured, and what a flipped bit makes of them.
func TestCorpusAgrees(t *testing.T) {
	for _, name := range corpus.Protocols() {
		p := goldenPlan(t, name)
		d := decode.New(p)
		target, o := newInProcess(name, holderOf(t, name, p)), oracle.NewOracle(d)
		var trace decode.Trace
		packets, accepted := 0, 0
		hold := func(data []byte, from decode.Direction) {
			packets++
			if err := target.hold(o, d, &trace, data, from); err != nil {
				t.Fatalf("%s: %x from %v: %v", name, data, from, err)
			}
			if target.said == oracle.Accepted {
				accepted++
			}
		}
		spoil := func(data []byte, from decode.Direction) {
			for n := range data {
				hold(data[:n:n], from)
			}
			for bit := 0; bit < 8*len(data); bit += 1 + len(data)/32 {
				data[bit/8] ^= 1 << (bit % 8)
				hold(data, from)
				data[bit/8] ^= 1 << (bit % 8)
			}
		}
		for _, s := range corpus.Seeds(name) {
			hold(s.Data, fuzz.Sender(s.From))
			spoil(s.Data, fuzz.Sender(s.From))
		}
		datagrams := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(corpus.Capture(name))))
		for n := 0; ; n++ {
			g, err := datagrams.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			from := decode.DirectionOf(p.Schema, g.Src.Port(), g.Dst.Port())
			hold(g.Payload, from)
			if n%256 == 0 {
				spoil(bytes.Clone(g.Payload), from)
			}
		}
		if accepted < 2 || accepted == packets {
			t.Errorf("%s: %d of %d packets accepted", name, accepted, packets)
		}
		t.Logf("%s: %d packets, %d accepted", name, packets, accepted)
	}
}
