package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/gogen"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report/saved"
)

type genGoFlags struct {
	protocol protocolFlags
	name     string
	out      string
	fixed    bool
}

func newGenGo(p *program) *cobra.Command {
	var flags genGoFlags
	cmd := &cobra.Command{
		Use:   "go -p PROTOCOL -o DIR",
		Short: "write a Go reader and writer of a protocol",
		Long: `Go writes a Go package for a protocol: structs, a PacketReader that refuses every datagram
that pktscope refuses, with the same reject, and Append, which writes packets. The package
needs only the standard library, and allocates only where a list or a text grows. It has a
fuzz test and a benchmark, which begin with valid packets, made as corpus gen makes them.

Append computes constants, checksums, and the counts and lengths that are zero; a count that
is not zero has to be right. The tag of a switch is always given: it chooses the arm to
write. A value out of its range is refused; only a quantized float is written as the nearer
end of its range, and NaN as the lower end.

With --fixed every list, bytes and text is an array with a count, as large as the schema's
maxima and its max datagram allow: a Packet is one piece of memory, and nothing is ever
allocated. A protocol whose Packet would then be larger than 4 MiB is refused.

Each message that the protocol declares has a package of its own, in a directory of its name
below DIR; with --section that of one message is written alone, in DIR.

DIR is made if it does not exist. The package is named after the protocol, whatever DIR is
called, unless --package names it. Files that pktscope wrote are replaced; other files are
left alone. Where two names of the schema would be one name in Go, the second gets a number,
which is reported.`,
		Example: `  pktscope gen go -p rtype -o rtype
  pktscope gen go -p my.pks -D MaxPlayers=8 -o internal/wire --package wire
  go test -fuzz FuzzDecode ./rtype`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return usagef(cmd, "unexpected argument %q: the protocol is given with -p", args[0])
			case flags.protocol.name == "":
				return usagef(cmd, "of which protocol? want -p with a built-in or a .pks file")
			case flags.out == "":
				return usagef(cmd, "want -o with a directory")
			}
			return p.genGo(cmd, &flags)
		},
	}
	flags.protocol.add(cmd)
	cmd.Flags().StringVarP(&flags.out, "output", "o", "", "`DIR` of the package; - writes one file to stdout, of the packets or of --section")
	cmd.Flags().BoolVar(&flags.fixed, "fixed", false, "use arrays with a count instead of slices: nothing is allocated")
	cmd.Flags().StringVar(&flags.name, "package", "", "`NAME` of the package")
	_ = cmd.MarkFlagDirname("output")
	return cmd
}

// How many packets a generated package's test begins with, and how large they are if there are such.
const (
	seedTries   = 64
	seedPackets = 8
	seedSize    = 1024 // bytes
)

func (p *program) genGo(cmd *cobra.Command, flags *genGoFlags) error {
	d, err := p.loadKeepless(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	if err := p.genPackage(cmd, flags, d, flags.name, flags.out); err != nil || flags.protocol.section != "" || flags.out == "-" {
		return err
	}
	in := map[string]string{}
	for _, section := range d.Sections() {
		message := section.Schema().Message.Name
		name := gogen.PackageName(section.Plan())
		if in[name] != "" {
			return usagef(cmd, "the messages %s and %s would both be package %s: write one alone, with --section and --package", in[name], message, name)
		}
		in[name] = message
		if err := p.genPackage(cmd, flags, section, name, filepath.Join(flags.out, name)); err != nil {
			return err
		}
	}
	return nil
}

// genPackage writes the package of one decoder, under its own name where none is given.
func (p *program) genPackage(cmd *cobra.Command, flags *genGoFlags, d *decode.Decoder, name, dir string) error {
	var seeds []gogen.Seed
	for _, packet := range fuzz.NewGenerator(d).Spread(seedTries, seedPackets, seedSize) {
		seeds = append(seeds, gogen.Seed{Data: packet.Data, From: uint8(packet.From)})
	}
	out, err := gogen.Generate(d.Plan(), gogen.Options{Package: name, Fixed: flags.fixed, Seeds: seeds, Joined: dir == "-"})
	if err != nil {
		return usagef(cmd, "%v", err)
	}
	if dir == "-" {
		return p.writeOut(dir, out.Files[0].Source, 0)
	}
	root, err := outputRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	// Nothing that somebody wrote by hand is touched.
	if name, why := out.Conflict(root.FS()); name != "" {
		return fmt.Errorf("-o %s: %s; nothing is written", filepath.Join(dir, name), why)
	}
	for _, f := range out.Files {
		if err := saved.WriteIn(root, f.Name, f.Source, 0); err != nil {
			return outputError(filepath.Join(dir, f.Name), err)
		}
	}
	for _, m := range out.Mangled {
		p.complain("%s", string(syntax.AppendEscaped(nil, m)))
	}
	if !p.quiet {
		p.complain("package %s: %s written to %s; a datagram can make a Packet hold about %s at most", out.Name,
			syntax.Count(len(out.Files), "file"), dir, syntax.Count(out.Memory, "byte"))
		if !inModule(dir) {
			p.complain("no directory above %s has a go.mod: run `go mod init example` in one, then `go test ./...`", dir)
		}
	}
	return nil
}

// inModule reports whether a directory, or one around it, has a go.mod.
func inModule(dir string) bool {
	dir, err := filepath.Abs(dir)
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
	return true // where it is cannot be told, so neither can what is there
}
