package udp_test

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/pktscope/pktscope/fuzz/udp"
)

// Only this machine is attacked, or the one address that the user is authorised to test.
func ExampleResolve() {
	for _, target := range []string{"127.0.0.1:4124", "192.0.2.1:4124", "239.0.0.1:4124"} {
		address, err := udp.Resolve(context.Background(), target, netip.Addr{})
		fmt.Println(address, err)
	}
	// Output:
	// 127.0.0.1:4124 <nil>
	// invalid AddrPort udp:192.0.2.1:4124: 192.0.2.1 is not loopback
	// invalid AddrPort udp:239.0.0.1:4124: 239.0.0.1 is not the address of one host
}
