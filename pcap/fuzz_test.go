package pcap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzReader: a reader that gets one byte at a time sees the same packets and
// the same error; nothing lies beyond its bounds; an error is one line.
func FuzzReader(f *testing.F) {
	for _, row := range hostileRows() {
		if len(row.file) < 4096 {
			f.Add(row.file)
		}
	}
	for _, build := range []func() ([]byte, []int){smallClassic, smallNG} {
		file, _ := build()
		f.Add(file)
	}
	whole, slow := NewReader(nil), NewReader(nil)
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) >= 4 && compressionOf(file) != uncompressed {
			return // offsets are then not the file's: FuzzCompressed
		}
		whole.Reset(bytes.NewReader(file))
		slow.Reset(iotest.OneByteReader(bytes.NewReader(file)))
		seen, err := readAll(whole)
		again, slowErr := readAll(slow)
		if fmt.Sprint(seen) != fmt.Sprint(again) || err.Error() != slowErr.Error() {
			t.Fatalf("one byte at a time: %v %v, at once: %v %v", again, slowErr, seen, err)
		}
		total := 0
		for _, p := range seen {
			total += len(p.data)
			if len(p.data) > MaxPacket || p.wire < len(p.data) || p.iface >= MaxInterfaces {
				t.Fatalf("out of bounds: %d bytes, wire %d, interface %d", len(p.data), p.wire, p.iface)
			}
		}
		if total > len(file) {
			t.Fatalf("%d bytes of packets in a file of %d", total, len(file))
		}
		var format *FormatError
		switch {
		case err == io.EOF:
			if len(file) == 0 {
				t.Fatal("empty file ended cleanly")
			}
		case !errors.As(err, &format):
			t.Fatalf("error of another type: %v", err)
		case format.Offset < 0 || format.Offset > int64(len(file)) || strings.ContainsAny(err.Error(), "\n\r"):
			t.Fatalf("file of %d bytes: %q", len(file), err)
		case errors.Is(err, ErrCut) && format.Offset != int64(len(file)):
			t.Fatalf("cut at %d of %d bytes", format.Offset, len(file))
		}
		// What was delivered does not depend on what follows: the file up to
		// the error gives the same packets.
		if format != nil {
			whole.Reset(bytes.NewReader(file[:format.Offset]))
			if prefix, _ := readAll(whole); fmt.Sprint(prefix) != fmt.Sprint(seen) {
				t.Fatalf("up to the error: %v, whole: %v", prefix, seen)
			}
		}
	})
}

// FuzzLayers: the payload lies within the packet and within what was on the
// wire; a longer capture of the same packet never turns a datagram into none;
// where gopacket decodes the whole packet without complaint it found the same
// datagram.
func FuzzLayers(f *testing.F) {
	for _, row := range layerRows() {
		f.Add(uint16(row.link), row.packet, 0)
		f.Add(uint16(row.link), row.packet, 40)
	}
	f.Fuzz(func(t *testing.T, link uint16, packet []byte, missing int) {
		if missing < 0 || missing > 1<<20 {
			return
		}
		dg, cause := decodeOne(t, LinkType(link), packet, len(packet)+missing)
		if missing == 0 && (cause == CutHeader || cause == causeNone && dg.Cut) {
			t.Fatal("cut, though all was captured")
		}
		if cause != causeNone {
			return
		}
		// What is without UDP may have no header at all.
		bare := LinkType(link).user() || LinkType(link) == LinkExported
		if !bare && len(dg.Payload)+28 > len(packet) || len(dg.Payload) > min(maxPayload, len(packet)) || cap(dg.Payload) != len(dg.Payload) ||
			dg.Cut && !endsWith(packet, dg.Payload) {
			t.Fatalf("payload of %d bytes in a packet of %d", len(dg.Payload), len(packet))
		}
		if !bare && (!dg.Src.IsValid() || dg.Src.Addr().Is4() != dg.Dst.Addr().Is4()) || dg.Src.Addr().Zone() != "" ||
			LinkType(link).user() && (dg.Src != netip.AddrPort{} || dg.Dst != netip.AddrPort{}) {
			t.Fatalf("addresses %v %v", dg.Src, dg.Dst)
		}
		if missing > 0 {
			longer, cause := decodeOne(t, LinkType(link), append(packet[:len(packet):len(packet)], make([]byte, missing)...), len(packet)+missing)
			if cause != causeNone || longer.Cut || longer.Src != dg.Src || string(longer.Payload[:len(dg.Payload)]) != string(dg.Payload) {
				t.Fatalf("captured in full: %v %+v, cut: %+v", cause, longer, dg)
			}
			return
		}
		comparePeer(t, LinkType(link), packet, dg)
	})
}

// endsWith reports whether tail is the very end of packet's memory.
func endsWith(packet, tail []byte) bool {
	return len(tail) == 0 || &tail[len(tail)-1] == &packet[len(packet)-1]
}
