package main

import (
	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/selffuzz"
)

type exportFlags struct {
	protocol protocolFlags
	format   string
	args     []string
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
		Long: `Export writes the packets of a corpus in a form for other programs:

  gofuzz  files of "go test fuzz v1" in the directory OUT: testdata/fuzz/FuzzXxx of your package
  raw     a file for each packet in the directory OUT: AFL++, libFuzzer, go-fuzz
  pcapng  one capture, with the port of -p's protocol at the server's end; - is stdout

--args lists the arguments of the Go target, in their order: packet ([]byte), string, sender
(a string: client, server or any), and input, the []byte of pktscope's own targets, which
includes the sender. Files that exist are not written again.`,
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
			switch {
			case flags.format == "":
				return usagef(cmd, "want -T %s", alternatives(exportFormats))
			case flags.out == "":
				return usagef(cmd, "want -o with a directory, or a file for pcapng")
			}
			return p.corpusExport(cmd, &flags, dir)
		},
	}
	flags.protocol.add(cmd)
	choiceVar(cmd, &flags.format, "format", "T", "", "write as `FORMAT`", exportFormats)
	flags.args = []string{"packet"}
	choicesVar(cmd, &flags.args, "args", "`ARGS` of the Go target, separated by commas", exportArgs)
	cmd.Flags().StringVarP(&flags.out, "output", "o", "", "write to `OUT`: a directory, or for pcapng a file")
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
	written, err := corpus.Export(flags.out, list, func(packet *corpus.Stored) []byte {
		if flags.format == "raw" {
			return packet.Data
		}
		return goFuzzFile(packet, flags.args)
	})
	if err != nil {
		return outputError(flags.out, err)
	}
	if !p.quiet {
		p.complain("%s written to %s, %d were there", syntax.Count(written, "file"), flags.out, len(list)-written)
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
			if err := c.add(list[i].Data, fuzz.Sender(list[i].From)); err != nil {
				p.complain("%s: left out: %s", list[i].Name, err)
			}
		}
		return nil
	})
	if err == nil && !p.quiet {
		p.complain("%s written to %s", syntax.Count(len(list), "packet"), flags.out)
	}
	return err
}

// goFuzzFile is a packet as a corpus file of Go's fuzzing, with the arguments that its target takes.
func goFuzzFile(packet *corpus.Stored, args []string) []byte {
	var values []any
	for _, arg := range args {
		switch arg {
		case "packet":
			values = append(values, packet.Data)
		case "string":
			values = append(values, string(packet.Data))
		case "sender":
			values = append(values, packet.From)
		case "input":
			values = append(values, selffuzz.EncodeSeed(packet.Data, fuzz.Sender(packet.From)))
		}
	}
	return corpus.AppendGoTest(nil, values...)
}
