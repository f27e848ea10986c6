package main

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/live"
	"github.com/pktscope/pktscope/report/browse"
	"github.com/pktscope/pktscope/report/scan"
)

// browserFlags are the flags of `view`.
type browserFlags struct {
	protocol protocolFlags
	names    []string       // -i
	capture  string         // -f
	filter   string         // -Y
	follow   netip.AddrPort // --follow
	time     string         // -t
	flow     flowFlags
}

func newView(p *program) *cobra.Command {
	var flags browserFlags
	cmd := &cobra.Command{
		Use:   "view {FILE | -i INTERFACE}",
		Short: "browse packets in the terminal: a list, the fields of one, its bits",
		Long: `View shows a capture (pcap or pcapng, also as .gz or .zst; - is stdin) or what comes through an
interface on a full screen: a list of packets, the fields of the one at the cursor, and its
bits. The field at the cursor has its bits lit, and a bit its field. Tab changes panes, / types
a filter (as -Y of decode, with completion), r finds the next reject, p follows a peer, m marks
a packet and d shows how another differs (≠ then marks its fields), t changes how times are shown, ? lists all keys.

A file is open at once, whatever its size: an index grows in the background, packets are
decoded as they are shown, and filters and rejects are looked for on all cores (Esc stops that).
Where packets set what later ones are read by, or bring pieces of messages, the 16,384 packets
before the one at the cursor are decoded with it; filters read all from the beginning.

A compressed capture, and packets from a pipe or an interface, are written to a temporary file
in TMPDIR: at most 8 GiB, without a name there, and gone when the program ends. -i needs the
privilege to capture, see pktscope live; the list follows what comes, and space holds it.

It needs a terminal of 60 columns and 16 lines. Values of fields that the schema calls @secret
are masked, and their bits are dots. On Windows and macOS -i needs a build with libpcap (see
pktscope live), or pipe tcpdump in; on Windows Ctrl-Z does not suspend, and the temporary file
has its name until the end.`,
		Example: `  pktscope view game.pcap
  pktscope view -p my.pks -Y 'pkt.rejected' ring.pcapng.zst
  sudo pktscope view -i eth0 -p my.pks
  ssh server tcpdump -U -w - udp port 4124 | pktscope view -`,
		ValidArgsFunction: completeExtensions("pcap", "pcapng", "cap", "gz", "zst"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(flags.names) == 0 && len(args) != 1:
				return usagef(cmd, "which capture? want one file, - for stdin, or -i INTERFACE")
			case len(flags.names) > 0 && len(args) > 0:
				return usagef(cmd, "want a file or -i, got both")
			}
			return p.browse(cmd, &flags, args)
		},
	}
	flags.protocol.add(cmd)
	addInterfaces(cmd, &flags.names, &flags.capture)
	needs(cmd, "capture-filter", "interface", ", whose packets it chooses")
	filledVar(cmd, &flags.filter, "filter", "Y", "list only the packets for which `EXPR` is true, at first", filterWanted)
	addFollow(cmd, &flags.follow, "list only the packets to and from `PEER`, 10.0.0.7 or 10.0.0.7:4124, at first")
	addTime(cmd, &flags.time, "show times as `FORM` (tshark's words), at first")
	flags.flow.add(cmd)
	flags.protocol.addKeys(cmd, true)
	flags.protocol.addTrust(cmd)
	completeFilter(cmd, &flags.protocol)
	return cmd
}

// browserMemory is what the index and the rows of a large capture take beside the decoders, in bytes.
const browserMemory = 64 << 20

func (p *program) browse(cmd *cobra.Command, flags *browserFlags, files []string) error {
	if !isTerminal(p.stdout) || os.Getenv("TERM") == "dumb" {
		return errors.New("view needs a terminal with a screen; pktscope decode prints packets")
	}
	decoders, err := p.decoders(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	if _, err := p.compileChoice(flags.filter, flags.follow, decoders); err != nil {
		return err
	}
	if flags.follow.IsValid() {
		flags.filter = filter.Follow(flags.follow, flags.filter)
	}
	allowMemory(browserMemory)
	o := browse.Options{
		Scan: scan.Options{Decoders: decoders, Flow: flags.flow.limits()}, Filter: flags.filter, Time: flags.time,
		Colour: p.coloured(p.stdout), Stop: p.interrupts(), Suspend: suspend,
	}
	var from *browsed
	if len(flags.names) > 0 {
		o.Name, o.Live = strings.Join(flags.names, ", "), true
		from, err = p.browsedInterface(cmd, flags, decoders)
	} else {
		o.Name = files[0]
		from, err = p.browsedFile(files[0])
	}
	if err != nil {
		return err
	}
	defer from.close()
	o.Store, o.Fill = from.store, from.fill
	return browse.Run(o)
}

// browsed is what is browsed.
type browsed struct {
	store *browse.Store
	fill  func() // the store, in the background; nil where it is whole
	close func()
}

// browsedFile opens a capture.
func (p *program) browsedFile(name string) (*browsed, error) {
	if name == "-" {
		if in, ok := p.stdin.(*os.File); ok && isTerminal(in) {
			return nil, errors.New("-: stdin is the terminal; want a capture on it")
		}
		return grown(func(s *browse.Store) { s.Fill(p.stdin, int64(p.maxExpansion)) }, func() {})
	}
	f, err := p.openUnlessInterrupted(name, p.openFile)
	if err != nil {
		return nil, err
	}
	closes := func() { _ = f.Close() } // only read
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return grown(func(s *browse.Store) { s.Fill(f, int64(p.maxExpansion)) }, closes)
	}
	if _, _, err := pcap.NewReader(io.NewSectionReader(f, 0, info.Size())).ZeroCopyReadPacketData(); err != nil && err != io.EOF {
		closes()
		return nil, inputError(name, err)
	}
	head := make([]byte, 4)
	if n, _ := f.ReadAt(head, 0); pcap.Compressed(head[:n]) {
		return grown(func(s *browse.Store) { s.Fill(f, int64(p.maxExpansion)) }, closes)
	}
	return &browsed{store: browse.NewStore(f, info.Size()), close: closes}, nil
}

// browsedInterface begins to capture.
func (p *program) browsedInterface(cmd *cobra.Command, flags *browserFlags, decoders *scan.Decoders) (*browsed, error) {
	filter, err := p.captureFilter(cmd, flags.capture, decoders)
	if err != nil {
		return nil, err
	}
	src, err := live.OpenAll(flags.names, live.Options{Filter: filter})
	if err != nil {
		return nil, err
	}
	match := func(d *pcap.Datagram) bool { return filter.Match(d.Src, d.Dst) }
	return grown(func(s *browse.Store) { s.Record(src, match, sectionOf(src)) }, func() { _ = src.Close() })
}

// grown is a store that fill fills, in a file without a name. closes closes what it is filled from.
func grown(fill func(*browse.Store), closes func()) (*browsed, error) {
	f, err := os.CreateTemp("", "pktscope-view-*")
	if err != nil {
		closes()
		return nil, fmt.Errorf("temporary file: %s", reason(err))
	}
	_ = os.Remove(f.Name()) // where an open file can not be removed it is at the end
	store := browse.NewGrowingStore(f)
	return &browsed{store: store, fill: func() { fill(store) }, close: func() {
		closes()
		_ = f.Close()
		_ = os.Remove(f.Name())
	}}, nil
}
