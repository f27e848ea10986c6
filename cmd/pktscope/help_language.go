package main

import (
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/spf13/cobra"
)

// newHelpLanguage is the help topic that teaches .pks: the language page, as it stands in the source tree.
func newHelpLanguage() *cobra.Command {
	return &cobra.Command{
		Use:   "language",
		Short: "the pks language: how to describe a protocol, with its grammar",
		Long:  schema.Language,
	}
}
