package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
)

func newCorpusList(p *program) *cobra.Command {
	var flags protocolFlags
	cmd := &cobra.Command{
		Use:   "list DIR",
		Short: "list the packets of a corpus",
		Long: `List shows the packets of a corpus, one a line: number, sender, size, with -p the case and
the verdict, the file's name, and why the packet was added. Files in the directory that are
no packets are reported on stderr.`,
		Example: `  pktscope corpus list seeds
  pktscope corpus list seeds -p rtype`,
		ValidArgsFunction: completeDirectories,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := oneDirectory(cmd, args)
			if err != nil {
				return err
			}
			return p.corpusList(cmd, &flags, dir)
		},
	}
	flags.add(cmd)
	return cmd
}

func (p *program) corpusList(cmd *cobra.Command, flags *protocolFlags, dir string) error {
	var d *decode.Decoder
	if flags.name != "" {
		var err error
		if d, err = p.loadAlone(cmd, flags); err != nil {
			return err
		}
	}
	store, err := openCorpus(dir)
	if err != nil {
		return err
	}
	defer store.Close()
	var trace decode.Trace
	var line, kind []byte
	for i, packet := range p.packets(store, dir) {
		line = fmt.Appendf(line[:0], "%5d %-6s %5d B  ", i+1, packet.From, len(packet.Data))
		if d != nil {
			verdict := "accept"
			if d.Decode(packet.Data, fuzz.Sender(packet.From), &trace) != nil {
				verdict = "reject " + trace.Reject().Kind.String()
			}
			kind = syntax.AppendEscaped(nil, string(report.AppendCase(kind[:0], &trace)))
			line = fmt.Appendf(line, "%-18s %-20s ", kind, verdict)
		}
		line = append(line, packet.Name...)
		if packet.Why != "" {
			line = append(append(line, "  "...), packet.Why...)
		}
		if _, err := p.out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
