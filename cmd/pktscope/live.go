package main

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/live"
	"github.com/pktscope/pktscope/report/prometheus"
	"github.com/pktscope/pktscope/report/scan"
	"github.com/pktscope/pktscope/report/stats"
)

// liveFlags are the flags that `live` has beside those of a view.
type liveFlags struct {
	view        viewFlags
	names       []string       // -i
	filter      string         // -f
	stats       time.Duration  // --stats
	user        string         // --user
	promiscuous bool           // --promiscuous
	snapLen     int            // -s
	buffer      int            // -B
	rings       int            // --rings
	metrics     netip.AddrPort // --metrics

	stopAt, ringAt limits // -a, -b
}

func newLive(p *program) *cobra.Command {
	var flags liveFlags
	cmd := &cobra.Command{
		Use:   "live -i INTERFACE...",
		Short: "decode packets from network interfaces",
		Long: `Live decodes the packets of network interfaces, with the views of decode. Ctrl-C ends it
with a summary, after the packets that have arrived; a second Ctrl-C ends it at once. It
needs the privilege to capture: root, or CAP_NET_RAW (pktscope interfaces says whether you
have it):

  sudo setcap cap_net_raw+ep "$(command -v pktscope)"

On systems other than Linux it needs a build with libpcap: go build -tags libpcap.

As root, drop privileges with --user once the interface is open; files are that user's.

The kernel hands over only UDP from or to the ports of the protocol that -p names, those of
--port instead, or the ports of all built-ins. -f chooses other packets:

  -f 'port 4124 or port 5000-5010'      from or to one of these ports
  -f 'host 10.0.0.7 or host fd00::/64'  from or to one of these addresses
  -f udp                                all of UDP
  -f @FILE                              what a program of tcpdump -ddd accepts (made for this interface)

Several -i are one capture: packets in the order of time, one file of -w that says of each
packet which interface it came through, and at the end the packets of each. -i any captures on all
interfaces, new ones included, and cannot be combined with others. A packet that goes through
two interfaces is captured twice. An interface that goes down ends the capture on all.

Fragments are put together before they are decoded. When packets arrive faster than live
reads them, the kernel drops some and counts them; -B makes its buffer larger. --rings N makes
N buffers, which share the packets by flow: for an interface that many processors receive from.
On two cores one buffer costs less. With more, a packet can wait for 50 ms before it is shown.

-w alone writes packets and shows none. With -b it writes a ring of files,
game_00001_20260131120000.pcapng and so on, and begins the next file after a size or a time;
files:N keeps only the newest N files. -a stops the capture:

  -b filesize:SIZE  -b duration:TIME  -b files:N
  -a filesize:SIZE  -a duration:TIME  -a packets:N

--metrics 127.0.0.1:9190 serves counts to a Prometheus server, at /metrics, for as long as live
runs: packets by verdict, case and sender, losses, rejects, drops. It has no password, and
shows no player's address; without an address (:9190) it listens on loopback. It answers
requests whose Host is its address, this machine's name, or localhost on loopback.

SIZE is in kilobytes, or as in 20MB; TIME is in seconds, or as in 90s, 2h. The file is a
valid capture at any time, whatever ends the program; at most the last second is missing.`,
		Example: `  pktscope live -i eth0
  pktscope live -i lo -p my.pks -V
  pktscope live -i eth0 -i wg0 -w both.pcapng           # of both, in the order of time
  pktscope live -i eth0 --stats 1s                    # rates, losses, rejects, silent peers: a table that refreshes
  pktscope live -i eth0 -Y 'pkt.dst_port == 4124 && pkt.rejected' -x
  pktscope live -i eth0 --follow 10.0.0.7 --stats 1s   # how one player is doing
  pktscope live -i eth0 --only rejects -T json >> rejects.jsonl
  sudo pktscope live -i eth0 --user nobody -a duration:1h --stats 10s
  sudo pktscope live -i eth0 -p my.pks --user nobody --metrics 127.0.0.1:9190
  pktscope live -i eth0 -w game.pcapng -b filesize:100MB -b files:10
  tcpdump -i eth0 -ddd 'udp portrange 27000-27050' | pktscope live -i eth0 -p my.pks -f @-`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return usagef(cmd, "%q: live takes no files; `pktscope decode` reads captures", args[0])
			case len(flags.names) == 0:
				return usagef(cmd, "which interface? want -i INTERFACE")
			}
			return p.live(cmd, &flags)
		},
	}
	set := cmd.Flags()
	addInterfaces(cmd, &flags.names, &flags.filter)
	limitsVar(cmd, &flags.stopAt, "autostop", "a", "stop after `KIND:VALUE`: duration, packets or filesize; repeatable", stopKinds)
	limitsVar(cmd, &flags.ringAt, "ring-buffer", "b", "begin the next file of -w after `KIND:VALUE`: duration or filesize; files: how many to keep; repeatable", ringKinds)
	filledVar(cmd, &flags.user, "user", "", "become `USER` once the interface is open (root only)", "a user")
	set.BoolVar(&flags.promiscuous, "promiscuous", false, "also capture packets that are addressed to other stations")
	numberVar(cmd, &flags.snapLen, "snaplen", "s", 0, 0, pcap.MaxPacket, "keep the first `BYTES` of each packet (0 is all)", "")
	numberVar(cmd, &flags.buffer, "buffer", "B", 0, 0, 1023, "the kernel's buffer in `MIB` (0 is 16)", " MiB")
	numberVar(cmd, &flags.rings, "rings", "", 1, 1, live.MaxRings, "share the packets of an interface among `N` buffers of the kernel, by flow (Linux)", "")
	completeUsers(cmd)
	flags.view.add(cmd)
	addStats(cmd, &flags.stats)
	add(cmd, &checked[netip.AddrPort]{&flags.metrics, prometheus.Address, "string"}, "metrics", "", "serve counts to Prometheus at `ADDR:PORT`, and show no packets unless a view is asked for")
	completeWords(cmd, "metrics", []string{"127.0.0.1:9190"})
	return cmd
}

// addInterfaces adds -i and -f.
func addInterfaces(cmd *cobra.Command, names *[]string, filter *string) {
	cmd.Flags().StringArrayVarP(names, "interface", "i", nil, "network `INTERFACE`; repeatable")
	filledVar(cmd, filter, "capture-filter", "f", "the packets that the kernel hands over: `TERMS`, or @FILE with code of tcpdump -ddd", "terms such as 'port 4124', or udp for all of UDP")
	completeInterfaces(cmd)
}

// check judges the flags before anything is opened.
func (l *liveFlags) check(cmd *cobra.Command) (err error) {
	set := cmd.Flags().Changed
	if err := checkStats(cmd, l.stats, &l.view); err != nil {
		return err
	}
	switch {
	case set("ring-buffer") && (l.view.write == "" || l.view.write == "-"):
		return usagef(cmd, "-b makes files: name them with -w FILE")
	case set("ring-buffer") && l.ringAt.bytes == 0 && l.ringAt.duration == 0:
		return usagef(cmd, "-b files: says how many are kept: say with -b filesize: or -b duration: when the next one begins")
	case l.stopAt.bytes > 0 && l.view.write == "":
		return usagef(cmd, "-a filesize: is of the file that -w writes: name one")
	}
	return nil
}

// captureFilter is what -f says, else the ports of the protocols at hand.
func (p *program) captureFilter(cmd *cobra.Command, text string, decoders *scan.Decoders) (*live.Filter, error) {
	if text == "" {
		return live.PortFilter(decoders.AllPorts()...), nil
	}
	if text[0] != '@' {
		f, err := live.ParseFilter(text)
		if err != nil {
			return nil, usagef(cmd, "-f: %s", err)
		}
		return f, nil
	}
	name, in := text[1:], p.stdin
	if name != "-" {
		file, err := p.openText(name)
		if err != nil {
			return nil, fmt.Errorf("-f: %s", err)
		}
		defer file.Close()
		in = file
	}
	f, err := live.ReadCode(in)
	if err != nil {
		return nil, fmt.Errorf("-f %s: %s", text, reason(err))
	}
	return f, nil
}

func (p *program) live(cmd *cobra.Command, flags *liveFlags) error {
	if err := flags.check(cmd); err != nil {
		return err
	}
	v, err := p.openView(cmd, &flags.view, false)
	if err != nil {
		return err
	}
	if err := v.saveTo(p, cmd, nil); err != nil {
		return err
	}
	if cmd.Flags().Changed("ring-buffer") {
		at := &flags.ringAt
		v.save.rotation = pcap.Rotation{Bytes: at.bytes, Duration: at.duration, Files: int(at.files)}
	}
	filter, err := p.captureFilter(cmd, flags.filter, v.scan.Decoders)
	if err != nil {
		return err
	}
	var drop live.User
	if flags.user != "" {
		if drop, err = live.FindUser(flags.user); err != nil {
			return fmt.Errorf("--%w", err)
		}
	}
	src, err := live.OpenAll(flags.names, live.Options{SnapLen: flags.snapLen, ReceiveBuffer: flags.buffer << 20, Rings: flags.rings, Promiscuous: flags.promiscuous, Filter: filter})
	if err != nil {
		return err
	}
	defer src.Close()
	if err := drop.Become(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if v.save != nil {
		v.save.section = sectionOf(src)
	}
	r := &capturing{program: p, view: v, src: src, filter: filter, stopAt: flags.stopAt, ticks: time.Second, interrupt: signals()}
	if flags.stats > 0 || flags.metrics.IsValid() {
		r.counter = stats.NewShared(v.scan.Decoders)
	}
	if flags.metrics.IsValid() {
		v.silent = v.silent || !v.asked(cmd)
		name, _ := os.Hostname() // without one it is reached by address
		server, err := prometheus.Listen(flags.metrics, name, prometheus.New(r.counter.Summaries, captureMetrics(src)))
		if err != nil {
			return fmt.Errorf("--metrics %w", err)
		}
		defer server.Close()
	}
	v.source, v.most, v.scan.Records = src, flags.stopAt.bytes, v.save != nil
	v.scan.Unread = v.silent && r.counter == nil
	if v.single() || v.most > 0 {
		v.scan.Batched = -1
	}
	if flags.stats > 0 {
		r.ticks, r.board = flags.stats, newBoard(p, v, r.counter)
	}
	if d := flags.ringAt.duration; d > 0 {
		r.ticks = min(r.ticks, d)
	}
	if !p.quiet {
		served := ""
		if flags.metrics.IsValid() {
			served = fmt.Sprintf(", counts at http://%s/metrics", flags.metrics)
		}
		p.complain("capturing on %s (%s)%s, Ctrl-C ends", strings.Join(flags.names, ", "), filter, served)
	}
	err = r.run()
	return p.endLive(v, src, strings.Join(flags.names, ", "), err)
}

// captureMetrics is what Prometheus is told of a source.
func captureMetrics(src *live.Sources) func() prometheus.Capture {
	c := prometheus.Capture{Began: time.Now(), Version: version()}
	return func() prometheus.Capture {
		c.Interfaces, _ = src.Accounts() // without numbers there is nothing to say
		return c
	}
}

// endLive says how it ended, and what there was. The file of -w is ended whatever happened.
func (p *program) endLive(v *view, src *live.Sources, name string, err error) error {
	var write *writeError
	if errors.As(err, &write) {
		return p.endWrite(v, write)
	}
	if err != nil {
		p.complain("%s: %s", name, err)
	}
	if failed := v.saved(p, false); failed != nil {
		return failed
	}
	if failed := p.summarise(&v.counts, v.flags.chosen()); failed != nil {
		return failed
	}
	if err := p.tellAccounts(src); err != nil {
		return err
	}
	switch {
	case err != nil:
		return told{}
	case metFailure(v.flags.failOn, &v.counts):
		return findings{}
	}
	return nil
}

// endWrite ends the file of -w when the file or stdout could not be written.
func (p *program) endWrite(v *view, write *writeError) error {
	switch save := v.save; {
	case save == nil || save.path == "" || save.to == nil:
	case save.broken:
		_ = save.close() // what went wrong is about to be told
	default: // stdout is gone; what is in the file is not
		if failed := v.saved(p, false); failed != nil {
			return failed
		}
	}
	return write.error
}

// tellAccounts says how many packets the kernel dropped in all, if any, and of several interfaces what it had of each.
func (p *program) tellAccounts(src *live.Sources) error {
	list, err := src.Accounts()
	if err != nil || p.quiet {
		return nil // without numbers there is nothing to say
	}
	var b strings.Builder
	if len(list) > 1 {
		for _, a := range list {
			fmt.Fprintf(&b, "%s: %s, %d of them dropped by the kernel\n", syntax.EscapeText(a.Name), syntax.Count(a.Received, "packet"), a.Dropped)
		}
	}
	if all := live.Sum(list); all.Dropped > 0 {
		b.WriteString(dropsLine(all))
	}
	_, err = io.WriteString(p.stderr, b.String())
	return err
}

func dropsLine(s live.Stats) string {
	return fmt.Sprintf("dropped by the kernel: %d of %d packets, which came faster than they were read\n", s.Dropped, s.Received)
}
