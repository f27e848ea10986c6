package pcap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// partCaptures are captures to cut: with datagrams in fragments, payloads that hold whole records, and in pcapng several
// sections and interfaces, whose clocks differ, that come between packets.
func partCaptures() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	inner := fileHeader(le, magicMicro, uint32(LinkEthernet))
	for i := range uint32(3) {
		inner = append(inner, honestRecord(le, 1_600_000_000, i, etherUDP(repeat(20)))...)
	}
	var packets [][]byte
	for i := range 400 {
		payload := repeat(1 + r.IntN(300))
		if i%3 == 0 {
			payload = cat(payload, inner) // the bytes of a capture in a packet
		}
		payload[0] = byte(i)
		if i%5 > 0 {
			packets = append(packets, etherUDP(payload))
			continue
		}
		whole := udp(cat(payload, repeat(1000)))
		for off := 0; off < len(whole); off += 240 {
			more := uint16(1 << 13)
			if off+240 >= len(whole) {
				more = 0
			}
			packets = append(packets, cat(etherHeader(0x0800), ip4(17, nil, whole[off:min(off+240, len(whole))], func(h []byte) {
				h[4], h[5] = byte(i>>8), byte(i)
				at := more | uint16(off/8)
				h[6], h[7] = byte(at>>8), byte(at)
			})))
		}
	}
	// Fragments come between others.
	for i := 0; i+8 <= len(packets); i += 8 {
		r.Shuffle(8, func(a, b int) { packets[i+a], packets[i+b] = packets[i+b], packets[i+a] })
	}
	classic := fileHeader(be, magicNano, uint32(LinkEthernet))
	ng := cat(shb(le), idb(le, LinkEthernet, 0))
	interfaces := uint32(1)
	for i, p := range packets {
		classic = append(classic, honestRecord(be, 1_600_000_000+uint32(i)/100, uint32(i), p)...)
		switch i % 100 {
		case 30, 60:
			ng = append(ng, idb(le, LinkEthernet, 0, tsOffset(le, int64(1000*interfaces)))...)
			interfaces++
		case 80:
			ng = append(ng, cat(shb(le), idb(le, LinkEthernet, 0))...)
			interfaces = 1
		}
		ng = append(ng, epb(le, uint32(r.IntN(int(interfaces))), 1_600_000_000_000_000+uint64(i)*10_000, p)...)
	}
	return map[string][]byte{"pcap": classic, "pcapng": ng}
}

// datagramsOf lists the datagrams of a reader.
func datagramsOf(t *testing.T, r *Reader) (list []string) {
	t.Helper()
	d := NewDatagrams(r)
	for {
		one, err := d.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%d %d %d %x", one.N, one.Time, one.Interface, one.Payload))
	}
}

func cutFile(t testing.TB, file []byte, size int64) (parts []Part) {
	t.Helper()
	if err := Cut(bytes.NewReader(file), int64(len(file)), size, func(p Part) error { parts = append(parts, p); return nil }); err != nil {
		t.Fatal(err)
	}
	return parts
}

// Parts are the file: every datagram is in one of them, with its number, its time and its interface.
func TestParts(t *testing.T) {
	need.OneGoroutine(t)
	for name, file := range partCaptures() {
		want := datagramsOf(t, readerOf(file))
		if len(want) < 350 { // in pcapng a section ends what waits
			t.Fatalf("%s: %d datagrams", name, len(want))
		}
		for _, size := range []int64{1, 3000, 10_000, 50_000, 1 << 20} {
			parts, end := cutFile(t, file, size), int64(0)
			var got []string
			for _, p := range parts {
				if p.From != end || p.Warm > p.From || p.WarmBase > p.Base {
					t.Fatalf("%s in %d: %+v after %d", name, size, p, end)
				}
				end = p.To
				r := NewReader(nil)
				r.ResetPart(bytes.NewReader(file[p.Warm:p.To]), &p)
				got = append(got, datagramsOf(t, r)...)
			}
			if end != int64(len(file)) || strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s in %d parts to %d of %d: %d datagrams, want %d", name, len(parts), end, len(file), len(got), len(want))
				for i := range want {
					if i >= len(got) || got[i] != want[i] {
						t.Errorf("datagram %d: %.50s, %.50s", i, want[i], got[min(i, len(got)-1)])
						break
					}
				}
			}
			if most := len(file)/int(max(size, smallPart)) + 1; len(parts) > most || size < 50_000 && len(parts) < most/2 {
				t.Errorf("%s: %d parts of %d bytes", name, len(parts), size)
			}
			if size > 1 {
				continue
			}
			// Without reading earlier, fragments are lost: the test can fail.
			var cold []string
			for _, p := range parts {
				p.Warm, p.WarmBase, p.Head = p.From, p.Base, nil
				if p.From > 0 {
					p.Head = file[:classicHeaderLen]
				}
				r := NewReader(nil)
				if name == "pcap" {
					r.ResetPart(bytes.NewReader(file[p.From:p.To]), &p)
					cold = append(cold, datagramsOf(t, r)...)
				}
			}
			if name == "pcap" && len(cold) >= len(want) {
				t.Error("no datagram lies across a border")
			}
		}
	}
}

// A part of another file, or of one that has changed, is refused.
func TestPartsOfAnotherFile(t *testing.T) {
	for name, file := range partCaptures() {
		for i, p := range cutFile(t, file, 20_000)[1:] {
			for _, change := range []func(p *Part){
				func(p *Part) { p.From -= 4; p.Warm = min(p.Warm, p.From) },
				func(p *Part) { p.From += 4 },
				func(p *Part) { p.Base++ },
				func(p *Part) { p.To -= 4 },
			} {
				wrong := p
				change(&wrong)
				r := NewReader(nil)
				r.ResetPart(bytes.NewReader(file[wrong.Warm:wrong.To]), &wrong)
				d, err := NewDatagrams(r), error(nil)
				for err == nil {
					_, err = d.Next()
				}
				var format *FormatError
				if !errors.As(err, &format) || format.Offset < wrong.From-MaxPacket || format.Offset > wrong.To {
					t.Errorf("%s, part %d: %v", name, i+1, err)
				}
			}
		}
	}
}

// A compressed capture is one part; of one that is cut the last part goes to the end.
func TestPartsOfWhatCannotBeCut(t *testing.T) {
	file := partCaptures()["pcap"]
	var parts []Part
	take := func(p Part) error { parts = append(parts, p); return nil }
	err := Cut(bytes.NewReader(file[:len(file)-3]), int64(len(file)-3), 1<<20, take)
	if !errors.Is(err, ErrCut) || len(parts) != 1 || parts[0].To != int64(len(file)-3) {
		t.Errorf("%v: %+v", err, parts)
	}
	parts = nil
	small := gzipped(file)
	if err := Cut(bytes.NewReader(small), int64(len(small)), 1<<10, take); err != nil || len(parts) != 1 || parts[0].To != int64(len(small)) {
		t.Errorf("%v: %+v", err, parts)
	}
	if err := Cut(bytes.NewReader(file), int64(len(file)), 1<<10, func(Part) error { return io.ErrClosedPipe }); err != io.ErrClosedPipe {
		t.Error(err)
	}
}

// BenchmarkCut is what `shards` does.
func BenchmarkCut(b *testing.B) {
	file := benchClassic()
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Cut(bytes.NewReader(file), int64(len(file)), 64<<20, func(Part) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
