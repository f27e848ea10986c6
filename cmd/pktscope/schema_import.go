package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/importer"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/saved"
)

func newSchemaImport(p *program) *cobra.Command {
	var options importer.Options
	out := "-"
	var endings []string
	for _, l := range importer.Languages {
		for _, e := range l.Extensions {
			endings = append(endings, e[1:])
		}
	}
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "draft a .pks file from a description in another language",
		Long: `Import reads what describes the same packets in another language (- is stdin) and writes a
.pks file, which checks and is formatted:

  schema   .schema files of mas-bandwidth/schema: all files of a unit are given together.
           The packet is one of its messages, after the tag that its compiler gives them;
           with --packet a message or type by itself. The draft refuses what its generated
           readers refuse, and bytes after the last field, at which those do not look. Its
           table wire, and the shallow form of objects, are left out
  cpp      C++ headers: Serialize functions in the style of mas-bandwidth/serialize, statement
           by statement, and packed structs, member by member. The packet is the struct that
           no other holds, or that of --packet; where an enum's cases have the names of
           other structs, these follow it. A first draft: read it beside the code

What the source leaves open, and what a .pks file cannot say, is a comment that begins with
"// ?" at its place in the draft and a warning on stderr with the line of the source. Read
those, and add port and max datagram, which no such file has.`,
		Example: `  pktscope schema import Game.schema -o game.pks
  pktscope schema import *.schema --packet Snapshot | pktscope schema check -
  pktscope schema import Protocol.hpp --packet Header --order msb -o game.pks
  pktscope schema import Game.schema -o game.pks && pktscope audit -p game.pks --target exec:./reader`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return endings, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "which file? want %s, or - for stdin with --from", "."+strings.Join(endings, ", ."))
			}
			return p.schemaImport(args, options, out)
		},
	}
	choiceVar(cmd, &options.From, "from", "", "", "`LANGUAGE` of the files; by default what the first one's name ends with", importer.Words())
	choiceVar(cmd, &options.Order, "order", "", "", "bytes' `ORDER` in packed structs", []string{"lsb (as x86 and ARM have them)", "msb (network order)"})
	f := cmd.Flags()
	f.StringVar(&options.Packet, "packet", "", "`TYPE` that is the packet by itself")
	f.StringVarP(&out, "output", "o", out, "write `FILE`, which must not exist yet; - is stdout")
	return cmd
}

func (p *program) schemaImport(names []string, o importer.Options, out string) error {
	var files []importer.File
	for _, name := range names {
		src, err := p.readSource(name)
		if err != nil {
			return err
		}
		files = append(files, importer.File{Name: name, Src: src.text})
	}
	draft, err := importer.Import(files, o)
	var mistakes *syntax.Diagnostics
	switch {
	case errors.As(err, &mistakes):
		if err := p.tellDiagnostics(mistakes); err != nil {
			return err
		}
		return told{}
	case err != nil:
		return err
	}
	if out == "-" {
		err = p.writeSource(draft.Source)
	} else {
		err = p.writeOut(out, draft.Source, saved.MustBeNew)
	}
	if err == nil && !p.quiet {
		err = p.tellDiagnostics(&draft.Warnings)
	}
	return err
}
