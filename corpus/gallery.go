package corpus

// Exhibit says what a shipped protocol is held against: a row of Gallery.
type Exhibit struct {
	Protocol string
	Capture  string // its path in the repository; "" where no free program at hand sends it
	Sender   string // the programs that sent what is in the capture; "" where we made it
	Judge    string // who says what is in the packets besides us; "" for nobody
	Values   int    // of the capture, named by the judge in the file beside it (.fields); 0 where it has none
	Beside   string // what it judges besides; "" for nothing
	// Of packets that are made and broken for it: refused here and well-formed for the judge, and the reverse. Why stands in
	// corpus/gen/testdata/verdicts.txt.
	Stricter, Looser int
}

// Gallery has a row for each built-in and each example, in that order, by name. The tests of corpus/gen hold it to the
// files and to the lists of what they compare.
var Gallery = []Exhibit{
	{"artnet", "corpus/artnet.pcap", "dmxnet", "tshark 4.0.17", 328, "generated: fields", 13, 7},
	{"coap", "corpus/coap.pcap", "libcoap", "tshark 4.0.17", 673, "generated: fixed fields", 3, 95},
	{"course", "corpus/course.pcap", "", "the course's C++ serializer", 0, "verdicts and values of its cases", 0, 0},
	{"dhcp", "corpus/dhcp.pcap", "dnsmasq, busybox", "tshark 4.0.17", 751, "generated: fixed fields", 6, 80},
	{"dns", "corpus/dns.pcap", "dnsmasq, dig, zeroconf", "tshark 4.0.17", 887, "generated: fixed fields", 22, 22},
	{"enet", "corpus/enet.pcap", "libenet 1.3.17", "libenet 1.3.17", 725, "generated: a host takes and answers each", 0, 0},
	{"gaffer", "corpus/gaffer.pcap", "", "the articles' C++ library", 0, "verdicts and values of 48 scenes", 0, 0},
	{"mavlink", "corpus/mavlink.pcap", "node-mavlink 2.3.0", "node-mavlink 2.3.0", 777, "generated: fields", 0, 0},
	{"ntp", "corpus/ntp.pcap", "chrony, ntpdig", "tshark 4.0.17", 312, "generated: fixed fields", 30, 4},
	{"packets", "corpus/packets.pcap", "", "the articles' C++ library", 0, "verdicts and values of its cases", 0, 0},
	{"quic", "corpus/quic.pcap", "ngtcp2", "tshark 4.0.17", 128, "generated: well-formed", 34, 90},
	{"rtcp", "corpus/rtcp.pcap", "ffmpeg, scapy", "tshark 4.0.17", 188, "generated: fields", 17, 64},
	{"rtp", "corpus/rtp.pcap", "ffmpeg, scapy", "tshark 4.0.17", 515, "generated: fixed fields", 3, 4},
	{"rtype", "corpus/rtype.pcap", "", "", 0, "", 0, 0},
	{"stun", "corpus/stun.pcap", "coturn", "tshark 4.0.17", 1614, "generated: fields", 27, 107},
	{"tftp", "corpus/tftp.pcap", "dnsmasq, atftp, busybox", "tshark 4.0.17", 110, "generated: fields", 55, 0},

	{"a2s", "", "", "", 0, "", 0, 0},
	{"bfd", "corpus/examples/bfd.pcap", "BIRD", "tshark 4.0.17", 1463, "generated: fixed fields", 52, 0},
	{"geneve", "", "", "tshark 4.0.17", 0, "generated: fields", 22, 0},
	{"netcode", "report/scan/testdata/netcode.pcap", "netcode's C library", "netcode's C library", 0, "", 0, 0},
	{"osc", "", "", "", 0, "", 0, 0},
	{"ptp", "corpus/examples/ptp.pcap", "linuxptp", "tshark 4.0.17", 496, "generated: fixed fields", 130, 2},
	{"quake3", "", "", "tshark 4.0.17", 0, "generated: fields", 4, 68},
	{"raknet", "corpus/examples/raknet.pcap", "jsp-raknet", "tshark 4.0.17", 102, "generated: fixed fields", 158, 15},
	{"reliable", "decode/flow/testdata/reliable.bin", "reliable's C library", "reliable's C library", 0, "", 0, 0},
	{"sacn", "corpus/examples/sacn.pcap", "sacn (npm)", "tshark 4.0.17", 456, "generated: fields", 51, 96},
	{"serial", "", "", "", 0, "", 0, 0},
	{"sflow", "", "", "tshark 4.0.17", 0, "generated: fields", 88, 35},
	{"vxlan", "corpus/examples/vxlan.pcap", "the kernel", "tshark 4.0.17", 22, "generated: fixed fields", 0, 73},
	{"webrtc", "", "", "the built-ins stun and rtp", 0, "the same packets under both", 0, 0},
	{"wireguard", "", "", "tshark 4.0.17", 0, "generated: fields", 24, 0},
	{"yojimbo", "", "", "", 0, "", 0, 0},
}
