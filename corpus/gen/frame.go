package main

import "encoding/binary"

// Frames: Ethernet, IPv4 or IPv6, UDP, with right lengths and checksums, so that other tools read the captures without
// a complaint.

var be = binary.BigEndian

// endpoint is one end of a flow. Both ends of a flow have addresses of one length.
type endpoint struct {
	mac  [6]byte
	addr []byte // 4 or 16
	port uint16
}

const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86DD
	ipUDP     = 17
)

// appendFrame appends the Ethernet frame that carries payload. id is the IPv4 identification.
func appendFrame(b []byte, from, to *endpoint, id uint16, payload []byte) []byte {
	b = append(b, to.mac[:]...)
	b = append(b, from.mac[:]...)
	if len(from.addr) == 16 {
		b = be.AppendUint16(b, etherIPv6)
		b = appendIPv6(b, from, to, 8+len(payload))
	} else {
		b = be.AppendUint16(b, etherIPv4)
		b = appendIPv4(b, from, to, id, 8+len(payload))
	}
	return appendUDP(b, from, to, payload)
}

func appendIPv4(b []byte, from, to *endpoint, id uint16, length int) []byte {
	start := len(b)
	b = append(b, 4<<4|5, 0)
	b = be.AppendUint16(b, uint16(20+length))
	b = be.AppendUint16(b, id)
	b = append(b, 0x40, 0, 64, ipUDP, 0, 0) // don't fragment; checksum to come
	b = append(b, from.addr...)
	b = append(b, to.addr...)
	be.PutUint16(b[start+10:], ^fold(sum(0, b[start:])))
	return b
}

func appendIPv6(b []byte, from, to *endpoint, length int) []byte {
	b = append(b, 6<<4, 0, 0, 0)
	b = be.AppendUint16(b, uint16(length))
	b = append(b, ipUDP, 64)
	b = append(b, from.addr...)
	return append(b, to.addr...)
}

func appendUDP(b []byte, from, to *endpoint, payload []byte) []byte {
	length := 8 + len(payload)
	start := len(b)
	b = be.AppendUint16(b, from.port)
	b = be.AppendUint16(b, to.port)
	b = be.AppendUint16(b, uint16(length))
	b = append(b, 0, 0)
	b = append(b, payload...)
	s := sum(sum(sum(uint32(length)+ipUDP, from.addr), to.addr), b[start:])
	check := ^fold(s)
	if check == 0 {
		check = 0xFFFF // 0 means "no checksum"
	}
	be.PutUint16(b[start+6:], check)
	return b
}

// sum adds 16-bit words to a one's complement sum that is folded later; an odd last byte is a high one.
func sum(s uint32, b []byte) uint32 {
	for ; len(b) >= 2; b = b[2:] {
		s += uint32(b[0])<<8 | uint32(b[1])
	}
	if len(b) > 0 {
		s += uint32(b[0]) << 8
	}
	return s
}

func fold(s uint32) uint16 {
	for s > 0xFFFF {
		s = s>>16 + s&0xFFFF
	}
	return uint16(s)
}
