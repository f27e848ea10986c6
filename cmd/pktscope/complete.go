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

// completePaths completes -e with field paths, and -Y: those of -p's protocol, or of all built-ins.
func completePaths(cmd *cobra.Command, flags *protocolFlags) {
	mustComplete(cmd.RegisterFlagCompletionFunc("field", func(cmd *cobra.Command, _ []string, begun string) (words []string, _ cobra.ShellCompDirective) {
		for _, path := range filter.AllPaths(flags.plans(cmd)) {
			if strings.HasPrefix(path.Path, begun) {
				words = append(words, path.Path+"\t"+path.Type)
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}))
	completeFilter(cmd, flags)
}

// completeFilter completes the end of -Y.
func completeFilter(cmd *cobra.Command, flags *protocolFlags) {
	mustComplete(cmd.RegisterFlagCompletionFunc("filter", func(cmd *cobra.Command, _ []string, begun string) (words []string, _ cobra.ShellCompDirective) {
		at, list := filter.NewCompleter(flags.plans(cmd)).Complete(begun)
		for _, w := range list {
			words = append(words, begun[:at]+w.Text+"\t"+w.Type)
		}
		return words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}))
}

// completeFieldPaths completes --field with the paths of the packets themselves.
func completeFieldPaths(cmd *cobra.Command, flags *protocolFlags) {
	mustComplete(cmd.RegisterFlagCompletionFunc("field", func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		var words []string
		for _, path := range filter.AllPaths(flags.plans(cmd))[len(filter.EnvelopePaths()):] {
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
