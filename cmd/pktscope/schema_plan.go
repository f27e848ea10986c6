package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

func newSchemaPlan(p *program) *cobra.Command {
	var flags protocolFlags
	cmd := &cobra.Command{
		Use:   "plan PROTOCOL",
		Short: "show the plan that a protocol compiles to, with its proof",
		Long: `Plan shows what a built-in protocol or a .pks file compiles to: the ops that decode a
packet, each with its line in the source, and the proof that they end: the longest packet,
the most fields and the most steps.`,
		Example: `  pktscope schema plan rtype
  pktscope schema plan my.pks`,
		ValidArgsFunction: completeSchemas,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef(cmd, "want one protocol, a built-in or a .pks file, got %d", len(args))
			}
			flags.name = args[0]
			return p.schemaPlan(cmd, &flags)
		},
	}
	flags.addParams(cmd)
	return cmd
}

func (p *program) schemaPlan(cmd *cobra.Command, flags *protocolFlags) error {
	d, err := p.load(cmd, flags)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := d.Disassemble(&text); err != nil {
		return err
	}
	_, err = p.out.Write(syntax.AppendEscapedLines(nil, text.String()))
	return err
}

// writeSource writes a schema's text as it is, or so that a terminal obeys none of it.
func (p *program) writeSource(text []byte) error {
	if isTerminal(p.stdout) {
		text = syntax.AppendEscapedLines(nil, string(text))
	}
	_, err := p.out.Write(text)
	return err
}
