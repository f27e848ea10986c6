package live_test

import (
	"fmt"
	"net/netip"

	"github.com/pktscope/pktscope/pcap/live"
)

// What a filter lets through; the kernel asks it before a packet costs anything.
func ExampleParseFilter() {
	f, err := live.ParseFilter("port 4124")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, dst := range []string{"10.0.0.1:4124", "10.0.0.1:53"} {
		fmt.Println(f, dst, f.Match(netip.MustParseAddrPort("10.0.0.2:50000"), netip.MustParseAddrPort(dst)))
	}
	// Output:
	// port 4124 10.0.0.1:4124 true
	// port 4124 10.0.0.1:53 false
}
