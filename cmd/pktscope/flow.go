package main

import (
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/flow"
)

// flowFlags bound what is kept of messages that come in pieces.
type flowFlags struct {
	flows   int           // --max-flows
	memory  int           // --context-memory
	timeout time.Duration // --context-timeout
}

func (f *flowFlags) add(cmd *cobra.Command) {
	numberVar(cmd, &f.flows, "max-flows", "", flow.DefaultFlows, flow.Shards, 1<<24, "keep pieces of messages for at most `N` flows", "")
	numberVar(cmd, &f.memory, "context-memory", "", flow.DefaultMemory>>20, 1, math.MaxInt32, "keep at most `MIB` of pieces of messages", " MiB")
	timeVar(cmd, &f.timeout, "context-timeout", flow.DefaultTimeout, 1, "give up a message that lacks pieces after `TIME`")
}

func (f *flowFlags) limits() flow.Limits {
	return flow.Limits{Flows: f.flows, Memory: f.memory << 20, Timeout: f.timeout}
}
