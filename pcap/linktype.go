package pcap

import "strconv"

// A LinkType says what a packet begins with. The numbers are the LINKTYPE_
// values of the tcpdump.org registry, which capture files carry; they have 16
// bits (gopacket's layers.LinkType has 8).
type LinkType uint16

// The link types that [Datagrams] understands. 12 and 14 are what BSD and
// OpenBSD wrote for raw IP before 101 was assigned.
const (
	LinkNull       LinkType = 0   // BSD loopback: address family in the writer's byte order
	LinkEthernet   LinkType = 1   // Ethernet, without preamble
	LinkRawBSD     LinkType = 12  // raw IP, 4 or 6
	LinkRawOpenBSD LinkType = 14  // raw IP, 4 or 6
	LinkRaw        LinkType = 101 // raw IP, 4 or 6
	LinkLoop       LinkType = 108 // OpenBSD loopback: address family in network byte order
	LinkIPv4       LinkType = 228 // raw IPv4
	LinkIPv6       LinkType = 229 // raw IPv6
)

// String is the registry's name in lower case, or "link type 147".
func (t LinkType) String() string {
	switch t {
	case LinkNull:
		return "null"
	case LinkEthernet:
		return "ethernet"
	case LinkRawBSD, LinkRawOpenBSD, LinkRaw:
		return "raw"
	case LinkLoop:
		return "loop"
	case LinkIPv4:
		return "ipv4"
	case LinkIPv6:
		return "ipv6"
	}
	return "link type " + strconv.Itoa(int(t))
}
