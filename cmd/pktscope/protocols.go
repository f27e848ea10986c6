package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
)

func newProtocols(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "protocols [NAME]",
		Short: "list the built-in protocols and the examples, or print the source of one",
		Long: `Protocols lists the built-in protocols, with their ports, and then the examples, which are
to copy from: -p takes their names, but no port chooses them. With a name it prints the
source of that protocol, in the pks language; with NAME.pkd the dialogue that comes with it,
as --dialogue NAME speaks it (pktscope help dialogues).`,
		Example: `  pktscope protocols
  pktscope protocols netcode.pkd      # what a client of netcode says until it is let in
  pktscope protocols rtype > my.pks   # a start for your own`,
		ValidArgsFunction: cobra.FixedCompletions(protocols.ShippedNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef(cmd, "want one protocol or none, got %d", len(args))
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
