package main

import (
	"bytes"
	"github.com/pktscope/pktscope/decode/protocols"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/saved"
)

type fmtFlags struct {
	write bool // -w
	check bool // -l
}

func newSchemaFmt(p *program) *cobra.Command {
	var flags fmtFlags
	cmd := &cobra.Command{
		Use:   "fmt PROTOCOL...",
		Short: "format .pks files",
		Long: `Fmt prints protocol descriptions (- is stdin) in the one style of the language. Comments
keep their places, and the formatted text compiles to the same plan as the original.

A description with a syntax error is left alone: the error goes to stderr, and the exit
code is 2. With -l the exit code is 1 if a file is not formatted.`,
		Example: `  pktscope schema fmt my.pks
  pktscope schema fmt -w *.pks    # in place
  pktscope schema fmt -l *.pks    # list those that are not formatted: for CI`,
		ValidArgsFunction: completeSchemas,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "which protocol? want a .pks file, - for stdin, or a built-in")
			}
			if flags.write {
				for _, name := range args {
					if _, builtIn := protocols.Shipped(name); builtIn || name == "-" {
						return usagef(cmd, "-w: %s is no file that could be rewritten", name)
					}
				}
			}
			return p.schemaFmt(&flags, args)
		},
	}
	cmd.Flags().BoolVarP(&flags.write, "write", "w", false, "rewrite the files that change")
	cmd.Flags().BoolVarP(&flags.check, "check", "l", false, "only list the files that would change; exit 1 if there are any")
	excludes(cmd, "-w rewrites files and -l only lists them", "write", "check")
	return cmd
}

func (p *program) schemaFmt(flags *fmtFlags, names []string) error {
	trouble, unformatted := false, false
	for _, name := range names {
		src, err := p.findSource(name)
		if err != nil {
			p.complain("%s", err)
			trouble = true
			continue
		}
		text, diags := syntax.Format(src.name, src.text)
		if text == nil {
			trouble = true
			if err := p.tellDiagnostics(aboutText(src.name, src.text, diags...)); err != nil {
				return err
			}
			continue
		}
		changes := !bytes.Equal(text, src.text)
		switch {
		case flags.check && changes:
			unformatted = true
			_, err = p.out.Write(append(syntax.AppendLineStart(nil, src.name), '\n'))
		case flags.check:
		case flags.write && changes:
			if err := rewrite(name, text); err != nil {
				p.complain("%s: %s", name, reason(err))
				trouble = true
			}
		case flags.write:
		default:
			err = p.writeSource(text)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case trouble:
		return told{}
	case unformatted:
		return findings{}
	}
	return nil
}

// rewrite puts a formatted text in the place of its source, the one input that a command replaces.
func rewrite(name string, text []byte) error {
	f, err := saved.Replace(name, 0)
	if err != nil {
		return err
	}
	return f.WriteAll(text)
}
