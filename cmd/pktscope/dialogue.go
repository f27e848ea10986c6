package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz/dialogue"
	"github.com/pktscope/pktscope/fuzz/process"
	"github.com/pktscope/pktscope/fuzz/udp"
	"github.com/pktscope/pktscope/report"
)

func newDialogue(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dialogue",
		Short: "check what a client says until a server lets it in",
		Long: `A dialogue is a .pkd file: what a client sends and expects until a server lets it in, what it
keeps the session alive with, and what may be attacked then. audit and fuzz speak it with
--dialogue. pktscope help dialogues describes the language.`,
		Example: `  pktscope dialogue check -p rtype join.pkd`,
		Args:    cobra.ArbitraryArgs,
		RunE:    groupRun,
	}
	cmd.AddCommand(newDialogueCheck(p))
	return cmd
}

func newDialogueCheck(p *program) *cobra.Command {
	var flags protocolFlags
	var values valueFlags
	cmd := &cobra.Command{
		Use:   "check -p PROTOCOL FILE...",
		Short: "check .pkd files, and print what they say",
		Long: `Check holds dialogues (- is stdin, a name alone the one that comes with a protocol) against
a protocol: cases, fields, what values they may have, names that are used before they are
bound, and secrets that would be sent in fields that the protocol does not call @secret. The
checked dialogue goes to stdout, with the values of secrets masked, and so do the mistakes.
The exit code is 2 if a dialogue has a mistake.`,
		Example: `  pktscope dialogue check -p rtype join.pkd`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "which dialogue? want a .pkd file, or - for stdin")
			}
			d, err := p.protocolOf(cmd, &flags)
			if err != nil {
				return err
			}
			return p.dialogueCheck(d, &values, args)
		},
	}
	flags.addWhole(cmd)
	values.add(cmd.Flags())
	return cmd
}

func (p *program) dialogueCheck(d *decode.Decoder, values *valueFlags, names []string) error {
	trouble := false
	for _, name := range names {
		src, err := p.findDialogue(name)
		if err != nil {
			p.complain("%s", err)
			trouble = true
			continue
		}
		talk, err := dialogue.Load(src.name, src.text, d)
		var wrong *syntax.Diagnostics
		var b []byte
		switch {
		case errors.As(err, &wrong):
			trouble = true
			b = report.AppendErrorCount(report.AppendDiagnostics(nil, wrong, p.coloured(p.stdout)), src.name, wrong.List)
		case err != nil:
			return err
		default:
			if err := values.put(p, talk.NewValues(), false); err != nil {
				return err
			}
			b = talk.AppendText(nil)
		}
		if p.quiet && err == nil {
			continue
		}
		if _, err := p.out.Write(b); err != nil {
			return err
		}
	}
	if trouble {
		return told{}
	}
	return nil
}

// findDialogue reads a .pkd file, stdin for `-`, or the dialogue that comes with the protocol of a name.
func (p *program) findDialogue(name string) (*source, error) {
	if text, ok := examples.Dialogue(name); ok {
		return &source{name: name + ".pkd", text: text}, nil
	}
	return p.readSource(name)
}

// talk reads the dialogue of --dialogue, or of the finding of --replay, with the values of its params; nil for none.
func (p *program) talk(d *decode.Decoder, t *targetFlags) (*udp.Talk, error) {
	var talk *dialogue.Dialogue
	var values *dialogue.Values
	var err error
	switch {
	case t.dialogue != "":
		src, problem := p.findDialogue(t.dialogue)
		if problem != nil {
			return nil, fmt.Errorf("--dialogue %w", problem)
		}
		if talk, err = dialogue.Load(src.name, src.text, d); err == nil {
			values = talk.NewValues()
		}
	case t.spoken != nil && isUDP(t.spec):
		talk, values, err = dialogue.LoadSpoken("the finding's dialogue", t.spoken, d)
	case t.values.given():
		return nil, errors.New("--set and --set-exec are for --dialogue, and the finding has no dialogue for this target")
	default:
		return nil, nil
	}
	var wrong *syntax.Diagnostics
	if errors.As(err, &wrong) {
		if err := p.out.Flush(); err != nil {
			return nil, err
		}
		if _, err := p.stderr.Write(report.AppendDiagnostics(nil, wrong, p.coloured(p.stderr))); err != nil {
			return nil, err
		}
		return nil, told{}
	}
	if err != nil {
		return nil, err
	}
	if err := t.values.put(p, values, true); err != nil {
		return nil, err
	}
	return &udp.Talk{Dialogue: talk, Values: values}, nil
}

// valueFlags are --set and --set-exec: the values of a dialogue's params.
type valueFlags struct {
	set, run []string
}

func (v *valueFlags) add(f *pflag.FlagSet) {
	f.StringArrayVar(&v.set, "set", nil, "a param of the dialogue: `NAME=VALUE`, or NAME=@FILE with a line for each session")
	f.StringArrayVar(&v.run, "set-exec", nil, "a param of the dialogue is what a command prints, for each session: `NAME=CMD`")
}

func (v *valueFlags) given() bool { return len(v.set)+len(v.run) > 0 }

// put adds the values to those of a dialogue. All that it has params for must be there then, where that is asked. No
// error holds a value, which may be a secret.
func (v *valueFlags) put(p *program, values *dialogue.Values, all bool) error {
	for _, one := range v.set {
		p.inputs.expect(strings.SplitAfterN(one, "=@", 2)...)
		if err := values.SetText(one, os.ReadFile, reason); err != nil {
			return fmt.Errorf("--set %w", err)
		}
	}
	for _, one := range v.run {
		name, command, ok := strings.Cut(one, "=")
		if !ok {
			return errors.New("--set-exec: want NAME=CMD")
		}
		make, err := process.LineOf(command)
		if err == nil {
			err = values.SetMaker(name, make)
		}
		if err != nil {
			return fmt.Errorf("--set-exec %w", err)
		}
	}
	if missing := values.Missing(); all && missing != "" {
		return fmt.Errorf("--dialogue: param %s has no value: want --set %s=VALUE", missing, missing)
	}
	return nil
}
