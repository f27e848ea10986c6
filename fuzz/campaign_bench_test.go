package fuzz_test

import (
	"testing"

	"github.com/pktscope/pktscope/corpus"
)

// What a campaign sends in a second, on one core: packets, and those past the checkpoint.
func BenchmarkCampaign(b *testing.B) {
	for _, name := range corpus.Protocols() {
		b.Run(name, func(b *testing.B) {
			c := campaignOf(b, name, 1)
			c.Execs = int64(max(b.N, 1))
			r, err := c.Run(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			seconds := b.Elapsed().Seconds()
			b.ReportMetric(float64(r.Execs)/seconds, "execs/s")
			b.ReportMetric(float64(r.Valid)/seconds, "valid/s")
		})
	}
}
