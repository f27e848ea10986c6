package main

import (
	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/report"
)

func newSchemaCheck(p *program) *cobra.Command {
	var flags protocolFlags
	cmd := &cobra.Command{
		Use:   "check PROTOCOL...",
		Short: "check .pks files",
		Long: `Check reads protocol descriptions (- is stdin) and reports their mistakes: the place, the
line and, where it is known, what to write instead. A description without mistakes becomes
a decoder that provably ends, on any datagram, within the number of steps that is printed.

The mistakes are check's result and go to stdout; a file that cannot be read is reported on
stderr. (In decode, whose result is packets, mistakes of a schema go to stderr.) The exit
code is 2 if a description has a mistake; warnings do not count.`,
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
		b := report.AppendDiagnostics(nil, diags, p.coloured(p.stdout))
		if d == nil {
			trouble = true
			b = report.AppendErrorCount(b, src.name, diags.List)
		} else if !p.quiet {
			b = report.AppendBounds(b, src.name, d.Plan())
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
