package stats_test

import (
	"fmt"
	"net/netip"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/report/scan"
	"github.com/pktscope/pktscope/report/stats"
)

// Packets counted by their case and who sent them.
func Example() {
	d, err := protocols.Load("packets")
	if err != nil {
		fmt.Println(err)
		return
	}
	var t decode.Trace
	var b stats.Batch
	s, sampler := stats.New(d.Plan()), stats.NewSampler(d.Plan())
	p := scan.Packet{Trace: &t}
	p.Src, p.Dst = netip.MustParseAddrPort("10.0.0.2:50000"), netip.MustParseAddrPort("10.0.0.1:4000")
	for _, seed := range corpus.Seeds("packets") {
		p.N, p.Time = p.N+1, p.Time+1e6
		_ = d.Decode(seed.Data, decode.FromUnknown, &t) // the verdict is in the trace
		sampler.Add(&b, &p)
	}
	s.Take(&b)
	for _, c := range s.Summary().Cases {
		fmt.Println(c.Case, c.Direction, c.Accepted.Packets)
	}
	// Output:
	// B unknown 4
	// A unknown 3
	// C unknown 3
}
