package serialize_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/serialize"
	"github.com/pktscope/pktscope/decode/wire"
)

const flat97Size = 180

func flat97Packets(tb testing.TB) (packets [][]byte) {
	tb.Helper()
	data, err := os.ReadFile("../testdata/flat97.bin")
	if err != nil {
		tb.Fatal(err)
	}
	for ; len(data) > 0; data = data[flat97Size:] {
		packets = append(packets, data[:flat97Size:flat97Size])
	}
	return packets
}

// The hand-written baseline and the Stream read and write the same packets, so that the benchmark compares equals.
func TestFlat97(t *testing.T) {
	packets := flat97Packets(t)
	if len(packets) != 64 {
		t.Fatalf("want 64 packets, got %d", len(packets))
	}
	var s serialize.Stream
	for i, want := range packets {
		var p, scratch, straight flat97
		if err := s.Read(wire.LSB, want, &p); err != nil {
			t.Fatalf("packet %d: %v", i, err)
		}
		r := newScratchReader(want)
		if !scratch.readScratch(&r) || !straight.readStraight(want) {
			t.Fatalf("packet %d: a baseline refused it", i)
		}
		for name, other := range map[string]*flat97{"scratch": &scratch, "straight": &straight} {
			if got, err := s.Append(wire.LSB, nil, other); err != nil || !bytes.Equal(got, want) {
				t.Errorf("packet %d as %s read it: want %x, got %x %v", i, name, want, got, err)
			}
		}
		got, err := s.Append(wire.LSB, nil, &p)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("packet %d: want %x, got %x %v", i, want, got, err)
		}
		w := scratchWriter{data: make([]byte, flat97Size+8)}
		if !p.writeScratch(&w) || !bytes.Equal(w.data[:flat97Size], want) {
			t.Errorf("packet %d: scratch wrote %x, want %x", i, w.data, want)
		}
		for n := range want {
			if err := s.Read(wire.LSB, want[:n], &p); err == nil || err.(*reject.Reject).Kind != reject.PastEnd {
				t.Fatalf("packet %d, the first %d bytes: want past-end, got %v", i, n, err)
			}
		}
	}
}

// Accepting, refusing and writing allocate nothing.
func TestFlat97AllocatesNothing(t *testing.T) {
	packet := flat97Packets(t)[0]
	var s serialize.Stream
	var p flat97
	buf := make([]byte, 0, flat97Size+8)
	for name, do := range map[string]func(){
		"read":    func() { _ = s.Read(wire.LSB, packet, &p) },
		"refuse":  func() { _ = s.Read(wire.LSB, packet[:flat97Size/2], &p) },
		"write":   func() { _, _ = s.Append(wire.LSB, buf, &p) },
		"measure": func() { _, _ = s.Measure(wire.LSB, &p) },
	} {
		if n := testing.AllocsPerRun(100, do); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// BenchmarkFlat97 reads and writes a packet of 88 fields in 180 bytes, beside the articles' bitpacker written by hand
// over the same fields. Compare inside one run.
func BenchmarkFlat97(b *testing.B) {
	packets := flat97Packets(b)
	values := make([]flat97, len(packets))
	var s serialize.Stream
	for i := range packets {
		if err := s.Read(wire.LSB, packets[i], &values[i]); err != nil {
			b.Fatal(err)
		}
	}
	buf := make([]byte, 0, flat97Size+8)
	var p flat97
	for _, c := range []struct {
		name string
		do   func(i int) bool
	}{
		{"read", func(i int) bool { return s.Read(wire.LSB, packets[i], &p) == nil }},
		{"read-scratch-word", func(i int) bool {
			r := newScratchReader(packets[i])
			return p.readScratch(&r)
		}},
		{"refuse", func(i int) bool { return s.Read(wire.LSB, packets[i][:flat97Size-1], &p) != nil }},
		{"write", func(i int) bool {
			_, err := s.Append(wire.LSB, buf, &values[i])
			return err == nil
		}},
		{"write-scratch-word", func(i int) bool {
			w := scratchWriter{data: buf[:cap(buf)]}
			return values[i].writeScratch(&w)
		}},
		{"measure", func(i int) bool {
			_, err := s.Measure(wire.LSB, &values[i])
			return err == nil
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(flat97Size)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if !c.do(i % len(packets)) {
					b.Fatal("wrong verdict")
				}
			}
		})
	}
}
