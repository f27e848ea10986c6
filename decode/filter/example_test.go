package filter_test

import (
	"fmt"
	"net/netip"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

const source = `protocol squad
order msb

packet {
    count   uint8 in 0..4
    players [count]{ id uint8, health uint8 in 0..100 }
}
`

func Example() {
	s, _ := schema.Load("squad.pks", []byte(source), nil)
	p, _ := plan.Compile(s)
	weak, err := filter.Compile(p, `any(players, .health < 10) && pkt.src_port == 4124`)
	if err != nil {
		fmt.Println(err)
		return
	}
	ids, _ := filter.NewSelector(p, "players[*].id")

	matcher := weak.NewMatcher() // one per goroutine
	envelope := decode.Envelope{N: 1, Src: netip.MustParseAddrPort("10.0.0.1:4124"), Dst: netip.MustParseAddrPort("10.0.0.2:50000")}
	var trace decode.Trace
	_ = decode.New(p).Decode([]byte{2, 7, 100, 8, 3}, decode.Server, &trace)
	fmt.Println(matcher.Match(&trace, &envelope))
	for ev := range ids.Each(&trace) {
		fmt.Println(ev.Raw)
	}

	_, err = filter.Compile(p, `players[0].helth == 3`)
	fmt.Println(err)
	// Output:
	// true
	// 7
	// 8
	// filter:1:12: error: unknown path `players[0].helth`; did you mean `players[0].health`?
}
