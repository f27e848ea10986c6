package pcap

import "fmt"

// A Kind is what a packet was that was skipped: a link type, an EtherType, a protocol above IP. 0 is that of the many
// that a Counts has no room for. Sources: the registries of IANA (IP protocols, EtherTypes) and IEEE (LLC), LINKTYPE_ of
// tcpdump.org, ARPHRD_ of Linux.
type Kind uint32

// The registries of a Kind's number, which has the lower bits.
const (
	kindLink     Kind = (iota + 1) << 24
	kindEther         // an EtherType
	kindLLC           // the DSAP of an IEEE 802.3 frame
	kindFamily        // an address family of BSD loopback
	kindHardware      // an ARPHRD of a Linux cooked capture
	kindProtocol      // a protocol above IP

	kindNumber = kindLink - 1
)

// snapIP is what SNAP is where it holds IP: LLC knows no DSAP of nine bits.
const snapIP, snap = 0x1aa, 0xaa

// maxKinds bounds the kinds that a Counts has: more are met in attacks only.
const maxKinds = 4096

// skip counts the packet read last as one of a kind, and is why it is skipped. Packets of one kind follow each other in
// most captures, so they are counted apart and put into the Counts when another comes: a look into a map takes as long
// as to read a packet.
func (d *DatagramReader) skip(k Kind) Cause {
	if d.kind != k {
		d.counts.kind(d.kind, d.alike)
		d.kind, d.alike, d.cause = k, 0, k.Cause()
	}
	d.alike++
	return d.cause
}

// Cause is why packets of the kind are skipped.
func (k Kind) Cause() Cause {
	switch {
	case kinds[k].holds:
		return Encapsulated
	case k&^kindNumber == kindLink && k != kindLink|Kind(LinkExported):
		return UnsupportedLink
	case k&^kindNumber == kindProtocol, k == kindLink|Kind(LinkExported):
		return NotUDP
	}
	return NotIP
}

// String is the kind's name, and where it is no protocol above IP its number as well: "TCP", "PPPoE session = EtherType
// 0x8864", "PPI = link type 192"; without a name "IP protocol 253".
func (k Kind) String() string {
	n := int(k & kindNumber)
	var number string
	switch k &^ kindNumber {
	case kindLink:
		number = fmt.Sprintf("link type %d", n)
	case kindEther:
		number = fmt.Sprintf("EtherType 0x%04x", n)
	case kindLLC:
		number = fmt.Sprintf("802.3 DSAP 0x%02x", n&0xff)
	case kindFamily:
		number = fmt.Sprintf("address family %d", n)
	case kindHardware:
		number = fmt.Sprintf("ARPHRD %d", n)
	case kindProtocol:
		number = fmt.Sprintf("IP protocol %d", n)
	default:
		return "others"
	}
	switch name := kinds[k].name; {
	case name == "":
		return number
	case k&^kindNumber == kindProtocol:
		return name
	default:
		return name + " = " + number
	}
}

// kinds are the names of those that are met, and which of them can hold IP.
var kinds = map[Kind]struct {
	name  string
	holds bool
}{
	kindProtocol | 0: {"IPv6 hop-by-hop", false}, kindProtocol | 1: {"ICMP", false}, kindProtocol | 2: {"IGMP", false},
	kindProtocol | 4: {"IP in IP", true}, kindProtocol | 6: {"TCP", false}, kindProtocol | 8: {"EGP", false},
	kindProtocol | 9: {"IGP", false}, kindProtocol | 27: {"RDP", false}, kindProtocol | 33: {"DCCP", false},
	kindProtocol | 41: {"IPv6 in IP", true}, kindProtocol | 46: {"RSVP", false}, kindProtocol | 47: {"GRE", true},
	kindProtocol | 50: {"ESP", true}, kindProtocol | 51: {"AH", true}, kindProtocol | 55: {"Mobile IP", true},
	kindProtocol | 58: {"ICMPv6", false}, kindProtocol | 59: {"IPv6 without next header", false}, kindProtocol | 88: {"EIGRP", false},
	kindProtocol | 89: {"OSPF", false}, kindProtocol | 94: {"IPIP", true}, kindProtocol | 97: {"EtherIP", true},
	kindProtocol | 103: {"PIM", false}, kindProtocol | 108: {"IPComp", true}, kindProtocol | 112: {"VRRP", false},
	kindProtocol | 115: {"L2TP", true}, kindProtocol | 132: {"SCTP", false}, kindProtocol | 135: {"Mobility Header", false},
	kindProtocol | 136: {"UDP-Lite", false}, kindProtocol | 137: {"MPLS in IP", true}, kindProtocol | 139: {"HIP", false},
	kindProtocol | 140: {"Shim6", false}, kindProtocol | 143: {"Ethernet in IP", true}, kindProtocol | 144: {"AGGFRAG", true},

	kindEther | 0x0806: {"ARP", false}, kindEther | 0x0842: {"Wake-on-LAN", false}, kindEther | 0x22eb: {"ERSPAN", true},
	kindEther | 0x22f3: {"TRILL", true}, kindEther | 0x4305: {"B.A.T.M.A.N.", true}, kindEther | 0x6558: {"Ethernet in Ethernet", true},
	kindEther | 0x8035: {"RARP", false}, kindEther | 0x809b: {"AppleTalk", false}, kindEther | 0x80f3: {"AARP", false},
	kindEther | 0x8137: {"IPX", false}, kindEther | 0x8808: {"pause", false}, kindEther | 0x8809: {"LACP", false},
	kindEther | 0x880b: {"PPP", true}, kindEther | 0x8847: {"MPLS", true}, kindEther | 0x8848: {"MPLS multicast", true},
	kindEther | 0x8863: {"PPPoE discovery", false}, kindEther | 0x8864: {"PPPoE session", true}, kindEther | 0x888e: {"EAPOL", false},
	kindEther | 0x8892: {"PROFINET", false}, kindEther | 0x88a4: {"EtherCAT", false}, kindEther | 0x88b8: {"GOOSE", false},
	kindEther | 0x88be: {"ERSPAN", true}, kindEther | 0x88cc: {"LLDP", false}, kindEther | 0x88e1: {"HomePlug", false},
	kindEther | 0x88e5: {"MACsec", true}, kindEther | 0x88e7: {"802.1ah", true}, kindEther | 0x88f5: {"MVRP", false},
	kindEther | 0x88f7: {"PTP", false}, kindEther | 0x88fb: {"PRP", true}, kindEther | 0x8902: {"CFM", false},
	kindEther | 0x8903: {"FabricPath", true}, kindEther | 0x8906: {"FCoE", false}, kindEther | 0x8909: {"Cisco metadata", true},
	kindEther | 0x8915: {"RoCE", false}, kindEther | 0x8926: {"VN-tag", true}, kindEther | 0x892f: {"HSR", true},
	kindEther | 0x894f: {"NSH", true}, kindEther | 0x9000: {"loopback test", false}, kindEther | 0x9200: {"QinQ", true},
	kindEther | 0x9300: {"QinQ", true},

	kindLLC | 0x06: {"IP in LLC", true}, kindLLC | 0x42: {"STP", false}, kindLLC | 0xe0: {"IPX", false}, kindLLC | 0xf0: {"NetBEUI", false},
	kindLLC | 0xfe: {"OSI", false}, kindLLC | 0xff: {"IPX", false}, kindLLC | snap: {"SNAP", false}, kindLLC | snapIP: {"SNAP", true},

	kindHardware | hardwareFrameRelay: {"Frame Relay", true}, kindHardware | hardwareRadiotap: {"802.11 radiotap", true},
	kindHardware | hardwareNetlink: {"netlink", false},

	kindLink | 6: {"Token Ring", false}, kindLink | 8: {"SLIP", false}, kindLink | 9: {"PPP", false}, kindLink | 10: {"FDDI", false},
	kindLink | 50: {"PPP in HDLC", false}, kindLink | 51: {"PPPoE", false}, kindLink | 100: {"ATM", false}, kindLink | 104: {"Cisco HDLC", false},
	kindLink | 105: {"802.11", false}, kindLink | 107: {"Frame Relay", false}, kindLink | 109: {"OpenBSD IPsec", false},
	kindLink | 117: {"pflog", false}, kindLink | 119: {"802.11 Prism", false}, kindLink | 122: {"IP over Fibre Channel", false},
	kindLink | 123: {"SunATM", false}, kindLink | 127: {"802.11 radiotap", false}, kindLink | 138: {"IP over FireWire", false},
	kindLink | 143: {"DOCSIS", false}, kindLink | 163: {"802.11 AVS", false}, kindLink | 166: {"PPP of pppd", false},
	kindLink | 187: {"Bluetooth HCI", false}, kindLink | 189: {"USB of Linux", false}, kindLink | 192: {"PPI", false},
	kindLink | 195: {"802.15.4", false}, kindLink | 197: {"ERF", false}, kindLink | 201: {"Bluetooth HCI", false}, kindLink | 219: {"MPLS", false},
	kindLink | 220: {"USB of Linux", false}, kindLink | 226: {"Solaris ipnet", false}, kindLink | 227: {"CAN", false},
	kindLink | 239: {"nflog", false}, kindLink | 242: {"IP over InfiniBand", false}, kindLink | 247: {"InfiniBand", false},
	kindLink | 249: {"USBPcap", false}, kindLink | Kind(LinkExported): {"exported PDU", false}, kindLink | 253: {"netlink", false},
	kindLink | 258: {"pktap", false}, kindLink | 274: {"Ethernet preamble", false},
}
