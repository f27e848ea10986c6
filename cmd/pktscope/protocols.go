package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/scan"
)

func newProtocols(p *program) *cobra.Command {
	var table bool
	cmd := &cobra.Command{
		Use:   "protocols [NAME]",
		Short: "list the built-in protocols and the examples, or print the source of one",
		Long: `Protocols lists the built-in protocols, with their ports, and then the examples, to copy
from: -p accepts their names, but no port chooses them. With a name it prints the source of
that protocol, in the pks language; with NAME.pkd the dialogue that comes with it, which
--dialogue NAME speaks (pktscope help dialogues).

--table prints Markdown: another reader, the judge, that each protocol was compared with. Tests
compare every value that the judge reads in a capture of the repository, and what it reads in
packets that are generated from the schema: its fields, the fixed ones among them, or only
that they are well-formed. Of 100 of these, and of up to 400 that are broken, "stricter" counts those
that are refused here and well-formed for the judge, "looser" the reverse.`,
		Example: `  pktscope protocols
  pktscope protocols --table          # what each was held against
  pktscope protocols netcode.pkd      # what a client of netcode says until it is let in
  pktscope protocols rtype > my.pks   # a start for your own`,
		ValidArgsFunction: cobra.FixedCompletions(protocols.ShippedNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef(cmd, "want one protocol or none, got %d", len(args))
			} else if table && len(args) > 0 {
				return usagef(cmd, "--table is of all protocols: leave out %q", args[0])
			} else if table {
				return p.tableProtocols()
			} else if len(args) == 0 {
				return p.listProtocols()
			}
			text, ok := protocols.Shipped(args[0])
			if name, is := strings.CutSuffix(args[0], ".pkd"); is {
				text, ok = examples.Dialogue(name)
			}
			if !ok {
				return fmt.Errorf("unknown protocol %q: want a built-in (%s)%s", args[0],
					strings.Join(protocols.Names(), ", "), didYouMean(args[0], protocols.ShippedNames()))
			}
			_, err := p.out.Write(text)
			return err
		},
	}
	cmd.Flags().BoolVar(&table, "table", false, "print what each protocol was held against, as Markdown")
	return cmd
}

// tableProtocols prints a row for each judge, in the order of the gallery, and last what has none.
func (p *program) tableProtocols() error {
	var judges []string
	held := map[string][]string{}
	for _, row := range corpus.Gallery {
		name := row.Protocol
		if row.Capture != "" {
			name = "[" + name + "](" + row.Capture + ")"
		}
		var notes []string
		if row.Sender != "" && row.Sender != row.Judge {
			notes = append(notes, "of "+row.Sender)
		}
		if row.Values > 0 {
			notes = append(notes, syntax.Count(row.Values, "value"))
		}
		if row.Beside != "" {
			notes = append(notes, row.Beside)
		}
		if row.Stricter+row.Looser > 0 {
			notes = append(notes, fmt.Sprintf("stricter %d, looser %d", row.Stricter, row.Looser))
		}
		if len(notes) > 0 {
			name += " (" + strings.Join(notes, "; ") + ")"
		}
		if row.Judge != "" && held[row.Judge] == nil {
			judges = append(judges, row.Judge)
		}
		held[row.Judge] = append(held[row.Judge], name)
	}
	b := []byte("| judge | what it was asked about |\n|---|---|\n")
	for _, judge := range judges {
		b = fmt.Appendf(b, "| %s | %s |\n", judge, strings.Join(held[judge], ", "))
	}
	b = fmt.Appendf(b, "| nobody but decode/slow | %s |\n", strings.Join(held[""], ", "))
	_, err := p.out.Write(b)
	return err
}

func (p *program) listProtocols() error {
	w := tabwriter.NewWriter(p.out, 0, 8, 2, ' ', 0)
	for _, d := range scan.Builtins().All() {
		s := d.Plan().Schema
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, schema.PortList(s.Ports), firstSentence(s.Doc))
	}
	fmt.Fprint(w, "\nExamples, by their names alone:\n\n")
	for _, name := range examples.Names() {
		text, _ := examples.Source(name)
		s, _ := schema.LoadFS(protocols.Dir(), name, text, nil)
		fmt.Fprintf(w, "%s\t%s\n", s.Name, firstSentence(s.Doc))
	}
	return w.Flush()
}

// firstSentence is a doc text up to its first full stop, on one line.
func firstSentence(doc string) string {
	doc = strings.Join(strings.Fields(doc), " ")
	if s, _, ok := strings.Cut(doc, ". "); ok {
		return s
	}
	return strings.TrimSuffix(doc, ".")
}
