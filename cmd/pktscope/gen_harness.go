package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/fuzz/harness"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/saved"
)

// genHarnessFlags are the flags of gen harness.
type genHarnessFlags struct {
	protocol protocolFlags
	language string
	out      string
}

func newGenHarness(p *program) *cobra.Command {
	var flags genHarnessFlags
	cmd := &cobra.Command{
		Use:   "harness --lang LANGUAGE -p PROTOCOL",
		Short: "write the file that makes your reader a target of audit",
		Long: `Harness writes one source file that makes a packet reader a target of audit: it reads
packets from stdin, gives each to the reader, and answers. You fill in one function with a
call to the reader. It may also give the values that the reader read, or why it refused;
these are compared with the protocol. The file needs nothing else to compile, with gcc, g++,
clang or go, sanitizers included.

Values are those that decode -V shows: for a field with @scale the product, not the number
on the wire. Text may hold any bytes. A reader without a verdict, such as a handler that
returns nothing, says so: then only crashes, hangs, leaks and the values that it gives count.

What the reader prints to stdout goes to stderr. With --once the program takes a single
packet, all of stdin, and exits 0, 1, or 77 without a verdict. The C and C++ files are also
libFuzzer targets:
clang -DPKTSCOPE_LIBFUZZER -fsanitize=fuzzer,address.`,
		Example: `  pktscope gen harness --lang cpp -p my.pks -o harness.cpp
  g++ -g -fsanitize=address,undefined harness.cpp -o harness
  pktscope audit -p my.pks --target exec+persistent:./harness`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "gen harness takes no arguments: the protocol goes behind -p, the file behind -o")
			}
			return p.genHarness(cmd, &flags)
		},
	}
	flags.protocol.add(cmd)
	f := cmd.Flags()
	choiceVar(cmd, &flags.language, "lang", "", "", "`LANGUAGE` of the reader", harness.Languages())
	f.StringVarP(&flags.out, "output", "o", "-", "write `FILE`, which must not exist yet; - is stdout")
	return cmd
}

func (p *program) genHarness(cmd *cobra.Command, flags *genHarnessFlags) error {
	if flags.protocol.name == "" {
		return usagef(cmd, "which protocol? want -p with a built-in or a .pks file")
	}
	if flags.language == "" {
		return usagef(cmd, "in which language? want --lang %s", alternatives(harness.Languages()))
	}
	d, err := p.load(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	file := harness.FileName(flags.language)
	if flags.out != "-" {
		file = filepath.Base(flags.out)
	}
	text := harness.Source(flags.language, d.Plan(), report.ShellCommand(flags.protocol.words()), report.ShellCommand([]string{file}))
	if flags.out == "-" {
		_, err := p.out.Write([]byte(text))
		return err
	}
	// A harness that was filled in is work: it is never written over.
	switch err := p.writeFile(flags.out, []byte(text), saved.MustBeNew); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s exists: remove it, or write another file", flags.out)
	case err != nil:
		return outputError(flags.out, err)
	}
	return nil
}
