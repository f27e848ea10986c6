package main

import (
	"net"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/pcap/live"
	"github.com/pktscope/pktscope/pcap/relay/line"
)

// Words for the shell's completion.

// completeWords completes a flag that takes one of some words.
func completeWords(cmd *cobra.Command, flag string, words []string) {
	mustComplete(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
}

// completeProtocols completes -p: built-ins, examples, and files of the directory.
func completeProtocols(cmd *cobra.Command) {
	mustComplete(cmd.RegisterFlagCompletionFunc("protocol", completeSchemas))
}

// completePaths completes -e and the first word of -Y with field paths: those of -p's protocol, or of all built-ins.
func completePaths(cmd *cobra.Command, flags *protocolFlags) {
	column := func(path string) string { return path }
	mustComplete(cmd.RegisterFlagCompletionFunc("field", pathWords(flags, column, cobra.ShellCompDirectiveDefault)))
	completeFilter(cmd, flags)
}

// completeFilter completes the first word of -Y.
func completeFilter(cmd *cobra.Command, flags *protocolFlags) {
	// In a filter an element has a number.
	word := func(path string) string { return strings.ReplaceAll(path, "[*]", "[0]") }
	mustComplete(cmd.RegisterFlagCompletionFunc("filter", pathWords(flags, word, cobra.ShellCompDirectiveNoSpace)))
}

// pathWords completes paths in the form that the flag has for them.
func pathWords(flags *protocolFlags, form func(string) string, directive cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		var words []string
		for _, path := range flags.paths(cmd) {
			if word := form(path.Path); word != "" && strings.HasPrefix(word, begun) {
				words = append(words, word+"\t"+path.Type)
			}
		}
		return words, directive | cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFieldPaths completes --field with the paths of the packets themselves.
func completeFieldPaths(cmd *cobra.Command, flags *protocolFlags) {
	mustComplete(cmd.RegisterFlagCompletionFunc("field", func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		var words []string
		for _, path := range flags.paths(cmd)[len(filter.EnvelopePaths()):] {
			if strings.HasPrefix(path.Path, begun) {
				words = append(words, path.Path+"\t"+path.Type)
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}))
}

// completeInterfaces completes -i.
func completeInterfaces(cmd *cobra.Command) {
	mustComplete(cmd.RegisterFlagCompletionFunc("interface", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		all, _ := net.Interfaces() // without them there is nothing to offer
		names := []string{live.Any + "\tall of them"}
		for _, i := range all {
			names = append(names, i.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}))
}

// completeProfiles completes --profile with those that come with pktscope, and files.
func completeProfiles(cmd *cobra.Command) {
	mustComplete(cmd.RegisterFlagCompletionFunc("profile", cobra.FixedCompletions(line.Names(), cobra.ShellCompDirectiveDefault)))
}

// completeUsers completes --user with the one that systems have for this.
func completeUsers(cmd *cobra.Command) { completeWords(cmd, "user", []string{"nobody"}) }

// completeExtensions completes arguments that are files of some kinds.
func completeExtensions(extensions ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

// mustComplete: the flag is there and has no completion yet.
func mustComplete(err error) {
	if err != nil {
		panic("pktscope: internal error: completion: " + err.Error())
	}
}
