package pcap

import (
	"bytes"
	"encoding/binary"
	"net/netip"
)

// Packets that are a payload without the layers below it: link types for
// private use, and the PDUs that Wireshark exports, after a list of tags.
// Source: LINKTYPE_WIRESHARK_UPPER_PDU in the tcpdump.org registry, which
// refers to wsutil/exported_pdu_tlvs.h of Wireshark.

// maxPayload is the most that UDP carries, in bytes (over IPv6; RFC 768).
const maxPayload = 65535 - 8

// maxExportTags is the most tags a PDU may have; Wireshark writes a dozen.
const maxExportTags = 64

// Tags of an exported PDU. Numbers are big-endian, of four bytes.
const (
	tagEnd      = 0
	tagProtocol = 12
	tagIPv4Src  = 20
	tagIPv4Dst  = 21
	tagIPv6Src  = 22
	tagIPv6Dst  = 23
	tagPortType = 24
	tagSrcPort  = 25
	tagDstPort  = 26

	portTypeUDP = 3
)

// bare takes all from byte at on as the payload. Src and Dst stay as they are.
func (d *DatagramReader) bare(f frame, at int) Cause {
	if f.wire-at > maxPayload {
		return Oversize
	}
	d.datagram.Payload = f.data[at:len(f.data):len(f.data)]
	d.datagram.Size = f.wire - at
	d.datagram.Cut = len(f.data) < f.wire
	d.datagram.LengthMismatch, d.datagram.OverMTU = false, false
	return causeNone
}

// exported walks the tags. A PDU is a datagram if it was carried in UDP
// ports, or is an IP packet that holds one.
func (d *DatagramReader) exported(f frame) Cause {
	const tagLen = 4
	var src, dst netip.Addr
	var srcPort, dstPort uint16
	var udp, ip bool
	at := 0
	for range maxExportTags {
		if c := f.lacks(at+tagLen, MalformedLink); c != causeNone {
			return c
		}
		tag, size := binary.BigEndian.Uint16(f.data[at:]), int(binary.BigEndian.Uint16(f.data[at+2:]))
		at += tagLen
		if c := f.lacks(at+size, MalformedLink); c != causeNone {
			return c
		}
		value := f.data[at : at+size]
		at += size
		ok := true
		switch tag {
		case tagEnd:
			switch {
			case size != 0:
				return MalformedLink
			case udp:
				d.datagram.Src = netip.AddrPortFrom(src, srcPort)
				d.datagram.Dst = netip.AddrPortFrom(dst, dstPort)
				return d.bare(f, at)
			case ip:
				return d.rawIP(f, at)
			}
			return d.skip(kindLink | Kind(LinkExported))
		case tagProtocol:
			switch string(bytes.TrimRight(value, "\x00")) {
			case "ip", "ipv4", "ipv6":
				ip = true
			}
		case tagIPv4Src, tagIPv6Src:
			src, ok = exportedAddr(tag, value)
		case tagIPv4Dst, tagIPv6Dst:
			dst, ok = exportedAddr(tag, value)
		case tagPortType:
			ok = size == 4
			udp = ok && binary.BigEndian.Uint32(value) == portTypeUDP
		case tagSrcPort:
			srcPort, ok = exportedPort(value)
		case tagDstPort:
			dstPort, ok = exportedPort(value)
		}
		if !ok {
			return MalformedLink
		}
	}
	return MalformedLink
}

func exportedAddr(tag uint16, value []byte) (netip.Addr, bool) {
	want := 4
	if tag == tagIPv6Src || tag == tagIPv6Dst {
		want = 16
	}
	if len(value) != want {
		return netip.Addr{}, false
	}
	return netip.AddrFromSlice(value)
}

func exportedPort(value []byte) (uint16, bool) {
	if len(value) != 4 || value[0]|value[1] != 0 {
		return 0, false
	}
	return binary.BigEndian.Uint16(value[2:]), true
}
