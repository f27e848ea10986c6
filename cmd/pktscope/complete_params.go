package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// completeParams completes -D: the params of what -p names or, in the commands without -p, of the first argument. With
// the equals sign it completes the value, which is the one that holds without -D.
func (f *protocolFlags) completeParams(cmd *cobra.Command) {
	mustComplete(cmd.RegisterFlagCompletionFunc("define", func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		name := f.name
		if cmd.Flags().Lookup("protocol") == nil && len(args) > 0 {
			name = args[0]
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		var words []string
		for _, param := range paramsOf(name) {
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

// paramsOf is the params of a protocol, none when it has an error: a completion has nowhere to say so. Only what is a file
// is read, because stdin and pipes would be waited for.
func paramsOf(name string) []*schema.Const {
	text, ok := protocols.Source(name)
	if !ok {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > syntax.MaxSource {
			return nil
		}
		if text, err = os.ReadFile(name); err != nil {
			return nil
		}
	}
	checked, _ := schema.Load(name, text, nil)
	if checked == nil {
		return nil
	}
	return checked.Params
}
