package budget_test

import (
	"fmt"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/scan"
)

// Where the bits go: the dearest fields of all packets.
func Example() {
	d, err := protocols.Load("packets")
	if err != nil {
		fmt.Println(err)
		return
	}
	var t decode.Trace
	b := budget.New(d.Plan(), 0)
	for i, seed := range corpus.Seeds("packets") {
		_ = d.Decode(seed.Data, decode.FromUnknown, &t) // the verdict is in the trace
		b.Add(&scan.Packet{Envelope: decode.Envelope{N: int64(i + 1)}, Trace: &t})
	}
	for _, f := range b.Fields()[:3] {
		fmt.Println(f.Path, f.Type, f.Times, f.Bits)
	}
	// Output:
	// crc crc32(prefix ProtocolId : uint32) 10 320
	// type PacketType 10 20
	// body<A>.x int32 3 96
}
