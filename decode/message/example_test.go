package message_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/protocols"
)

// JSON made into a packet: the checksum and the count follow from what is there.
func Example() {
	d, err := protocols.Load("packets")
	if err != nil {
		fmt.Println(err)
		return
	}
	m := message.New(d.Plan())
	if err := m.FromJSON([]byte(`{"fields":{"type":"B","body":{"elements":[1,-2,3]}}}`)); err != nil {
		fmt.Println(err)
		return
	}
	packet, err := m.Encode(decode.NewEncoder(d), nil)
	fmt.Printf("%x %v\n", packet, err)
	err = m.FromJSON([]byte(`{"fields":{"type":"C"}}`))
	if err == nil {
		_, err = m.Encode(decode.NewEncoder(d), nil)
	}
	fmt.Println(err)
	// Output:
	// c03b419c0d7856341201000000feffffff03000000e2ac0899 <nil>
	// body.x: missing: it follows from nothing else in the packet
}
