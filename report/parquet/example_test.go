package parquet_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/report/parquet"
	"github.com/pktscope/pktscope/report/scan"
)

// Packets become rows; views name what is in them.
func Example() {
	d, err := protocols.Load("packets")
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	w, err := parquet.NewWriter(&file, []*decode.Decoder{d}, 0)
	if err != nil {
		log.Fatal(err)
	}
	stage := w.Stage()
	take, batch := stage.New(), new(parquet.Batch)
	for i, seed := range corpus.Seeds("packets") {
		p := &scan.Packet{Envelope: decode.Envelope{N: int64(i + 1)}, Trace: new(decode.Trace)}
		_ = d.Decode(seed.Data, decode.FromUnknown, p.Trace) // a reject is in the trace
		take(batch, p)
	}
	if err := stage.Drain(batch); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(&parquet.About{Version: "example"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(int(w.Rows()) == len(corpus.Seeds("packets")), string(file.Bytes()[:4]))
	sql, err := parquet.AppendViews(nil, d.Plan(), parquet.DialectOf("duckdb"), "packets/*.parquet")
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(sql)) {
		fmt.Println(strings.Join(strings.Fields(line)[:5], " "))
	}
	// Output:
	// true PAR1
	// CREATE OR REPLACE VIEW "packets"
	// CREATE OR REPLACE VIEW "rejects"
	// CREATE OR REPLACE VIEW "A"
	// CREATE OR REPLACE VIEW "B"
	// CREATE OR REPLACE VIEW "B_elements"
	// CREATE OR REPLACE VIEW "C"
}
