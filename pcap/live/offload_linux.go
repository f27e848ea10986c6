//go:build !libpcap

package live

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// Datagrams that the kernel handles as one (UDP_SEGMENT, UDP GSO; UDP GRO): a packet socket sees the one, before it is
// cut or after it was put together. The kernel says how long each is, in the header that PACKET_VNET_HDR asks for: struct
// virtio_net_hdr of linux/virtio_net.h.

// Where things are in it, from its end on, which is where the packet begins.
const (
	vnetLen       = 10
	vnetFlags     = 10
	vnetKind      = 9
	vnetSize      = 6
	vnetChecksum  = 4 // where the checksummed part of the packet begins, with needsChecksum
	needsChecksum = 1
	kindUDP       = 5    // VIRTIO_NET_HDR_GSO_UDP_L4
	kindECN       = 0x80 // beside another
)

// askForSegments makes the kernel tell of what it has put together, on a socket without a ring, and reports whether it
// does. Before 6.2 Linux has no word for datagrams, and drops what it cannot tell of.
func askForSegments(fd int) bool {
	var u unix.Utsname
	var major, minor int
	if unix.Uname(&u) != nil {
		return false
	}
	_, err := fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &major, &minor)
	return err == nil && (major > 6 || major == 6 && minor >= 2) && unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1) == nil
}

// maxIP is the most bytes that an IP packet has, but for jumbograms.
const maxIP = 40 + 65535

// segments are the datagrams of one packet of a block.
type segments struct {
	of   framed // the packet; its data is the block's
	ip   int    // where its IP header is
	head int    // where its payload begins
	size int    // bytes of each datagram but the last
	at   int    // bytes of payload that were returned
	n    uint16 // datagrams that were
	buf  []byte // the one returned last
}

// begin takes a packet whose IP header is at ip, before which vnet is. It reports whether there are several datagrams in
// it. All that it reads is the sender's or the kernel's, and may say anything.
func (s *segments) begin(p framed, vnet []byte, ip, shift int) bool {
	back := func(off int) int { return int(binary.NativeEndian.Uint16(vnet[vnetLen-off:])) }
	const ip4Least, ip6Len, udpLen = 20, 40, 8
	if vnet[vnetLen-vnetKind]&^kindECN != kindUDP || len(p.data) < ip+ip4Least {
		return false
	}
	h := p.data[ip:]
	head := ip + udpLen
	switch h[0] >> 4 {
	case 4:
		const fragmented = 0x3fff
		if h[9] != unix.IPPROTO_UDP || binary.BigEndian.Uint16(h[6:])&fragmented != 0 || h[0]&0xf < ip4Least/4 {
			return false
		}
		head += int(h[0]&0xf) * 4
	case 6:
		if h[6] != unix.IPPROTO_UDP {
			return false
		}
		head += ip6Len
	default:
		return false
	}
	size := back(vnetSize)
	inner := vnet[vnetLen-vnetFlags]&needsChecksum != 0 && back(vnetChecksum)+shift != head-udpLen // of a tunnel's contents
	if inner || size == 0 || len(p.data) < head || p.wire-head <= size || p.wire-ip > maxIP {
		return false
	}
	s.of, s.ip, s.head, s.size, s.at, s.n = p, ip, head, size, 0, 0
	return true
}

// left reports whether there is another datagram.
func (s *segments) left() bool { return s.size > 0 && s.at < s.of.wire-s.head }

// next is the next datagram as a packet of its own: with its lengths and, over IPv4, its identification and a right
// checksum of the header. UDP has none over IPv4, where the kernel has not computed it yet.
func (s *segments) next(snapLen int) framed {
	p := s.of
	size := min(s.size, p.wire-s.head-s.at)
	begin := min(s.head+s.at, len(p.data))
	s.buf = append(append(s.buf[:0], p.data[:s.head]...), p.data[begin:min(begin+size, len(p.data))]...)
	h := s.buf[s.ip:s.head]
	binary.BigEndian.PutUint16(h[len(h)-4:], uint16(8+size))
	if h[0]>>4 == 6 {
		binary.BigEndian.PutUint16(h[4:], uint16(8+size))
	} else {
		binary.BigEndian.PutUint16(h[2:], uint16(len(h)+size))
		binary.BigEndian.PutUint16(h[4:], binary.BigEndian.Uint16(h[4:])+s.n)
		binary.BigEndian.PutUint16(h[10:], 0)
		sum := uint32(0)
		for i := 0; i < len(h)-8; i += 2 {
			sum += uint32(binary.BigEndian.Uint16(h[i:]))
		}
		sum = sum>>16 + sum&0xffff
		binary.BigEndian.PutUint16(h[10:], ^uint16(sum>>16+sum))
		binary.BigEndian.PutUint16(h[len(h)-2:], 0)
	}
	s.at += size
	s.n++
	p.data, p.wire = s.buf[:min(len(s.buf), snapLen)], s.head+size
	return p
}
