package shards_test

import (
	"bytes"
	"fmt"
	"os"

	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/shards"
)

// A capture is cut into shards, and one of them is read.
func Example() {
	f, err := os.Open("../../corpus/rtype.pcap")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	var b shards.Builder
	if err := b.Add("rtype.pcap", f, 100_000); err != nil {
		fmt.Println(err)
		return
	}
	plan, shard, err := shards.Read(bytes.NewReader(b.AppendJSON(nil)), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := shard.Open(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := pcap.NewReader(nil)
	r.ResetPart(in, shard.Part())
	first, err := pcap.NewDatagrams(r).Next()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("shard %d of %d begins with packet %d\n", shard.I, plan.N, first.N)
	// Output: shard 1 of 3 begins with packet 759
}
