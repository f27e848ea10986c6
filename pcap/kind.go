package pcap

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Kind is what a packet was that was skipped: a link type, an EtherType, a protocol above IP. 0 is that of the many
// that a Counts has no room for.
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
	case kinds()[k].holds:
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
	if k == 0 {
		return "others"
	}
	registry, name := k&^kindNumber, kinds()[k].name
	if name != "" && registry == kindProtocol {
		return name
	}
	n := uint32(k & kindNumber)
	if registry == kindLLC {
		n &= 0xff
	}
	number := fmt.Sprintf(registries[registry>>24].number, n)
	if name != "" {
		return name + " = " + number
	}
	return number
}

type registry struct{ word, number string }

var registries = []registry{{}, {"link", "link type %d"}, {"ethertype", "EtherType 0x%04x"}, {"llc", "802.3 DSAP 0x%02x"}, {"family", "address family %d"},
	{"arphrd", "ARPHRD %d"}, {"protocol", "IP protocol %d"}}

//go:embed kinds.txt
var kindsText string

// kinds are the rows of kinds.txt, read when a packet is first skipped: most captures have none such.
var kinds = sync.OnceValue(func() map[Kind]kindRow {
	all := map[Kind]kindRow{}
	for line := range strings.Lines(kindsText) {
		if row := strings.SplitN(strings.TrimSpace(line), " ", 4); row[0] != "#" {
			n, err := strconv.ParseUint(row[1], 0, 16)
			registry := slices.IndexFunc(registries, func(r registry) bool { return r.word == row[0] })
			if err != nil || registry < 0 {
				panic("pktscope: internal error: kinds.txt: " + line)
			}
			all[Kind(registry)<<24|Kind(n)] = kindRow{row[3], row[2] == "+"}
		}
	}
	return all
})

type kindRow struct {
	name  string
	holds bool // IP
}
