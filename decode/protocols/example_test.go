package protocols_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/protocols"
)

// The protocols that need no file.
func Example() {
	for _, name := range protocols.Names() {
		d, err := protocols.Load(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name, d.Plan().Bound.MaxBits/8)
	}
	// Output:
	// artnet 1500
	// coap 1500
	// course 5
	// dhcp 1500
	// dns 4096
	// enet 4096
	// gaffer 1434
	// mavlink 1400
	// ntp 2048
	// packets 141
	// quic 4096
	// rtcp 1500
	// rtp 1500
	// rtype 632
	// stun 1500
	// tftp 65468
}
