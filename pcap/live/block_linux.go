//go:build !libpcap

package live

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/gopacket"
	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/pcap"
)

// A block is a copy of one block of a ring, from which packets are taken one
// after the other. The kernel wrote it, and yet nothing in it is believed: a
// length or an offset that leads out of it is an error.
type block struct {
	data  []byte
	at    int      // where the next packet's header is, iff left > 0
	left  int      // packets
	taken int      // packets
	vnet  bool     // before each packet is a virtio_net_hdr, see segments
	cut   segments // of the packet taken last
}

// A framed is one packet of a block.
type framed struct {
	data []byte // as much of it as was kept; nothing else refers to it
	wire int    // its length on the wire, at least len(data)
	time time.Time
	// kind is how it came by: unix.PACKET_HOST, unix.PACKET_OUTGOING, …
	kind uint8
	// hardware is the type of the interface: unix.ARPHRD_LOOPBACK, …
	hardware uint16
}

// info is what a capture says of the packet.
func (p *framed) info() gopacket.CaptureInfo {
	return gopacket.CaptureInfo{Timestamp: p.time, CaptureLength: len(p.data), Length: p.wire}
}

// Where things are in what is before a packet: struct tpacket3_hdr of
// linux/if_packet.h, and after it a struct sockaddr_ll.
const (
	packetNext     = 0
	packetSeconds  = 4
	packetNanos    = 8
	packetSnapLen  = 12
	packetLen      = 16
	packetStatus   = 20
	packetMAC      = 24 // where the packet begins
	packetNet      = 26 // where its IP header is
	packetVLANTCI  = 32
	packetVLANTPID = 36
	packetAddr     = 48
	packetHardware = packetAddr + 8
	packetKind     = packetAddr + 10
	packetHeader   = packetAddr + 20
)

// cookedLen is the length of the header of LinkSLL2.
const cookedLen = 20

// macsLen is the length of what is before a VLAN tag.
const macsLen = 12

// load copies a block, of at least blockHeader bytes.
func (b *block) load(data []byte) {
	b.data = append(b.data[:0], data...)
	b.left = int(binary.NativeEndian.Uint32(b.data[blockPackets:]))
	b.at = int(binary.NativeEndian.Uint32(b.data[blockFirst:]))
	b.taken = 0
}

// packet takes the next packet; there must be one left. In an Ethernet frame
// the VLAN tag is put back; of LinkSLL2, whose packets the kernel gives from IP
// on, the header is made of what it says beside them. At most snapLen bytes are
// kept, but where several datagrams are in the packet: those are in b.cut then, and are to be taken instead of it. After
// an error none is left.
func (b *block) packet(link pcap.LinkType, snapLen int) (p framed, err error) {
	at, left := b.at, b.left
	b.left, b.taken = 0, b.taken+1
	fail := func(what string, got int64) (framed, error) {
		return framed{}, fmt.Errorf("packet ring: packet %d of a block of %d bytes: %s %d leads out of it", b.taken, len(b.data), what, got)
	}
	// at comes from the block, and could be anything that 32 bits can say.
	if at < blockHeader || at > len(b.data)-packetHeader {
		return fail("offset", int64(at))
	}
	h := b.data[at:]
	u32 := func(off int) uint32 { return binary.NativeEndian.Uint32(h[off:]) }
	u16 := func(off int) uint16 { return binary.NativeEndian.Uint16(h[off:]) }
	mac, kept := int(u16(packetMAC)), int64(u32(packetSnapLen))
	if mac < packetHeader || mac > len(h) {
		return fail("packet offset", int64(mac))
	}
	if kept > int64(len(h)-mac) {
		return fail("length", kept)
	}
	if left > 1 {
		next := int64(u32(packetNext))
		if next < packetHeader || next > int64(len(h)) {
			return fail("next offset", next)
		}
		b.at, b.left = at+int(next), left-1
	}
	p.time = time.Unix(int64(u32(packetSeconds)), int64(u32(packetNanos)))
	p.kind = h[packetKind]
	p.hardware = u16(packetHardware)
	data := h[mac : mac+int(kept)]
	p.wire = max(int(u32(packetLen)), len(data))
	var vnet [vnetLen]byte
	if b.vnet && mac >= packetHeader+vnetLen {
		vnet = [vnetLen]byte(h[mac-vnetLen:]) // a tag comes into its place
	}
	if status := u32(packetStatus); link == pcap.LinkEthernet && len(data) >= macsLen && status&unix.TP_STATUS_VLAN_VALID != 0 {
		tpid := uint16(unix.ETH_P_8021Q)
		if status&unix.TP_STATUS_VLAN_TPID_VALID != 0 {
			tpid = u16(packetVLANTPID)
		}
		tci := uint16(u32(packetVLANTCI))
		// The addresses move over the header, which has been read: the
		// packet stays where it is.
		data = h[mac-tagLen : mac+int(kept)]
		copy(data, data[tagLen:tagLen+macsLen])
		binary.BigEndian.PutUint16(data[macsLen:], tpid)
		binary.BigEndian.PutUint16(data[macsLen+2:], tci)
		p.wire += tagLen
	}
	if link == pcap.LinkSLL2 {
		if mac < packetHeader+cookedLen {
			return fail("packet offset", int64(mac))
		}
		addr := h[packetAddr:packetHeader]
		data = h[mac-cookedLen : mac+int(kept)] // the room before the packet is the kernel's, and empty
		head := data[:0]
		head = append(head, addr[2:4]...) // the protocol, in network order
		head = binary.BigEndian.AppendUint32(append(head, 0, 0), binary.NativeEndian.Uint32(addr[4:]))
		head = append(binary.BigEndian.AppendUint16(head, p.hardware), p.kind)
		copy(data[len(head):], addr[11:20]) // the length of the sender's address, and the address
		p.wire += cookedLen
	}
	if vnet[vnetLen-vnetKind] != 0 {
		p.data = data
		shift := p.wire - max(int(u32(packetLen)), int(kept)) // of the tag
		if ip := int(u16(packetNet)) - mac + shift; ip >= 0 && b.cut.begin(p, vnet[:], ip, shift) {
			return p, nil
		}
	}
	n := min(len(data), snapLen)
	p.data = data[:n:n]
	return p, nil
}
