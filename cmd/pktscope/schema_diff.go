package main

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/scan"
	"github.com/pktscope/pktscope/report/wirediff"
)

type schemaDiffFlags struct {
	format  string   // -T
	failOn  string   // --fail-on
	on      string   // --on
	defines []string // -D
	draw    wirediff.Options
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
that change places break both sides. A field after "if rest > 0" at the packet's end lets
the new reader read old packets; so does a field where bits were reserved. After a change
that moves bits, the rest of its block is compared by name, and diff says so. What is beside
the wire (ports, directions) is a note.

With --on a capture decides: every packet is decoded under both schemas, A and B, and diff
counts what each accepts, where the verdicts first differ, and how B's fields fit A's: a
boundary is a bit where a field begins, precision the share of B's boundaries that A has,
recall the share of A's that B has, exact the share of A's fields that B has bit for bit.
It does so for each type of packet (A's cases) that A accepts; the figures above the table are
means over the types, without those under 0.5 % of the packets. So a draft is held against
the truth, or two drafts against each other. Messages in packets are not looked into.

Exit codes: 0, 1 under --fail-on, 2 trouble. With --on a reader that refuses a packet which the
other accepts is at fault, and both are where their fields differ.`,
		Example: `  pktscope schema diff old.pks new.pks
  git show main:game.pks | pktscope schema diff - game.pks --fail-on wire   # in CI
  pktscope schema diff old.pks new.pks --fail-on new-readers                # servers first
  pktscope schema diff old.pks new.pks -T markdown >> "$GITHUB_STEP_SUMMARY"
  pktscope schema diff game.pks game.pks -D new:MaxPlayers=16              # another param
  pktscope schema diff --on game.pcap truth.pks guess.pks                  # how good a guess is`,
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
	numberVar(cmd, &flags.draw.Count, "count", "c", flags.draw.Count, 0, math.MaxInt64, "draw `N` packets of each", " packets")
	cmd.Flags().Uint64Var(&flags.draw.Seed, "seed", flags.draw.Seed, "`NUMBER` that decides the packets")
	filledVar(cmd, &flags.on, "on", "", "compare the two over the packets of a `CAPTURE` (- is stdin)", "a capture, or - for stdin")
	mustComplete(cmd.RegisterFlagCompletionFunc("on", completeExtensions("pcap", "pcapng", "cap")))
	excludes(cmd, "a capture's packets are not drawn", "on", "count", "seed")
	cmd.Flags().StringArrayVarP(&flags.defines, "define", "D", nil, "set a param of both: `Name=value`; old:Name=value or new:Name=value of one")
	(&protocolFlags{}).completeParams(cmd)
	return cmd
}

func (p *program) schemaDiff(cmd *cobra.Command, flags *schemaDiffFlags, names []string) error {
	both, err := p.loadBoth(cmd, flags.defines, names)
	if err != nil {
		return err
	}
	form := wirediff.Forms[slices.IndexFunc(wirediff.Forms, func(f wirediff.Form) bool { return f.Word == flags.format })]
	fails := wirediff.FailOns[slices.IndexFunc(wirediff.FailOns, func(f wirediff.FailOn) bool {
		word, _, _ := strings.Cut(f.Word, " ")
		return word == flags.failOn
	})].Fails
	var text []byte
	var worst [2]wirediff.Verdict
	var unread error
	if flags.on == "" {
		r := wirediff.Compare(both[0], both[1], flags.draw)
		text = form.Append(nil, r, names[0], names[1])
		worst[0], worst[1] = r.Worst()
	} else {
		in, done, err := p.openCapture(flags.on)
		if err != nil {
			return err
		}
		defer done()
		score, err := wirediff.Over(scan.From(p.readCapture(nil, in, in)), both[0], both[1])
		if err != nil {
			unread = inputError(flags.on, err)
		}
		text = form.Score(nil, score, wirediff.Names{Capture: flags.on, A: names[0], B: names[1]})
		worst[0], worst[1] = wirediff.WorstOver(score)
	}
	if _, err := p.out.Write(text); err != nil || unread != nil {
		return cmp.Or(err, unread)
	}
	if fails(worst[0], worst[1]) {
		return findings{}
	}
	return nil
}

// loadBoth loads two schemas with what -D gives each.
func (p *program) loadBoth(cmd *cobra.Command, defines, names []string) (both [2]*decode.Decoder, err error) {
	var sources [2]*source
	var has [2][]string
	for i, name := range names {
		if sources[i], err = p.findSource(name); err != nil {
			return both, err
		}
		d, diags := sources[i].compile(nil)
		if d == nil {
			return both, p.refuseSchema(diags)
		}
		both[i] = d
		for _, param := range d.Schema().Params {
			has[i] = append(has[i], param.Name)
		}
	}
	given, err := wirediff.Defines(defines, has)
	if err != nil {
		return both, usagef(cmd, "-D %s", err)
	}
	for i, list := range given {
		if len(list) == 0 {
			continue
		}
		params, err := paramsOf(cmd, "-D", list)
		if err != nil {
			return both, err
		}
		d, diags := sources[i].compile(params)
		if d == nil {
			return both, p.refuseSchema(diags)
		}
		both[i] = d
	}
	return both, nil
}
