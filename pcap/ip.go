package pcap

import (
	"encoding/binary"
	"net/netip"
)

// The IP layers and UDP. Sources: RFC 791, RFC 8200, RFC 768, RFC 2675.
//
// gopacket's IPv4 and IPv6 decoders are not used: IPv4 replaces a total length
// of 0 by that of the frame and refuses options of two bytes; IPv6 applies its
// length after the hop-by-hop header, so that as many bytes of the frame's
// trailer become payload, and allocates for each option; both clamp a length
// that exceeds the packet. The tests hold ours against them on well-formed
// packets. Checksums are not looked at: with offloading the sender's own
// captures have none.

const (
	protocolHopByHop    = 0
	protocolUDP         = 17
	protocolRouting     = 43
	protocolFragment    = 44
	protocolDestination = 60
)

// ipv4 decodes the IPv4 packet that begins at off. Options are passed over
// unread.
func (d *DatagramReader) ipv4(f frame, off int) Cause {
	const leastHeader = 20
	if c := f.lacks(off+leastHeader, MalformedIP); c != causeNone {
		return c
	}
	h := f.data[off : off+leastHeader]
	headerLen := int(h[0]&0xf) * 4
	total := int(binary.BigEndian.Uint16(h[2:]))
	// A total length beyond the frame is what receivers drop, not a cut: the
	// wire length already tells what the capture left out.
	if h[0]>>4 != 4 || headerLen < leastHeader || total < headerLen || total > f.wire-off {
		return MalformedIP
	}
	if h[9] != protocolUDP {
		return d.skip(kindProtocol | Kind(h[9]))
	}
	if binary.BigEndian.Uint16(h[6:])&(moreFragments|fragmentOffset) != 0 {
		return d.fragment4(f, h, off+headerLen, off+total)
	}
	src := netip.AddrFrom4([4]byte(h[12:16]))
	dst := netip.AddrFrom4([4]byte(h[16:20]))
	return d.decodeUDP(f, off+headerLen, off+total, src, dst)
}

const moreFragments, fragmentOffset = 0x2000, 0x1fff

// fragment4 takes the fragment with header h that goes from byte begin of the
// frame to byte end. It is apart from ipv4 for the sake of those without.
func (d *DatagramReader) fragment4(f frame, h []byte, begin, end int) Cause {
	bits := binary.BigEndian.Uint16(h[6:])
	return d.fragment(f, part{
		key: fragmentKey{
			netip.AddrFrom4([4]byte(h[12:16])), netip.AddrFrom4([4]byte(h[16:20])),
			uint32(binary.BigEndian.Uint16(h[4:])), d.vlans,
		},
		begin: begin, end: end,
		off: int(bits&fragmentOffset) * 8, more: bits&moreFragments != 0,
		limit: maxIP - int(h[0]&0xf)*4, next: protocolUDP,
	})
}

// ipv6 decodes the IPv6 packet that begins at off. Jumbograms (RFC 2675) count
// as malformed: their length of 0 leaves no room for the header that makes
// them one.
func (d *DatagramReader) ipv6(f frame, off int) Cause {
	const headerLen = 40
	if c := f.lacks(off+headerLen, MalformedIP); c != causeNone {
		return c
	}
	h := f.data[off : off+headerLen]
	at := off + headerLen
	end := at + int(binary.BigEndian.Uint16(h[4:]))
	if h[0]>>4 != 6 || end > f.wire {
		return MalformedIP
	}
	src := netip.AddrFrom16([16]byte(h[8:24]))
	dst := netip.AddrFrom16([16]byte(h[24:40]))
	return d.extensions(f, at, end, h[6], src, dst, false)
}

// extensions walks the headers after the IPv6 header, from byte at of the
// frame to byte end. joined says that f is a reassembled datagram, in which
// there is no hop-by-hop header and no fragment of a fragment.
func (d *DatagramReader) extensions(f frame, at, end int, next byte, src, dst netip.Addr, joined bool) Cause {
	// Every extension header takes at least 8 of at most 65,535 bytes, so the
	// walk ends.
	const unit = 8
	for first := !joined; ; first = false {
		switch next {
		case protocolUDP:
			return d.decodeUDP(f, at, end, src, dst)
		case protocolHopByHop, protocolRouting, protocolDestination, protocolFragment:
		default:
			return d.skip(kindProtocol | Kind(next))
		}
		if at+unit > end || next == protocolHopByHop && !first {
			return MalformedIP
		}
		if c := f.lacks(at+unit, MalformedIP); c != causeNone {
			return c
		}
		ext := f.data[at : at+unit]
		size := unit
		if next != protocolFragment {
			size += int(ext[1]) * unit
		} else if offsetAndMore := binary.BigEndian.Uint16(ext[2:]) &^ 6; offsetAndMore != 0 {
			// The next header is that of the whole datagram in every
			// fragment. Neither offset nor more: an atomic fragment (RFC
			// 6946), which is whole.
			switch ext[0] {
			case protocolUDP, protocolRouting, protocolDestination:
			default:
				return d.skip(kindProtocol | Kind(ext[0]))
			}
			if joined {
				return MalformedIP
			}
			return d.fragment(f, part{
				key:   fragmentKey{src, dst, binary.BigEndian.Uint32(ext[4:]), d.vlans},
				begin: at + unit, end: end,
				off: int(offsetAndMore &^ 7), more: offsetAndMore&1 != 0,
				limit: maxIP, next: ext[0],
			})
		}
		if at+size > end {
			return MalformedIP
		}
		next, at = ext[0], at+size
	}
}

// decodeUDP decodes the UDP datagram from byte at of the frame to byte end,
// where IP says it ends. at ≤ end ≤ f.wire.
func (d *DatagramReader) decodeUDP(f frame, at, end int, src, dst netip.Addr) Cause {
	const headerLen = 8
	if end-at < headerLen {
		return MalformedUDP
	}
	if c := f.lacks(at+headerLen, MalformedUDP); c != causeNone {
		return c
	}
	h := f.data[at : at+headerLen]
	declared := int(binary.BigEndian.Uint16(h[4:]))
	size := declared
	if size == 0 && src.Is6() {
		size = end - at // as Linux does, jumbogram or not
	}
	if size < headerLen {
		return MalformedUDP
	}
	whole := at + min(size, end-at)
	captured := min(whole, len(f.data))
	dg := &d.datagram
	dg.Src = netip.AddrPortFrom(src, binary.BigEndian.Uint16(h))
	dg.Dst = netip.AddrPortFrom(dst, binary.BigEndian.Uint16(h[2:]))
	dg.Payload = f.data[at+headerLen : captured : captured]
	dg.Size = whole - at - headerLen
	dg.Cut = captured < whole
	dg.LengthMismatch = declared != end-at
	dg.OverMTU = end-at > ethernetUDP && d.frags.done == nil && d.onEthernet(f) && !src.IsLoopback()
	return causeNone
}

// ethernetUDP is the longest UDP datagram, with its header, that a packet on Ethernet has room for.
const ethernetUDP = 1500 - 20

// onEthernet reports whether a packet was on an Ethernet and not on a loopback, whose packets have no addresses.
func (d *DatagramReader) onEthernet(f frame) bool {
	const addresses, ethernet = 12, 1 // ARPHRD_ETHER
	switch d.linkType() {
	case LinkEthernet:
		return [addresses]byte(f.data) != [addresses]byte{}
	case LinkSLL:
		return binary.BigEndian.Uint16(f.data[2:]) == ethernet
	case LinkSLL2:
		return binary.BigEndian.Uint16(f.data[8:]) == ethernet
	}
	return false
}
