package pcap

import (
	"iter"
	"maps"
	"net/netip"

	"github.com/google/gopacket"
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
	// N is the number of the packet's record in its source, from 1, as
	// Wireshark has it. All packets count, also those that are skipped, and
	// those before a Part; and blocks of pcapng that Wireshark shows as a
	// packet. For a datagram that came in fragments, N, Time and Interface
	// are those of the one that came last.
	N int64
	// Time is when the packet was captured, in ns since the Unix epoch
	// (years 1677..2262); 0 if it is not Timed: the capture does not say
	// (simple packet blocks), or no int64 holds what it says.
	Time  int64
	Timed bool
	// OddTime says that the capture's time is not one as the format has them:
	// a fraction of more than a second, or a negative number where none is
	// foreseen. Time is what was meant, as far as that can be guessed.
	OddTime bool
	// Interface is the packet's interface: its id in a pcapng section, else 0.
	Interface int
	// Src and Dst are the sender and the receiver. IPv6 addresses have no
	// zone, and 4-in-6 ones stay as they are. With a routing header Dst is
	// the next hop. Packets that are a payload without UDP (link types
	// USER0..USER15) have neither, and are the zero AddrPort, for which
	// IsValid is false; an exported PDU has those that its tags tell, and may
	// have a port with no address.
	Src, Dst netip.AddrPort
	// Payload is what UDP carries, at most 65,527 bytes; it is valid until
	// the next call of Next, and never contains anything of the frame after
	// the datagram.
	Payload []byte
	// Size is how many bytes UDP carried, at most 65,527: those of Payload,
	// and where it is Cut those that are missing.
	Size int
	// Cut says that Payload lacks bytes that were on the wire, because the
	// capture's snap length cut the packet. Of a datagram in fragments
	// Payload ends before the first byte that is missing, even if later
	// fragments were kept.
	Cut bool
	// LengthMismatch says that the UDP length disagrees with the one that IP
	// leaves for it. Payload follows the shorter; a UDP length of 0 over
	// IPv6, which receivers take for "all of it", follows IP.
	LengthMismatch bool
	// OverMTU says that the IP packet, which is no fragment, is longer than
	// Ethernet takes, so that the network card or its driver has put several
	// datagrams into one (GSO, GRO): the capture does not say where each ends.
	OverMTU bool
	// WireLen is the packet's length on the wire in bytes, from its link
	// layer on, as the capture says it; of all its fragments together.
	WireLen int
}

// DatagramReader yields the UDP datagrams of a PacketSource, reassembled where they
// came in fragments. It allocates nothing per packet, but for fragments until
// as many buffers are there as wait at a time. Not for two goroutines at once.
type DatagramReader struct {
	src      PacketSource
	file     *Reader // src, if it is one: it knows sections and comments
	section  int64   // of file, at the fragment read last
	datagram Datagram
	data     []byte // the packet read last, and its length on the wire
	wire     int
	info     info   // of the same
	last     Record // that Records yielded last
	records  iter.Seq[*Record]
	counts   Counts
	frags    reassembly
	vlans    vlans  // of the packet read last
	kind     Kind   // of the packet skipped last that has one
	alike    uint64 // packets of it that are not yet in counts
	cause    Cause  // of it
	calm     mark   // of a file that keeps its heads: the last place where no fragment waited
}

// NewDatagrams returns a Datagrams that reads from src.
func NewDatagrams(src PacketSource) *DatagramReader {
	d := new(DatagramReader)
	d.Reset(src)
	return d
}

// Reset makes it read from src, with record numbers and counts from zero and
// no fragments.
func (d *DatagramReader) Reset(src PacketSource) {
	d.frags.reset()
	d.src, d.datagram, d.data, d.counts, d.kind, d.alike = src, Datagram{}, nil, Counts{}, 0, 0
	d.file, _ = src.(*Reader)
	d.section = 0
	d.calm = mark{}
}

// Counts returns what was met so far; of a Part also of the packets before it that were read.
func (d *DatagramReader) Counts() Counts {
	d.counts.kind(d.kind, d.alike)
	d.alike = 0
	c := d.counts
	c.Kinds = maps.Clone(c.Kinds)
	return c
}

// Next returns the next UDP datagram, valid until the next call. Packets that
// hold none are counted and passed over. The error is the source's: io.EOF at
// its end.
func (d *DatagramReader) Next() (*Datagram, error) {
	if d.frags.done != nil {
		d.frags.release()
	}
	for {
		d.noteCalm()
		data, err := d.read()
		if err != nil {
			d.datagram, d.data = Datagram{}, nil
			d.abandonFragments()
			return nil, err
		}
		if d.frags.oldest != nil && d.file != nil && d.file.sections != d.section {
			// A section is a capture of its own: what waits from the one
			// before gets no more, and its interfaces are gone.
			d.abandonFragments()
		}
		d.counts.Packets++
		f := frame{data: data, wire: max(d.info.wire, len(data))}
		d.data, d.wire = data, f.wire
		// Field by field, and the others where a layer finds them: to clear them first takes as long as a layer.
		dg := &d.datagram
		dg.Time, dg.Timed, dg.OddTime, dg.Interface, dg.WireLen = d.info.time, d.info.timed, d.info.odd, d.info.iface, f.wire
		if cause := d.link(f, d.linkType()); cause != causeNone {
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
		if d.file != nil && d.file.warm() {
			if d.frags.done != nil {
				d.frags.release()
			}
			continue
		}
		return &d.datagram, nil
	}
}

// read reads the next packet, and what its record says into d.info; its number is that of the datagram.
func (d *DatagramReader) read() ([]byte, error) {
	if d.file != nil {
		data, err := d.file.next()
		d.info, d.datagram.N = d.file.info, d.file.packets
		return data, err
	}
	data, ci, err := d.src.ZeroCopyReadPacketData()
	d.info = info{time: ci.Timestamp.UnixNano(), wire: ci.Length, iface: ci.InterfaceIndex, timed: true}
	d.datagram.N++
	return data, err
}

func (d *DatagramReader) linkType() LinkType {
	if d.file != nil {
		return d.file.link
	}
	return d.src.LinkType()
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
