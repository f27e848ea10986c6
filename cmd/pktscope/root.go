package main

import (
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
)

func newRoot(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:   "pktscope",
		Short: "the workbench for bit-packed UDP protocols",
		Long: `pktscope is the workbench for bit-packed UDP protocols: describe the packet once in a
.pks file, and see every bit of it, or why it was refused and where.

Data goes to stdout, messages to stderr. Exit codes: 0 done, 1 findings (--fail-on),
2 usage, input that is unreadable, truncated or interrupted, or a schema error. Ctrl-C ends
the reading of a capture: what was counted until then is shown.`,
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
	flags.StringVar(&p.colour, "color", "auto", "`WHEN`: auto (heeds NO_COLOR), always, never")
	flags.BoolVarP(&p.quiet, "quiet", "q", false, "no summary")
	flags.UintVar(&p.maxExpansion, "max-expansion", pcap.DefaultExpansion, "a .gz or .zst may hold 64 MiB, or `N` times its bytes where that is more (0: any number)")
	completeWords(root, "color", colours)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		return oneOf(cmd, "--color", p.colour, colours)
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newDecode(p), newEncode(p), newAudit(p), newFuzz(p), newLive(p), newExplain(p), newStats(p), newBudget(p),
		newDiff(p), newGen(p), newSchema(p), newCorpus(p), newProtocols(p), newVersion(p), newMan(p), newHelpJSON(), newHelpLanguage(),
		newHelpWire())
	root.AddCommand(newInterfaces(p), newTap(p), newReport(p))
	addCompletion(root)
	root.SetHelpCommand(newHelp(root))
	root.InitDefaultHelpCmd()
	return root
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
	return usagef(cmd, "unknown command %q%s", word, didYouMean(word, names))
}

// didYouMean is what stands behind a wrong word: `; did you mean "decode"?`, or nothing when no word is near.
func didYouMean(word string, among []string) string {
	if s := syntax.Suggest(word, among); s != "" {
		return `; did you mean "` + s + `"?`
	}
	return ""
}

// flagError says which flag was meant. A mistake in flags is a usage error.
func flagError(cmd *cobra.Command, err error) error {
	message := err.Error()
	if name, ok := strings.CutPrefix(message, "unknown flag: --"); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if s := syntax.Suggest(name, names); s != "" {
			message += "; did you mean --" + s + "?"
		}
	}
	// What went wrong inside strconv is of no use to who reads this.
	if before, after, ok := strings.Cut(message, "strconv."); ok {
		if _, what, ok := strings.Cut(after, "\": "); ok {
			message = before + what
		}
	}
	return usagef(cmd, "%s", message)
}

// oneOf checks a flag that takes one of some words.
func oneOf(cmd *cobra.Command, flag, value string, words []string) error {
	for _, w := range words {
		if w == value {
			return nil
		}
	}
	return usagef(cmd, "%s %q: want %s%s", flag, value, strings.Join(words, ", "), didYouMean(value, words))
}

var colours = []string{"auto", "always", "never"}

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
