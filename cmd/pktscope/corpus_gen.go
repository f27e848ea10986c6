package main

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/fuzz"
)

// The number of packets that corpus gen makes.
const (
	genCount    = 1000
	maxGenCount = 10_000_000
)

// missedShown is how many boundaries without a packet are told without -v.
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
		Long: `Gen makes packets that a correct reader accepts. First come those at the boundaries: each
field at its least and its greatest value, at the ends of every range, every case of an
enum, lists and texts empty and full. The rest, up to -n, are random. The same seed makes
the same packets.

On stdout they are a line of hex each; with -v a comment says who sends it and which
boundary it holds. -o writes a capture instead, between loopback addresses with the
protocol's port at the server's end, the same bytes for the same seed.

A boundary for which no valid packet is found, such as a list that is longer than a
datagram, is told on stderr.`,
		Example: `  pktscope corpus gen -p rtype
  pktscope corpus gen -p my.pks -n 100 -v | less
  pktscope corpus gen -p rtype -n 5000 --seed 7 -o valid.pcapng
  pktscope corpus gen -p rtype --random -n 100000 -o - | pktscope decode -p rtype -`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return usagef(cmd, "want no arguments, got %q", args[0])
			case flags.count < 1 || flags.count > maxGenCount:
				return usagef(cmd, "-n %d: want 1 to %d packets", flags.count, maxGenCount)
			case flags.out == "" && cmd.Flags().Changed("output"):
				return usagef(cmd, "-o is empty: want a file, or - for stdout")
			}
			return p.corpusGen(cmd, &flags)
		},
	}
	flags.protocol.add(cmd)
	cmd.Flags().Int64VarP(&flags.count, "count", "n", genCount, "`N` packets in all")
	cmd.Flags().Uint64Var(&flags.seed, "seed", 1, "`S` decides which packets")
	cmd.Flags().StringVarP(&flags.out, "output", "o", "", "write a capture to `FILE` as pcapng (- is stdout)")
	cmd.Flags().BoolVar(&flags.random, "random", false, "no boundaries, only random packets")
	cmd.Flags().BoolVarP(&flags.verbose, "verbose", "v", false, "who sends each packet and why it is there; all boundaries without one")
	return cmd
}

func (p *program) corpusGen(cmd *cobra.Command, flags *genFlags) error {
	d, err := p.protocolOf(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	g := fuzz.NewGenerator(d)
	var missed []fuzz.Missed
	var boundaries, made int64
	each := func(put func(fuzz.Packet) error) error {
		if !flags.random {
			for packet := range g.Boundaries(flags.seed, func(m fuzz.Missed) { missed = append(missed, m) }) {
				if made == flags.count {
					break
				}
				if err := put(packet); err != nil {
					return err
				}
				boundaries++
				made++
			}
		}
		for n := uint64(0); made < flags.count; n++ {
			packet, err := g.Random(flags.seed, n)
			if err != nil {
				return fmt.Errorf("random packet %d of seed %d: %w", n, flags.seed, err)
			}
			if err := put(packet); err != nil {
				return err
			}
			made++
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
		p.complain("%s: %d at boundaries, %d random", plural(made, "packet"), boundaries, made-boundaries)
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
			line = append(append(line, " # "...), senderWords[packet.From]...)
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
			p.complain("and %d more (-v shows all)", len(missed)-i)
			return
		}
		p.complain("no packet for %s: %s", m.Why, strings.TrimPrefix(m.Err.Error(), "packet: "))
	}
}
