package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// completeSections completes --section: the messages of what -p names.
func (pf *protocolFlags) completeSections(cmd *cobra.Command) {
	mustComplete(cmd.RegisterFlagCompletionFunc("section", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		var words []string
		if d := compileQuietly(pf.name, nil); d != nil {
			for _, m := range d.Schema().Sections {
				words = append(words, cobra.CompletionWithDesc(m.Name, fmt.Sprintf("at most %d bytes", m.Max)))
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}))
}

// completeParams completes -D: the params of what -p names or, in the commands without -p, of the first argument. With
// the equals sign it completes the value, which is the one that holds without -D.
func (pf *protocolFlags) completeParams(cmd *cobra.Command) {
	mustComplete(cmd.RegisterFlagCompletionFunc("define", func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		name := pf.name
		if cmd.Flags().Lookup("protocol") == nil && len(args) > 0 {
			name = args[0]
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		var words []string
		d := compileQuietly(name, nil)
		if d == nil {
			return nil, directive
		}
		for _, param := range d.Schema().Params {
			value := param.Name + "=" + param.Value.String()
			switch {
			case strings.Contains(word, "="):
				words = append(words, value)
			default:
				directive |= cobra.ShellCompDirectiveNoSpace
				words = append(words, cobra.CompletionWithDesc(param.Name+"=",
					fmt.Sprintf("%s..%s, %s unless given", param.Lo, param.Hi, param.Value)))
			}
		}
		return words, directive
	}))
}
