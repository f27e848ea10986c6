package main

import (
	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
)

// newHelpWire is the help topic on the bits: the wire page, as it is in the source tree.
func newHelpWire() *cobra.Command {
	return newTopic("wire", "what each type puts on the wire, bit by bit", decode.Wire)
}
