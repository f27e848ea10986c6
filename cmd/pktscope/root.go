package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz/harness"
	"github.com/pktscope/pktscope/pcap"
)

// newRoot makes the command tree for a command line. One that begins with a command gets that alone: the flags of all
// others took as long as to read a small capture. Without args it has every command.
func newRoot(p *program, args ...string) *cobra.Command {
	root := &cobra.Command{
		Use:   "pktscope",
		Short: "the workbench for bit-packed UDP protocols",
		Long: `pktscope is the workbench for bit-packed UDP protocols: describe the packet once in a
.pks file, and see every bit of it, or why it was refused and where.

Data goes to stdout, messages to stderr. Exit codes: 0 done, 1 findings (--fail-on),
2 usage, input that is unreadable, truncated or interrupted, or a schema error. Ctrl-C ends
the reading of a capture, and the counts so far are shown.`,
		Example: `  pktscope decode game.pcap                  # the port decides which built-in protocol
  pktscope decode -p my.pks -V game.pcap     # your own protocol, every field
  pktscope schema check my.pks`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          groupRun,
		Version:       versionLine(),
	}
	root.SetIn(p.stdin)
	root.SetOut(p.out)
	root.SetErr(p.stderr)
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().BoolP("version", "v", false, "print the version")
	flags := root.PersistentFlags()
	choiceVar(root, &p.colour, "color", "", "auto", "`WHEN` to color", []string{"auto (heeds NO_COLOR)", "always", "never"})
	flags.AddFlag(root.Flags().Lookup("color"))
	flags.BoolVarP(&p.quiet, "quiet", "q", false, "print no summary")
	flags.UintVar(&p.maxExpansion, "max-expansion", pcap.DefaultExpansion, "expand a .gz or .zst to 64 MiB, or to `N` times its bytes if that is more (0: any size)")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd) }
	root.SetFlagErrorFunc(flagError)
	cobra.EnableCommandSorting = false // the order is that of the groups
	groups := commandGroups()
	alone := len(args) > 0 && slices.ContainsFunc(groups, func(g group) bool { return g.has(args[0]) })
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			if alone && c.name != args[0] {
				continue
			}
			cmd := c.make(p)
			if cmd.Name() != c.name {
				panic("pktscope: internal error: the command " + cmd.Name() + " is listed as " + c.name)
			}
			cmd.GroupID = g.id
			root.AddCommand(cmd)
		}
	}
	if alone {
		root.CompletionOptions.DisableDefaultCmd = true
		return root
	}
	root.AddCommand(newVersion(p), newMan(p), newHelpJSON(), newHelpLanguage(), newHelpWire(), newHelpDialogues(), newHelpScale())
	addCompletion(root)
	root.SetHelpCommand(newHelp(root))
	root.InitDefaultHelpCmd()
	return root
}

// group is some commands under one title of the help.
type group struct {
	id, title string
	commands  []listed
}

// listed is a command that is made when it is needed.
type listed struct {
	name string
	make func(*program) *cobra.Command
}

func (g group) has(name string) bool {
	return slices.ContainsFunc(g.commands, func(c listed) bool { return c.name == name })
}

func commandGroups() []group {
	return []group{
		{"look", "Look at packets:", []listed{{"decode", newDecode}, {"view", newView}, {"explain", newExplain}, {"stats", newStats}, {"diff", newDiff}, {"shards", newShards}, {"live", newLive}, {"tap", newTap}, {"interfaces", newInterfaces}}},
		{"describe", "Describe a protocol:", []listed{{"schema", newSchema}, {"protocols", newProtocols}, {"encode", newEncode}, {"budget", newBudget}, {"infer", newInfer}}},
		{"attack", "Attack a reader of it:", []listed{{"audit", newAudit}, {"fuzz", newFuzz}, {"dialogue", newDialogue}, {"corpus", newCorpus}}},
		{"make", "Make code and reports:", []listed{{"gen", newGen}, {"report", newReport}}},
		{"programs", "For other programs:", []listed{{"extcap", newExtcap}, {"lsp", newLSP}}},
	}
}

// addCompletion adds cobra's completion command, with examples and with an error for a shell that it does not know.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Short = "print the completion script of a shell"
		cmd.Long = "Completion prints a script that completes commands, flags, protocols and interfaces in a shell."
		cmd.Example = "  source <(pktscope completion bash)"
		cmd.Args, cmd.RunE = cobra.ArbitraryArgs, groupRun
		for _, shell := range cmd.Commands() {
			shell.Short = "print the completion script of " + shell.Name()
			shell.Example = completionExamples[shell.Name()]
		}
	}
}

var completionExamples = map[string]string{
	"bash":       "  pktscope completion bash > /etc/bash_completion.d/pktscope",
	"zsh":        "  pktscope completion zsh > \"${fpath[1]}/_pktscope\"",
	"fish":       "  pktscope completion fish > ~/.config/fish/completions/pktscope.fish",
	"powershell": "  pktscope completion powershell | Out-String | Invoke-Expression",
}

// groupRun is the run function of a command that only has commands: it helps, or says which command was meant.
func groupRun(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return unknownCommand(cmd, args[0])
}

func unknownCommand(cmd *cobra.Command, word string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || isTopic(c) {
			names = append(names, c.Name())
		}
	}
	return usagef(cmd, "unknown command %q%s", word, cmp.Or(elsewhere(cmd, word), didYouMean(word, names)))
}

// elsewhere is what to write for a word that is a command of a group, or a language of gen, "" where it is neither.
func elsewhere(cmd *cobra.Command, word string) string {
	if cmd.Name() == "gen" && slices.Contains(harness.Languages(), word) {
		return fmt.Sprintf("; generated code is Go or TypeScript: gen go, gen ts; what attacks a reader in %s is `pktscope gen harness --lang %s`", word, word)
	}
	for _, group := range cmd.Root().Commands() {
		for _, c := range group.Commands() {
			if c.Name() == word && group.IsAvailableCommand() && c.IsAvailableCommand() {
				return fmt.Sprintf("; write `%s`", c.CommandPath())
			}
		}
	}
	return ""
}

// didYouMean is the end of a message about a wrong word: `; did you mean "decode"?`, or "" when no word is near.
func didYouMean(word string, among []string) string {
	if s := syntax.Suggest(word, among); s != "" {
		return `; did you mean "` + s + `"?`
	}
	return ""
}

// coloured decides whether what goes to f is in colour. An explicit --color wins over NO_COLOR (https://no-color.org).
func (p *program) coloured(f *os.File) bool {
	switch p.colour {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(f)
}

func isTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()) }
