package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	fileName                   func(language string, p *plan.Plan) string
	// source is the text; protocol and file are as a shell takes them.
	source func(language string, p *plan.Plan, protocol, file string) string
	mode   saved.Mode
	// folder is where --install puts the file, and mine tells one of ours that is there from what somebody else wrote; nil
	// of a command without --install.
	folder func() (string, error)
	mine   func(text []byte) bool
}

// genFileFlags are the flags of such a command.
type genFileFlags struct {
	protocol protocolFlags
	language string
	out      string
	install  bool
}

func (g *genFile) command(p *program) *cobra.Command {
	var flags genFileFlags
	cmd := &cobra.Command{
		Use: g.name + " -p PROTOCOL", Short: g.short, Long: g.long, Example: g.example,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "gen %s takes no arguments: the protocol goes after -p, the file after -o", g.name)
			}
			return g.run(p, cmd, &flags)
		},
	}
	flags.protocol.add(cmd)
	f := cmd.Flags()
	if len(g.languages) > 0 {
		cmd.Use = g.name + " --lang LANGUAGE -p PROTOCOL"
		choiceVar(cmd, &flags.language, "lang", "", "", "`LANGUAGE` of the "+g.language, g.languages)
	}
	out := "write `FILE`; - is stdout"
	if g.mode&saved.MustBeNew != 0 {
		out = "write `FILE`, which must not exist yet; - is stdout"
	}
	f.StringVarP(&flags.out, "output", "o", "-", out)
	if g.folder != nil {
		f.BoolVar(&flags.install, "install", false, "write it where the program looks for it")
		cmd.MarkFlagsMutuallyExclusive("output", "install")
	}
	return cmd
}

func (g *genFile) run(p *program, cmd *cobra.Command, flags *genFileFlags) error {
	if flags.protocol.name == "" {
		return usagef(cmd, "which protocol? want -p with a built-in or a .pks file")
	}
	if flags.language == "" && len(g.languages) > 0 {
		return usagef(cmd, "in which language? want --lang %s", alternatives(g.languages))
	}
	d, err := p.loadKeepless(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	file := g.fileName(flags.language, d.Plan())
	if flags.install {
		dir, err := g.folder()
		if err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return outputError(dir, err)
		}
		flags.out = filepath.Join(dir, file)
	}
	if err := ours(flags.out, "gen "+g.name, ", or write another file with -o", g.mine); err != nil {
		return err
	}
	if flags.out != "-" {
		file = filepath.Base(flags.out)
	}
	text := g.source(flags.language, d.Plan(), report.ShellCommand(flags.protocol.words()), report.ShellCommand([]string{file}))
	if err := p.writeOut(flags.out, []byte(text), g.mode); err != nil {
		return err
	}
	if flags.install && !p.quiet {
		p.complain("%s is written", flags.out)
	}
	return nil
}

// writeOut writes what -o names; - is stdout.
func (p *program) writeOut(out string, text []byte, mode saved.Mode) error {
	if out == "-" {
		_, err := p.out.Write(text)
		return err
	}
	switch err := p.writeFile(out, text, mode); {
	case errors.Is(err, fs.ErrExist):
		return existing(out)
	case err != nil:
		return outputError(out, err)
	}
	return nil
}

func existing(out string) error {
	return fmt.Errorf("%s exists: remove it, or write another file", out)
}

// mustBeNew is the error of a file that -o names and that exists; writeOut looks once more, when the file is written.
func mustBeNew(out string) error {
	if _, err := os.Lstat(out); out == "-" || err != nil {
		return nil
	}
	return existing(out)
}

// ours refuses a file that mine, if there is one, does not know. by writes it, and or is what else its user can do.
func ours(file, by, or string, mine func([]byte) bool) error {
	if info, err := os.Stat(file); mine == nil || err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // what is wrong with it, writing it says
	}
	if text, err := os.ReadFile(file); err == nil && !mine(text) {
		return fmt.Errorf("%s exists, and %s did not write it: move it away%s", file, by, or)
	}
	return nil
}
