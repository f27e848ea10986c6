package target_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/target"
)

// An audit of a reader that takes every packet: the program `true`.
func Example() {
	d, err := decode.Load("health.pks", []byte("protocol health\norder lsb\npacket {\nhealth bits(7) in 0..100\n}\n"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	reader, err := target.Open(ctx, d, "exec:true", target.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Close()
	audit := &fuzz.Audit{
		Decoder: d, NewTarget: reader.NewTarget, SelfTest: reader.SelfTest, Seed: 1, Workers: 1,
		Only: []decode.Packet{{Data: []byte{101}}},
	}
	result, err := audit.Run(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range result.Findings {
		fmt.Println(f.Kind, f.What())
	}
	// Output:
	// accepted-malformed health, bits 0..6: want out-of-range (want 0..100 in 7 bits, got 101), got accept
}
