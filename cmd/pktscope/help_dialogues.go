package main

import (
	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/fuzz/dialogue"
)

// newHelpDialogues is the help topic that teaches .pkd.
func newHelpDialogues() *cobra.Command {
	return newTopic("dialogues", "the pkd language: what a client says until a server lets it in", dialogue.Language)
}
