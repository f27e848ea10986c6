package live

import (
	"errors"
	"fmt"

	"github.com/pktscope/pktscope/pcap"
)

// ErrUnsupported is what Open fails with where this build has no live capture on this system.
var ErrUnsupported = errors.New("live capture on this system needs a build with libpcap: go build -tags libpcap; capture files need nothing")

// DefaultReceiveBuffer is the kernel's buffer of a Source in bytes: 0.8 s of
// 100,000 packets/s of 100 bytes, or of 160 Mbit/s in packets of 1,500.
const DefaultReceiveBuffer = 16 << 20

// DefaultSnapLen is how much of a packet a Source keeps, in bytes: all of every
// packet that IP has room for, whatever is before it.
const DefaultSnapLen = 96 << 10

// MaxRings is how many rings share the packets of an interface at most.
const MaxRings = 16

// Options of Open. The zero value is sound.
type Options struct {
	// SnapLen is the most bytes kept of a packet, 1..pcap.MaxPacket; 0 means
	// DefaultSnapLen.
	SnapLen int
	// ReceiveBuffer is how many bytes of packets the kernel holds for us, some
	// 100 of overhead for each included; 0 means DefaultReceiveBuffer. It is
	// rounded down to whole blocks, of which there are at least two, each with
	// room for a packet of SnapLen bytes.
	ReceiveBuffer int
	// Rings is how many rings of the kernel share the packets of an interface, at most MaxRings; 0 means 1. Each has a
	// ReceiveBuffer. More than one is of OpenAll, on Linux without libpcap.
	Rings int
	// Promiscuous also captures what is addressed to other stations.
	Promiscuous bool
	// Filter is what the kernel hands over; nil means everything.
	Filter *Filter
}

// checked returns the options with defaults filled in.
func (o Options) checked() (Options, error) {
	if o.SnapLen == 0 {
		o.SnapLen = DefaultSnapLen
	}
	if o.ReceiveBuffer == 0 {
		o.ReceiveBuffer = DefaultReceiveBuffer
	}
	if o.Rings == 0 {
		o.Rings = 1
	}
	if o.Rings < 0 || o.Rings > MaxRings {
		return o, fmt.Errorf("rings: want 1..%d, got %d", MaxRings, o.Rings)
	}
	if o.SnapLen < 0 || o.SnapLen > pcap.MaxPacket {
		return o, fmt.Errorf("snap length: want 1..%d bytes, got %d", pcap.MaxPacket, o.SnapLen)
	}
	const most = 1 << 30 // libpcap has an int for it, and a machine needs memory for others
	if o.ReceiveBuffer < 0 || o.ReceiveBuffer >= most {
		return o, fmt.Errorf("receive buffer: want 1..%d bytes, got %d", most-1, o.ReceiveBuffer)
	}
	return o, nil
}

// Stats is what the kernel counted since Open.
type Stats struct {
	// Received is the packets that arrived for the Source and passed its
	// filter, dropped ones included. After Stop and io.EOF all of them were
	// either read or dropped; but on the loopback interface of a kernel before
	// 4.20 each counts twice, once as sent.
	Received uint64
	// Dropped is those of them that found the receive buffer full.
	Dropped uint64
}
