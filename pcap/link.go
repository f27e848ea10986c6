package pcap

import (
	"encoding/binary"
	"net/netip"
)

// The link layers: from the first byte of a packet to its IP header.
//
// gopacket's decoders are not used. To import its layers costs every command 5 MiB
// of tables that are filled before main begins, half the CPU of a short run. Of an
// Ethernet header, a VLAN tag and a UDP header only five numbers are needed. The
// tests hold ours against gopacket's.
//
// To add a link type: 1. its number and name in linktype.go; 2. a case in
// link; 3. rows in link_test.go.

// The EtherTypes of the IEEE registry that are looked at. Numbers below 0x600
// are lengths, in frames of 802.3.
const (
	etherTypeIPv4   = 0x0800
	etherTypeIPv6   = 0x86dd
	etherTypeVLAN   = 0x8100
	etherTypeQinQ   = 0x88a8
	etherTypeOldQin = 0x9100 // QinQ before 802.1ad
	leastEtherType  = 0x0600
)

// The address families of loopback captures: AF_INET is the same everywhere.
const (
	familyIPv4        = 2
	familyIPv6Linux   = 10
	familyIPv6BSD     = 24 // NetBSD, OpenBSD
	familyIPv6FreeBSD = 28
	familyIPv6Darwin  = 30
)

// link decodes f into d.datagram, or says why it is none. What it makes a
// datagram of ends in decodeUDP or bare, which leave nothing of the one before.
func (d *DatagramReader) link(f frame, link LinkType) Cause {
	d.vlans = vlans{}
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
		d.datagram.Src, d.datagram.Dst = netip.AddrPort{}, netip.AddrPort{}
		return d.bare(f, 0)
	}
	return d.skip(kindLink | Kind(link))
}

// ethernet walks the Ethernet header and any VLAN tags. What follows the IP
// packet (padding to 60 bytes, a frame check sequence) stays out: the IP
// layers end where IP says.
func (d *DatagramReader) ethernet(f frame) Cause {
	const headerLen = 14
	if c := f.lacks(headerLen, MalformedLink); c != causeNone {
		return c
	}
	kind := binary.BigEndian.Uint16(f.data[12:])
	if kind == etherTypeIPv4 {
		return d.ipv4(f, headerLen)
	}
	return d.tagged(f, headerLen, kind)
}

// maxTags is the most VLAN tags a packet may have. The standards stack two;
// more than a few are met in attacks only.
const maxTags = 8

// vlans are the identifiers of a packet's tags, the outer first; 0, which says that a tag has only a priority, is none.
type vlans [maxTags]uint16

// tagged walks the VLAN tags after a link header that ends at off and says
// kind, to the IP packet.
func (d *DatagramReader) tagged(f frame, off int, kind uint16) Cause {
	const tagLen, idMask = 4, 0xfff
	for tags := 0; kind == etherTypeVLAN || kind == etherTypeQinQ || kind == etherTypeOldQin; tags++ {
		if tags == maxTags {
			return MalformedLink
		}
		if c := f.lacks(off+tagLen, MalformedLink); c != causeNone {
			return c
		}
		d.vlans[tags] = binary.BigEndian.Uint16(f.data[off:]) & idMask
		off, kind = off+tagLen, binary.BigEndian.Uint16(f.data[off+2:])
	}
	switch kind {
	case etherTypeIPv4:
		return d.ipv4(f, off)
	case etherTypeIPv6:
		return d.ipv6(f, off)
	}
	if kind < leastEtherType { // a length, or what a cooked capture has for it
		return d.llc(f, off)
	}
	return d.skip(kindEther | Kind(kind))
}

// llc tells what an 802.3 frame holds after its header, which ends at off.
func (d *DatagramReader) llc(f frame, off int) Cause {
	const snapLen = 8 // DSAP, SSAP, control; three bytes of organisation, an EtherType
	if c := f.lacks(off+1, MalformedLink); c != causeNone {
		return c
	}
	kind := Kind(f.data[off])
	if kind == snap {
		switch c := f.lacks(off+snapLen, NotIP); c {
		case causeNone:
			if held := binary.BigEndian.Uint16(f.data[off+6:]); held == etherTypeIPv4 || held == etherTypeIPv6 {
				kind = snapIP
			}
		case CutHeader:
			return c
		}
	}
	return d.skip(kindLLC | kind)
}

// rawIP tells the IP version by the packet's first byte, at off.
func (d *DatagramReader) rawIP(f frame, off int) Cause {
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
func (d *DatagramReader) loopback(f frame, link LinkType) Cause {
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
	case familyIPv4:
		return d.ipv4(f, headerLen)
	case familyIPv6Linux, familyIPv6BSD, familyIPv6FreeBSD, familyIPv6Darwin:
		return d.ipv6(f, headerLen)
	}
	return d.skip(kindFamily | Kind(min(family, 0xffff)))
}
