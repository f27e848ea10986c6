package pcap

import (
	"encoding/binary"
	"io"
	"math"
	"math/bits"
	"time"

	"github.com/google/gopacket"
)

// MaxPacket is the most bytes a captured packet may have; a longer one is an
// error. It is the largest snap length that libpcap and Wireshark write.
const MaxPacket = 256 << 10

// A Reader reads the packets of one capture file, pcap or pcapng, plain or
// compressed by gzip or zstd (once, not twice), from an io.Reader. It
// implements gopacket's PacketDataSource and ZeroCopyPacketDataSource, and
// [PacketSource].
//
// Sources: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng, and for the
// obsolete packet block the appendix of the latter.
//
// A Reader may not be used by two goroutines at once.
type Reader struct {
	in      input
	read    func(*Reader) ([]byte, error) // reads the next packet; nil before the magic was seen
	err     error                         // sticky: what every further call returns
	packets int64                         // records met that have a number, the current one included
	info    info

	delivered int64 // packets returned

	link LinkType
	big  bool // the file's (or section's) numbers are big-endian

	fractions uint32 // classic pcap: parts of a second in the timestamp's low half
	snapLen   uint32 // classic pcap: what its header claims
	lengths   lengths

	ifaces      []iface // pcapng: interfaces of this section
	sections    int64   // sections begun in all files; a classic file is one
	sectionText span    // pcapng: the section's own options, in text
	text        []byte  // pcapng: options kept for those who ask, at most maxText
	opts        []byte  // pcapng: options of the packet read last, in the input's buffer

	part      *Part  // nil where the whole file is read
	head      []byte // what has to be read before the next record; where keepsHead
	keepsHead bool

	compression compression
	front       *front // nil until a compressed file is met
	expansion   int64  // see MaxExpansion
}

// NewReader returns a Reader of the capture that r holds. Nothing is read
// before the first packet is asked for; that call also reports input that is
// no capture. The Reader buffers: it may read more from r than it returns.
func NewReader(r io.Reader) *Reader {
	rd := &Reader{expansion: DefaultExpansion}
	rd.Reset(r)
	return rd
}

// MaxExpansion sets how many bytes a compressed capture may hold for each of
// its own, beyond the first 64 MiB, in place of [DefaultExpansion]; 0 is any
// number. It is for captures that are begun later. It costs no memory to read
// more, but time: a file of a megabyte can hold 32 GB.
func (r *Reader) MaxExpansion(times int64) { r.expansion = times }

// Reset makes the Reader read another capture, reusing its memory.
func (r *Reader) Reset(src io.Reader) {
	if r.front != nil {
		r.front.release()
	}
	in, front := r.in, r.front
	in.reset(src)
	*r = Reader{in: in, ifaces: r.ifaces[:0], text: r.text[:0], sections: r.sections, front: front, expansion: r.expansion}
}

// ZeroCopyReadPacketData returns the next packet from its link layer on, at
// most MaxPacket bytes. The bytes are the Reader's and valid until its next
// call.
//
// In the CaptureInfo, Timestamp is within 1677..2262 (what an int64 of
// nanoseconds holds) and the Unix epoch for the blocks that have none such;
// CaptureLength is len(data); Length is the length on the wire, never below
// CaptureLength; InterfaceIndex is 0 in pcap and the section's interface id in
// pcapng.
//
// The error is io.EOF after the last packet of a whole file, a *FormatError,
// or what the io.Reader returned, with its offset. It stays the same for all
// further calls.
func (r *Reader) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	data, err := r.next()
	if err != nil {
		return nil, gopacket.CaptureInfo{}, err
	}
	return data, gopacket.CaptureInfo{
		Timestamp:      time.Unix(0, r.info.time),
		CaptureLength:  len(data),
		Length:         r.info.wire,
		InterfaceIndex: r.info.iface,
	}, nil
}

// next is ZeroCopyReadPacketData whose CaptureInfo is left in r.info: to make one, and to take it apart again, is a
// tenth of what it takes to read a packet.
func (r *Reader) next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	if r.opts != nil {
		r.opts = nil
	}
	if r.read == nil {
		if r.err = r.detect(); r.err != nil {
			return nil, r.err
		}
	}
	before, packets := r.in.off, r.packets
	data, err := r.read(r)
	if err == nil && r.part != nil {
		err = r.placed(before, packets)
	}
	if err != nil {
		r.err = err
		return nil, err
	}
	r.delivered++
	return data, nil
}

// info is what a record says of its packet, beside its bytes.
type info struct {
	time  int64 // ns since the Unix epoch; 0 where it is not timed
	wire  int   // see wireLength
	iface int
	timed bool // the capture says when, and an int64 of ns holds it
	odd   bool // what it says is no time as the format has them
}

// ReadPacketData is ZeroCopyReadPacketData with a copy that the caller keeps.
func (r *Reader) ReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	data, ci, err := r.ZeroCopyReadPacketData()
	if err != nil {
		return nil, ci, err
	}
	return append(make([]byte, 0, len(data)), data...), ci, nil
}

// Packets is how many packets of the capture were returned.
func (r *Reader) Packets() int64 { return r.delivered }

// LinkType is the link type of the packet read last: in pcapng each interface
// has its own.
func (r *Reader) LinkType() LinkType { return r.link }

// The magics, as the first four bytes of the file read big-endian.
const (
	magicMicro   = 0xa1b2c3d4
	magicNano    = 0xa1b23c4d
	magicSection = 0x0a0d0d0a // pcapng: type of the section header, a palindrome

	magicGzipDeflate = 0x1f8b0800 // gzip by the only method there is
)

// detect picks the format by its magic and reads the header of classic pcap.
func (r *Reader) detect() error {
	b := r.in.peek(4)
	if len(b) < 4 {
		_, broken := r.in.err.(*compressedError)
		switch {
		case !r.in.atEnd() || broken || len(b) > 0 && beginsMagic(b):
			return r.ended("magic", 0, 4)
		case len(b) == 0:
			return r.notCapture("empty")
		}
		return r.notCapture("no magic")
	}
	if kind := compressionOf(b); kind != uncompressed {
		if r.compression != uncompressed {
			return r.notCapture(string(kind) + " within " + string(r.compression))
		}
		if r.front == nil {
			r.front = new(front)
		}
		r.in = r.front.begin(r.in, kind, r.expansion)
		r.compression = kind
		return r.detect() // once: the second time refuses to go further
	}
	switch magic := binary.BigEndian.Uint32(b); magic {
	case magicSection:
		r.read = (*Reader).ngPacket
		return nil
	case magicMicro, magicNano, bits.ReverseBytes32(magicMicro), bits.ReverseBytes32(magicNano):
		r.read = (*Reader).classicPacket
		r.big = magic == magicMicro || magic == magicNano
		r.fractions = 1e6
		if magic == magicNano || magic == bits.ReverseBytes32(magicNano) {
			r.fractions = 1e9
		}
		return r.classicHeader()
	}
	return r.notCapture("no magic")
}

// beginsMagic reports whether b, of 1..3 bytes, is the start of a magic.
func beginsMagic(b []byte) bool {
	for _, magic := range [...]uint32{magicSection, magicMicro, magicNano,
		bits.ReverseBytes32(magicMicro), bits.ReverseBytes32(magicNano),
		binary.BigEndian.Uint32(magicZstd), magicGzipDeflate} {
		if string(binary.BigEndian.AppendUint32(nil, magic)[:len(b)]) == string(b) {
			return true
		}
	}
	return false
}

// wireLength is a packet's length on the wire: the greater of what the file
// says of it and what was captured, within an int of 32 bits.
func wireLength(capLen, wireLen uint32) int {
	return int(min(max(capLen, wireLen), math.MaxInt32))
}

// u32 and u16 read a number in the file's byte order. They are small enough
// to be inlined, where a binary.ByteOrder would be two calls.
func (r *Reader) u32(b []byte) uint32 {
	if r.big {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

func (r *Reader) u16(b []byte) uint16 {
	if r.big {
		return binary.BigEndian.Uint16(b)
	}
	return binary.LittleEndian.Uint16(b)
}
