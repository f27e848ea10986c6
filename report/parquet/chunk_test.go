package parquet

import (
	"bytes"
	"math"
	"net/netip"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/scan"
)

// Columns of more words than a dictionary has, of several pages and of two row groups come back, with floats that have
// no order among them.
func TestManyRows(t *testing.T) {
	d := load(t, "protocol t\norder lsb\npacket { real float32, at uint16 }\n")
	var out bytes.Buffer
	w, err := NewWriter(&out, []*decode.Decoder{d}, 0)
	if err != nil {
		t.Fatal(err)
	}
	const rows = rowGroupRows + 9000
	address := func(i int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom16([16]byte{0xfd, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)}), uint16(i))
	}
	real := func(i int) uint32 {
		switch {
		case i == 70_000:
			return math.Float32bits(float32(math.NaN()))
		case i > rowGroupRows:
			return 1 << 31 // -0
		}
		return math.Float32bits(float32(i%1000) - 500)
	}
	s := w.Stage()
	take, b := s.New(), &Batch{}
	p := &scan.Packet{Trace: new(decode.Trace)}
	for i := range rows {
		v := real(i)
		_ = d.Decode([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24), byte(i), byte(i >> 8)}, decode.FromUnknown, p.Trace)
		p.Envelope = decode.Envelope{N: int64(i + 1), File: "a.pcap", Time: int64(i+1) * 1e6, Src: address(i), Dst: address(i / 40)}
		take(b, p)
		if i%200 == 0 || i == rows-1 {
			if err := s.Drain(b); err != nil {
				t.Fatal(err)
			}
			if n := len(w.file.chunks[columnSrcIP].dict); n > dictBytes+200*64 {
				t.Fatalf("row %d: a dictionary of %d bytes", i, n)
			}
		}
	}
	if err := w.Close(&About{}); err != nil {
		t.Fatal(err)
	}
	if n := len(w.file.groups); n != 2 {
		t.Errorf("%d row groups", n)
	}
	columns, n := read(t, out.Bytes())
	if n != rows {
		t.Fatalf("%d rows", n)
	}
	for i := range rows {
		if a, b := columns[columnSrcIP][i].String(), address(i).Addr().String(); a != b {
			t.Fatalf("row %d: %s, want %s", i, a, b)
		}
		if a, b := columns[columnDstIP][i].String(), address(i/40).Addr().String(); a != b {
			t.Fatalf("row %d: %s, want %s", i, a, b)
		}
		if n, at := columns[columnTimeNS][i].Int64(), columns[countBase+1][i].Uint32(); n != int64(i+1)*1e6 || at != uint32(i)%(1<<16) {
			t.Fatalf("row %d: %d, %d", i, n, at)
		}
		if v := math.Float32bits(columns[countBase][i].Float()); v != real(i) {
			t.Fatalf("row %d: %x, want %x", i, v, real(i))
		}
	}
}
