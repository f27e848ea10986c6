package main

import (
	"cmp"
	"encoding/hex"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
)

// The number of packets that corpus gen makes.
const (
	genCount    = 1000
	maxGenCount = 10_000_000
)

// missedShown is how many boundaries without a packet are shown without -V.
const missedShown = 10

type genFlags struct {
	protocol protocolFlags
	count    int64
	seed     uint64
	out      string
	random   bool
	verbose  bool
}

func newCorpusGen(p *program) *cobra.Command {
	var flags genFlags
	cmd := &cobra.Command{
		Use:   "gen -p PROTOCOL",
		Short: "make valid packets: at every boundary of every field, then random ones",
		Long: `Gen makes packets that a correct reader accepts. The first packets are at the boundaries:
each field at its least and its greatest value, at the ends of every range, every case of an
enum, lists and texts empty and full. The rest, up to -c, are random. The same seed makes
the same packets.

On stdout a packet is a line of hex; with -V a comment names its sender and its boundary. -o
writes a capture instead, between loopback addresses, with the protocol's port at the
server's end. The same seed makes the same file, byte for byte.

A boundary for which no valid packet is found, such as a list that is longer than a
datagram, is reported on stderr.`,
		Example: `  pktscope corpus gen -p rtype
  pktscope corpus gen -p my.pks -c 100 -V | less
  pktscope corpus gen -p rtype -c 5000 --seed 7 -o valid.pcapng
  pktscope corpus gen -p rtype --random -c 100000 -o - | pktscope decode -p rtype -`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "want no arguments, got %q", args[0])
			}
			return p.corpusGen(cmd, &flags)
		},
	}
	flags.protocol.add(cmd)
	numberVar(cmd, &flags.count, "count", "c", genCount, 1, maxGenCount, "`N` packets in all", " packets")
	formerLetter(cmd, "count", "n")
	cmd.Flags().Uint64Var(&flags.seed, "seed", 1, "`NUMBER` that decides the packets")
	filledVar(cmd, &flags.out, "output", "o", "write a capture to `FILE` as pcapng (- is stdout)", fileOrStdout)
	cmd.Flags().BoolVar(&flags.random, "random", false, "no boundaries, only random packets")
	cmd.Flags().BoolVarP(&flags.verbose, "verbose", "V", false, "show the sender and the boundary of each packet, and all boundaries without a packet")
	formerLetter(cmd, "verbose", "v")
	return cmd
}

func (p *program) corpusGen(cmd *cobra.Command, flags *genFlags) error {
	d, err := p.protocolOf(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	g := fuzz.NewGenerator(d)
	var missed []fuzz.Missed
	miss := func(m fuzz.Missed) { missed = append(missed, m) }
	if flags.random {
		miss = nil
	}
	var boundaries, made, lost int64
	var why error // the first packet that was not found
	each := func(put func(fuzz.Packet) error) error {
		for packet, err := range g.Packets(flags.seed, flags.count, miss) {
			if err != nil {
				lost++
				why = cmp.Or(why, err)
				continue
			}
			if err := put(packet); err != nil {
				return err
			}
			if made++; packet.Why != "" {
				boundaries++
			}
		}
		if made == 0 {
			return why
		}
		return nil
	}
	if flags.out == "" {
		err = p.genLines(flags, each)
	} else {
		err = p.makeCapture(flags.out, &flags.protocol, d.Plan().Schema, func(c *madeCapture) error {
			return each(func(packet fuzz.Packet) error {
				if packet.Why == "" {
					return c.add(packet.Data, packet.From)
				}
				return c.add(packet.Data, packet.From, packet.Why)
			})
		})
	}
	if err != nil {
		return err
	}
	p.tellMissed(missed, flags.verbose)
	if !p.quiet {
		p.complain("%s: %d at boundaries, %d random", syntax.Count(made, "packet"), boundaries, made-boundaries)
		if lost > 0 {
			p.complain("%d of %d; %d not found: %v", made, made+lost, lost, why)
		}
	}
	return nil
}

// genLines writes packets as lines of hex; an empty one is `-`, as in a seed file.
func (p *program) genLines(flags *genFlags, each func(func(fuzz.Packet) error) error) error {
	var line []byte
	return each(func(packet fuzz.Packet) error {
		line = hex.AppendEncode(line[:0], packet.Data)
		if len(packet.Data) == 0 {
			line = append(line, '-')
		}
		if flags.verbose {
			line = append(append(line, " # "...), fuzz.SenderWord(packet.From)...)
			if packet.Why != "" {
				line = append(append(line, ' '), packet.Why...)
			}
		}
		_, err := p.out.Write(append(line, '\n'))
		return err
	})
}

// tellMissed says which boundaries have no packet, and why.
func (p *program) tellMissed(missed []fuzz.Missed, all bool) {
	for i, m := range missed {
		if i == missedShown && !all {
			p.complain("and %d more (-V shows all)", len(missed)-i)
			return
		}
		p.complain("no packet for %s: %s", m.Why, strings.TrimPrefix(m.Err.Error(), "packet: "))
	}
}
