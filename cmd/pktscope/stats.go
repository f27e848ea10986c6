package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/stats"
)

// statsFlags are the flags of `stats`.
type statsFlags struct {
	protocol protocolFlags
	filter   string // -Y
	format   string // -T
	by       string // --by
	output   string // -o
	failOn   string // --fail-on
}

var (
	statsFormats = []string{"text", "json"}
	statsBys     = []string{"all", "case", "direction", "peer"}
)

func newStats(p *program) *cobra.Command {
	var flags statsFlags
	cmd := &cobra.Command{
		Use:   "stats FILE...",
		Short: "count the packets of captures: rates, loss, silences, rejects",
		Long: `Stats reads captures (pcap or pcapng, also as .gz or .zst; - is stdin) and counts: packets
and bits by case, direction and peer, payload and IP/UDP headers apart; how regularly a
case with @every came, in percentiles of its jitter; what was lost, duplicated and
reordered of each counter (@seq), which may wrap around; the time until an input was
acknowledged (@ack) by its own number, not with a later one; who was silent for longer
than "expect timeout"; rejects and notes by kind; and all of it over time. Several files
are one capture in pieces.

"of bits" is the part of all bits, IP and UDP headers included. Lines are cut to a terminal's
width, or to COLUMNS where it is set; a pipe or a file gets all of them.

The first screen has the essentials; --by case, --by direction and --by peer are the whole
tables. All but the counts of bits and rejects are of accepted packets: a counter that was
refused, or cut by the capture, counts as lost. Percentiles of times are within 1/128. A
peer is an address with a port; at most 1,536 are kept, strangers with a few packets
making room for newer ones, and the rest is counted together.

-T json has all of it as one object a line, a line for each protocol: total, directions,
cases (with every: interval and jitter), sequences, acks, silences, rejects, notes, peers
and series. Numbers named _ms are milliseconds, bits are payload_bits and overhead_bits.
Its part is what pktscope needs to merge several runs as if they had been one; by_rule has the
rejects by rule of the schema, and incomplete the captures that were cut or not read to their
end. What -o writes names peers: only you can read it.

Without -p the port decides which built-in protocol a datagram has, and datagrams on no
built-in's port are skipped; with -p every UDP datagram is decoded. With -Y only the
packets count of which an expression is true (see pktscope decode --help): what it leaves
out is missing from its counters too, and counts as lost.`,
		Example: `  pktscope stats game.pcap
  pktscope stats --by peer game.pcap                    # who loses packets, who is silent, who attacks
  pktscope stats -p my.pks -Y 'pkt.src_ip != "10.0.0.66"' game.pcap
  pktscope stats --fail-on reject game.pcap             # exit 1 when a packet was refused
  pktscope stats -T json -o monday.json monday-*.pcap.zst
  pktscope stats -T json game.pcap | jq .sequences`,
		ValidArgsFunction: completeExtensions("pcap", "pcapng", "cap"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "which capture? want a file, or - for stdin")
			}
			return p.stats(cmd, &flags, args)
		},
	}
	flags.protocol.add(cmd)
	set := cmd.Flags()
	set.StringVarP(&flags.filter, "filter", "Y", "", "count only what `EXPR` is true of")
	set.StringVarP(&flags.format, "format", "T", "text", "`FORMAT`: text, or json, which can be merged")
	set.StringVar(&flags.by, "by", "all", "the table of `WHAT`: all (the essentials), case, direction, peer")
	set.StringVarP(&flags.output, "output", "o", "-", "write to `FILE` (- is stdout)")
	set.StringVar(&flags.failOn, "fail-on", "none", "exit 1 on `WHAT`: none, reject, note (or reject)")
	completeWords(cmd, "format", statsFormats)
	completeWords(cmd, "by", statsBys)
	completeWords(cmd, "fail-on", failOns)
	completeFilter(cmd, &flags.protocol)
	return cmd
}

func (p *program) stats(cmd *cobra.Command, flags *statsFlags, files []string) error {
	if err := oneOf(cmd, "-T", flags.format, statsFormats); err != nil {
		return err
	}
	if err := oneOf(cmd, "--by", flags.by, statsBys); err != nil {
		return err
	}
	switch {
	case flags.format == "json" && flags.by != "all":
		return usagef(cmd, "--by chooses a table of text: leave it out, -T json has all of them")
	case flags.output == "":
		return usagef(cmd, "-o is empty: want a file, or - for stdout")
	}
	// A slip of the fingers shall not cost a capture or a schema.
	for _, name := range append([]string{flags.protocol.name}, files...) {
		if readsFrom(name, flags.output) {
			return usagef(cmd, "-o %s is read as well: want another file", flags.output)
		}
	}
	v, err := p.openView(cmd, &viewFlags{protocol: flags.protocol, filter: flags.filter, failOn: flags.failOn, format: "text"}, false)
	if err != nil {
		return err
	}
	// Saved statistics have their rejects by rule, so that a report of them says what one of the captures does.
	tally := newTally(v)
	var counter *reportCounter
	count := tally.capture
	if flags.format == "json" {
		counter = newReportCounter(tally)
		count = counter.capture
	}
	trouble, err := p.eachCapture(files, func(reader *pcap.Reader, name string) (bool, error) {
		return false, count(reader, name)
	})
	if err != nil {
		return err
	}
	if len(trouble) > 0 && v.captures.captured == 0 {
		return told{} // nothing was read that could be counted
	}
	if v.unmatched() {
		return fmt.Errorf("%s on no port of a built-in protocol: %s; name the protocol with -p", plural(v.counts.noPort, "datagram"), v.table.list())
	}
	for _, one := range tally.stats {
		one.AddIncomplete(trouble...)
	}
	if err := p.showStats(flags, tally, counter); err != nil {
		return err
	}
	if err := p.tellUncounted(v); err != nil {
		return err
	}
	switch {
	case len(trouble) > 0:
		return told{}
	case v.failed():
		return findings{}
	}
	return nil
}

// tally counts the packets of captures, decoded on all cores. What is counted goes through one goroutine in the order of
// the capture, because a gap, a silence or an interval is between packets that follow each other.
type tally struct {
	view  *view
	stats []*stats.Stats // of each decoder
}

func newTally(v *view) *tally {
	t := &tally{view: v}
	for _, d := range v.spec.decoders {
		t.stats = append(t.stats, stats.New(d.Plan()))
	}
	return t
}

// sampled is a batch of datagrams, and what is to be counted of them.
type sampled struct {
	shipment
	taken stats.Batch
}

// capture counts one capture, up to its end or to where it broke.
func (t *tally) capture(src pcap.PacketSource, name string) error {
	v := t.view
	datagrams := pcap.NewDatagrams(src)
	defer func() { v.captures.skip(datagrams.Counts()) }()
	workers := runtime.GOMAXPROCS(0)
	viewers := make([]*viewer, workers)
	samplers := make([]map[*plan.Plan]*stats.Sampler, workers)
	for i := range viewers {
		viewers[i] = v.spec.newViewer()
		samplers[i] = map[*plan.Plan]*stats.Sampler{}
		for _, d := range v.spec.decoders {
			samplers[i][d.Plan()] = stats.NewSampler(d.Plan())
		}
	}
	filler := filler{src: datagrams}
	return batch.Run(workers, batch.Stages[sampled]{
		Fill: func(s *sampled) error {
			s.taken.Reset()
			return filler.fill(&s.shipment)
		},
		Work: func(worker int, s *sampled) {
			w := viewers[worker]
			for i := range s.datagrams {
				d := &s.datagrams[i]
				if pv := w.judge(d, name, &s.counts); pv != nil {
					p := stats.Packet{N: d.N, Time: d.Time, Src: d.Src, Dst: d.Dst, Size: d.Size, Cut: d.Cut, LengthMismatch: d.LengthMismatch}
					samplers[worker][pv.decoder.Plan()].Add(&s.taken, &p, &w.trace)
					s.shown++
				}
			}
		},
		Drain: func(s *sampled) error {
			v.counts.merge(&s.counts)
			v.shown += s.shown
			for _, one := range t.stats {
				one.Take(&s.taken)
			}
			return nil
		},
	})
}

// met lists the statistics of the protocols that had packets; with -p the one, whatever it had.
func (t *tally) met() []*stats.Stats {
	if len(t.stats) == 1 {
		return t.stats
	}
	var list []*stats.Stats
	for _, s := range t.stats {
		if s.Packets() > 0 {
			list = append(list, s)
		}
	}
	return list
}

// showStats writes the statistics where -o says.
func (p *program) showStats(flags *statsFlags, t *tally, counter *reportCounter) error {
	var b []byte
	var err error
	var rejects map[string]*results.Rejects
	if counter != nil {
		if rejects, err = counter.rejects(); err != nil {
			return err
		}
	}
	columns := 0
	if flags.output == "-" {
		columns = lineWidth(p.stdout)
	}
	for i, s := range t.met() {
		if flags.format == "json" {
			if b, err = results.AppendStatistics(b, s, rejects[s.Protocol()]); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			b = append(b, '\n')
		}
		o := report.StatisticsOptions{By: flags.by, Columns: columns}
		o.Colour = flags.output == "-" && p.coloured(p.stdout)
		b = report.AppendStatistics(b, s.Summary(), o)
	}
	if flags.output == "-" {
		_, err = p.out.Write(b)
		return err
	}
	// Peers are traffic: nobody else reads them.
	if err := p.writeFile(flags.output, b, ownerOnly); err != nil {
		return outputError(flags.output, err)
	}
	return nil
}

// tellUncounted says on stderr what is not in the statistics, unless -q.
func (p *program) tellUncounted(v *view) error {
	if err := p.out.Flush(); err != nil {
		return err
	}
	if p.quiet {
		return nil
	}
	_, err := p.stderr.WriteString(v.matchedLine() + v.skippedLine())
	return err
}

// readsFrom reports whether an input, - for stdin, is the file of that name.
func readsFrom(input, name string) bool {
	in, err := os.Stat(input)
	if input == "-" {
		in, err = os.Stdin.Stat()
	}
	out, missing := os.Stat(name)
	return errors.Join(err, missing) == nil && os.SameFile(in, out)
}
