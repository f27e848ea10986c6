package pcap

import (
	"fmt"
	"io"
)

// Classic pcap: a header of 24 bytes, then records of 16 bytes and a packet.
// Source: draft-ietf-opsawg-pcap.
const (
	classicHeaderLen = 24
	classicRecordLen = 16
)

// classicHeader reads what is after the magic. The snap length there is not
// believed (writers are known to exceed it), MaxPacket is what bounds us.
func (r *Reader) classicHeader() error {
	h := r.in.peek(classicHeaderLen)
	if len(h) < classicHeaderLen {
		return r.ended("file header", 0, classicHeaderLen)
	}
	// Before 2.4 the two lengths of a record were swapped in some files.
	if major, minor := r.u16(h[4:]), r.u16(h[6:]); major != 2 || minor != 4 {
		return r.malformed(4, "pcap version: want 2.4, got %d.%d", major, minor)
	}
	// The high half says how long the frame check sequence is; the layers
	// never look after the IP packet, so it needs no more than masking.
	r.link = LinkType(r.u32(h[20:]) & 0xffff)
	r.snapLen = r.u32(h[16:])
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
	if fraction >= r.fractions {
		return nil, r.malformed(4, "packet %d: fraction of a second: want 0..%d, got %d", r.packets, r.fractions-1, fraction)
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
	if r.fractions == 1e6 {
		fraction *= 1000 // < 1e9
	}
	r.info.time, r.info.wire = int64(sec)*1e9+int64(fraction), wireLength(capLen, wireLen)
	return rec[classicRecordLen:], nil
}
