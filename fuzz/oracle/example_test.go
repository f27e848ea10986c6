package oracle_test

import (
	"fmt"
	"log"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// What a reader says about a packet, against what the schema says.
func Example() {
	d, err := decode.Load("shot.pks", []byte("protocol shot\norder msb\npacket {\n    health int(0..100)\n    kind bits(1)\n}\n"))
	if err != nil {
		log.Fatal(err)
	}
	var trace decode.Trace
	if err := d.Decode([]byte{50<<1 | 1}, decode.FromUnknown, &trace); err != nil {
		log.Fatal(err)
	}
	for _, m := range oracle.CompareFields(&trace, []byte(`{"health":49,"kind":1}`)) {
		fmt.Printf("%s: %s: %s\n", m.Kind, m.Path, m.What)
	}

	_ = d.Decode([]byte{0xff}, decode.FromUnknown, &trace) // 127 of at most 100
	said, err := oracle.ParseReason([]byte(`{"kind":"past-end","path":"health"}`))
	if err != nil {
		log.Fatal(err)
	}
	if deserved := oracle.AnswerOf(&trace); !said.Is(deserved) {
		fmt.Printf("want %s, got %s\n", deserved, said)
	}
	// Output:
	// wrong-value: health: 49 where the schema says 50
	// want reject: out-of-range at "health", bit 0, 7 bits, got reject: past-end at "health"
}
