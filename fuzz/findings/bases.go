package findings

import (
	"bytes"
	"io"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// The most that ReadBases takes from a capture: an audit and a campaign take each packet apart in full.
const (
	maxBases     = 1 << 16
	maxBaseBytes = 64 << 20
)

// ReadBases reads the different packets of a capture that a protocol accepts, in their order: the Bases of a fuzz.Audit
// or a fuzz.Campaign. It ends early, and all is false, at 65,536 packets or 64 MiB.
func ReadBases(src pcap.PacketSource, d *decode.Decoder) (bases []decode.Packet, all bool, err error) {
	packet := scan.Packet{Trace: new(decode.Trace)}
	seen, size := map[string]bool{}, 0
	datagrams := pcap.NewDatagrams(src)
	for {
		from, err := datagrams.Next()
		if err == io.EOF {
			return bases, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		if seen[string(from.Payload)] {
			continue
		}
		if packet.Read(d, from, ""); packet.Rejected() {
			continue
		}
		if len(bases) == maxBases || size+len(from.Payload) > maxBaseBytes {
			return bases, false, nil
		}
		size += len(from.Payload)
		data := bytes.Clone(from.Payload)
		seen[string(data)] = true
		bases = append(bases, decode.Packet{Data: data, From: packet.From})
	}
}
