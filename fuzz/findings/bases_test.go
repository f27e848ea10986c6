package findings

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/netip"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/pcap"
)

// ReadBases leaves out what the protocol refuses and what it has already, knows the sender by the ports, and is
// bounded.
func TestReadBases(t *testing.T) {
	d, err := decode.Load("small.pks", []byte("protocol small\nport 4000\norder lsb\npacket { n int(0..99999), align }\n"))
	if err != nil {
		t.Fatal(err)
	}
	client, server := netip.MustParseAddrPort("10.0.0.1:9"), netip.MustParseAddrPort("10.0.0.2:4000")
	var file bytes.Buffer
	w := pcap.NewWriter(&file, pcap.Section{})
	write := func(src, dst netip.AddrPort, code uint32) {
		t.Helper()
		if err := w.WriteUDP(1, src, dst, binary.LittleEndian.AppendUint32(nil, code)[:3]); err != nil {
			t.Fatal(err)
		}
	}
	write(client, server, 7)
	write(client, server, 1<<20) // padding
	write(server, client, 8)
	write(client, server, 7) // again
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	few := bytes.Clone(file.Bytes())
	for n := range uint32(maxBases + 1) {
		write(client, server, n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	bases, all, err := ReadBases(pcap.NewReader(bytes.NewReader(few)), d)
	if err != nil || !all || len(bases) != 2 || bases[0].Data[0] != 7 || bases[0].From != decode.Client || bases[1].Data[0] != 8 || bases[1].From != decode.Server {
		t.Errorf("want 7 of a client and 8 of a server, all, got %v, %t, %v", bases, all, err)
	}
	bases, all, err = ReadBases(pcap.NewReader(&file), d)
	if err != nil || all || len(bases) != maxBases {
		t.Errorf("want the first %d, got %d, all: %t, %v", maxBases, len(bases), all, err)
	}
	if bases, _, err = ReadBases(pcap.NewReader(bytes.NewReader(few[:len(few)-1])), d); err == nil || bases != nil {
		t.Errorf("want the error of a capture that breaks off, got %v, %v", bases, err)
	}
	if _, _, err = ReadBases(pcap.NewReader(bytes.NewReader([]byte("text, no capture at all"))), d); !errors.Is(err, pcap.ErrNotCapture) {
		t.Errorf("want %v, got %v", pcap.ErrNotCapture, err)
	}
}
