package pcap

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Small builders of captures and packets. They write what they are told, lies
// included; nothing here computes a length unless its name says so.

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func cat(parts ...[]byte) []byte { return slices.Concat(parts...) }

// repeat is n bytes 'x'.
func repeat(n int) []byte { return bytes.Repeat([]byte{'x'}, n) }

// fileHeader is a classic pcap header; link is the whole 32-bit field.
func fileHeader(o byteOrder, magic, link uint32) []byte {
	b := o.AppendUint32(nil, magic)
	b = o.AppendUint16(b, 2)
	b = o.AppendUint16(b, 4)
	b = append(b, make([]byte, 8)...)
	b = o.AppendUint32(b, 65535)
	return o.AppendUint32(b, link)
}

// record is a classic record header and data.
func record(o byteOrder, sec, fraction, capLen, wireLen uint32, data []byte) []byte {
	b := o.AppendUint32(nil, sec)
	b = o.AppendUint32(b, fraction)
	b = o.AppendUint32(b, capLen)
	b = o.AppendUint32(b, wireLen)
	return append(b, data...)
}

// honestRecord has the lengths of data.
func honestRecord(o byteOrder, sec, fraction uint32, data []byte) []byte {
	return record(o, sec, fraction, uint32(len(data)), uint32(len(data)), data)
}

// rawBlock is a pcapng block with any two lengths.
func rawBlock(o byteOrder, kind, before uint32, body []byte, after uint32) []byte {
	b := o.AppendUint32(nil, kind)
	b = o.AppendUint32(b, before)
	b = append(b, body...)
	return o.AppendUint32(b, after)
}

// block pads body and has its true length.
func block(o byteOrder, kind uint32, body []byte) []byte {
	body = pad4(body)
	total := uint32(len(body) + blockFrame)
	return rawBlock(o, kind, total, body, total)
}

func pad4(b []byte) []byte { return append(slices.Clip(b), make([]byte, -len(b)&3)...) }

func shbBody(o byteOrder, major uint16, sectionLength int64, opts []byte) []byte {
	b := o.AppendUint32(nil, byteOrderMagic)
	b = o.AppendUint16(b, major)
	b = o.AppendUint16(b, 0)
	b = o.AppendUint64(b, uint64(sectionLength))
	return append(b, opts...)
}

func shb(o byteOrder) []byte { return block(o, blockSection, shbBody(o, 1, -1, nil)) }

func idbBody(o byteOrder, link LinkType, snapLen uint32, opts []byte) []byte {
	b := o.AppendUint16(nil, uint16(link))
	b = o.AppendUint16(b, 0)
	b = o.AppendUint32(b, snapLen)
	return append(b, opts...)
}

func idb(o byteOrder, link LinkType, snapLen uint32, opts ...[]byte) []byte {
	return block(o, blockInterface, idbBody(o, link, snapLen, cat(opts...)))
}

// opt is an option with its true length.
func opt(o byteOrder, code uint16, value ...byte) []byte {
	b := o.AppendUint16(nil, code)
	b = o.AppendUint16(b, uint16(len(value)))
	return append(b, pad4(value)...)
}

func tsOffset(o byteOrder, sec int64) []byte {
	return opt(o, optTSOffset, o.AppendUint64(nil, uint64(sec))...)
}

func epbBody(o byteOrder, id uint32, units uint64, capLen, wireLen uint32, data, opts []byte) []byte {
	b := o.AppendUint32(nil, id)
	b = o.AppendUint32(b, uint32(units>>32))
	b = o.AppendUint32(b, uint32(units))
	b = o.AppendUint32(b, capLen)
	b = o.AppendUint32(b, wireLen)
	return append(pad4(append(b, data...)), opts...)
}

func epb(o byteOrder, id uint32, units uint64, data []byte, opts ...[]byte) []byte {
	n := uint32(len(data))
	return block(o, blockEnhanced, epbBody(o, id, units, n, n, data, cat(opts...)))
}

// opb is an obsolete packet block, with 7 dropped packets.
func opb(o byteOrder, id uint16, units uint64, data []byte, opts ...[]byte) []byte {
	b := o.AppendUint16(nil, id)
	b = o.AppendUint16(b, 7)
	n := uint32(len(data))
	return block(o, blockPacket, append(b, epbBody(o, 0, units, n, n, data, cat(opts...))[4:]...))
}

func spb(o byteOrder, wireLen uint32, data []byte) []byte {
	return block(o, blockSimple, append(o.AppendUint32(nil, wireLen), data...))
}

// Packets.

func etherHeader(types ...uint16) []byte {
	b := []byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1}
	for i, t := range types {
		b = be.AppendUint16(b, t)
		if i < len(types)-1 {
			b = be.AppendUint16(b, uint16(100+i)) // a tag's VLAN id
		}
	}
	return b
}

// ip4 is a header with options (a multiple of 4 bytes) for protocol, with the
// total length of header and payload; edit changes it.
func ip4(protocol byte, options, payload []byte, edit ...func(h []byte)) []byte {
	h := make([]byte, 20, 20+len(options)+len(payload))
	h[0] = 4<<4 | byte(5+len(options)/4)
	be.PutUint16(h[2:], uint16(20+len(options)+len(payload)))
	h[8], h[9] = 64, protocol
	copy(h[12:], []byte{10, 0, 0, 1})
	copy(h[16:], []byte{10, 0, 0, 2})
	h = append(h, options...)
	for _, e := range edit {
		e(h)
	}
	return append(h, payload...)
}

func ip6(next byte, payload []byte, edit ...func(h []byte)) []byte {
	h := make([]byte, 40, 40+len(payload))
	h[0] = 6 << 4
	be.PutUint16(h[4:], uint16(len(payload)))
	h[6], h[7] = next, 64
	h[8], h[9], h[23] = 0x20, 0x01, 1
	h[24], h[25], h[39] = 0x20, 0x01, 2
	for _, e := range edit {
		e(h)
	}
	return append(h, payload...)
}

// ext is an IPv6 extension header of 8*(1+units) bytes.
func ext(next byte, units int, payload []byte) []byte {
	h := make([]byte, 8*(1+units))
	h[0], h[1] = next, byte(units)
	h[2], h[3] = 1, byte(len(h)-4) // PadN
	return append(h, payload...)
}

// fragment6 is a fragment header.
func fragment6(next byte, offsetAndMore uint16, payload []byte) []byte {
	h := []byte{next, 0, 0, 0, 0, 0, 0, 9}
	be.PutUint16(h[2:], offsetAndMore)
	return append(h, payload...)
}

// sll and sll2 are Linux cooked headers, of a six-byte address.
func sll(hardware, protocol uint16) []byte {
	b := be.AppendUint16(be.AppendUint16([]byte{0, 4}, hardware), 6)
	return be.AppendUint16(append(b, 2, 0, 0, 0, 0, 1, 0, 0), protocol)
}

func sll2(hardware, protocol uint16) []byte {
	b := append(be.AppendUint16(nil, protocol), 0, 0, 0, 0, 0, 3)
	return append(be.AppendUint16(b, hardware), 4, 6, 2, 0, 0, 0, 0, 1, 0, 0)
}

// tag is a tag of an exported PDU, with its true length.
func tag(code uint16, value ...byte) []byte {
	b := be.AppendUint16(nil, code)
	return append(be.AppendUint16(b, uint16(len(value))), value...)
}

// tagsUDP lack the end.
var tagsUDP = cat(tag(tagProtocol, []byte("data")...), tag(tagIPv4Src, 10, 0, 0, 1), tag(tagIPv4Dst, 10, 0, 0, 2),
	tag(tagPortType, 0, 0, 0, portTypeUDP), tag(tagSrcPort, 0, 0, 0x10, 0x1c), tag(tagDstPort, 0, 0, 0, 53))

// udpLen is a header that claims length, and payload; ports 4124 to 53.
func udpLen(length int, payload []byte) []byte {
	h := be.AppendUint16(nil, 4124)
	h = be.AppendUint16(h, 53)
	h = be.AppendUint16(h, uint16(length))
	h = be.AppendUint16(h, 0)
	return append(h, payload...)
}

func udp(payload []byte) []byte { return udpLen(8+len(payload), payload) }

// etherUDP is a whole packet.
func etherUDP(payload []byte) []byte {
	return cat(etherHeader(0x0800), ip4(protocolUDP, nil, udp(payload)))
}

// readerOf reads a capture in memory.
func readerOf(file []byte) *Reader { return NewReader(bytes.NewReader(file)) }
