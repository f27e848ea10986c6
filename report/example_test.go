package report_test

import (
	"fmt"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// A packet as a line and as JSON.
func Example() {
	d, err := protocols.Load("packets")
	if err != nil {
		fmt.Println(err)
		return
	}
	var t decode.Trace
	packet := scan.Packet{Trace: &t}
	text, json := report.NewText(d.Plan(), report.TextOptions{}), report.NewJSON(d.Plan())
	for _, seed := range corpus.Seeds("packets")[:1] {
		_ = d.Decode(seed.Data, decode.FromUnknown, &t) // the verdict is in the trace
		fmt.Printf("%s%s", text.AppendLine(nil, &packet), json.Append(nil, &packet))
	}
	// Output:
	// 0            - - → -                             A     21 B accept
	// {"schema_version":1,"direction":"unknown","protocol":"packets","case":"A","bits":168,"verdict":"accept","fields":{"crc":371760242,"type":"A","body":{"x":0,"y":0,"z":0}}}
}
