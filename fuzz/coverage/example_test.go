package coverage_test

import (
	"fmt"
	"log"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/coverage"
)

// Which packets of three reach something new, and which ways to be refused none of them met.
func Example() {
	d, err := decode.Load("shot.pks", []byte("protocol shot\norder msb\npacket {\n    health int(0..100)\n    shot bits(1)\n}\n"))
	if err != nil {
		log.Fatal(err)
	}
	reached := coverage.New(d.Plan())
	var trace decode.Trace
	trace.RecordPath()
	for _, packet := range [][]byte{{50 << 1}, {50 << 1}, {127 << 1}} {
		_ = d.Decode(packet, decode.FromUnknown, &trace) // refused packets reach something, too
		fmt.Printf("%x: new: %v\n", packet, reached.Add(&trace) > 0)
	}
	for _, rule := range reached.Rules() {
		if !rule.Reached && rule.Unreachable == "" {
			fmt.Println("not met:", rule.RejectPoint.String())
		}
	}
	// Output:
	// 64: new: true
	// 64: new: false
	// fe: new: true
	// not met: packet: datagram-size
	// not met: packet: trailing-bytes
	// not met: health: past-end
}
