package pcap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"testing"
	"time"

	"github.com/google/gopacket"

	"github.com/pktscope/pktscope/corpus/need"
)

// packets is a PacketSource of packets in memory.
type packets struct {
	link LinkType
	list [][]byte
	wire []int // nil: as captured
	at   int
}

func (p *packets) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	if p.at == len(p.list) {
		return nil, gopacket.CaptureInfo{}, io.EOF
	}
	data := p.list[p.at]
	ci := gopacket.CaptureInfo{Timestamp: time.Unix(1, int64(p.at)), CaptureLength: len(data), Length: len(data)}
	if p.wire != nil {
		ci.Length = p.wire[p.at]
	}
	p.at++
	return data, ci, nil
}

func (p *packets) LinkType() LinkType { return p.link }

// decodeOne runs one packet through Datagrams: its datagram, or the cause.
func decodeOne(t testing.TB, link LinkType, data []byte, wire int) (*Datagram, Cause) {
	t.Helper()
	d := NewDatagrams(&packets{link: link, list: [][]byte{data}, wire: []int{wire}})
	dg, err := d.Next()
	counts := d.Counts()
	if counts.Packets != 1 || counts.Skipped()+counts.Datagrams != 1 {
		t.Fatalf("counts: %+v", counts)
	}
	if err == nil {
		return dg, causeNone
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	for cause, n := range counts.All() {
		if n == 1 {
			return nil, cause
		}
	}
	t.Fatal("skipped for no cause")
	return nil, causeNone
}

// A layerRow is a packet and what it is: cause, or a datagram with payload.
type layerRow struct {
	name     string
	link     LinkType
	packet   []byte
	cause    Cause
	payload  string
	mismatch bool
}

func set(at int, v ...byte) func([]byte) { return func(h []byte) { copy(h[at:], v) } }

func layerRows() []layerRow {
	u, u16 := udp([]byte("data")), udp([]byte("datadata"))
	v4, v6 := ip4(protocolUDP, nil, u), ip6(protocolUDP, u)
	ether := func(p []byte) []byte { return cat(etherHeader(0x0800), p) }
	ether6 := func(p []byte) []byte { return cat(etherHeader(0x86dd), p) }
	padding := repeat(18)
	const none = causeNone
	return []layerRow{
		// Refused at the link layer.
		{"unknown link type", 163, v4, UnsupportedLink, "", false},
		{"empty ethernet", LinkEthernet, nil, MalformedLink, "", false},
		{"short ethernet", LinkEthernet, etherHeader(0x0800)[:13], MalformedLink, "", false},
		{"short tag", LinkEthernet, etherHeader(0x8100, 0x0800)[:17], MalformedLink, "", false},
		{"tag in a tag in nothing", LinkEthernet, etherHeader(0x8100, 0x8100), MalformedLink, "", false},
		{"arp", LinkEthernet, cat(etherHeader(0x0806), repeat(28)), NotIP, "", false},
		{"802.3 length", LinkEthernet, cat(etherHeader(0x002e), v4), NotIP, "", false},
		{"802.3 of snap", LinkEthernet, cat(etherHeader(0x002e), []byte{snap, snap, 3, 0, 0, 0, 8, 0}, v4), Encapsulated, "", false},
		{"802.3 of snap, too short", LinkEthernet, cat(etherHeader(3), []byte{snap, snap, 3}), NotIP, "", false},
		{"802.3 of nothing", LinkEthernet, etherHeader(0), MalformedLink, "", false},
		{"arp after a tag", LinkEthernet, cat(etherHeader(0x8100, 0x0806), repeat(28)), NotIP, "", false},
		{"short null", LinkNull, []byte{2, 0, 0}, MalformedLink, "", false},
		{"null of another family", LinkNull, cat([]byte{7, 0, 0, 0}, v4), NotIP, "", false},
		{"null of a huge family", LinkNull, cat([]byte{2, 0, 0, 2}, v4), NotIP, "", false},
		{"loop in little-endian", LinkLoop, cat([]byte{2, 0, 0, 0}, v4), NotIP, "", false},
		{"nine tags", LinkEthernet, cat(etherHeader(0x88a8, 0x88a8, 0x88a8, 0x88a8, 0x9100, 0x8100, 0x8100, 0x8100, 0x8100, 0x0800), v4), MalformedLink, "", false},
		{"sixteen thousand tags", LinkEthernet, cat(etherHeader(), bytes.Repeat([]byte{0x81, 0, 0, 1}, 16000)), MalformedLink, "", false},
		{"short sll", LinkSLL, sll(1, 0x0800)[:15], MalformedLink, "", false},
		{"sll of arp", LinkSLL, cat(sll(1, 0x0806), repeat(28)), NotIP, "", false},
		{"sll of netlink", LinkSLL, cat(sll(hardwareNetlink, 0x0800), v4), NotIP, "", false},
		{"sll of 802.3", LinkSLL, cat(sll(1, 1), v4), NotIP, "", false},
		{"sll with a short tag", LinkSLL, cat(sll(1, 0x8100), []byte{0, 1, 8}), MalformedLink, "", false},
		{"short sll2", LinkSLL2, sll2(1, 0x0800)[:19], MalformedLink, "", false},
		{"sll2 of arp", LinkSLL2, cat(sll2(1, 0x0806), repeat(28)), NotIP, "", false},
		{"sll2 of radiotap", LinkSLL2, cat(sll2(hardwareRadiotap, 0x0800), v4), Encapsulated, "", false},
		{"user0 of 65,528 bytes", LinkUser0, repeat(maxPayload + 1), Oversize, "", false},
		{"no tags", LinkExported, nil, MalformedLink, "", false},
		{"tags without end", LinkExported, tag(tagPortType, 0, 0, 0, portTypeUDP), MalformedLink, "", false},
		{"tag beyond the packet", LinkExported, []byte{0, tagProtocol, 0, 5, 'd', 'a', 't', 'a'}, MalformedLink, "", false},
		{"end tag with a length", LinkExported, cat(tagsUDP, []byte{0, 0, 0, 4}, repeat(8)), MalformedLink, "", false},
		{"65 tags", LinkExported, cat(bytes.Repeat(tag(99), 64), tagsUDP, tag(tagEnd)), MalformedLink, "", false},
		{"port beyond 65535", LinkExported, cat(tagsUDP, tag(tagSrcPort, 0, 1, 0, 0), tag(tagEnd)), MalformedLink, "", false},
		{"port of two bytes", LinkExported, cat(tagsUDP, tag(tagDstPort, 0, 53), tag(tagEnd)), MalformedLink, "", false},
		{"port type of one byte", LinkExported, cat(tag(tagPortType, portTypeUDP), tag(tagEnd)), MalformedLink, "", false},
		{"ipv4 address of 16 bytes", LinkExported, cat(tagsUDP, tag(tagIPv4Src, repeat(16)...), tag(tagEnd)), MalformedLink, "", false},
		{"ipv6 address of 4 bytes", LinkExported, cat(tagsUDP, tag(tagIPv6Dst, repeat(4)...), tag(tagEnd)), MalformedLink, "", false},
		{"pdu over tcp", LinkExported, cat(tag(tagPortType, 0, 0, 0, 2), tag(tagEnd), u), NotUDP, "", false},
		{"pdu over nothing", LinkExported, cat(tag(tagProtocol, []byte("sip")...), tag(tagEnd), u), NotUDP, "", false},
		{"pdu of 65,528 bytes", LinkExported, cat(tagsUDP, tag(tagEnd), repeat(maxPayload+1)), Oversize, "", false},
		{"pdu of ip that is none", LinkExported, cat(tag(tagProtocol, 'i', 'p', 0, 0), tag(tagEnd), u), MalformedIP, "", false},

		// Refused at IP.
		{"empty raw", LinkRaw, nil, MalformedIP, "", false},
		{"raw version 5", LinkRaw, cat([]byte{0x55}, v4[1:]), MalformedIP, "", false},
		{"ipv4 link with version 6", LinkIPv4, v6, MalformedIP, "", false},
		{"ipv6 link with version 4", LinkIPv6, cat(v4, padding), MalformedIP, "", false},
		{"ethertype 4 with version 6", LinkEthernet, ether(v6), MalformedIP, "", false},
		{"ethertype 6 with version 4", LinkEthernet, ether6(cat(v4, padding)), MalformedIP, "", false},
		{"ipv4 of 19 bytes", LinkEthernet, ether(v4[:19]), MalformedIP, "", false},
		{"ipv4 header length 4", LinkEthernet, ether(ip4(protocolUDP, nil, u, set(0, 0x44))), MalformedIP, "", false},
		{"ipv4 header length beyond total", LinkEthernet, ether(ip4(protocolUDP, nil, u, set(0, 0x4f))), MalformedIP, "", false},
		{"ipv4 total length 0", LinkEthernet, ether(ip4(protocolUDP, nil, u, set(2, 0, 0))), MalformedIP, "", false},
		{"ipv4 total length 19", LinkEthernet, ether(ip4(protocolUDP, nil, u, set(2, 0, 19))), MalformedIP, "", false},
		{"ipv4 total length beyond the frame", LinkEthernet, ether(ip4(protocolUDP, nil, u, set(2, 0, byte(20+8+4+1)))), MalformedIP, "", false},
		{"ipv4 total length 65535", LinkRaw, ip4(protocolUDP, nil, u, set(2, 0xff, 0xff)), MalformedIP, "", false},
		{"ipv6 of 39 bytes", LinkEthernet, ether6(v6[:39]), MalformedIP, "", false},
		{"ipv6 length beyond the frame", LinkEthernet, ether6(ip6(protocolUDP, u, set(4, 0, 8+4+1))), MalformedIP, "", false},
		{"ipv6 jumbogram", LinkRaw, ip6(protocolHopByHop, cat([]byte{protocolUDP, 0, 0xc2, 4, 0, 1, 0, 0}, u), set(4, 0, 0)), MalformedIP, "", false},
		{"ipv6 extension of 7 bytes", LinkRaw, ip6(protocolDestination, repeat(7)), MalformedIP, "", false},
		{"ipv6 extension beyond the packet", LinkRaw, ip6(protocolRouting, ext(protocolUDP, 3, nil)[:24]), MalformedIP, "", false},
		{"ipv6 extension beyond ip, in the trailer", LinkEthernet, ether6(cat(ip6(protocolHopByHop, ext(protocolUDP, 1, u)[:8]), repeat(40))), MalformedIP, "", false},
		{"ipv6 hop-by-hop not first", LinkRaw, ip6(protocolDestination, ext(protocolHopByHop, 0, ext(protocolUDP, 0, u))), MalformedIP, "", false},

		// Not UDP, and fragments.
		{"tcp", LinkEthernet, ether(ip4(6, nil, repeat(20))), NotUDP, "", false},
		{"tcp fragment", LinkEthernet, ether(ip4(6, nil, repeat(24), set(6, 0x20, 0))), NotUDP, "", false},
		{"icmp6", LinkRaw, ip6(58, repeat(8)), NotUDP, "", false},
		{"ipv6 without next header", LinkRaw, ip6(59, nil), NotUDP, "", false},
		{"esp after hop-by-hop", LinkRaw, ip6(protocolHopByHop, ext(50, 0, u)), Encapsulated, "", false},
		{"first fragment", LinkEthernet, ether(ip4(protocolUDP, nil, u16, set(6, 0x20, 0))), FragmentIncomplete, "", false},
		{"later fragment", LinkEthernet, ether(ip4(protocolUDP, nil, u, set(6, 0x00, 1))), FragmentIncomplete, "", false},
		{"last possible fragment", LinkEthernet, ether(ip4(protocolUDP, nil, u[:3], set(6, 0x1f, 0xfd))), FragmentIncomplete, "", false},
		{"fragment that ends beyond 65535", LinkEthernet, ether(ip4(protocolUDP, nil, u, set(6, 0x1f, 0xfd))), MalformedIP, "", false},
		{"first fragment of 12 bytes", LinkEthernet, ether(ip4(protocolUDP, nil, u, set(6, 0x20, 0))), MalformedIP, "", false},
		{"fragment of no bytes", LinkEthernet, ether(ip4(protocolUDP, nil, nil, set(6, 0x20, 1))), MalformedIP, "", false},
		{"ipv6 first fragment", LinkRaw, ip6(protocolFragment, fragment6(protocolUDP, 1, u16)), FragmentIncomplete, "", false},
		{"ipv6 later fragment", LinkRaw, ip6(protocolHopByHop, ext(protocolFragment, 0, fragment6(protocolUDP, 8, u))), FragmentIncomplete, "", false},
		{"ipv6 fragment with an extension", LinkRaw, ip6(protocolFragment, fragment6(protocolDestination, 1, ext(protocolUDP, 0, u16))), FragmentIncomplete, "", false},
		{"ipv6 first fragment of 12 bytes", LinkRaw, ip6(protocolFragment, fragment6(protocolUDP, 1, u)), MalformedIP, "", false},
		{"ipv6 fragment that ends beyond 65535", LinkRaw, ip6(protocolFragment, fragment6(protocolUDP, 0xfff8, u)), MalformedIP, "", false},
		{"ipv6 fragment of tcp", LinkRaw, ip6(protocolFragment, fragment6(6, 8, repeat(8))), NotUDP, "", false},

		// Refused at UDP.
		{"no room for udp", LinkRaw, ip4(protocolUDP, nil, u[:7]), MalformedUDP, "", false},
		{"no udp at all", LinkRaw, ip4(protocolUDP, nil, nil), MalformedUDP, "", false},
		{"no room for udp before the trailer", LinkEthernet, ether(cat(ip4(protocolUDP, nil, u[:7]), padding)), MalformedUDP, "", false},
		{"udp length 0 over ipv4", LinkRaw, ip4(protocolUDP, nil, udpLen(0, repeat(4))), MalformedUDP, "", false},
		{"udp length 7", LinkRaw, ip4(protocolUDP, nil, udpLen(7, repeat(4))), MalformedUDP, "", false},
		{"udp length 7 over ipv6", LinkRaw, ip6(protocolUDP, udpLen(7, repeat(4))), MalformedUDP, "", false},
		{"no udp in ipv6", LinkRaw, ip6(protocolUDP, nil), MalformedUDP, "", false},

		// Datagrams.
		{"ethernet", LinkEthernet, ether(v4), none, "data", false},
		{"ethernet 6", LinkEthernet, ether6(v6), none, "data", false},
		{"ethernet with padding", LinkEthernet, ether(cat(v4, padding)), none, "data", false},
		{"ethernet 6 with padding", LinkEthernet, ether6(cat(v6, padding)), none, "data", false},
		{"hop-by-hop with padding", LinkEthernet, ether6(cat(ip6(protocolHopByHop, ext(protocolUDP, 1, u)), padding)), none, "data", false},
		{"tag", LinkEthernet, cat(etherHeader(0x8100, 0x0800), v4), none, "data", false},
		{"tag in a tag", LinkEthernet, cat(etherHeader(0x88a8, 0x8100, 0x86dd), v6), none, "data", false},
		{"three tags", LinkEthernet, cat(etherHeader(0x9100, 0x9100, 0x8100, 0x0800), v4), none, "data", false},
		{"raw 4", LinkRaw, v4, none, "data", false},
		{"raw 6", LinkRaw, v6, none, "data", false},
		{"raw, bsd's number", LinkRawBSD, v4, none, "data", false},
		{"raw, openbsd's number", LinkRawOpenBSD, v6, none, "data", false},
		{"ipv4 link", LinkIPv4, v4, none, "data", false},
		{"ipv6 link", LinkIPv6, v6, none, "data", false},
		{"null little-endian", LinkNull, cat([]byte{2, 0, 0, 0}, v4), none, "data", false},
		{"null big-endian", LinkNull, cat([]byte{0, 0, 0, 2}, v4), none, "data", false},
		{"null ipv6 of bsd", LinkNull, cat([]byte{24, 0, 0, 0}, v6), none, "data", false},
		{"null ipv6 of freebsd", LinkNull, cat([]byte{0, 0, 0, 28}, v6), none, "data", false},
		{"null ipv6 of darwin", LinkNull, cat([]byte{30, 0, 0, 0}, v6), none, "data", false},
		{"null ipv6 of linux", LinkNull, cat([]byte{10, 0, 0, 0}, v6), none, "data", false},
		{"loop", LinkLoop, cat([]byte{0, 0, 0, 2}, v4), none, "data", false},
		{"loop ipv6", LinkLoop, cat([]byte{0, 0, 0, 24}, v6), none, "data", false},
		{"ipv4 options", LinkRaw, ip4(protocolUDP, []byte{148, 4, 0, 0, 1, 1, 0, 0}, u), none, "data", false},
		{"ipv4 option of two bytes", LinkRaw, ip4(protocolUDP, []byte{30, 2, 1, 0}, u), none, "data", false},
		{"ipv4 do not fragment, evil bit", LinkRaw, ip4(protocolUDP, nil, u, set(6, 0xc0, 0)), none, "data", false},
		{"ipv6 all extensions", LinkRaw, ip6(protocolHopByHop, ext(protocolDestination, 2, ext(protocolRouting, 2, ext(protocolFragment, 0, fragment6(protocolDestination, 0, ext(protocolUDP, 0, u)))))), none, "data", false},
		{"ipv6 atomic fragment, reserved bits", LinkRaw, ip6(protocolFragment, fragment6(protocolUDP, 6, u)), none, "data", false},
		{"eight tags", LinkEthernet, cat(etherHeader(0x88a8, 0x88a8, 0x88a8, 0x88a8, 0x9100, 0x8100, 0x8100, 0x8100, 0x86dd), v6), none, "data", false},
		{"sll", LinkSLL, cat(sll(1, 0x0800), v4, padding), none, "data", false},
		{"sll of a tunnel", LinkSLL, cat(sll(65534, 0x86dd), v6), none, "data", false},
		{"sll with an address length of 65535", LinkSLL, cat(sll(1, 0x0800)[:4], []byte{0xff, 0xff}, sll(1, 0x0800)[6:], v4), none, "data", false},
		{"sll with tags", LinkSLL, cat(sll(1, 0x88a8), []byte{0, 1, 0x81, 0, 0, 2, 8, 0}, v4), none, "data", false},
		{"sll2", LinkSLL2, cat(sll2(772, 0x0800), v4), none, "data", false},
		{"sll2 ipv6", LinkSLL2, cat(sll2(1, 0x86dd), v6, padding), none, "data", false},
		{"user0", LinkUser0, []byte("data"), none, "data", false},
		{"user15, empty", LinkUser15, nil, none, "", false},
		{"user7 of 65,527 bytes", LinkUser0 + 7, repeat(maxPayload), none, string(repeat(maxPayload)), false},
		{"pdu", LinkExported, cat(tagsUDP, tag(tagEnd), []byte("data")), none, "data", false},
		{"pdu, empty", LinkExported, cat(tagsUDP, tag(tagEnd)), none, "", false},
		{"pdu of ip", LinkExported, cat(tag(tagProtocol, 'i', 'p', 0, 0), tag(tagEnd), v4, padding), none, "data", false},
		{"pdu of ipv6", LinkExported, cat(tag(tagProtocol, 'i', 'p', 'v', '6'), tag(tagEnd), v6), none, "data", false},
		{"empty payload", LinkEthernet, ether(cat(ip4(protocolUDP, nil, udp(nil)), padding)), none, "", false},

		// The shorter of the two lengths.
		{"udp length below ip's", LinkRaw, ip4(protocolUDP, nil, udpLen(8+3, []byte("data"))), none, "dat", true},
		{"udp length 8", LinkRaw, ip6(protocolUDP, udpLen(8, []byte("data"))), none, "", true},
		{"udp length beyond ip's", LinkRaw, ip4(protocolUDP, nil, udpLen(8+5, []byte("data"))), none, "data", true},
		{"udp length beyond ip's, padding there", LinkEthernet, ether(cat(ip4(protocolUDP, nil, udpLen(8+5, []byte("data"))), padding)), none, "data", true},
		{"udp length 65535", LinkRaw, ip6(protocolUDP, udpLen(65535, []byte("data"))), none, "data", true},
		{"udp length 0 over ipv6", LinkEthernet, ether6(cat(ip6(protocolUDP, udpLen(0, []byte("data"))), padding)), none, "data", true},
	}
}

func TestLayers(t *testing.T) {
	for _, row := range layerRows() {
		t.Run(row.name, func(t *testing.T) {
			dg, cause := decodeOne(t, row.link, row.packet, len(row.packet))
			if cause != row.cause {
				t.Fatalf("want %v, got %v", row.cause, cause)
			}
			if cause == causeNone && (string(dg.Payload) != row.payload || dg.LengthMismatch != row.mismatch || dg.Cut || dg.Size != len(row.payload)) {
				t.Errorf("want %q mismatch %v, got %+v", row.payload, row.mismatch, dg)
			}
		})
	}
}

// TestLayersCutEverywhere captures less and less of every row's packet. A
// datagram stays one, with as much of its payload as is there, and is marked;
// with a header gone the packet is cut or what it was before, never another
// fault. On a wire that was itself that short, nothing is ever cut.
func TestLayersCutEverywhere(t *testing.T) {
	for _, row := range layerRows() {
		whole, wholeCause := decodeOne(t, row.link, row.packet, len(row.packet))
		for n := 0; n < len(row.packet); n += 1 + len(row.packet)/need.Rounds(1<<16, 100) {
			dg, cause := decodeOne(t, row.link, row.packet[:n], len(row.packet))
			switch {
			case cause == CutHeader || cause == wholeCause && cause != causeNone:
			case cause == causeNone && wholeCause == causeNone:
				want := string(whole.Payload)
				if want[:len(dg.Payload)] != string(dg.Payload) || dg.Cut != (len(dg.Payload) < len(want)) || dg.Size != len(want) ||
					dg.Src != whole.Src || dg.Dst != whole.Dst || dg.LengthMismatch != row.mismatch || dg.WireLen != len(row.packet) {
					t.Errorf("%s cut at %d: want a part of %+v, got %+v", row.name, n, whole, dg)
				}
			default:
				t.Errorf("%s cut at %d: want %v or %v, got %v", row.name, n, CutHeader, wholeCause, cause)
			}
			if dg, cause := decodeOne(t, row.link, row.packet[:n], n); cause == CutHeader || cause == causeNone && dg.Cut {
				t.Errorf("%s short at %d: nothing was cut, got %v", row.name, n, cause)
			}
		}
	}
}

func TestDatagram(t *testing.T) {
	arp := cat(etherHeader(0x0806), repeat(28))
	d := NewDatagrams(&packets{link: LinkEthernet, list: [][]byte{arp, etherUDP([]byte("one")), arp, cat(etherHeader(0x86dd), ip6(protocolUDP, udp([]byte("two"))))}})
	one, err := d.Next()
	if err != nil {
		t.Fatal(err)
	}
	if one.N != 2 || one.Time != 1_000000001 || one.Src != netip.MustParseAddrPort("10.0.0.1:4124") ||
		one.Dst != netip.MustParseAddrPort("10.0.0.2:53") || string(one.Payload) != "one" || one.WireLen != 14+20+8+3 {
		t.Errorf("got %+v", one)
	}
	if cap(one.Payload) != len(one.Payload) {
		t.Error("an append to the payload would overwrite the packet")
	}
	two, err := d.Next()
	if err != nil {
		t.Fatal(err)
	}
	if two.N != 4 || two.Src != netip.MustParseAddrPort("[2001::1]:4124") || two.Dst != netip.MustParseAddrPort("[2001::2]:53") || string(two.Payload) != "two" {
		t.Errorf("got %+v", two)
	}
	if _, err := d.Next(); err != io.EOF {
		t.Errorf("want io.EOF, got %v", err)
	}
	counts := d.Counts()
	if counts.Packets != 4 || counts.Datagrams != 2 || counts.Of(NotIP) != 2 || counts.Skipped() != 2 {
		t.Errorf("counts: %+v", counts)
	}
}

// TestDatagramsPassErrors: a source's error comes through, and everything
// before it came first.
func TestDatagramsPassErrors(t *testing.T) {
	file := cat(fileHeader(le, magicMicro, 1), honestRecord(le, 7, 8, etherUDP([]byte("one"))), []byte{1})
	d := NewDatagrams(readerOf(file))
	one, err := d.Next()
	if err != nil || one.Time != 7_000008000 {
		t.Fatal(one, err)
	}
	if _, err := d.Next(); !errors.Is(err, ErrCut) {
		t.Errorf("want ErrCut, got %v", err)
	}
}

// TestLinkTypePerInterface: in pcapng each packet has that of its interface.
func TestLinkTypePerInterface(t *testing.T) {
	file := cat(shb(le), idb(le, LinkEthernet, 0), idb(le, LinkRaw, 0),
		epb(le, 1, 0, ip4(protocolUDP, nil, udp([]byte("raw")))), epb(le, 0, 0, etherUDP([]byte("ether"))), spb(le, 47, etherUDP([]byte("plain"))))
	d := NewDatagrams(readerOf(file))
	for i, want := range []string{"raw 1", "ether 0", "plain 0"} {
		dg, err := d.Next()
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(string(dg.Payload), " ", dg.Interface); got != want || dg.N != int64(i+1) {
			t.Errorf("want %s, got %s in record %d", want, got, dg.N)
		}
	}
}

// TestCauseWords pins the words, which are shown and matched by users.
func TestCauseWords(t *testing.T) {
	var words []string
	for cause := range new(Counts).All() {
		words = append(words, cause.String())
	}
	want := "[unsupported-link cut-header malformed-link not-ip encapsulated malformed-ip not-udp fragment fragment-incomplete fragment-overlap malformed-udp oversize]"
	if got := fmt.Sprint(words); got != want {
		t.Errorf("want %s, got %s", want, got)
	}
}

// TestLayersNoAllocations: neither a datagram nor any refusal allocates.
func TestLayersNoAllocations(t *testing.T) {
	for _, row := range layerRows() {
		src := &packets{link: row.link, list: [][]byte{row.packet}}
		d := NewDatagrams(src)
		if n := testing.AllocsPerRun(20, func() { src.at = 0; d.Next() }); n != 0 {
			t.Errorf("%s: want 0 allocations, got %v", row.name, n)
		}
	}
}
