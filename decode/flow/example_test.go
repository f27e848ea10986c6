package flow_test

import (
	"fmt"
	"net/netip"

	"github.com/pktscope/pktscope/decode/flow"
)

// A message in three pieces, of which one comes twice and the first comes last.
func Example() {
	client, server := netip.MustParseAddrPort("10.0.0.2:50000"), netip.MustParseAddrPort("10.0.0.1:40000")
	t := flow.NewTable(flow.Limits{}, []flow.Section{{Remember: 64}})
	text := []string{"three ", "pieces, ", "one message"}
	for n, index := range []int{1, 2, 1, 0} {
		t.Meet(client, server, 0, 0)
		t.Accept()
		m, odd := t.Add(&flow.Piece{ID: 7, At: uint64(index), Of: 3, Counted: true, Data: []byte(text[index]), Record: int64(n + 1)})
		if odd&flow.DuplicateFragment != 0 {
			fmt.Println("packet", n+1, "carries what was there")
		}
		if m != nil {
			fmt.Printf("message %d: %q, from packets %d, %d and %d\n", m.ID, m.Data, m.Parts[0].Record, m.Parts[1].Record, m.Parts[2].Record)
		}
	}
	// Output:
	// packet 3 carries what was there
	// message 7: "three pieces, one message", from packets 4, 1 and 2
}
