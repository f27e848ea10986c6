package main

import (
	"bytes"
	"reflect"
	"testing"

	flat "github.com/pktscope/pktscope/decode/gogen/testdata/flat97"
	"github.com/pktscope/pktscope/decode/gogen/testdata/gaffer"
	"github.com/pktscope/pktscope/decode/gogen/testdata/rtype"
)

// The baseline reads what generated code reads, refuses every truncation, and writes the same bytes: otherwise the
// benchmarks would compare different work.

func TestBaselineFlat97(t *testing.T) {
	d, packets := flat97(t)
	for i, packet := range append(packets, mixedFlat97(t, d)...) {
		whole := wholeWords([][]byte{packet})[0]
		read := func(n int, p *flatPacket) bool {
			s := newScratchReader(whole[:cap(whole)])
			s.left = 8 * n
			return p.read(&s)
		}
		for n := range whole {
			var p flatPacket
			if read(n, &p) {
				t.Fatalf("packet %d: accepted its first %d bytes of %d", i, n, len(whole))
			}
		}
		var p flatPacket
		var r flat.PacketReader
		var v flat.Packet
		if !read(len(packet), &p) {
			t.Fatalf("packet %d: refused", i)
		}
		if err := r.Decode(packet, flat.FromServer, &v); err != nil {
			t.Fatal(err)
		}
		w := scratchWriter{data: make([]byte, roomy)}
		if !p.write(&w) || !bytes.Equal(w.finish(), packet) {
			t.Fatalf("packet %d: written as\n%x, want\n%x", i, w.data[:len(packet)], packet)
		}
		if got, err := v.Append(nil, flat.FromServer); err != nil || !bytes.Equal(got, packet) {
			t.Fatalf("packet %d: generated code writes\n%x %v, want\n%x", i, got, err, packet)
		}
	}
}

func TestBaselineFlat97RefusesValues(t *testing.T) {
	for name, p := range map[string]flatPacket{"first": {f001: 6}, "last ranged": {f096: 40}, "below": {f002: -2385}} {
		w := scratchWriter{data: make([]byte, roomy)}
		if p.write(&w) {
			t.Errorf("%s: written", name)
		}
	}
}

func TestBaselineSnapshot(t *testing.T) {
	packet := largestSnapshot(t)
	var want rtype.Packet
	var r rtype.PacketReader
	if err := r.Decode(packet, rtype.FromServer, &want); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func([]byte, *rtype.Packet) bool{
		"scratch word": func(packet []byte, v *rtype.Packet) bool {
			whole := wholeWords([][]byte{packet})[0]
			s := msbReader{data: whole[:cap(whole)], left: 8 * len(whole)}
			return s.snapshot(v)
		},
		"plain loads": snapshotBytes,
	} {
		for n := range packet {
			if read(packet[:n], new(rtype.Packet)) {
				t.Fatalf("%s: accepted the first %d bytes", name, n)
			}
		}
		const players = 12 + 1
		for at, bad := range map[int]byte{0: 1, 12: 5, players + 5: 101, players + 6: 2, players + 9: 7, players + 40: 33} {
			broken := bytes.Clone(packet)
			if broken[at] = bad; read(broken, new(rtype.Packet)) {
				t.Errorf("%s: accepted %d in byte %d", name, bad, at)
			}
		}
		if read(append(bytes.Clone(packet), 0), new(rtype.Packet)) {
			t.Errorf("%s: accepted a byte left over", name)
		}
		var got rtype.Packet
		if !read(packet, &got) || !reflect.DeepEqual(got.Body.Snapshot, want.Body.Snapshot) || got.Timestamp != want.Timestamp {
			t.Errorf("%s: want %+v,\ngot %+v", name, want, got)
		}
	}
	w := msbWriter{data: make([]byte, roomy)}
	if !w.snapshot(&want) || !bytes.Equal(w.finish(), packet) {
		t.Errorf("written as\n%x, want\n%x", w.data[:len(packet)], packet)
	}
	want.Body.Snapshot.Players[3].Health = 101
	if w := (msbWriter{data: make([]byte, roomy)}); w.snapshot(&want) {
		t.Error("wrote a health of 101")
	}
}

func TestBaselineScene(t *testing.T) {
	packet := scene(t)
	read := func(packet []byte, v *gaffer.Packet) bool {
		whole := wholeWords([][]byte{packet})[0]
		s := newScratchReader(whole[:cap(whole)])
		s.left = 8 * len(whole)
		return s.scene(whole, v)
	}
	for n := range packet {
		if read(packet[:n], new(gaffer.Packet)) {
			t.Fatalf("accepted the first %d bytes", n)
		}
	}
	for bit := range 8 * len(packet) {
		broken := bytes.Clone(packet)
		if broken[bit/8] ^= 1 << (bit % 8); read(broken, new(gaffer.Packet)) {
			t.Fatalf("accepted it with bit %d flipped", bit)
		}
	}
	var got, want gaffer.Packet
	var r gaffer.PacketReader
	if err := r.Decode(packet, gaffer.FromServer, &want); err != nil {
		t.Fatal(err)
	}
	if !read(packet, &got) || !reflect.DeepEqual(got.Body.Bitmap, want.Body.Bitmap) {
		t.Errorf("want %+v,\ngot %+v", want, got)
	}
	w := scratchWriter{data: make([]byte, roomy)}
	if out := w.scene(&want); !bytes.Equal(out, packet) {
		t.Errorf("written as\n%x, want\n%x", out, packet)
	}
	want.Body.Bitmap.Objects[1].Value.Orientation.C = 1024
	if w := (scratchWriter{data: make([]byte, roomy)}); w.scene(&want) != nil {
		t.Error("wrote a component of 11 bits")
	}
}
