package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/pcap"
)

type addFlags struct {
	protocol protocolFlags
	rejects  bool
}

func newCorpusAdd(p *program) *cobra.Command {
	var flags addFlags
	cmd := &cobra.Command{
		Use:   "add DIR -p PROTOCOL FILE...",
		Short: "add the packets of captures to a corpus",
		Long: `Add stores what the UDP datagrams of captures (pcap or pcapng, also as .gz or .zst; - is
stdin) carry, if the protocol accepts it, each packet once. The directory is made when there
is none. With --rejects it stores what is refused as well.

A datagram that the capture cut is not stored. The protocol's port tells who sent a packet.`,
		Example: `  pktscope corpus add seeds -p rtype game.pcap
  pktscope corpus add seeds -p my.pks --rejects monday.pcapng tuesday.pcapng.zst`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return completeDirectories(cmd, args, begun)
			}
			return completeExtensions("pcap", "pcapng", "cap")(cmd, args, begun)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef(cmd, "want a corpus, a directory, and a capture or more, got %d arguments", len(args))
			}
			return p.corpusAdd(cmd, &flags, args[0], args[1:])
		},
	}
	flags.protocol.add(cmd)
	cmd.Flags().BoolVar(&flags.rejects, "rejects", false, "store refused packets as well")
	return cmd
}

// adding is one run of corpus add.
type adding struct {
	store                        *corpus.Store
	decoder                      *decode.Decoder
	rejects                      bool
	trace                        decode.Trace
	added, known, refused, short int64
}

func (p *program) corpusAdd(cmd *cobra.Command, flags *addFlags, dir string, files []string) error {
	d, err := p.protocolOf(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	store, err := corpus.Create(dir)
	if err != nil {
		return fmt.Errorf("%s: %s", dir, corpusReason(err))
	}
	defer store.Close()
	a := &adding{store: store, decoder: d, rejects: flags.rejects}
	trouble, err := p.eachCapture(files, func(reader *pcap.Reader, name string) (bool, error) {
		return false, a.capture(reader, name)
	})
	if err != nil {
		return fmt.Errorf("%s: %s", dir, reason(err))
	}
	if !p.quiet {
		p.complain("%s added to %s, %d were there, %d refused, %d cut by the capture", plural(a.added, "packet"), dir, a.known, a.refused, a.short)
	}
	if len(trouble) > 0 {
		return told{}
	}
	return nil
}

// capture adds one capture's packets, up to its end or to where it broke.
func (a *adding) capture(src pcap.PacketSource, name string) error {
	datagrams := pcap.NewDatagrams(src)
	for {
		d, err := datagrams.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if d.Cut {
			a.short++
			continue
		}
		from := decode.DirectionOf(a.decoder.Plan().Schema, d.Src.Port(), d.Dst.Port())
		why := fmt.Sprintf("%s %d", name, d.N)
		if err := a.decoder.Decode(d.Payload, from, &a.trace); err != nil {
			a.refused++
			if !a.rejects {
				continue
			}
			why += ": " + a.trace.Reject().Kind.String()
		}
		added, err := a.store.Add(d.Payload, senderWords[from], why)
		if err != nil {
			return &writeError{err}
		}
		if added {
			a.added++
		} else {
			a.known++
		}
	}
}
