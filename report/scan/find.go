package scan

import (
	"fmt"
	"io"

	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
)

// Find decodes packet n of a capture into p, whose Trace is the caller's. which is the packet's decoder among all of
// decoders, limits bound what is kept of the messages before it; -1 if it is on no port of theirs. A record that completes no datagram is an error.
func Find(src pcap.PacketSource, n int64, file string, decoders *Decoders, limits flow.Limits, p *Packet) (which int, err error) {
	datagrams, sessions := pcap.NewDatagrams(src), newSessions(decoders, limits)
	for {
		from, err := datagrams.Next()
		switch {
		case err == io.EOF && int64(datagrams.Counts().Packets) < n:
			return -1, fmt.Errorf("there is no packet %d: it has %s", n, syntax.Count(int64(datagrams.Counts().Packets), "packet"))
		case err == io.EOF || err == nil && from.N > n:
			return -1, fmt.Errorf("packet %d is no UDP datagram, or not the last fragment of one", n)
		case err != nil:
			return -1, err
		}
		which = decoders.Index(from.Src, from.Dst)
		if which >= 0 && (from.N == n || sessions[which] != nil) {
			p.Envelope, p.which = envelope(from, file), which
			p.decode(decoders.At(which), sessions[which], from.Payload, from.Size, nil)
		}
		if from.N == n {
			return which, nil
		}
	}
}
