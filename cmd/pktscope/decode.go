package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

func newDecode(p *program) *cobra.Command {
	var flags viewFlags
	var output string
	cmd := &cobra.Command{
		Use:   "decode FILE...",
		Short: "decode the packets of captures",
		Long: `Decode reads captures (pcap or pcapng, also as .gz or .zst; - is stdin) and shows every
packet. By default a packet has one line; -V shows every field, -x every bit under its
field, -T json an object a line, and -T csv or -T fields a row of the fields that -e names.
A packet that breaks a rule is refused at its first wrong bit, with the reason.

Times are UTC; -t shows others, with the words of tshark: -t r since the first datagram, -t d
since the one before, whether that is shown or not, -t e since 1970, all in seconds; -t u is
UTC and -t a your own zone, -t ud and -t ad with the date. Other forms than text have UTC.
C→S and S→C say which end is the client; the protocol's port decides that, or --port
4000-4010,5000, which stands for "port" of the schema.
With -p every UDP datagram is decoded. Without -p the port also decides which built-in
protocol a datagram has, and datagrams on no built-in's port are skipped; where all are, the
largest flows are named and the exit code is 2. Views show only the size of a field that the
schema calls @secret; the packets that -w writes keep it.

What holds no datagram is counted under what it is: not-udp (12 TCP, 3 ICMP), not-ip (ARP,
LLDP), encapsulated (in PPPoE, MPLS, GRE or another tunnel, which are not read),
unsupported-link (its link type), fragment, fragment-incomplete, fragment-overlap (of a
datagram in pieces), cut-header (the snap length), oversize, and malformed-link, malformed-ip,
malformed-udp.

--follow 10.0.0.7 shows only the packets from and to this peer; 10.0.0.7:4124 only those of
one of its ports. -Y shows only the packets for which an expression is true. It can name

  fields    as JSON names them, and case
  pkt.      n file time src dst src_ip dst_ip src_port dst_port direction protocol bits
            verdict rejected accepted cut context
  reject.   kind path bit width want got
  notes
  msg.      the fields of a message that the packet completes, and its section bits verdict
            rejected accepted case reject; names of msg. that && joins must hold for one message

The operators are == != < <= > >= && || ! in contains startsWith endsWith matches + - * %, the
functions any all none one count len. A comparison is neither true nor false when its field is
absent (x == nil asks for that), when a sum or a product exceeds 64 bits, or with x % 0.
pkt.context is true when the packet, or a message of it, needs packets that are missing.

Where a schema says that fields hold messages, or pieces of them (@message, @fragment),
a message is shown with the packet that completes it: in text after the packet, in JSON as
message. A message that lacks pieces is no reject: it needs context that is not in the
capture (--fail-on context). So does a packet that breaks a rule which earlier packets set
(state), unless --trust-context says that the capture has all of those.

Where a schema says that a text is sealed, --keys FILE opens it, and it is shown after the
packet, whose sealed bytes are masked then. The file has one key a line, in hexadecimal
digits; only you should be able to read it:

  private 0011…                                      # key.private of the schema
  flow 10.0.0.2:50000 10.0.0.1:40000 key 0011… 2233…  # state.key, to the server and back

Keys that packets of a flow contain need not be in the file. A text that no key opens is no
reject. What -w writes stays sealed. No key is shown anywhere.

-e takes the names of -Y as columns: -e body.players[*].x joins the elements with ";", -e msg.x
the values of the packet's messages. Without -p a filter or a path must fit one built-in;
packets of the others match nothing and have empty cells. A text that a spreadsheet would
compute, or GitHub execute, begins with an apostrophe.

-T parquet writes columns for DuckDB, ClickHouse and others that read Parquet, to the file of
-o or, with -o DIR/, to a file for each capture. A row is a packet of one protocol: n, file,
time, time_ns, src_ip, dst_ip, src_port, dst_port, direction, protocol, case, bits, verdict,
reject and notes, then the group fields and one for each case, with the values of accepted
packets. case = 'State' asks for the case of a packet. A @secret field has no column. A file
appears when it is whole; when a capture ends early its metadata has pktscope.complete false,
and the exit code is 2. See pktscope schema sql and pktscope help scale.`,
		Example: `  pktscope decode game.pcap
  pktscope decode game.pcap -V -c 1                     # the first packet, every field
  pktscope decode game.pcap -x -c 1                     # the first packet, every bit
  pktscope decode game.pcap --only rejects --fail-on reject
  pktscope decode game.pcap --follow 10.0.0.7           # one player, both ways
  pktscope decode game.pcap -Y 'case == "Snapshot" && any(body.players, .health < 10)'
  pktscope decode game.pcap -T csv -e pkt.time -e case -e body.players[*].x
  pktscope decode game.pcap --only rejects -w rejects.pcapng
  pktscope decode -p my.pks -D MaxPlayers=8 game.pcap   # your own protocol
  pktscope decode -p my.pks --port 4000-4010 game.pcap  # whose server was on other ports
  tcpdump -w - udp port 4124 | pktscope decode -        # as it arrives
  pktscope decode -p my.pks -T parquet -o parquet/ ring-*.pcapng
  pktscope decode game.pcap -T json | jq -c 'select(.verdict == "reject") | .reject'`,
		ValidArgsFunction: completeExtensions("pcap", "pcapng", "cap"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "which capture? want a file, or - for stdin")
			}
			if flags.format == "parquet" {
				return p.decodeParquet(cmd, &flags, output, args)
			}
			if output != "" {
				return usagef(cmd, "-o is for -T parquet: a view goes to stdout")
			}
			return p.decode(cmd, &flags, args)
		},
	}
	flags.add(cmd, parquetForm)
	filledVar(cmd, &output, "output", "o", "write Parquet to `FILE`, or with DIR/ a file of each capture", "a file, or a directory with / at its end")
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
	v.scan.Unread = v.silent
	trouble, err := p.eachCapture(files, func(reader *pcap.Reader, name string) (bool, error) {
		v.source, v.scan.Records, v.scan.Workers = reader, v.save != nil, 0
		// Not on all cores: a capture that arrives bit by bit; one of which a few packets are wanted; dumps, which are
		// for eyes and take 600 bytes for one of a packet's; what -w writes as it is read.
		if name == "-" || v.single() || v.flags.flush || v.save != nil {
			v.scan.Workers = 1
		}
		err := scanCapture(reader, name, v.scan, v.stage(), &v.counts)
		return v.flags.count > 0 && v.shown == v.flags.count, err
	})
	if err != nil {
		return err
	}
	nothing := len(trouble) > 0 && v.counts.Captured == 0
	if err := v.saved(p, nothing); err != nil {
		return err
	}
	switch {
	case nothing:
		return told{} // nothing was read that could be summed up
	case v.counts.Unmatched(v.scan.Decoders):
		return unmatched(&v.counts, v.scan.Decoders)
	}
	if err := p.summarise(&v.counts, v.flags.chosen()); err != nil {
		return err
	}
	switch {
	case len(trouble) > 0:
		return told{}
	case metFailure(v.flags.failOn, &v.counts):
		return findings{}
	}
	return nil
}

// scanCapture hands the packets of a capture to a stage and counts them, up to the capture's end or to where it broke.
func scanCapture[B any](reader pcap.PacketSource, name string, o scan.Options, s scan.Stage[B], sum *scan.Counts) error {
	o.File = name
	counts, err := scan.Run(scan.From(reader), o, s)
	sum.Add(&counts)
	return err
}

// flushInterval is how long a line may wait in the buffer while no packets come.
const flushInterval = 100 * time.Millisecond

// writeError tells an error of the output from one of the capture.
type writeError struct{ error }
