package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/wirediff"
)

type schemaDiffFlags struct {
	format string // -T
	failOn string // --fail-on
	draw   wirediff.Options
}

func newSchemaDiff(p *program) *cobra.Command {
	flags := schemaDiffFlags{draw: wirediff.Options{Seed: 1, Count: 1000}}
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "say what a change of a schema does to the wire",
		Long: `Diff compares two versions of a protocol description (- is stdin) and says for each case of
the packet, and each message, what the change does to both sides:

  old packets   the new reader, and what old writers send
  new packets   old readers, and what the new writer sends

  read        every packet is accepted, with each field of its writer at the same bits, under
              its name or one that is new, and with its value. The two plans prove it
  break       some packet is refused, or read otherwise: one is shown, with the first bit
  undecided   the plans differ, and none of the packets drawn (-c) shows it

What counts is the wire and not the text: a field that is renamed changes nothing, and two
that change places break both sides. A field behind "if rest > 0" at the packet's end lets
the new reader read old packets. What is beside the wire (ports, directions) is a note.

Exit codes: 0, 1 under --fail-on, 2 trouble.`,
		Example: `  pktscope schema diff old.pks new.pks
  git show main:game.pks | pktscope schema diff - game.pks --fail-on wire   # in CI
  pktscope schema diff old.pks new.pks --fail-on new-readers                # servers first
  pktscope schema diff old.pks new.pks -T markdown >> "$GITHUB_STEP_SUMMARY"`,
		ValidArgsFunction: completeSchemas,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef(cmd, "want two schemas, the old one and the new one, got %s", syntax.Count(len(args), "argument"))
			}
			if args[0] == "-" && args[1] == "-" {
				return usagef(cmd, "stdin is one of them, not both")
			}
			return p.schemaDiff(cmd, &flags, args)
		},
	}
	var forms, fails []string
	for _, f := range wirediff.Forms {
		forms = append(forms, f.Word)
	}
	for _, f := range wirediff.FailOns {
		fails = append(fails, f.Word)
	}
	choiceVar(cmd, &flags.format, "format", "T", "text", "print as `FORMAT`", forms)
	choiceVar(cmd, &flags.failOn, "fail-on", "", "none", "exit 1 on `WHAT`", fails)
	cmd.Flags().Int64VarP(&flags.draw.Count, "count", "c", flags.draw.Count, "draw `N` packets of each")
	cmd.Flags().Uint64Var(&flags.draw.Seed, "seed", flags.draw.Seed, "`NUMBER` that the packets follow from")
	return cmd
}

func (p *program) schemaDiff(cmd *cobra.Command, flags *schemaDiffFlags, names []string) error {
	var both [2]*decode.Decoder
	for i, name := range names {
		d, err := p.load(cmd, &protocolFlags{name: name})
		if err != nil {
			return err
		}
		both[i] = d
	}
	r := wirediff.Compare(both[0], both[1], flags.draw)
	form := wirediff.Forms[slices.IndexFunc(wirediff.Forms, func(f wirediff.Form) bool { return f.Word == flags.format })]
	if _, err := p.out.Write(form.Append(nil, r, names[0], names[1])); err != nil {
		return err
	}
	worstOld, worstNew := r.Worst()
	for _, f := range wirediff.FailOns {
		if word, _, _ := strings.Cut(f.Word, " "); word == flags.failOn && f.Fails(worstOld, worstNew) {
			return findings{}
		}
	}
	return nil
}
