package rejects_test

import (
	"fmt"
	"log"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/scan"
)

func ExampleCounter() {
	d, err := decode.Load("shot.pks", []byte("protocol shot\norder msb\npacket { weapon uint8 in 0..3 }\n"))
	if err != nil {
		log.Fatal(err)
	}
	counter := rejects.NewCounter(d.Plan(), "v1")
	finder := counter.NewFinder()
	var batch rejects.Batch
	for i, data := range [][]byte{{1}, {9}, {}, {7}} {
		p := scan.Packet{Envelope: decode.Envelope{N: int64(i + 1), File: "shot.pcap"}, Trace: new(decode.Trace)}
		d.Read(&decode.Packet{Data: data, Size: len(data)}, p.Trace)
		finder.Add(&batch, &p)
	}
	counter.Take(&batch)
	for _, row := range counter.Result().Rows {
		fmt.Println(row.Rule, row.Kind, row.Packets, "first is packet", row.First.N)
	}
	// Output:
	// weapon out-of-range 2 first is packet 2
	// weapon past-end 1 first is packet 3
}
