package main

import (
	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema"
)

// newHelpLanguage is the help topic that teaches .pks: the language page, as it is in the source tree.
func newHelpLanguage() *cobra.Command {
	return newTopic("language", "the pks language: how to describe a protocol, with its grammar", schema.Language)
}
