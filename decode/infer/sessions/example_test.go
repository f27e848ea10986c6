package sessions_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/infer/sessions"
)

func Example() {
	s := sessions.All()[0]
	packets, err := s.Packets(1000, 1)
	if err != nil {
		panic(err)
	}
	truth, err := decode.Load(s.Name, s.Source())
	if err != nil {
		panic(err)
	}
	var t decode.Trace
	fmt.Println(s.Name, len(packets) > 900, truth.Decode(packets[0].Data, decode.FromUnknown, &t))
	// Output: list true <nil>
}
