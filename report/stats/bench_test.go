package stats

import (
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/scan"
)

// BenchmarkSample is what a worker does with a packet that is decoded: of each case as often as a session of R-Type has
// it. BenchmarkTake is what the one goroutine does that all packets go through. Neither allocates per packet.
func BenchmarkSample(b *testing.B) {
	c := builtin(b, "rtype")
	list := capture(b, session+".pcap")
	traces, packets := make([]decode.Trace, len(list)), make([]scan.Packet, len(list))
	for i, d := range list {
		packets[i].Trace = &traces[i]
		packets[i].Read(c.decoder, &d, "")
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%len(list) == 0 {
			c.batch.Reset()
		}
		c.sampler.Add(&c.batch, &packets[i%len(list)])
	}
}

func BenchmarkTake(b *testing.B) {
	c := builtin(b, "rtype")
	for _, d := range capture(b, session+".pcap") {
		p := scan.Packet{Trace: &c.trace}
		p.Read(c.decoder, &d, "")
		c.sampler.Add(&c.batch, &p)
	}
	records := c.batch.records
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.batch.records = records[i%len(records):][:1]
		c.stats.Take(&c.batch)
	}
}
