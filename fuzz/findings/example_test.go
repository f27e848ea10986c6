package findings_test

import (
	"bytes"
	"fmt"
	"log"
	"os"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/findings"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A finding becomes four files, and one of them a finding again.
func Example() {
	d, err := protocols.Load("packets")
	if err != nil {
		log.Fatal(err)
	}
	name, err := os.MkdirTemp("", "findings")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(name)
	dir, err := findings.Create(name, d, findings.Origin{
		Protocol: []string{"-p", "packets"}, Target: "exec:./reader", Flags: []string{"--target", "exec:./reader"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer dir.Close()
	f := &fuzz.Finding{
		Kind: oracle.FoundAcceptedMalformed, Rule: "body.x", Reject: reject.OutOfRange, Path: "body.x", Bit: 34, Width: 10,
		Want: "0..1000", Got: "accept", Packet: []byte{1, 2, 3}, From: decode.Client, Count: 1,
	}
	if err := dir.Write(f); err != nil {
		log.Fatal(err)
	}
	files, err := os.ReadDir(name)
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range files {
		fmt.Println(file.Name())
	}
	capture, err := os.ReadFile(dir.Capture(f))
	if err != nil {
		log.Fatal(err)
	}
	again, err := findings.Read(bytes.NewReader(capture), d.Plan().Schema)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x from %v\n", again.Packet, again.From)
	// Output:
	// accepted-malformed-body.x-c9b992a4.json
	// accepted-malformed-body.x-c9b992a4.pcapng
	// accepted-malformed-body.x-c9b992a4.sh
	// accepted-malformed-body.x-c9b992a4_test.go
	// 010203 from client
}
