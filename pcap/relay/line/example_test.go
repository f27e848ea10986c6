package line_test

import (
	"fmt"
	"time"

	"github.com/pktscope/pktscope/pcap/relay/line"
)

// A line of 100 kbit/s that delays: packets queue for it, and then take their way.
func Example() {
	network := line.NewNetwork(1)
	up := network.Line(line.Profile{Delay: 80 * time.Millisecond, Bandwidth: 100_000}, 0)
	begin := time.Unix(0, 0)
	for i := range 3 {
		up.Send(begin, []byte{byte(i)}, line.Usual, func(data []byte) { fmt.Println("packet", data[0]) })
	}
	for at, ok := network.Next(); ok; at, ok = network.Next() {
		fmt.Println("after", at.Sub(begin))
		network.Pop(at)
	}
	// Output:
	// after 82.32ms
	// packet 0
	// after 84.64ms
	// packet 1
	// after 86.96ms
	// packet 2
}
