package packets_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema/packets"
)

// Some of what is drawn for a schema is accepted, and most is not.
func Example() {
	d, err := decode.Load("x.pks", []byte("protocol x\norder msb\npacket {\n  kind uint8 in 0..99\n  data bytes(rest, max 300)\n}\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	var t decode.Trace
	accepted := 0
	for _, data := range packets.Drawn(d, 1, 200) {
		if d.Decode(data, decode.FromUnknown, &t) == nil {
			accepted++
		}
	}
	fmt.Println(accepted > 10, accepted < 190)
	// Output: true true
}
