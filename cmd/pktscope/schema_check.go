package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report"
)

func newSchemaCheck(p *program) *cobra.Command {
	var flags protocolFlags
	cmd := &cobra.Command{
		Use:   "check PROTOCOL...",
		Short: "check .pks files",
		Long: `Check reads protocol descriptions (- is stdin) and says what is wrong with them: the place,
the line, and where it is known what to write instead. A description that passes is a
decoder that is proved to end, on any datagram, within the steps that it prints.

What it finds is what it was asked for and goes to stdout; a file that cannot be read is
told on stderr. (decode, which was asked for packets, tells errors of a schema on stderr.)
Exit 2 if one has an error; warnings do not count.`,
		Example: `  pktscope schema check my.pks
  pktscope schema check -D MaxPlayers=8 my.pks   # with another value of a param`,
		ValidArgsFunction: completeSchemas,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "which protocol? want a .pks file, - for stdin, or a built-in")
			}
			return p.schemaCheck(cmd, &flags, args)
		},
	}
	flags.addParams(cmd)
	return cmd
}

func (p *program) schemaCheck(cmd *cobra.Command, flags *protocolFlags, names []string) error {
	params, err := flags.values(cmd)
	if err != nil {
		return err
	}
	trouble := false
	for _, name := range names {
		src, err := p.findSource(name)
		if err != nil {
			p.complain("%s", err)
			trouble = true
			continue
		}
		d, diags := src.compile(params)
		b := report.AppendDiagnostics(nil, src.name, src.text, diags, p.coloured(p.stdout))
		if d == nil {
			trouble = true
			b = appendTotal(b, src.name, diags)
		} else if !p.quiet {
			b = appendPassed(b, src.name, d.Plan())
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

// appendTotal ends a list of diagnostics that is too long to count with a look.
func appendTotal(b []byte, name string, diags []schema.Diagnostic) []byte {
	var errors int64
	for _, d := range diags {
		if d.Severity == schema.Error {
			errors++
		}
	}
	if errors < 2 {
		return b
	}
	b = syntax.AppendEscaped(b, name)
	return fmt.Appendf(b, ": %s\n", plural(errors, "error"))
}

// appendPassed says what was proved.
func appendPassed(b []byte, name string, made *plan.Plan) []byte {
	b = syntax.AppendEscaped(b, name)
	bound := &made.Bound
	return fmt.Appendf(b, ": ok: protocol %s: at least %d bytes; at most %d bytes, %d fields, %d steps\n", made.Schema.Name,
		(bound.MinBits+7)/8, (bound.MaxBits+7)/8, bound.MaxFields, bound.MaxSteps)
}
