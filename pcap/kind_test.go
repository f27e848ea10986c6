package pcap

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"
)

// TestKinds: what a packet is that holds no datagram that we read, by name and number.
func TestKinds(t *testing.T) {
	v4 := ip4(protocolUDP, nil, udp([]byte("data")))
	of := func(types ...uint16) []byte { return cat(etherHeader(types...), repeat(40)) }
	for _, row := range []struct {
		link   LinkType
		packet []byte
		want   string
	}{
		{LinkEthernet, of(0x0806), "not-ip ARP = EtherType 0x0806"},
		{LinkEthernet, of(0x8100, 0x88cc), "not-ip LLDP = EtherType 0x88cc"},
		{LinkEthernet, of(0x1234), "not-ip EtherType 0x1234"},
		{LinkEthernet, of(0x8863), "not-ip PPPoE discovery = EtherType 0x8863"},
		{LinkEthernet, of(0x8864), "encapsulated PPPoE session = EtherType 0x8864"},
		{LinkEthernet, of(0x8100, 0x8847), "encapsulated MPLS = EtherType 0x8847"},
		{LinkEthernet, of(0x894f), "encapsulated NSH = EtherType 0x894f"},
		{LinkEthernet, cat(etherHeader(40), []byte{0x42, 0x42, 3}, repeat(37)), "not-ip STP = 802.3 DSAP 0x42"},
		{LinkEthernet, cat(etherHeader(40), []byte{7, 7, 3}, repeat(37)), "not-ip 802.3 DSAP 0x07"},
		{LinkEthernet, cat(etherHeader(40), []byte{snap, snap, 3, 0, 0, 12, 0x20, 0}, repeat(32)), "not-ip SNAP = 802.3 DSAP 0xaa"},
		{LinkEthernet, cat(etherHeader(40), []byte{snap, snap, 3, 0, 0, 0, 0x86, 0xdd}, repeat(32)), "encapsulated SNAP = 802.3 DSAP 0xaa"},
		{LinkSLL, cat(sll(1, 4), []byte{0x42, 0x42, 3}, repeat(37)), "not-ip STP = 802.3 DSAP 0x42"},
		{LinkSLL, cat(sll(hardwareNetlink, 0), v4), "not-ip netlink = ARPHRD 824"},
		{LinkNull, cat([]byte{7, 0, 0, 0}, v4), "not-ip address family 7"},
		{LinkNull, cat([]byte{2, 0, 0, 2}, v4), "not-ip address family 65535"},
		{LinkRaw, ip4(6, nil, repeat(20)), "not-udp TCP"},
		{LinkRaw, ip4(1, nil, repeat(20)), "not-udp ICMP"},
		{LinkRaw, ip4(253, nil, repeat(20)), "not-udp IP protocol 253"},
		{LinkRaw, ip4(47, nil, repeat(20)), "encapsulated GRE"},
		{LinkRaw, ip4(41, nil, repeat(20)), "encapsulated IPv6 in IP"},
		{LinkRaw, ip6(58, repeat(8)), "not-udp ICMPv6"},
		{LinkRaw, ip6(protocolFragment, fragment6(132, 8, repeat(8))), "not-udp SCTP"},
		{LinkExported, cat(tag(tagPortType, 0, 0, 0, 2), tag(tagEnd), repeat(8)), "not-udp exported-pdu = link type 252"},
		{192, v4, "unsupported-link PPI = link type 192"},
		{9, v4, "unsupported-link PPP = link type 9"},
		{300, v4, "unsupported-link link type 300"},
	} {
		d := NewDatagrams(&packets{link: row.link, list: [][]byte{row.packet, row.packet}})
		if _, err := d.Next(); err != io.EOF {
			t.Fatalf("%s: %v", row.want, err)
		}
		c := d.Counts()
		for kind, n := range c.Kinds {
			if got := fmt.Sprint(kind.Cause(), " ", kind); got != row.want || n != 2 || c.Of(kind.Cause()) != 2 {
				t.Errorf("want 2 %s, got %d %s", row.want, n, got)
			}
		}
		if len(c.Kinds) != 1 {
			t.Errorf("%s: got %v", row.want, c.Kinds)
		}
	}
}

// TestKindsAddUp: the kinds of a cause are as many packets as the cause has, in whatever order they come, and also where
// fragments are put together. Who sends packets of many kinds decides nothing about memory.
func TestKindsAddUp(t *testing.T) {
	var list [][]byte
	for i := range 200 {
		list = append(list, ip4(6, nil, repeat(20)), ip4(byte(i), nil, repeat(20)), ip6(58, repeat(8)))
	}
	// An IPv6 datagram in two pieces, of which the first says that a routing header follows, and that TCP.
	whole := cat([]byte{6, 0, 0, 0, 0, 0, 0, 0}, repeat(24))
	list = append(list, ip6(protocolFragment, fragment6(protocolRouting, 1, whole[:16])), ip6(protocolFragment, fragment6(protocolRouting, 16, whole[16:])))
	d := NewDatagrams(&packets{link: LinkRaw, list: list})
	for err := error(nil); err == nil; _, err = d.Next() {
		d.Counts() // at any time
	}
	c := d.Counts()
	sums := map[Cause]uint64{}
	for kind, n := range c.Kinds {
		sums[kind.Cause()] += n
	}
	if want := (map[Cause]uint64{NotUDP: c.Of(NotUDP), Encapsulated: c.Of(Encapsulated)}); !maps.Equal(sums, want) || c.Kinds[kindProtocol|6] != 203 {
		t.Errorf("want %v, got %v, of TCP %d", want, sums, c.Kinds[kindProtocol|6])
	}
	list = nil
	for i := range 2 * maxKinds {
		list = append(list, cat(etherHeader(uint16(0x9400+i)), repeat(20)))
	}
	d = NewDatagrams(&packets{link: LinkEthernet, list: list})
	for err := error(nil); err == nil; _, err = d.Next() {
	}
	if c = d.Counts(); len(c.Kinds) > maxKinds+1 || c.Kinds[0] < maxKinds-1 || c.Of(NotIP) != 2*maxKinds {
		t.Errorf("%d kinds, %d others", len(c.Kinds), c.Kinds[0])
	}
}

// TestKindNames: no name is there twice in a registry, but for what has several numbers.
func TestKindNames(t *testing.T) {
	for _, k := range slices.Sorted(maps.Keys(kinds())) {
		if kinds()[k].name == "" || k.String() == "" || k&kindNumber > 0xffff {
			t.Errorf("%#x: %v", uint32(k), k)
		}
	}
}
