package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
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
	interval time.Duration
	flow     flowFlags
	shard    shardFlags
}

func newStats(p *program) *cobra.Command {
	var flags statsFlags
	cmd := &cobra.Command{
		Use:   "stats FILE...",
		Short: "count the packets of captures: rates, loss, silences, rejects",
		Long: `Stats reads captures (pcap or pcapng, also as .gz or .zst; - is stdin) and counts:

  packets and bits by case, direction and peer, payload and IP/UDP headers apart
  how regularly a case with @every came, in percentiles of its jitter
  the packets lost, duplicated and reordered of each counter (@seq), which may wrap around
  the time until an input was acknowledged (@ack) by its own number, not by a later one
  the peers that were silent for longer than "expect timeout"
  rejects and notes by kind, and all of these over time
  the messages that packets bring, where the schema has any: each section like a protocol by
  itself, with the messages that stayed incomplete or sealed and the pieces that came again

Several files are one capture in pieces. Ctrl-C ends it with what was counted until then.

--interval 1s shows packets over time instead, a row for each second since the first datagram of
the first file, as tshark's -z io,stat does: bytes are of payload, and a second without packets
has a row as well. -T csv writes these rows, or one table of the rest: of cases, or that of --by
case, direction or peer.

"of payload" is the share of the payload of all packets read, in reports and budgets as well. A
terminal shows lines cut to its width, or to COLUMNS where it is set; a pipe or a file gets
whole lines.

The first screen has the essentials, of messages the sums; --by case, --by direction and --by
peer show the whole tables, --by message all of messages. Except for the counts of bits and
rejects, all counts are of accepted packets: a counter in a packet that was refused, or cut by
the capture, counts as lost. Percentiles of times are within 1/128, those of acknowledgments
within their error. A peer is an address with a port; its counters, acknowledgments and silences
are of each of its flows ("flow by") by itself. Stats keeps at most 1,536 peers, or flows:
strangers with few packets make room for newer ones, and are counted together. Above 512
cases only those with the smallest tags are told apart. Unsettled is what cannot be known from
pieces that were counted apart (pktscope report merge --help).

-T json writes all of it, one object a line, a line for each protocol and each section that
had messages (protocol is then PROTOCOL.SECTION, messages is true): total, directions, cases
(with every: interval and jitter), sequences, acks, silences, rejects, notes, context (of
messages: pieces, resent, missing …), peers and series. A silence has the numbers
of the packets before and after it, and their file. Names that end in _ms are milliseconds;
bits are payload_bits and overhead_bits. With part, pktscope merges several runs as if they
were one, and refuses what is counted twice: captures of the same names and sizes whose first
packets have the same times and lengths. missing names pieces that no part has. by_rule has
the rejects by rule of the schema, and incomplete the captures that were cut or not read to
their end. The file of -o names peers: only you can read it.

With -p every UDP datagram is decoded. Without -p the port decides which built-in protocol a
datagram has, and datagrams on no built-in's port are skipped. -Y counts only the packets
for which an expression is true (see pktscope decode --help); the others are missing from
the counters too, and count as lost. A message counts with the packet that completes it, an
incomplete one if the expression is true of a packet that has a piece of it; stderr has what
all packets brought. --keys opens what is sealed (pktscope decode --help).

A message is incomplete where pieces did not come within --context-timeout ("missing pieces"),
where it made room for others ("evicted"), or where the capture ended: each file, and each
piece of --shard, begins and ends by itself, and report merge adds up. Resent are pieces that
brought nothing new, of messages that were delivered as well. Not looked at are messages that
a @secret holds, and those beyond 256 of one packet. At most 16 sections are counted.`,
		Example: `  pktscope stats game.pcap
  pktscope stats --by peer game.pcap                    # who loses packets, who is silent, who attacks
  pktscope stats -p my.pks --by message game.pcap       # what the packets bring, by section
  pktscope stats -p my.pks -Y 'pkt.src_ip != "10.0.0.66"' game.pcap
  pktscope stats --fail-on reject game.pcap             # exit 1 when a packet was refused
  pktscope stats --interval 1s -T csv game.pcap         # packets over time, for a spreadsheet
  pktscope stats --by peer -T csv game.pcap
  pktscope stats -T json -o monday.json monday-*.pcap.zst
  pktscope stats -T json game.pcap | jq .sequences`,
		ValidArgsFunction: completeExtensions("pcap", "pcapng", "cap"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && flags.shard.plan == "" {
				return usagef(cmd, "which capture? want a file, or - for stdin")
			}
			return p.stats(cmd, &flags, args)
		},
	}
	flags.protocol.add(cmd)
	flags.protocol.addKeys(cmd, true)
	flags.protocol.addTrust(cmd)
	filledVar(cmd, &flags.filter, "filter", "Y", "count only the packets for which `EXPR` is true", filterWanted)
	choiceVar(cmd, &flags.format, "format", "T", "text", "print as `FORMAT`", []string{"text", "json (for report and report merge)", "csv (one table: of cases, or that of --by)"})
	choiceVar(cmd, &flags.by, "by", "", "all", "show the table of `WHAT`", []string{"all (the essentials)", "case", "direction", "peer", "message (that packets bring)"})
	outputVar(cmd, &flags.output)
	choiceVar(cmd, &flags.failOn, "fail-on", "", "none", "exit 1 on `WHAT`", failOns)
	flags.flow.add(cmd)
	flags.shard.add(cmd)
	timeVar(cmd, &flags.interval, "interval", 0, time.Millisecond, "show packets over time instead: a row for each `TIME` (such as 1s)")
	completeWords(cmd, "interval", []string{"100ms", "1s", "1m"})
	excludes(cmd, "rows over time have all packets", "interval", "by")
	excludes(cmd, "saved statistics know no rows over time", "interval", "shard", "plan")
	completeFilter(cmd, &flags.protocol)
	return cmd
}

func (p *program) stats(cmd *cobra.Command, flags *statsFlags, files []string) error {
	switch {
	case flags.format == "json" && flags.by != "all":
		return usagef(cmd, "--by chooses a table of text: leave it out, -T json has all of them")
	case flags.format == "json" && flags.interval > 0:
		return usagef(cmd, "--interval is of -T text and csv: -T json has series")
	case flags.format == "csv" && flags.interval == 0 && !report.StatisticsCSV(flags.by):
		return usagef(cmd, "-T csv has the tables of --by case, direction and peer")
	}
	files, piece, err := p.pick(cmd, &flags.shard, files)
	if err != nil {
		return err
	}
	// A slip of the fingers shall not cost a capture or a schema.
	if err := p.spare(flags.output, append([]string{flags.protocol.name}, files...)...); err != nil {
		return outputError(flags.output, err)
	}
	v, err := p.openView(cmd, &viewFlags{protocol: flags.protocol, filter: flags.filter, failOn: flags.failOn, format: "text", flow: flags.flow}, false)
	if err != nil {
		return err
	}
	// Saved statistics have their rejects by rule, so that a report of them says what one of the captures does.
	counter := stats.NewCounter(v.scan.Decoders)
	var refused *rejects.Scan
	if flags.format == "json" {
		refused = rejects.NewScan(v.scan.Decoders, version())
		counter.KeepTime()
	}
	intervals := stats.NewIntervals(v.scan.Decoders, flags.interval)
	trouble, err := p.eachCapture(files, func(reader *pcap.Reader, name string) (bool, error) {
		if flags.interval > 0 {
			return false, scanCapture(reader, name, v.scan, intervals.Stage(), &v.counts)
		}
		if refused != nil {
			return false, scanCapture(reader, name, v.scan, scan.Join(counter.Stage(), refused.Stage()), &v.counts)
		}
		return false, scanCapture(reader, name, v.scan, counter.Stage(), &v.counts)
	})
	if err != nil {
		return err
	}
	if len(trouble) > 0 && v.counts.Captured == 0 {
		return told{} // nothing was read that could be counted
	}
	if err := unmatched(&v.counts, v.scan.Decoders); err != nil && flags.shard.shard == "" {
		return err
	}
	counted := counter.Met(piece())
	if flags.interval > 0 {
		counted = nil
	}
	for _, one := range counted {
		one.AddIncomplete(trouble...)
	}
	if err := p.showStats(flags, counted, refused, intervals); err != nil {
		return err
	}
	if err := p.tellUncounted(&v.counts, flags.filter != ""); err != nil {
		return err
	}
	switch {
	case len(trouble) > 0:
		return told{}
	case metFailure(flags.failOn, &v.counts):
		return findings{}
	}
	return nil
}

// showStats writes the statistics where -o says. Peers are traffic: nobody else reads them.
func (p *program) showStats(flags *statsFlags, counted []*stats.Segments, refused *rejects.Scan, intervals *stats.Intervals) (err error) {
	var b []byte
	if refused != nil {
		if b, err = results.AppendCounted(b, counted, refused.Results()); err != nil {
			return err
		}
		return p.writeReport(flags.output, b, saved.OwnerOnly)
	}
	o := report.StatisticsOptions{By: flags.by}
	if flags.output == "-" {
		o.Columns, o.Colour = lineWidth(p.stdout), p.coloured(p.stdout)
	}
	switch {
	case flags.interval > 0 && flags.format == "csv":
		b = report.AppendIntervalsCSV(b, intervals)
	case flags.interval > 0:
		b = report.AppendIntervals(b, intervals, o)
	case flags.format == "csv":
		var all []*stats.Summary
		for _, s := range counted {
			all = append(all, s.Summary())
		}
		return p.writeReport(flags.output, report.AppendStatisticsCSV(b, all, flags.by), saved.OwnerOnly)
	}
	for i, s := range counted {
		if i > 0 {
			b = append(b, '\n')
		}
		b = report.AppendStatistics(b, s.Summary(), o)
	}
	return p.writeReport(flags.output, b, saved.OwnerOnly)
}
