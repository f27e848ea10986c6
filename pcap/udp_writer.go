package pcap

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// Frames for payloads that were never on a wire. Sources: RFC 791, RFC 8200,
// RFC 768, RFC 1071.

// AppendUDP appends an Ethernet frame that carries payload from src to dst, of
// one family, at most 65,507 bytes over IPv4 and 65,527 over IPv6. Lengths and
// checksums are right; the Ethernet addresses are made up (02:…, locally
// administered), the hop limit is 64, and nothing is fragmented. IPv4 addresses
// mapped into IPv6 stay IPv6.
func AppendUDP(b []byte, src, dst netip.AddrPort, payload []byte) ([]byte, error) {
	from, to := src.Addr(), dst.Addr()
	const etherLen, ip4Len, ip6Len, udpLen = 14, 20, 40, 8
	limit := maxPayload
	if from.Is4() {
		limit -= ip4Len
	}
	switch {
	case !from.IsValid() || !to.IsValid():
		return b, fmt.Errorf("datagram from %v to %v: want two addresses", src, dst)
	case from.Is4() != to.Is4():
		return b, fmt.Errorf("datagram from %v to %v: want addresses of one family", src, dst)
	case from.Zone() != "" || to.Zone() != "":
		return b, fmt.Errorf("datagram from %v to %v: want addresses without a zone", src, dst)
	case len(payload) > limit:
		return b, fmt.Errorf("datagram from %v to %v: want at most %d bytes, got %d", src, dst, limit, len(payload))
	}
	b = append(b, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1)
	size := udpLen + len(payload)
	var sum uint32 // of the pseudo header
	if from.Is4() {
		b = binary.BigEndian.AppendUint16(b, uint16(etherTypeIPv4))
		at := len(b)
		b = append(b, 4<<4|ip4Len/4, 0)
		b = binary.BigEndian.AppendUint16(b, uint16(ip4Len+size))
		b = append(b, 0, 0, 0x40, 0, 64, protocolUDP, 0, 0) // do not fragment
		s, d := from.As4(), to.As4()
		b = append(append(b, s[:]...), d[:]...)
		binary.BigEndian.PutUint16(b[at+10:], ^fold(add(0, b[at:])))
		sum = add(0, b[at+12:])
	} else {
		b = binary.BigEndian.AppendUint16(b, uint16(etherTypeIPv6))
		at := len(b)
		b = append(b, 6<<4, 0, 0, 0)
		b = binary.BigEndian.AppendUint16(b, uint16(size))
		b = append(b, protocolUDP, 64)
		s, d := from.As16(), to.As16()
		b = append(append(b, s[:]...), d[:]...)
		sum = add(0, b[at+8:])
	}
	sum += uint32(size) + protocolUDP
	at := len(b)
	b = binary.BigEndian.AppendUint16(b, src.Port())
	b = binary.BigEndian.AppendUint16(b, dst.Port())
	b = binary.BigEndian.AppendUint16(b, uint16(size))
	b = append(append(b, 0, 0), payload...)
	check := ^fold(add(sum, b[at:]))
	if check == 0 {
		check = 0xffff // 0 would say that there is none
	}
	binary.BigEndian.PutUint16(b[at+6:], check)
	return b, nil
}

// add adds b to a one's complement sum, as words, the last one filled up with
// zeros. 65,575 bytes of 0xff leave room in 32 bits.
func add(sum uint32, b []byte) uint32 {
	for ; len(b) >= 2; b = b[2:] {
		sum += uint32(b[0])<<8 | uint32(b[1])
	}
	if len(b) == 1 {
		sum += uint32(b[0]) << 8
	}
	return sum
}

// fold brings a sum to 16 bits.
func fold(sum uint32) uint16 {
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}
