package pcap

import "strconv"

// A LinkType says what a packet begins with. The numbers are the LINKTYPE_
// values of the tcpdump.org registry, which capture files carry; they have 16
// bits (gopacket's layers.LinkType has 8).
type LinkType uint16

// The link types that [DatagramReader] understands. 12 and 14 are what BSD and
// OpenBSD wrote for raw IP before 101 was assigned.
const (
	LinkNull       LinkType = 0   // BSD loopback: address family in the writer's byte order
	LinkEthernet   LinkType = 1   // Ethernet, without preamble
	LinkRawBSD     LinkType = 12  // raw IP, 4 or 6
	LinkRawOpenBSD LinkType = 14  // raw IP, 4 or 6
	LinkRaw        LinkType = 101 // raw IP, 4 or 6
	LinkLoop       LinkType = 108 // OpenBSD loopback: address family in network byte order
	LinkSLL        LinkType = 113 // Linux "cooked", as from the interface "any"
	LinkUser0      LinkType = 147 // private use: the packet is the payload
	LinkUser15     LinkType = 162 // the last of 16
	LinkIPv4       LinkType = 228 // raw IPv4
	LinkIPv6       LinkType = 229 // raw IPv6
	LinkExported   LinkType = 252 // Wireshark's exported PDUs: tags, then the payload
	LinkSLL2       LinkType = 276 // Linux "cooked", version 2
)

// user reports whether t is one of the types for private use.
func (l LinkType) user() bool { return LinkUser0 <= l && l <= LinkUser15 }

// String is the registry's name in lower case, "user0" to "user15", or
// "link type 163".
func (l LinkType) String() string {
	if l.user() {
		return "user" + strconv.Itoa(int(l-LinkUser0))
	}
	if name := kinds()[kindLink|Kind(l)].name; name != "" {
		return name
	}
	return "link type " + strconv.Itoa(int(l))
}
