package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
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
		Long: `Add stores the payloads of the UDP datagrams of captures (pcap or pcapng, also as .gz or
.zst; - is stdin), each packet once, if the protocol accepts it. It makes the directory if
there is none. With --rejects it stores refused packets as well.

A datagram that the capture cut is not stored. The protocol's port says who sent a packet.`,
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
	rejects                      bool
	counts                       scan.Counts
	added, known, refused, short int64
}

// additions are packets on their way to the corpus.
type additions struct {
	list           []addition
	refused, short int64
}

type addition struct {
	data      []byte
	from, why string
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
	a := &adding{store: store, rejects: flags.rejects}
	trouble, err := p.eachCapture(files, func(reader *pcap.Reader, name string) (bool, error) {
		return false, scanCapture(reader, name, scan.Options{Decoders: scan.Always(d)}, a.stage(), &a.counts)
	})
	if err != nil {
		return fmt.Errorf("%s: %s", dir, reason(err))
	}
	if !p.quiet {
		p.complain("%s added to %s, %d were there, %d refused, %d cut by the capture", syntax.Count(a.added, "packet"), dir, a.known, a.refused, a.short)
	}
	if len(trouble) > 0 {
		return told{}
	}
	return nil
}

// stage adds packets. Its errors are *writeErrors.
func (a *adding) stage() scan.Stage[additions] {
	return scan.Stage[additions]{
		New: func() func(*additions, *scan.Packet) {
			return func(b *additions, p *scan.Packet) {
				why := fmt.Sprintf("%s %d", p.File, p.N)
				switch {
				case p.Cut:
					b.short++
					return
				case p.Rejected():
					if b.refused++; !a.rejects {
						return
					}
					why += ": " + p.Reject().Kind.String()
				}
				b.list = append(b.list, addition{p.Payload, fuzz.SenderWord(p.From), why})
			}
		},
		Drain: func(b *additions) error {
			a.short += b.short
			a.refused += b.refused
			for _, one := range b.list {
				added, err := a.store.Add(one.data, one.from, one.why)
				if err != nil {
					return &writeError{err}
				}
				if added {
					a.added++
				} else {
					a.known++
				}
			}
			*b = additions{list: b.list[:0]}
			return nil
		},
	}
}
