package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// newHelp is the help command: of a command, or of a topic. Unlike cobra's own it refuses a word that is neither.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND...]",
		Short: "help about a command or a topic",
		Long:  `Help describes a command and its flags, or shows a topic: json, language, wire, dialogues, scale.`,
		Example: `  pktscope help decode
  pktscope help schema fmt
  pktscope help language | less`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			cmd, err := findHelp(root, args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, c := range cmd.Commands() {
				if c.IsAvailableCommand() || isTopic(c) {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, err := findHelp(root, args)
			if err != nil {
				return err
			}
			cmd.InitDefaultHelpFlag() // so that the help lists it
			return cmd.Help()
		},
	}
}

// findHelp finds the command or the topic that the words lead to.
func findHelp(cmd *cobra.Command, words []string) (*cobra.Command, error) {
next:
	for _, word := range words {
		for _, c := range cmd.Commands() {
			if c.Name() == word {
				cmd = c
				continue next
			}
		}
		return nil, unknownCommand(cmd, word)
	}
	return cmd, nil
}

// newTopic makes a help topic: a command that does nothing but help.
func newTopic(name, short, long string) *cobra.Command {
	return &cobra.Command{Use: name, Short: short, Long: strings.TrimSuffix(long, "\n")}
}

func isTopic(cmd *cobra.Command) bool { return cmd.IsAdditionalHelpTopicCommand() }
