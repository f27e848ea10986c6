package gogen_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/gogen/testdata/derived"
	"github.com/pktscope/pktscope/decode/gogen/testdata/rtype"
)

// chunks is a packet of which nothing is given that follows from others.
func chunks(all ...string) *derived.Packet {
	p := &derived.Packet{Which: 1, Data: []byte("12345678")}
	for _, more := range all {
		p.Body.Case1.Chunks = append(p.Body.Case1.Chunks, derived.ChunksChunks{Tag: 9, More: []byte(more)})
	}
	return p
}

// What is given is held against what is there, wherever it could have been left out.
func TestDerivedRefuses(t *testing.T) {
	for _, row := range []struct {
		name  string
		spoil func(p *derived.Packet)
		kind  derived.RejectKind
		path  string
		bit   int
	}{
		{"another constant", func(p *derived.Packet) { p.Version = 4 }, derived.RejectConstMismatch, "version", 0},
		{"another constant below zero", func(p *derived.Packet) { p.Bias = 2 }, derived.RejectConstMismatch, "bias", 8 + 32},
		{"another constant below zero, narrower than its Go type", func(p *derived.Packet) { p.Drift = 995 }, derived.RejectConstMismatch, "drift", -1},
		{"another constant float", func(p *derived.Packet) { p.Scale = 0.25 }, derived.RejectConstMismatch, "scale", 8},
		{"a constant float's sign", func(p *derived.Packet) { p.Scale = float32(math.Copysign(0, -1)) }, derived.RejectConstMismatch, "scale", 8},
		{"another only value", func(p *derived.Packet) { p.Level = 6 }, derived.RejectOutOfRange, "level", 8 + 32},
		{"another constant text", func(p *derived.Packet) { p.Body.Case1.Chunks[1].Text = []byte("no") }, derived.RejectConstMismatch, "body.chunks[1].text", -1},
		{"a count of none", func(p *derived.Packet) { p.Count = 1 }, derived.RejectOutOfRange, "points", 88},
		{"a count of more than may be", func(p *derived.Packet) { p.Points = make([]uint16, 5) }, derived.RejectOutOfRange, "count", 8 + 32 + 8},
		{"bytes that no count gives", func(p *derived.Packet) { p.Data = p.Data[:7] }, derived.RejectOutOfRange, "data", 88},
		{"a count of other bytes", func(p *derived.Packet) { p.Words = 5 }, derived.RejectOutOfRange, "data", 88},
		{"a window that is longer", func(p *derived.Packet) { p.Length = 300 }, derived.RejectTrailingBytes, "", -1},
		{"a window that is shorter", func(p *derived.Packet) { p.Length = 1 }, derived.RejectPastEnd, "", -1},
		{"an inner window that is shorter", func(p *derived.Packet) { p.Body.Case1.Chunks[0].Size = 1 }, derived.RejectPastEnd, "body.chunks[0]", -1},
		{"an inner window that is longer", func(p *derived.Packet) { p.Body.Case1.Chunks[1].Size = 1 << 20 }, derived.RejectTrailingBytes, "body.chunks[1]", -1},
		{"two lists of one count", func(p *derived.Packet) { p.Which, p.Points, p.Body.Case0.Others = 0, []uint16{1, 2}, []uint8{1} }, derived.RejectOutOfRange, "body.others", -1},
		{"rows of different lengths", func(p *derived.Packet) {
			p.Which = 2
			p.Body.Case2.Rows = []derived.PacketBodyCase2Rows{{Cells: []uint8{1, 2}}, {Cells: []uint8{3}}}
		}, derived.RejectOutOfRange, "body.rows[1].cells", -1},
		{"too much for a datagram", func(p *derived.Packet) { *p = *chunks(strings.Repeat("a", 250), strings.Repeat("b", 250)) }, derived.RejectDatagramSize, "", 0},
		{"more than its window may hold", func(p *derived.Packet) { *p = *chunks(strings.Repeat("a", 301)) }, derived.RejectOutOfRange, "body.chunks[0].more", -1},
	} {
		p := chunks("first", "second")
		row.spoil(p)
		before := *p
		out, err := p.Append([]byte("here"), derived.FromUnknown)
		var no *derived.PacketReject
		if !errors.As(err, &no) || no.Kind != row.kind || no.Path() != row.path || row.bit >= 0 && no.Bit != row.bit {
			t.Errorf("%s: want %v at %q, bit %d, got %v", row.name, row.kind, row.path, row.bit, err)
		}
		if string(out) != "here" || p.Length != before.Length || p.Count != before.Count {
			t.Errorf("%s: the buffer is now %q, the packet %+v", row.name, out, p)
		}
	}
}

// What may be left out is found, nothing is written into the packet that is appended, and a reader finds the same
// values.
func TestDerived(t *testing.T) {
	head := func(count, words, length, which string) string {
		return "03" + "3f000000" + "fe" + count + words + length + which
	}
	const drift = "83a0" // -995 in 11 bits
	many := chunks(make([]string, 20)...)
	for _, row := range []struct {
		name string
		p    *derived.Packet
		want string
	}{
		{"nothing at all", &derived.Packet{Which: 77}, head("00", "02", "0000", "4d")},
		{"a count of a list", &derived.Packet{Which: 77, Points: []uint16{1, 2}, Data: []byte("wxyz")}, head("02", "03", "0000", "4d") + "00010002" + "7778797a"},
		{"a count of two lists", &derived.Packet{Points: []uint16{1}, Body: derived.PacketBody{Case0: derived.PacketBodyCase0{Others: []uint8{7}}}}, head("01", "02", "0001", "00") + "0001" + "07"},
		{"rows", &derived.Packet{Which: 2, Body: derived.PacketBody{Case2: derived.PacketBodyCase2{Rows: []derived.PacketBodyCase2Rows{{Id: 1, Cells: []uint8{2, 3}}, {Id: 4, Cells: []uint8{5, 6}}}}}},
			head("00", "02", "0008", "02") + "02" + "80" + "40" + "80c1014180"},
		{"windows in a window", chunks("xyz", ""), head("00", "04", "000e", "01") + hex.EncodeToString([]byte("12345678")) +
			"10" + "48" + "30" + hex.EncodeToString([]byte("ok\x00xyz")) + "09" + "03" + hex.EncodeToString([]byte("ok\x00"))},
		{"more windows than a writer has room for", many, ""},
	} {
		before := *row.p
		out, err := row.p.Append([]byte("here"), derived.FromUnknown)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if row.p.Length != before.Length || row.p.Count != before.Count || row.p.Version != 0 {
			t.Errorf("%s: the packet is now %+v", row.name, row.p)
		}
		got := hex.EncodeToString(out[4:])
		if row.want != "" && got != row.want+drift {
			t.Errorf("%s: want %s, got %s", row.name, row.want+drift, got)
		}
		var r derived.PacketReader
		var v derived.Packet
		if err := r.Decode(out[4:], derived.FromUnknown, &v); err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if v.Version != 3 || v.Scale != 0.5 || v.Level != 7 || v.Bias != -2 || v.Drift != -995 || int(v.Count) != len(v.Points) || len(v.Points) != len(row.p.Points) {
			t.Errorf("%s: reads as %+v", row.name, v)
		}
		for i, c := range v.Body.Case1.Chunks {
			if !bytes.Equal(c.More, row.p.Body.Case1.Chunks[i].More) || string(c.Text) != "ok" {
				t.Errorf("%s: chunk %d reads as %+v", row.name, i, c)
			}
		}
		again, err := v.Append(nil, derived.FromUnknown)
		if err != nil || !bytes.Equal(again, out[4:]) {
			t.Errorf("%s: what was read is written as %x: %v", row.name, again, err)
		}
	}
}

// Finding lengths allocates nothing while there are few, and a count nothing ever.
func TestDerivedDoesNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 2*rtype.MaxDatagram)
	p := chunks("first", "second", "third")
	s := snapshot()
	s.Body.Snapshot.PlayerCount = 0
	got := testing.AllocsPerRun(100, func() {
		if _, err := p.Append(buf, derived.FromUnknown); err != nil {
			t.Error(err)
		}
		if _, err := s.Append(buf, rtype.FromServer); err != nil {
			t.Error(err)
		}
	})
	if got != 0 {
		t.Errorf("%v allocations", got)
	}
}
