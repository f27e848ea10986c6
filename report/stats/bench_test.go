package stats

import (
	"testing"

	"github.com/pktscope/pktscope/decode"
)

// BenchmarkSample is what a worker does with a packet that is decoded: of each case as often as a session of R-Type has it.
// BenchmarkTake is what the one goroutine does that all packets go through. Neither allocates per packet.
func BenchmarkSample(b *testing.B) {
	c := builtin(b, "rtype")
	list := capture(b, session+".pcap")
	traces, packets := make([]decode.Trace, len(list)), make([]Packet, len(list))
	for i, d := range list {
		_ = c.decoder.Decode(d.Payload, decode.DirectionOf(c.plan.Schema, d.Src.Port(), d.Dst.Port()), &traces[i])
		packets[i] = Packet{N: d.N, Time: d.Time, Src: d.Src, Dst: d.Dst, Size: d.Size}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%len(list) == 0 {
			c.batch.Reset()
		}
		c.sampler.Add(&c.batch, &packets[i%len(list)], &traces[i%len(list)])
	}
}

func BenchmarkTake(b *testing.B) {
	c := builtin(b, "rtype")
	for _, d := range capture(b, session+".pcap") {
		from := decode.DirectionOf(c.plan.Schema, d.Src.Port(), d.Dst.Port())
		_ = c.decoder.Decode(d.Payload, from, &c.trace)
		c.sampler.Add(&c.batch, &Packet{N: d.N, Time: d.Time, Src: d.Src, Dst: d.Dst, Size: d.Size}, &c.trace)
	}
	records := c.batch.records
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.batch.records = records[i%len(records):][:1]
		c.stats.Take(&c.batch)
	}
}
