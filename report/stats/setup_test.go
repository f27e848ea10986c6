package stats

import (
	"encoding/json"
	"net/netip"
	"os"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// counter counts packets one after the other.
type counter struct {
	plan    *plan.Plan
	decoder *decode.Decoder
	sampler *Sampler
	trace   decode.Trace
	packet  scan.Packet
	batch   Batch
	stats   *Stats

	file       string // of the packets
	sampleOnly bool   // keep everything in batch, and count nothing
}

func newCounter(t testing.TB, src string) *counter {
	t.Helper()
	checked, diags := schema.Load("test.pks", []byte(src), nil)
	if checked == nil {
		t.Fatal(diags)
	}
	made, diags := plan.Compile(checked)
	if made == nil {
		t.Fatal(diags)
	}
	return &counter{plan: made, decoder: decode.New(made), sampler: NewSampler(made), stats: New(made)}
}

func builtin(t testing.TB, name string) *counter {
	t.Helper()
	src, ok := protocols.Source(name)
	if !ok {
		t.Fatal(name)
	}
	return newCounter(t, string(src))
}

func (c *counter) add(e decode.Envelope, payload []byte) {
	c.file = e.File
	c.datagrams([]pcap.Datagram{{N: e.N, Time: e.Time, Src: e.Src, Dst: e.Dst, Payload: payload, Size: len(payload), Cut: e.Cut, LengthMismatch: e.LengthMismatch}})
}

// datagrams counts datagrams of a capture.
func (c *counter) datagrams(list []pcap.Datagram) {
	for i := range list {
		c.packet.Trace = &c.trace // the packet is used again, as in a scan
		c.packet.Read(c.decoder, &list[i], c.file)
		c.count(&c.packet)
	}
}

func (c *counter) count(p *scan.Packet) {
	if c.sampleOnly {
		c.sampler.Add(&c.batch, p)
		return
	}
	c.batch.Reset()
	c.sampler.Add(&c.batch, p)
	c.stats.Take(&c.batch)
}

// capture is the datagrams of a capture.
func capture(t testing.TB, name string) (list []pcap.Datagram) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d, datagrams := (*pcap.Datagram)(nil), pcap.NewDatagrams(pcap.NewReader(f)); ; list = append(list, *d) {
		if d, err = datagrams.Next(); err != nil {
			return list
		}
		d.Payload = append([]byte(nil), d.Payload...)
	}
}

func text(t testing.TB, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func addr(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }
