package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/shards"
	"github.com/pktscope/pktscope/report/saved"
)

// shardFlags are the flags of commands that can count a piece of captures.
type shardFlags struct {
	plan  string // --plan
	shard string // --shard
}

func (s *shardFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.plan, "plan", "", "read a shard of the captures of `FILE` (pktscope shards)")
	cmd.Flags().StringVar(&s.shard, "shard", "", "read shard `I` of --plan, from 0; or I/N: of the captures, sorted by name, the Ith of N parts")
}

// pick chooses what is read of captures. piece says what of them it is, once they were read.
func (p *program) pick(cmd *cobra.Command, s *shardFlags, files []string) (picked []string, piece func() saved.Piece, err error) {
	i, n := 0, 1
	index, of, whole := strings.Cut(s.shard, "/")
	if i, err = strconv.Atoi(index); err == nil && whole {
		n, err = strconv.Atoi(of)
	}
	switch {
	case s.plan == "" && s.shard == "":
		return files, func() saved.Piece { return saved.Whole(p.counted.Stream()) }, nil
	case s.plan != "" && len(files) > 0:
		return nil, nil, usagef(cmd, "--plan says which captures: leave out %s", files[0])
	case err != nil || whole != (s.plan == "") || i < 0 || n < 1 || n > shards.MaxShards || whole && i >= n:
		return nil, nil, usagef(cmd, "--shard: want I with --plan, or I/N with captures, I from 0 and below N")
	case whole:
		files = slices.Sorted(slices.Values(files))
		var origin pcap.Origin
		for _, name := range files {
			if err := p.addOrigin(&origin, name); err != nil {
				return nil, nil, err
			}
		}
		at := uint64(i)
		return shards.Files(files, i, n), func() saved.Piece {
			return saved.Piece{Stream: origin.Stream(), Plan: 1, From: at, To: at + 1, Of: uint64(n)}
		}, nil
	}
	f, err := p.openText(s.plan)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	plan, shard, err := shards.Read(f, i)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.plan, err)
	}
	p.shard = shard
	return []string{shard.File}, func() saved.Piece { return saved.Shard(plan, i) }, nil
}

// addOrigin adds a capture that is not read.
func (p *program) addOrigin(o *pcap.Origin, name string) error {
	f, err := p.openFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("%s: want a file: shards are of files", name)
	}
	head, err := io.ReadAll(io.LimitReader(f, pcap.HeadBytes))
	o.Add(name, info.Size(), head)
	return err
}

func newShards(p *program) *cobra.Command {
	var size, output string
	cmd := &cobra.Command{
		Use:   "shards CAPTURE...",
		Short: "cut captures into pieces that machines count by themselves",
		Long: `Shards reads captures once and writes a plan: a line of JSON for each piece of about --size,
with its file, its first and last byte, and what a reader must know of the bytes before it.
pktscope stats --plan PLAN --shard I counts piece I, from 0, as budget and report do, and

  pktscope report merge --complete PARTS...

puts the parts together, in any order. When all are there, the result equals that of one run
over the captures, byte for byte. A piece that is counted twice is refused; missing pieces are
reported.

A piece begins with a record: where one begins is never guessed. A datagram in fragments
belongs to the piece that has the last one; to find the others, reading begins 2 s of traffic
earlier, 8 MiB at most. A capture as .gz or .zst is one piece. A file that has changed since
is refused. Without a plan, --shard I/N takes the Ith of N parts of the files, sorted by name.`,
		Example: `  pktscope shards -o plan.jsonl game.pcap
  for i in $(seq 0 18); do pktscope stats -q -T json --plan plan.jsonl --shard $i -o part-$i.json; done
  pktscope report merge --complete -o all.json part-*.json
  pktscope stats -T json --shard 3/16 -o part-3.json ring-*.pcapng   # without a plan: whole files`,
		ValidArgsFunction: completeExtensions("pcap", "pcapng", "cap"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "which captures? want files")
			}
			each, err := parseBytes(size)
			if err != nil {
				return usagef(cmd, "--size: %s", err)
			}
			if err := p.spare(output, args...); err != nil {
				return outputError(output, err)
			}
			return p.makePlan(args, each, output)
		},
	}
	cmd.Flags().StringVar(&size, "size", "64MB", "about `SIZE` bytes a shard: 64MB, 1GB")
	outputVar(cmd, &output)
	return cmd
}

func (p *program) makePlan(files []string, size int64, output string) error {
	b, trouble := shards.Builder{Stop: p.interrupts()}, false
	for _, name := range files {
		f, err := p.openUnlessInterrupted(name, p.openFile)
		if err == nil {
			if err = b.Add(name, f, size); err != nil {
				err = inputError(name, err)
			}
			f.Close()
		}
		if err != nil {
			trouble = true
			p.complain("%s", err)
		}
	}
	if b.Shards() == 0 || p.stopped() {
		return told{} // of half a capture there is no plan
	}
	if err := p.writeReport(output, b.AppendJSON(nil), 0); err != nil {
		return err
	}
	if err := p.afterOutput([]byte(syntax.Count(b.Shards(), "shard") + "\n")); err != nil || !trouble {
		return err
	}
	return told{}
}
