package main

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
)

func newProtocols(p *program) *cobra.Command {
	var table bool
	cmd := &cobra.Command{
		Use:   "protocols [NAME]",
		Short: "list the built-in protocols and the examples, or print the source of one",
		Long: `Protocols lists the built-in protocols, with their ports, and then the examples, which are
to copy from: -p takes their names, but no port chooses them. With a name it prints the
source of that protocol, in the pks language; with NAME.pkd the dialogue that comes with it,
as --dialogue NAME speaks it (pktscope help dialogues).

--table prints Markdown: for each its capture in the repository, who sent it, and who else has
said what is in it: tests compare every value that the judge named (of the capture), and
fields of packets that are generated from the schema. A protocol without a judge stands on
its specification and on decode/slow alone.`,
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

func (p *program) tableProtocols() error {
	b := []byte("| protocol | capture | sent by | judge | values of it | of generated packets |\n|---|---|---|---|---|---|\n")
	for _, row := range corpus.Gallery {
		capture, values := "", ""
		if row.Capture != "" {
			capture = "[" + path.Base(row.Capture) + "](" + row.Capture + ")"
		}
		if row.Values > 0 {
			values = strconv.Itoa(row.Values)
		}
		b = fmt.Appendf(b, "| `%s` | %s | %s | %s | %s | %s |\n", row.Protocol, capture, row.Sender, row.Judge, values, row.Made)
	}
	_, err := p.out.Write(b)
	return err
}

func (p *program) listProtocols() error {
	w := tabwriter.NewWriter(p.out, 0, 8, 2, ' ', 0)
	for _, d := range builtins() {
		s := d.Plan().Schema
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, s.PortList(), firstSentence(s.Doc))
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
