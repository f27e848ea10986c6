package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/report/schemadoc"
)

type docFlags struct {
	protocol protocolFlags
	format   string // -T
	out      string // -o
}

func newSchemaDoc(p *program) *cobra.Command {
	var flags docFlags
	cmd := &cobra.Command{
		Use:   "doc PROTOCOL",
		Short: "document a protocol: bit diagrams, ranges, rules",
		Long: `Doc documents a protocol (a built-in, a .pks file, or - for stdin) as Markdown or as one
self-contained HTML file: what a packet and its messages may be, what a flow keeps, a bit
diagram and a table for each struct, what its fields hold, whole, in pieces or sealed, the
enums, and every rule that refuses a packet or a message.`,
		Example: `  pktscope schema doc rtype
  pktscope schema doc -T html -o my.html my.pks
  pktscope schema doc -D MaxPlayers=8 my.pks    # with another value of a param`,
		ValidArgsFunction: completeSchemas,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef(cmd, "want one protocol, a built-in or a .pks file, got %d", len(args))
			}
			flags.protocol.name = args[0]
			return p.schemaDoc(cmd, &flags)
		},
	}
	flags.protocol.addParams(cmd)
	choiceVar(cmd, &flags.format, "format", "T", "markdown", "write as `FORMAT`", []string{"markdown", "html"})
	cmd.Flags().StringVarP(&flags.out, "output", "o", "-", "write to `FILE`")
	return cmd
}

func (p *program) schemaDoc(cmd *cobra.Command, flags *docFlags) error {
	d, err := p.load(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	write := schemadoc.Markdown
	if flags.format == "html" {
		write = schemadoc.HTML
	}
	if flags.out == "-" {
		return write(p.out, d.Plan())
	}
	var text bytes.Buffer
	if err := write(&text, d.Plan()); err != nil {
		return err
	}
	if err := p.writeFile(flags.out, text.Bytes(), 0); err != nil {
		return outputError(flags.out, err)
	}
	return nil
}
