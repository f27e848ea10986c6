package flow_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
)

// quic is the headers of RFC 9000 version 1: a short one does not say how long the id is that it is sent to.
const quic = `protocol quic
order msb
port 443

state {
    each cid_len int(0..20) once // of the ids by which this side is called
}

packet {
    long  bool
    fixed bool == true
    if long {
        kind     bits(2)
        packed   bits(4)
        version  uint32 == 1
        dcid_len uint8 in 0..20
        dcid     bytes(dcid_len)
        scid_len uint8 in 0..20
        scid     bytes(scid_len)
        let state.cid_len = scid_len
        sealed_part bytes(rest, max 1500)
    } else {
        packed bits(6)
        to     bytes(state.cid_len.peer)
        sealed_part bytes(rest, max 1500)
    }
}
`

// quicCapture is handshakes and what follows, of some connections in turns, and of each record the id that it is sent to.
func quicCapture(seed uint64) (all []sent) {
	r := rand.New(rand.NewPCG(seed, 9000))
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	type connection struct {
		client netip.AddrPort
		cids   [2][]byte
	}
	server := netip.MustParseAddrPort("10.0.0.1:443")
	send := func(c *connection, from int, to, data []byte) {
		s := sent{src: c.client, dst: server, data: data, to: to}
		if from == 1 {
			s.src, s.dst = s.dst, s.src
		}
		all = append(all, s)
	}
	long := func(c *connection, from int, kind byte, to []byte, size int) {
		b := binary.BigEndian.AppendUint32([]byte{0xc1 | kind<<4}, 1)
		for _, cid := range [][]byte{to, c.cids[from]} {
			b = append(append(b, byte(len(cid))), cid...)
		}
		if kind == 0 {
			b = append(b, 0) // no token
		}
		b = binary.BigEndian.AppendUint16(b, 0x4000|uint16(size))
		send(c, from, to, append(b, noise(size)...))
	}
	list := make([]*connection, 6)
	for i := range list {
		c := &connection{netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 1, byte(i)}), uint16(50000+i)), [2][]byte{noise(4 + r.IntN(17)), noise(4 + r.IntN(17))}}
		list[i] = c
		long(c, 0, 0, noise(8), 1162)
		long(c, 1, 0, c.cids[0], 1162)
		long(c, 1, 2, c.cids[0], 80)
		long(c, 0, 2, c.cids[1], 80)
	}
	for range 300 {
		c, from := list[r.IntN(len(list))], r.IntN(2)
		to := c.cids[1-from]
		send(c, from, to, append(append([]byte{0x40 | byte(r.IntN(64))}, to...), noise(40+r.IntN(200))...))
	}
	return all
}

// rawCapture is datagrams in a pcap file of IP packets.
func rawCapture(all []sent) []byte {
	out := binary.LittleEndian.AppendUint32(nil, 0xa1b2c3d4)
	out = append(out, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 101, 0, 0, 0)
	for i, p := range all {
		size := 28 + len(p.data)
		ip := []byte{0x45, 0, byte(size >> 8), byte(size), 0, 0, 0, 0, 64, 17, 0, 0}
		src, dst := p.src.Addr().As4(), p.dst.Addr().As4()
		ip = append(append(ip, src[:]...), dst[:]...)
		for _, n := range []int{int(p.src.Port()), int(p.dst.Port()), size - 20, 0} {
			ip = binary.BigEndian.AppendUint16(ip, uint16(n))
		}
		for _, n := range []int{1700000000, i * 1000, size, size} {
			out = binary.LittleEndian.AppendUint32(out, uint32(n))
		}
		out = append(append(out, ip...), p.data...)
	}
	return out
}

// Short headers of QUIC are sent to the ids that Wireshark finds, and that the writer meant; and no packet is refused for
// a record that is missing.
func TestQUIC(t *testing.T) {
	d, err := decode.Load("quic.pks", []byte(quic))
	if err != nil {
		t.Fatal(err)
	}
	all := quicCapture(1)
	for i, j := range run(t, d, all, -1, false) {
		if long := all[i].data[0]&0x80 != 0; j.verdict != decode.Accepted || !long && !bytes.Equal(j.to, all[i].to) {
			t.Fatalf("record %d: %v, to %x; want %x", i+1, j.verdict, j.to, all[i].to)
		}
	}
	for drop := range 24 {
		for i, j := range run(t, d, all, drop, false) {
			if j.verdict == decode.Refused {
				t.Fatalf("without record %d, record %d is refused", drop+1, i+1)
			}
		}
	}
	tshark := need.Program(t, need.Tshark, "tshark")
	file := filepath.Join(t.TempDir(), "quic.pcap")
	if err := os.WriteFile(file, rawCapture(all), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tshark, "-r", file, "-T", "fields", "-e", "frame.number", "-e", "quic.dcid").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(all) {
		t.Fatalf("tshark has %d records, want %d", len(lines), len(all))
	}
	for i, line := range lines {
		if want := fmt.Sprintf("%d\t%s", i+1, hex.EncodeToString(all[i].to)); strings.ReplaceAll(line, ":", "") != want {
			t.Errorf("tshark: %q, want %q", line, want)
		}
	}
}
