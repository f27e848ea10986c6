package pcap

import "encoding/binary"

// Linux "cooked" captures, from interfaces without a usable link header and
// from "any". Sources: LINKTYPE_LINUX_SLL and LINKTYPE_LINUX_SLL2 in the
// tcpdump.org registry. gopacket's decoder of the first is not used: it takes
// a slice as long as the address length says, beyond the packet, which panics;
// the second it does not have.

// Hardware types (ARPHRD_) for which the protocol is no EtherType.
const (
	hardwareFrameRelay = 770
	hardwareRadiotap   = 803
	hardwareNetlink    = 824
)

// cooked decodes version 1: type, hardware, address length, address, protocol.
func (d *DatagramReader) cooked(f frame) Cause {
	const headerLen = 16
	if c := f.lacks(headerLen, MalformedLink); c != causeNone {
		return c
	}
	return d.hardware(f, headerLen, binary.BigEndian.Uint16(f.data[2:]), binary.BigEndian.Uint16(f.data[14:]))
}

// cooked2 decodes version 2: protocol, reserved, interface, hardware, type,
// address length, address.
func (d *DatagramReader) cooked2(f frame) Cause {
	const headerLen = 20
	if c := f.lacks(headerLen, MalformedLink); c != causeNone {
		return c
	}
	return d.hardware(f, headerLen, binary.BigEndian.Uint16(f.data[8:]), binary.BigEndian.Uint16(f.data))
}

func (d *DatagramReader) hardware(f frame, off int, hardware, protocol uint16) Cause {
	switch hardware {
	case hardwareFrameRelay, hardwareRadiotap, hardwareNetlink:
		return d.skip(kindHardware | Kind(hardware))
	}
	return d.tagged(f, off, protocol)
}
