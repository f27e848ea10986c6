package pcap

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
)

var (
	_ gopacket.PacketDataSource         = (*Reader)(nil)
	_ gopacket.ZeroCopyPacketDataSource = (*Reader)(nil)
	_ PacketSource                      = (*Reader)(nil)
)

// writeWithPcapgo writes a capture with gopacket's writer and returns what a
// reader should see.
func writeWithPcapgo(t *testing.T, format string, buf *bytes.Buffer) (want []packetSeen) {
	t.Helper()
	var write func(gopacket.CaptureInfo, []byte) error
	flush := func() error { return nil }
	switch format {
	case "pcap":
		w := pcapgo.NewWriterNanos(buf)
		if err := w.WriteFileHeader(65535, layers.LinkTypeEthernet); err != nil {
			t.Fatal(err)
		}
		write = w.WritePacket
	case "pcapng":
		w, err := pcapgo.NewNgWriter(buf, layers.LinkTypeEthernet)
		if err != nil {
			t.Fatal(err)
		}
		write, flush = w.WritePacket, w.Flush
	}
	for i := range 50 {
		data := repeat(i * 7)
		ci := gopacket.CaptureInfo{
			Timestamp:     time.Unix(1_700_000_000+int64(i), int64(i)*19_999_999),
			CaptureLength: len(data),
			Length:        len(data) + i%3,
		}
		if err := write(ci, data); err != nil {
			t.Fatal(err)
		}
		want = append(want, packetSeen{string(data), ci.Timestamp.UnixNano(), ci.Length, 0, LinkEthernet})
	}
	if err := flush(); err != nil {
		t.Fatal(err)
	}
	return want
}

// TestAgainstPcapgo: on well-formed files gopacket's writers and readers agree
// with us.
func TestAgainstPcapgo(t *testing.T) {
	var classic, ng bytes.Buffer
	for _, file := range []struct {
		name string
		buf  *bytes.Buffer
	}{{"pcap", &classic}, {"pcapng", &ng}} {
		want := writeWithPcapgo(t, file.name, file.buf)
		seen, err := readAll(NewReader(file.buf))
		if err != io.EOF || fmt.Sprint(seen) != fmt.Sprint(want) {
			t.Errorf("%s: want %d packets %v, got %d %v, %v", file.name, len(want), want, len(seen), seen, err)
		}
	}
	// And its reader reads what our builders wrote, so that the tables above
	// do not share our own misunderstanding.
	file := cat(shb(le), idb(le, 1, 0, opt(le, optTSResol, 9)), epb(le, 0, 12345678901, []byte("abc"), opt(le, 1, 'n')), spb(le, 5, []byte("first")))
	peer, err := pcapgo.NewNgReader(bytes.NewReader(file), pcapgo.DefaultNgReaderOptions)
	if err != nil {
		t.Fatal(err)
	}
	ours := NewReader(bytes.NewReader(file))
	for range 2 {
		a, ai, aerr := peer.ReadPacketData()
		b, bi, berr := ours.ReadPacketData()
		if !bytes.Equal(a, b) || ai.Length != bi.Length || aerr != nil || berr != nil {
			t.Errorf("pcapgo %q %v %v, ours %q %v %v", a, ai, aerr, b, bi, berr)
		}
		if !ai.Timestamp.IsZero() && !ai.Timestamp.Equal(bi.Timestamp) {
			t.Errorf("time: pcapgo %v, ours %v", ai.Timestamp, bi.Timestamp)
		}
	}
}

// comparePeer holds dg against gopacket, on the packets that it decodes right:
// see ip.go for the others.
func comparePeer(t *testing.T, link LinkType, packet []byte, dg *Datagram) {
	first := map[LinkType]gopacket.Decoder{LinkEthernet: layers.LayerTypeEthernet, LinkIPv4: layers.LayerTypeIPv4, LinkIPv6: layers.LayerTypeIPv6}[link]
	if first == nil || dg.LengthMismatch {
		return
	}
	p := gopacket.NewPacket(packet, first, gopacket.Default)
	peer, ok := p.TransportLayer().(*layers.UDP)
	if !ok || p.Layer(layers.LayerTypeIPv6HopByHop) != nil {
		return
	}
	if string(peer.Payload) != string(dg.Payload) || uint16(peer.SrcPort) != dg.Src.Port() || uint16(peer.DstPort) != dg.Dst.Port() {
		t.Fatalf("gopacket: %v→%v %x, ours: %+v", peer.SrcPort, peer.DstPort, peer.Payload, dg)
	}
}

// TestAgainstGopacket: gopacket agrees on every well-formed row that it can
// decode.
func TestAgainstGopacket(t *testing.T) {
	for _, row := range layerRows() {
		if dg, cause := decodeOne(t, row.link, row.packet, len(row.packet)); cause == causeNone {
			comparePeer(t, row.link, row.packet, dg)
		}
	}
}
