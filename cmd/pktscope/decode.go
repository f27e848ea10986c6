package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/pcap"
)

func newDecode(p *program) *cobra.Command {
	var flags viewFlags
	cmd := &cobra.Command{
		Use:   "decode FILE...",
		Short: "decode the packets of captures",
		Long: `Decode reads captures (pcap or pcapng, also as .gz or .zst; - is stdin) and shows every
packet: one line each, with -V every field, with -x every bit under its field, with -T
json an object a line, with -T csv or -T fields a row of the fields that -e names. A
packet that breaks a rule is refused at its first wrong bit, with the reason.

Times are UTC. C→S and S→C tell which end is the client; the protocol's port decides.
Without -p the port also decides which built-in protocol a datagram has, and datagrams on
no built-in's port are skipped; with -p every UDP datagram is decoded. Of what a schema
calls @secret every view shows the size alone; the packets that -w writes keep it.

-Y shows the packets of which an expression is true: over their fields as in JSON, case,
pkt.n file time src dst src_ip dst_ip src_port dst_port direction protocol bits verdict
rejected accepted cut, reject.kind path bit width want got, and notes, with == != < <= > >=
&& || ! in contains startsWith endsWith matches + - * % any all none one count len. What
compares with an absent field is neither true nor false; x == nil asks whether it is absent.
Nor is what compares with a sum or a product beyond 64 bits, or with x % 0.
The same names are columns: -e body.players[*].x joins its elements with ";". Without -p a
filter or a path has to fit one built-in; packets of the others match nothing and have
empty cells. A text that a spreadsheet would compute, or GitHub obey, has an apostrophe in
front.`,
		Example: `  pktscope decode game.pcap
  pktscope decode game.pcap -V -c 1                     # the first packet, every field
  pktscope decode game.pcap -x -c 1                     # the first packet, every bit
  pktscope decode game.pcap --only rejects --fail-on reject
  pktscope decode game.pcap -Y 'case == "Snapshot" && any(body.players, .health < 10)'
  pktscope decode game.pcap -T csv -e pkt.time -e case -e body.players[*].x
  pktscope decode game.pcap --only rejects -w rejects.pcapng
  pktscope decode -p my.pks -D MaxPlayers=8 game.pcap   # your own protocol
  tcpdump -w - udp port 4124 | pktscope decode -        # as it arrives
  pktscope decode game.pcap -T json | jq -c 'select(.verdict == "reject") | .reject'`,
		ValidArgsFunction: completeExtensions("pcap", "pcapng", "cap"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "which capture? want a file, or - for stdin")
			}
			return p.decode(cmd, &flags, args)
		},
	}
	flags.add(cmd)
	return cmd
}

func (p *program) decode(cmd *cobra.Command, flags *viewFlags, files []string) error {
	v, err := p.openView(cmd, flags, len(files) > 1)
	if err != nil {
		return err
	}
	if err := v.saveTo(p, cmd, files); err != nil {
		return err
	}
	trouble, err := p.eachCapture(files, func(reader *pcap.Reader, name string) (bool, error) {
		if v.parallel(name) {
			return v.pipeline(reader, name)
		}
		return v.capture(reader, name)
	})
	if err != nil {
		return err
	}
	if err := v.saved(p, len(trouble) > 0 && v.captures.captured == 0); err != nil {
		return err
	}
	if len(trouble) > 0 && v.captures.captured == 0 {
		return told{} // nothing was read that could be summed up
	}
	if v.unmatched() {
		return fmt.Errorf("%s on no port of a built-in protocol: %s; name the protocol with -p", plural(v.counts.noPort, "datagram"), v.table.list())
	}
	if err := p.summarise(v); err != nil {
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

// flushInterval is how long a line may wait in the buffer while no packets come.
const flushInterval = 100 * time.Millisecond

// writeError tells an error of the output from one of the capture.
type writeError struct{ error }

// capture shows one capture's packets, up to its end or to where it broke; all before that is shown.
func (v *view) capture(src pcap.PacketSource, name string) (done bool, err error) {
	datagrams := pcap.NewDatagrams(src)
	defer func() { v.captures.skip(datagrams.Counts()) }()
	for {
		d, err := datagrams.Next()
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		shown := v.shown
		done, err := v.datagram(d, name)
		if err == nil && v.save != nil && v.shown > shown {
			err = v.save.add(datagrams)
		}
		if err != nil {
			return false, &writeError{err}
		} else if done {
			return true, nil
		}
	}
}
