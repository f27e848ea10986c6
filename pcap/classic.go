package pcap

import (
	"fmt"
	"io"
)

// Classic pcap: a header of 24 bytes, then records of 16 bytes and a packet.
// Sources: draft-ietf-opsawg-pcap; for the versions before 2.4 libpcap's
// sf-pcap.c, and for AIX Wireshark's libpcap.c.
const (
	classicHeaderLen = 24
	classicRecordLen = 16
)

// lengths is the order of a record's two lengths in classic pcap.
type lengths uint8

const (
	capturedFirst   lengths = iota // since 2.4
	wireFirst                      // before 2.3
	wireFirstIfMore                // 2.3: the captured length is the smaller one
)

// classicHeader reads what is after the magic. The snap length there is not
// believed (writers are known to exceed it), MaxPacket is what bounds us.
func (r *Reader) classicHeader() error {
	h := r.in.peek(classicHeaderLen)
	if len(h) < classicHeaderLen {
		return r.ended("file header", 0, classicHeaderLen)
	}
	// Up to 2.2 the length on the wire comes first, also in 543.0, which DG/UX wrote; in 2.3 it depends on the writer.
	major, minor := r.u16(h[4:]), r.u16(h[6:])
	switch {
	case major == 2 && minor == 4:
	case major == 2 && minor == 3:
		r.lengths = wireFirstIfMore
	case major == 2 && minor < 3, major == 543 && minor == 0:
		r.lengths = wireFirst
	default:
		return r.malformed(4, "pcap version: want 2.0 to 2.4, got %d.%d", major, minor)
	}
	// The high half says how long the frame check sequence is; the layers
	// never look after the IP packet, so it needs no more than masking.
	r.link = LinkType(r.u32(h[20:]) & 0xffff)
	if aixEthernet := LinkType(6); r.lengths == wireFirst && major == 2 && minor == 2 && r.link == aixEthernet {
		r.link, r.fractions = LinkEthernet, 1e9 // AIX has the numbers of RFC 1573, and nanoseconds
	}
	r.snapLen = r.u32(h[16:])
	r.info.timed = true
	r.sections++
	if r.keepsHead {
		r.head = append([]byte(nil), h...)
	}
	r.in.discard(classicHeaderLen)
	return nil
}

// classicPacket reads one record.
func (r *Reader) classicPacket() ([]byte, error) {
	h := r.in.peek(classicRecordLen)
	if len(h) < classicRecordLen {
		if r.in.cleanEnd() {
			return nil, io.EOF
		}
		return nil, r.ended(fmt.Sprintf("header of packet %d", r.packets+1), r.in.off, classicRecordLen)
	}
	r.packets++
	sec, fraction := r.u32(h), r.u32(h[4:])
	capLen, wireLen := r.u32(h[8:]), r.u32(h[12:])
	if r.lengths == wireFirst || r.lengths == wireFirstIfMore && capLen > wireLen {
		capLen, wireLen = wireLen, capLen
	}
	if capLen > MaxPacket {
		return nil, r.malformed(8, "packet %d: captured length: want 0..%d, got %d", r.packets, MaxPacket, capLen)
	}
	size := classicRecordLen + int(capLen)
	rec := r.in.peek(size)
	if len(rec) < size {
		return nil, r.ended(fmt.Sprintf("packet %d", r.packets), r.in.off, int64(size))
	}
	r.in.discard(size)
	r.info.odd = fraction >= r.fractions
	ns := int64(fraction) // < 2^32
	if r.fractions == 1e6 {
		ns *= 1000
	}
	r.info.time, r.info.wire = int64(sec)*1e9+ns, wireLength(capLen, wireLen)
	return rec[classicRecordLen:], nil
}
