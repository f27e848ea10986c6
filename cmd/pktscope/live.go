package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/live"
)

// liveFlags are the flags that `live` has beside those of a view.
type liveFlags struct {
	view        viewFlags
	name        string        // -i
	filter      string        // -f
	stop, ring  []string      // -a, -b
	stats       time.Duration // --stats
	user        string        // --user
	promiscuous bool          // --promiscuous
	snapLen     int           // -s
	buffer      int           // -B

	stopAt, ringAt limits // of stop and ring
}

func newLive(p *program) *cobra.Command {
	var flags liveFlags
	cmd := &cobra.Command{
		Use:   "live -i INTERFACE",
		Short: "decode packets from a network interface",
		Long: `Live decodes what passes a network interface, with the views of decode. Ctrl-C ends it with a summary, behind what
has arrived until then; a second Ctrl-C ends it at once. It needs the privilege to capture: root, or CAP_NET_RAW
(pktscope interfaces tells whether you have it):

  sudo setcap cap_net_raw+ep "$(command -v pktscope)"

On other systems than Linux it needs a build with libpcap, go build -tags libpcap.

Root had better give its privileges away with --user, as soon as the interface is open; files are then that user's.

The kernel hands over only UDP from or to the ports of the protocol: of the one that -p names, else of all built-ins.
With -f it is other packets:

  -f 'port 4124 or port 5000-5010'      from or to one of these ports
  -f 'host 10.0.0.7 or host fd00::/64'  from or to one of these addresses
  -f udp                                all of UDP
  -f @FILE                              whatever code of tcpdump -ddd says (of the same interface)

Fragments are put together before they are judged. Packets that come faster than they are read are dropped by the
kernel, and counted; -B makes its buffer larger.

-w alone shows no packets. With -b it writes a ring of files, game_00001_20260131120000.pcapng and so on, and begins the
next one after a size or a time; with files: only the last so many are kept. -a stops the capture:

  -b filesize:SIZE  -b duration:TIME  -b files:N
  -a filesize:SIZE  -a duration:TIME  -a packets:N

SIZE is in kilobytes or as in 20MB, TIME in seconds or as in 90s, 2h. What was written is a valid capture at any time,
whatever ends the program; at most the last second is missing.`,
		Example: `  pktscope live -i eth0
  pktscope live -i lo -p my.pks -V
  pktscope live -i eth0 --stats 1s                    # rates, losses, rejects, silent peers: a table that refreshes
  pktscope live -i eth0 -Y 'pkt.dst_port == 4124 && pkt.rejected' -x
  pktscope live -i eth0 --only rejects -T json >> rejects.jsonl
  sudo pktscope live -i eth0 --user nobody -a duration:1h --stats 10s
  pktscope live -i eth0 -w game.pcapng -b filesize:100MB -b files:10
  tcpdump -i eth0 -ddd 'udp portrange 27000-27050' | pktscope live -i eth0 -p my.pks -f @-`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return usagef(cmd, "%q: live takes no files; `pktscope decode` reads captures", args[0])
			case flags.name == "":
				return usagef(cmd, "which interface? want -i INTERFACE")
			}
			return p.live(cmd, &flags)
		},
	}
	set := cmd.Flags()
	set.StringVarP(&flags.name, "interface", "i", "", "network `INTERFACE`")
	set.StringVarP(&flags.filter, "capture-filter", "f", "", "the packets that the kernel hands over: `TERMS`, or @FILE with code of tcpdump -ddd")
	set.StringArrayVarP(&flags.stop, "autostop", "a", nil, "stop after `KIND:VALUE`: duration, packets, filesize; repeatable")
	set.StringArrayVarP(&flags.ring, "ring-buffer", "b", nil, "next file of -w after `KIND:VALUE`: duration, filesize; files: how many are kept; repeatable")
	addStats(cmd, &flags.stats)
	set.StringVar(&flags.user, "user", "", "become `USER` once the interface is open (root only)")
	set.BoolVar(&flags.promiscuous, "promiscuous", false, "capture what is addressed to other stations, too")
	set.IntVarP(&flags.snapLen, "snaplen", "s", 0, "keep the first `BYTES` of each packet (0 is all)")
	set.IntVarP(&flags.buffer, "buffer", "B", 0, "the kernel's buffer in `MIB` (0 is 16)")
	completeInterfaces(cmd)
	completeLimits(cmd, "autostop", stopKinds)
	completeLimits(cmd, "ring-buffer", ringKinds)
	completeUsers(cmd)
	flags.view.add(cmd)
	return cmd
}

// check judges the flags before anything is opened.
func (f *liveFlags) check(cmd *cobra.Command) (err error) {
	set := cmd.Flags().Changed
	if f.stopAt, err = parseLimits(cmd, "-a", f.stop, stopKinds); err != nil {
		return err
	}
	if f.ringAt, err = parseLimits(cmd, "-b", f.ring, ringKinds); err != nil {
		return err
	}
	if err := checkStats(cmd, f.stats, &f.view); err != nil {
		return err
	}
	const mostBuffer = 1023
	switch {
	case set("ring-buffer") && (f.view.write == "" || f.view.write == "-"):
		return usagef(cmd, "-b makes files: name them with -w FILE")
	case set("ring-buffer") && f.ringAt.bytes == 0 && f.ringAt.duration == 0:
		return usagef(cmd, "-b files: says how many are kept: say with -b filesize: or -b duration: when the next one begins")
	case f.stopAt.bytes > 0 && f.view.write == "":
		return usagef(cmd, "-a filesize: is of the file that -w writes: name one")
	case set("capture-filter") && f.filter == "":
		return usagef(cmd, "-f is empty: want terms such as 'port 4124', or udp for all of UDP")
	case f.snapLen < 0 || f.snapLen > pcap.MaxPacket:
		return usagef(cmd, "-s %d: want 1..%d bytes, or 0 for all", f.snapLen, pcap.MaxPacket)
	case f.buffer < 0 || f.buffer > mostBuffer:
		return usagef(cmd, "-B %d: want 1..%d MiB, or 0 for 16", f.buffer, mostBuffer)
	case set("user") && f.user == "":
		return usagef(cmd, "--user is empty: want a user")
	}
	return nil
}

// captureFilter is what -f says, else the ports of the protocols at hand.
func (p *program) captureFilter(cmd *cobra.Command, flags *liveFlags, v *view) (*live.Filter, error) {
	text := flags.filter
	if text == "" {
		return live.PortFilter(v.spec.ports()...), nil
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
		file, err := openFile(name)
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

// ports lists the ports of all protocols, none when a protocol has none and so could be on any.
func (s *viewSpec) ports() []uint16 {
	var all []uint16
	for _, d := range s.decoders {
		list := d.Plan().Schema.Ports
		if len(list) == 0 && s.table == nil {
			return nil
		}
		all = append(all, list...)
	}
	slices.Sort(all)
	return slices.Compact(all)
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
	if len(flags.ring) > 0 {
		v.save.ring = &ring{limits: flags.ringAt, name: v.save.path}
	}
	filter, err := p.captureFilter(cmd, flags, v)
	if err != nil {
		return err
	}
	drop, err := findUser(flags.user)
	if err != nil {
		return err
	}
	src, err := live.Open(flags.name, live.Options{SnapLen: flags.snapLen, ReceiveBuffer: flags.buffer << 20, Promiscuous: flags.promiscuous, Filter: filter})
	if err != nil {
		return err
	}
	defer src.Close()
	if err := drop.become(); err != nil {
		return err
	}
	r := &capturing{program: p, view: v, src: src, filter: filter, stopAt: flags.stopAt, ticks: time.Second, interrupt: signals()}
	if flags.stats > 0 {
		r.ticks, r.board = flags.stats, newBoard(p, v)
	}
	if d := flags.ringAt.duration; d > 0 {
		r.ticks = min(r.ticks, d)
	}
	if !p.quiet {
		p.complain("capturing on %s (%s), Ctrl-C ends", flags.name, filter)
	}
	err = r.run()
	return p.endLive(v, src, flags.name, err)
}

// endLive says how it ended, and what there was. The file of -w is ended whatever happened.
func (p *program) endLive(v *view, src *live.Source, name string, err error) error {
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
	if failed := p.summarise(v); failed != nil {
		return failed
	}
	if err := p.tellDrops(src); err != nil {
		return err
	}
	switch {
	case err != nil:
		return told{}
	case v.failed():
		return findings{}
	}
	return nil
}

// endWrite ends the file of -w when the file or stdout could not be written.
func (p *program) endWrite(v *view, write *writeError) error {
	switch save := v.save; {
	case save == nil || save.file == nil:
	case save.broken:
		_ = save.end() // what went wrong is about to be told
	default: // stdout is gone; what is in the file is not
		if failed := v.saved(p, false); failed != nil {
			return failed
		}
	}
	return write.error
}

// tellDrops says how many packets the kernel dropped in all, if any.
func (p *program) tellDrops(src *live.Source) error {
	stats, err := src.Stats()
	if err != nil || stats.Dropped == 0 || p.quiet {
		return nil // without numbers there is nothing to say
	}
	_, err = io.WriteString(p.stderr, dropsLine(stats))
	return err
}

func dropsLine(s live.Stats) string {
	return fmt.Sprintf("dropped by the kernel: %d of %d packets, which came faster than they were read\n", s.Dropped, s.Received)
}
