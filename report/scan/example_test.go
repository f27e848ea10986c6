package scan_test

import (
	"fmt"
	"log"
	"os"

	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// A capture is decoded on all cores, and a line is printed of each packet with a case that the schema does not have.
func Example() {
	f, err := os.Open("../../cmd/pktscope/testdata/rtype-session.pcap")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	d, err := protocols.Load("rtype")
	if err != nil {
		log.Fatal(err)
	}
	unknown, err := filter.Compile(d.Plan(), `reject.kind == "unknown-case"`)
	if err != nil {
		log.Fatal(err)
	}
	o := scan.Options{Decoders: scan.Always(d), Filters: []*filter.Program{unknown}}
	counts, err := scan.Run(scan.From(pcap.NewReader(f)), o, scan.Stage[[]byte]{
		New: func() func(*[]byte, *scan.Packet) { // for each worker
			return func(b *[]byte, p *scan.Packet) { *b = fmt.Appendf(*b, "%d %s: %d\n", p.N, p.Src, p.Reject().Code) }
		},
		Drain: func(b *[]byte) error {
			_, err := os.Stdout.Write(*b)
			*b = (*b)[:0]
			return err
		},
	})
	fmt.Println(counts.Packets, "packets,", counts.Refused, "refused,", counts.Matched, "matched", err)
	// Output:
	// 290 10.0.0.66:6666: 3
	// 2459 10.0.0.66:6666: 0
	// 3305 10.0.0.66:6666: 0
	// 4185 10.0.0.66:6666: 153
	// 4994 packets, 40 refused, 4 matched <nil>
}
