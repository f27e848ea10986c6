package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/fuzz"
)

type exportFlags struct {
	protocol protocolFlags
	format   string
	args     string
	out      string
}

var exportFormats = []string{"gofuzz", "raw", "pcapng"}

// exportArgs are the arguments that a fuzz target of Go can be given of a packet.
var exportArgs = []string{"packet", "string", "sender", "input"}

func newCorpusExport(p *program) *cobra.Command {
	var flags exportFlags
	cmd := &cobra.Command{
		Use:   "export DIR -T FORMAT -o OUT",
		Short: "write a corpus for other fuzzers, or as a capture",
		Long: `Export writes the packets of a corpus in the form that others take:

  gofuzz  files of "go test fuzz v1" in the directory OUT: testdata/fuzz/FuzzXxx of your package
  raw     a file for each packet in the directory OUT: AFL++, libFuzzer, go-fuzz
  pcapng  one capture, with the port of -p's protocol at the server's end; - is stdout

--args says what arguments the Go target takes, in their order: packet ([]byte), string,
sender (a string: client, server or any), and input: the []byte that pktscope's own targets
take, who sent it included. Files that are there are not written again.`,
		Example: `  pktscope corpus export seeds -T gofuzz -o testdata/fuzz/FuzzRead
  pktscope corpus export seeds -T gofuzz --args packet,sender -o testdata/fuzz/FuzzRead
  pktscope corpus export seeds -T raw -o afl-in
  pktscope corpus export seeds -T pcapng -p rtype -o seeds.pcapng`,
		ValidArgsFunction: completeDirectories,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := oneDirectory(cmd, args)
			if err != nil {
				return err
			}
			if err := oneOf(cmd, "-T", flags.format, exportFormats); err != nil {
				return err
			}
			for _, arg := range strings.Split(flags.args, ",") {
				if err := oneOf(cmd, "--args", arg, exportArgs); err != nil {
					return err
				}
			}
			if flags.out == "" {
				return usagef(cmd, "where to? want -o with a directory, or a file for pcapng")
			}
			return p.corpusExport(cmd, &flags, dir)
		},
	}
	flags.protocol.add(cmd)
	cmd.Flags().StringVarP(&flags.format, "format", "T", "", "`FORMAT`: gofuzz, raw or pcapng")
	cmd.Flags().StringVar(&flags.args, "args", "packet", "`ARGS` of the Go target: packet, string, sender, input")
	cmd.Flags().StringVarP(&flags.out, "output", "o", "", "`OUT`: a directory, for pcapng a file")
	completeWords(cmd, "format", exportFormats)
	completeWords(cmd, "args", exportArgs)
	return cmd
}

func (p *program) corpusExport(cmd *cobra.Command, flags *exportFlags, dir string) error {
	if flags.format == "pcapng" {
		return p.exportCapture(cmd, flags, dir)
	}
	store, err := openCorpus(dir)
	if err != nil {
		return err
	}
	defer store.Close()
	list := p.packets(store, dir)
	written, err := exportFiles(flags.out, list, func(packet *corpus.Stored) []byte {
		if flags.format == "raw" {
			return packet.Data
		}
		return goFuzzFile(packet, strings.Split(flags.args, ","))
	})
	if err != nil {
		return outputError(flags.out, err)
	}
	if !p.quiet {
		p.complain("%s written to %s, %d were there", plural(int64(written), "file"), flags.out, len(list)-written)
	}
	return nil
}

func (p *program) exportCapture(cmd *cobra.Command, flags *exportFlags, dir string) error {
	d, err := p.protocolOf(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	store, err := openCorpus(dir)
	if err != nil {
		return err
	}
	defer store.Close()
	list := p.packets(store, dir)
	err = p.makeCapture(flags.out, &flags.protocol, d.Plan().Schema, func(c *madeCapture) error {
		for i := range list {
			if err := c.add(list[i].Data, senderOf(list[i].From)); err != nil {
				p.complain("%s: left out: %s", list[i].Name, err)
			}
		}
		return nil
	})
	if err == nil && !p.quiet {
		p.complain("%s written to %s", plural(int64(len(list)), "packet"), flags.out)
	}
	return err
}

// exportFiles writes a file for each packet, unless there is one of its name. Nothing outside the directory is touched,
// whatever links are in it.
func exportFiles(dir string, list []corpus.Stored, form func(*corpus.Stored) []byte) (written int, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	for i := range list {
		switch err := writeFileIn(root, list[i].Name, form(&list[i]), ownerOnly|mustBeNew); {
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return written, err
		}
		written++
	}
	return written, nil
}

// goFuzzFile is a packet as a corpus file of Go's fuzzing (`go help testflag`, "go test fuzz v1").
func goFuzzFile(packet *corpus.Stored, args []string) []byte {
	b := []byte("go test fuzz v1\n")
	for _, arg := range args {
		switch arg {
		case "packet":
			b = fmt.Appendf(b, "[]byte(%q)\n", packet.Data)
		case "string":
			b = fmt.Appendf(b, "string(%q)\n", packet.Data)
		case "sender":
			b = fmt.Appendf(b, "string(%q)\n", packet.From)
		case "input":
			b = fmt.Appendf(b, "[]byte(%q)\n", fuzz.EncodeSeed(packet.Data, senderOf(packet.From)))
		}
	}
	return b
}
