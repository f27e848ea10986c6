package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/saved"
)

// genFile is a command that writes one source file of a protocol.
type genFile struct {
	name, short, long, example string
	language                   string // what --lang is the language of
	languages                  []string
	fileName                   func(language string) string
	// source is the text; protocol and file are as a shell takes them.
	source func(language string, p *plan.Plan, protocol, file string) string
	mode   saved.Mode
}

// genFileFlags are the flags of such a command.
type genFileFlags struct {
	protocol protocolFlags
	language string
	out      string
}

func (g *genFile) command(p *program) *cobra.Command {
	var flags genFileFlags
	cmd := &cobra.Command{
		Use: g.name + " --lang LANGUAGE -p PROTOCOL", Short: g.short, Long: g.long, Example: g.example,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "gen %s takes no arguments: the protocol goes behind -p, the file behind -o", g.name)
			}
			return g.run(p, cmd, &flags)
		},
	}
	flags.protocol.add(cmd)
	f := cmd.Flags()
	choiceVar(cmd, &flags.language, "lang", "", "", "`LANGUAGE` of the "+g.language, g.languages)
	out := "write `FILE`; - is stdout"
	if g.mode&saved.MustBeNew != 0 {
		out = "write `FILE`, which must not exist yet; - is stdout"
	}
	f.StringVarP(&flags.out, "output", "o", "-", out)
	return cmd
}

func (g *genFile) run(p *program, cmd *cobra.Command, flags *genFileFlags) error {
	if flags.protocol.name == "" {
		return usagef(cmd, "which protocol? want -p with a built-in or a .pks file")
	}
	if flags.language == "" {
		return usagef(cmd, "in which language? want --lang %s", alternatives(g.languages))
	}
	d, err := p.load(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	file := g.fileName(flags.language)
	if flags.out != "-" {
		file = filepath.Base(flags.out)
	}
	text := g.source(flags.language, d.Plan(), report.ShellCommand(flags.protocol.words()), report.ShellCommand([]string{file}))
	return p.writeOut(flags.out, []byte(text), g.mode)
}

// writeOut writes what -o names; - is stdout.
func (p *program) writeOut(out string, text []byte, mode saved.Mode) error {
	if out == "-" {
		_, err := p.out.Write(text)
		return err
	}
	switch err := p.writeFile(out, text, mode); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s exists: remove it, or write another file", out)
	case err != nil:
		return outputError(out, err)
	}
	return nil
}
