package pcap

import (
	"encoding/binary"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// The link layers: from the first byte of a packet to its IP header.
//
// gopacket's decoders are called directly, one by one, behind a length check
// of ours: its DecodingLayerParser looks every next layer up in a map, would
// go on above UDP by port number, and reports a short packet only as a flag or
// an untyped error.
//
// To add a link type: 1. its number and name in linktype.go; 2. a case in
// link; 3. rows in link_test.go.

const (
	etherTypeIPv4   = layers.EthernetTypeIPv4
	etherTypeIPv6   = layers.EthernetTypeIPv6
	etherTypeVLAN   = layers.EthernetTypeDot1Q
	etherTypeQinQ   = layers.EthernetTypeQinQ
	etherTypeOldQin = layers.EthernetType(0x9100) // QinQ before 802.1ad
)

// link decodes f into d.datagram, or says why it is none.
func (d *Datagrams) link(f frame, link LinkType) Cause {
	if link == LinkEthernet { // most are; spares the search below
		return d.ethernet(f)
	}
	switch link {
	case LinkRaw, LinkRawBSD, LinkRawOpenBSD:
		return d.rawIP(f, 0)
	case LinkIPv4:
		return d.ipv4(f, 0)
	case LinkIPv6:
		return d.ipv6(f, 0)
	case LinkNull, LinkLoop:
		return d.loopback(f, link)
	case LinkSLL:
		return d.cooked(f)
	case LinkSLL2:
		return d.cooked2(f)
	case LinkExported:
		return d.exported(f)
	}
	if link.user() {
		return d.bare(f, 0)
	}
	return UnsupportedLink
}

// ethernet walks the Ethernet header and any VLAN tags. What follows the IP
// packet (padding to 60 bytes, a frame check sequence) stays out: the IP
// layers end where IP says.
func (d *Datagrams) ethernet(f frame) Cause {
	const headerLen = 14
	if c := f.lacks(headerLen, MalformedLink); c != causeNone {
		return c
	}
	if d.eth.DecodeFromBytes(f.data[:headerLen], gopacket.NilDecodeFeedback) != nil {
		return MalformedLink
	}
	if d.eth.EthernetType == etherTypeIPv4 {
		return d.ipv4(f, headerLen)
	}
	return d.tagged(f, headerLen, d.eth.EthernetType)
}

// maxTags is the most VLAN tags a packet may have. The standards stack two;
// more than a few are met in attacks only.
const maxTags = 8

// tagged walks the VLAN tags behind a link header that ends at off and says
// kind, to the IP packet.
func (d *Datagrams) tagged(f frame, off int, kind layers.EthernetType) Cause {
	const tagLen = 4
	for tags := 0; kind == etherTypeVLAN || kind == etherTypeQinQ || kind == etherTypeOldQin; tags++ {
		if tags == maxTags {
			return MalformedLink
		}
		if c := f.lacks(off+tagLen, MalformedLink); c != causeNone {
			return c
		}
		if d.vlan.DecodeFromBytes(f.data[off:off+tagLen], gopacket.NilDecodeFeedback) != nil {
			return MalformedLink
		}
		off, kind = off+tagLen, d.vlan.Type
	}
	switch kind {
	case etherTypeIPv4:
		return d.ipv4(f, off)
	case etherTypeIPv6:
		return d.ipv6(f, off)
	}
	return NotIP // also 802.3 frames, whose type is a length
}

// rawIP tells the IP version by the packet's first byte, at off.
func (d *Datagrams) rawIP(f frame, off int) Cause {
	if c := f.lacks(off+1, MalformedIP); c != causeNone {
		return c
	}
	switch f.data[off] >> 4 {
	case 4:
		return d.ipv4(f, off)
	case 6:
		return d.ipv6(f, off)
	}
	return MalformedIP
}

// loopback is four bytes of address family: in the byte order of whoever wrote
// the capture (null), or big-endian (loop). gopacket's decoder is not used: it
// takes either order for both.
func (d *Datagrams) loopback(f frame, link LinkType) Cause {
	const headerLen = 4
	if c := f.lacks(headerLen, MalformedLink); c != causeNone {
		return c
	}
	family := binary.BigEndian.Uint32(f.data)
	if link == LinkNull && family > 0xffff {
		// Families are small, so the end that is not zero is the low one.
		family = binary.LittleEndian.Uint32(f.data)
	}
	switch family {
	case uint32(layers.ProtocolFamilyIPv4):
		return d.ipv4(f, headerLen)
	case uint32(layers.ProtocolFamilyIPv6BSD), uint32(layers.ProtocolFamilyIPv6FreeBSD),
		uint32(layers.ProtocolFamilyIPv6Darwin), uint32(layers.ProtocolFamilyIPv6Linux):
		return d.ipv6(f, headerLen)
	}
	return NotIP
}
