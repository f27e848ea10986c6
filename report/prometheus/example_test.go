package prometheus_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/pktscope/pktscope/report/prometheus"
	"github.com/pktscope/pktscope/report/stats"
)

// What was counted, in the text that Prometheus reads.
func Example() {
	s := &stats.Summary{Directions: []stats.DirectionRow{{Direction: "client"}}}
	s.Protocol = "rtype"
	s.Directions[0].Accepted.Packets = 7
	text := prometheus.Append(nil, &prometheus.Capture{Began: time.Unix(1_700_000_000, 0), Version: "1.0"}, []*stats.Summary{s})
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "packets_total") && strings.Contains(line, "accept") {
			fmt.Print(line)
		}
	}
	// Output:
	// pktscope_packets_total{protocol="rtype",direction="client",verdict="accept"} 7
}
