package pcap

import (
	"net/netip"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// A PacketSource yields link-layer packets: a [Reader], or a live.Source. It
// returns io.EOF at its end.
type PacketSource interface {
	gopacket.ZeroCopyPacketDataSource
	// LinkType is the link type of the packet returned last.
	LinkType() LinkType
}

// A Datagram is one UDP datagram of a capture.
type Datagram struct {
	// N is the number of the packet's record in its source, from 1. All
	// packets count, also those that are skipped.
	N int64
	// Time is when the packet was captured, in ns since the Unix epoch
	// (years 1677..2262); 0 if the capture does not say (simple packet
	// blocks).
	Time int64
	// Interface is the packet's interface: its id in a pcapng section, else 0.
	Interface int
	// Src and Dst are the sender and the receiver. IPv6 addresses have no
	// zone, and 4-in-6 ones stay as they are. With a routing header Dst is
	// the next hop.
	Src, Dst netip.AddrPort
	// Payload is what UDP carries, at most 65,527 bytes; it is valid until
	// the next call of Next, and never contains anything of the frame behind
	// the datagram.
	Payload []byte
	// Cut says that Payload lacks bytes that were on the wire, because the
	// capture's snap length cut the packet.
	Cut bool
	// LengthMismatch says that the UDP length disagrees with the one that IP
	// leaves for it. Payload follows the shorter; a UDP length of 0 over
	// IPv6, which receivers take for "all of it", follows IP.
	LengthMismatch bool
	// WireLen is the packet's length on the wire in bytes, from its link
	// layer on, as the capture says it.
	WireLen int
}

// Datagrams yields the UDP datagrams of a PacketSource. It allocates nothing
// per packet. Not for two goroutines at once.
type Datagrams struct {
	src      PacketSource
	datagram Datagram
	counts   Counts

	eth  layers.Ethernet
	vlan layers.Dot1Q
	udp  layers.UDP
}

// NewDatagrams returns a Datagrams that reads from src.
func NewDatagrams(src PacketSource) *Datagrams { return &Datagrams{src: src} }

// Reset makes it read from src, with record numbers and counts from zero.
func (d *Datagrams) Reset(src PacketSource) {
	d.src, d.datagram, d.counts = src, Datagram{}, Counts{}
}

// Counts returns what was met so far.
func (d *Datagrams) Counts() Counts { return d.counts }

// Next returns the next UDP datagram, valid until the next call. Packets that
// hold none are counted and passed over. The error is the source's: io.EOF at
// its end.
func (d *Datagrams) Next() (*Datagram, error) {
	for {
		data, ci, err := d.src.ZeroCopyReadPacketData()
		if err != nil {
			return nil, err
		}
		d.counts.Packets++
		f := frame{data: data, wire: max(ci.Length, len(data))}
		d.datagram = Datagram{
			N:         int64(d.counts.Packets),
			Time:      ci.Timestamp.UnixNano(),
			Interface: ci.InterfaceIndex,
			WireLen:   f.wire,
		}
		if cause := d.link(f, d.src.LinkType()); cause != causeNone {
			d.counts.skipped[cause]++
			continue
		}
		d.counts.Datagrams++
		if d.datagram.Cut {
			d.counts.Cut++
		}
		if d.datagram.LengthMismatch {
			d.counts.LengthMismatch++
		}
		return &d.datagram, nil
	}
}

// A frame is a packet as captured, and its length on the wire.
// Invariant: len(data) ≤ wire.
type frame struct {
	data []byte
	wire int
}

// lacks is the one bounds check of the layers: it returns causeNone if the
// bytes before end were captured, CutHeader if they were only on the wire, and
// malformed if they never existed.
func (f frame) lacks(end int, malformed Cause) Cause {
	switch {
	case end <= len(f.data):
		return causeNone
	case end <= f.wire:
		return CutHeader
	}
	return malformed
}
