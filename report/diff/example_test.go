package diff_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/report/diff"
)

// The fields in which two packets differ.
func ExampleCompare() {
	d, err := protocols.Load("packets")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, e := message.New(d.Plan()), decode.NewEncoder(d)
	var traces [2]decode.Trace
	for i, line := range []string{`{"fields":{"type":"A","body":{"x":1,"y":2,"z":3}}}`, `{"fields":{"type":"A","body":{"x":1,"y":5,"z":3}}}`} {
		if err := m.FromJSON([]byte(line)); err != nil {
			fmt.Println(err)
			return
		}
		packet, err := m.Encode(e, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = d.Decode(packet, decode.FromUnknown, &traces[i]) // the verdict is in the trace
	}
	a, b := &traces[0], &traces[1]
	diff.Compare(a, b, false, false, func(f *diff.Difference) bool {
		fmt.Printf("%s: %s, %s\n", a.AppendEventPath(nil, f.A), a.Value(f.A), b.Value(f.B))
		return true
	})
	// Output:
	// crc: 0xd9179bc4, 0xf7aa84e5
	// body.y: 2, 5
}
