package scan_test

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/google/gopacket"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// Find counts records, not datagrams, as decode does: a number that names no datagram, or none of the protocols, is
// told.
func TestFind(t *testing.T) {
	d := load(t, "protocol t\norder lsb\nport 4124\npacket { n int(0..7), align }\n")
	var file bytes.Buffer
	w := pcap.NewWriter(&file, pcap.Section{})
	for i, to := range []netip.AddrPort{server, client} { // the second is on no port of the protocol
		if err := w.WriteUDP(int64(i), client, to, []byte{byte(i + 3)}); err != nil {
			t.Fatal(err)
		}
	}
	arp := binary.BigEndian.AppendUint16(make([]byte, 12), 0x0806)
	if err := w.WritePacket(0, gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(arp), Length: len(arp)}, arp); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole := file.Bytes()
	for _, row := range []struct {
		n     int64
		which int
		wrong string
	}{
		{n: 1, which: 0},
		{n: 2, which: -1},
		{n: 3, which: -1, wrong: "packet 3 is no UDP datagram, or not the last fragment of one"},
		{n: 4, which: -1, wrong: "there is no packet 4: it has 3 packets"},
	} {
		packet := scan.Packet{Trace: new(decode.Trace)}
		which, err := scan.Find(pcap.NewReader(bytes.NewReader(whole)), row.n, "a.pcap", scan.ByPort(d), flow.Limits{}, &packet)
		if which != row.which || err == nil && row.wrong != "" || err != nil && err.Error() != row.wrong {
			t.Errorf("packet %d: want %d, %q, got %d, %v", row.n, row.which, row.wrong, which, err)
		}
		if row.which == 0 && (packet.N != row.n || packet.File != "a.pcap" || packet.From != decode.Client || packet.Size != 1) {
			t.Errorf("packet %d: got %+v", row.n, packet.Envelope)
		}
	}
	if which, err := scan.Find(pcap.NewReader(bytes.NewReader(whole[:len(whole)-1])), 3, "", scan.Always(d), flow.Limits{}, &scan.Packet{Trace: new(decode.Trace)}); err == nil || which != -1 {
		t.Errorf("want the error of a capture that breaks off, got %d, %v", which, err)
	}
}

// Decoders as text are what messages list: each protocol with its ports.
func TestDecodersString(t *testing.T) {
	c := scan.ByPort(load(t, "protocol a\norder lsb\nport 1, 2\npacket { n uint8 }\n"), load(t, "protocol b\norder lsb\npacket { n uint8 }\n"))
	if got, want := c.String(), "a (1, 2)"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}
