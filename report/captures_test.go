package report_test

import (
	"fmt"
	"os"

	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// A capture is compared with itself.
func ExampleCaptures() {
	d, err := protocols.Load("rtype")
	if err != nil {
		fmt.Println(err)
		return
	}
	c := report.Captures{Decoders: scan.Always(d), Files: [2]string{"client.pcap", "server.pcap"}, Out: os.Stdout}
	c.Open = func(side int, take func(pcap.PacketSource) error) error {
		f, err := os.Open("../cmd/pktscope/testdata/rtype-session.pcap")
		if err != nil {
			return err
		}
		defer f.Close()
		return take(pcap.NewReader(f))
	}
	if err := c.Match(); err != nil {
		fmt.Println(err)
		return
	}
	err = c.Show()
	fmt.Println(string(c.AppendSummary(nil, false)), c.Differ(), err)
	// Output:
	// 4994 packets in both: 4994 alike, 0 differ
	// only in client.pcap: 0; only in server.pcap: 0
	//  false <nil>
}
