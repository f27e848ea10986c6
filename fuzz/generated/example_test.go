package generated_test

import (
	"context"
	"fmt"

	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz/generated"
	"github.com/pktscope/pktscope/fuzz/process"
)

// The reader that `gen go` writes, built and run as a process that can be attacked. (It takes a Go toolchain some
// seconds.)
func Example() {
	d, err := protocols.Load("rtype")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	program, err := generated.Build(ctx, d.Plan())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer program.Close()
	target, err := program.NewTarget(ctx, process.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer target.Close()
}
