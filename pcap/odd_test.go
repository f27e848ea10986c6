package pcap

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestClassicVersions: the lengths of a record as libpcap has them, by the version of the file. tcpdump 4.99 and tshark
// 4.0.17 read each of these as it stands here.
func TestClassicVersions(t *testing.T) {
	const swapped, straight = true, false
	for _, row := range []struct {
		major, minor uint16
		wireFirst    bool
		want         string
	}{
		{2, 0, swapped, "12 of 99"}, {2, 1, swapped, "12 of 99"}, {2, 2, swapped, "12 of 99"}, {543, 0, swapped, "12 of 99"},
		{2, 3, swapped, "12 of 99"}, {2, 3, straight, "12 of 99"}, {2, 4, straight, "12 of 99"},
		{2, 0, straight, "byte 68: cut in packet 1: want 115 bytes from byte 24, got 44"},
		{2, 4, swapped, "byte 68: cut in packet 1: want 115 bytes from byte 24, got 44"},
		{2, 5, straight, "byte 4: pcap version: want 2.0 to 2.4, got 2.5"},
		{1, 4, straight, "byte 4: pcap version: want 2.0 to 2.4, got 1.4"},
		{543, 1, straight, "byte 4: pcap version: want 2.0 to 2.4, got 543.1"},
	} {
		for _, o := range []byteOrder{le, be} {
			file := fileHeader(o, magicMicro, uint32(LinkEthernet))
			o.PutUint16(file[4:], row.major)
			o.PutUint16(file[6:], row.minor)
			first, second := uint32(12), uint32(99)
			if row.wireFirst {
				first, second = second, first
			}
			file = cat(file, record(o, 1, 2, first, second, repeat(12)), record(o, 3, 4, 0, 0, nil))
			seen, err := readAll(NewReader(bytes.NewReader(file)))
			got := fmt.Sprint(err)
			if err == io.EOF {
				got = fmt.Sprintf("%d of %d", len(seen[0].data), seen[0].wire)
			}
			if got != row.want {
				t.Errorf("version %d.%d, %v: want %s, got %s", row.major, row.minor, o, row.want, got)
			}
		}
	}
}

// TestAIX: its files say 2.2, have the numbers of RFC 1573 for link types, and nanoseconds, as tshark reads them.
func TestAIX(t *testing.T) {
	file := fileHeader(be, magicMicro, 6)
	be.PutUint16(file[6:], 2)
	seen, err := readAll(readerOf(cat(file, record(be, 1, 123456, 99, 1, []byte("a")))))
	if want := (packetSeen{"a", 1_000123456, 99, 0, LinkEthernet}); err != io.EOF || len(seen) != 1 || seen[0] != want {
		t.Errorf("want %v, got %v, %v", want, seen, err)
	}
}

// TestOddTimes: a time that is none of the format is told of its packet, and the next packet is read.
func TestOddTimes(t *testing.T) {
	ng := func(units uint64, opts ...[]byte) []byte {
		return cat(shb(be), idb(be, LinkEthernet, 0, opts...), epb(be, 0, units, etherUDP([]byte("a"))))
	}
	resolution := func(v byte) []byte { return opt(be, optTSResol, v) }
	classic := func(magic, sec, fraction uint32) []byte {
		return cat(fileHeader(be, magic, 1), honestRecord(be, sec, fraction, etherUDP([]byte("a"))))
	}
	const second, odd, none = int64(1e9), true, false
	for _, row := range []struct {
		name  string
		file  []byte
		ns    int64
		timed bool
		odd   bool
	}{
		{"1970", classic(magicMicro, 0, 0), 0, true, false},
		{"the last microsecond", classic(magicMicro, 1, 999_999), second + 999_999_000, true, false},
		{"a million microseconds", classic(magicMicro, 1, 1e6), 2 * second, true, odd},
		{"all bits of microseconds", classic(magicMicro, 1<<32-1, 1<<32-1), (1<<32-1)*second + (1<<32-1)*1000, true, odd},
		{"a billion nanoseconds", classic(magicNano, 1, 1e9), 2 * second, true, odd},
		{"the last nanosecond", classic(magicNano, 1, 999_999_999), 2*second - 1, true, false},
		{"1970 in pcapng", ng(0), 0, true, false},
		{"before 1970", ng(1<<64 - 505_425_287), -505_425_287_000, true, odd},
		{"before 1970, with an offset", ng(1<<64-3e6, tsOffset(be, 5)), 2 * second, true, odd},
		{"before 1970, with an offset back", ng(1<<64-3e6, tsOffset(be, -5)), -8 * second, true, odd},
		{"before 1970 by the offset", ng(3e6, tsOffset(be, -5)), -2 * second, true, false},
		{"before 1677", ng(1<<63 + 1), 0, none, odd},
		{"before 1677 with the offset", ng(1<<64-1e9, resolution(0), tsOffset(be, -maxSeconds)), 0, none, odd},
		{"after 2262", ng(1<<63 - 1), 0, none, odd},
		{"an offset that no int64 holds", ng(1, tsOffset(be, -1<<63)), 0, none, odd},
		{"a resolution of 10^-127 s", ng(1, resolution(127)), 0, none, odd},
		{"a resolution of 10^-20 s", ng(1, resolution(20)), 0, none, odd},
		{"a resolution of 2^-64 s", ng(1, resolution(128+64)), 0, none, odd},
		{"a resolution of 2^-127 s", ng(1, resolution(255), tsOffset(be, 5)), 0, none, odd},
		{"no time", cat(shb(be), idb(be, LinkEthernet, 0), spb(be, uint32(len(etherUDP([]byte("a")))), etherUDP([]byte("a")))), 0, none, false},
	} {
		next := row.file[24:] // the same record again
		if be.Uint32(row.file) == blockSection {
			next = row.file
		}
		d := NewDatagrams(readerOf(cat(row.file, next)))
		for n := int64(1); n <= 2; n++ {
			dg, err := d.Next()
			if err != nil {
				t.Fatalf("%s: packet %d: %v", row.name, n, err)
			}
			if dg.N != n || dg.Time != row.ns || dg.Timed != row.timed || dg.OddTime != row.odd || string(dg.Payload) != "a" {
				t.Errorf("%s: want time %d (%v, odd %v), got packet %d at %d (%v, odd %v)", row.name, row.ns, row.timed, row.odd, dg.N, dg.Time, dg.Timed, dg.OddTime)
			}
		}
	}
}

// TestOddTimesAreWritten: a time before 1970 is one again when it is read.
func TestOddTimesAreWritten(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Section{})
	for _, ns := range []int64{-1, 0, 1, -1 << 62, 1<<63 - 1} {
		if err := w.WriteUDP(ns, fileClient, fileServer, nil); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		seen, err := readAll(readerOf(out.Bytes()))
		if err != io.EOF || seen[len(seen)-1].ns != ns {
			t.Errorf("want %d, got %v, %v", ns, seen, err)
		}
	}
}

func numberedPacket() []byte { return epb(le, 0, 1, etherUDP([]byte("a"))) }

// numberedBlocks is a capture with blocks of all types that tshark knows, and the places where each ends.
func numberedBlocks() (file []byte, ends []int) {
	packet := numberedPacket()
	return join([][]byte{cat(shb(le), idb(le, LinkEthernet, 0)),
		block(le, 4, make([]byte, 8)), block(le, 5, make([]byte, 16)), block(le, 10, make([]byte, 8)), block(le, 0x77, nil), packet,
		block(le, 0xbad, make([]byte, 8)), block(le, 0x40000bad, make([]byte, 64)), packet,
		block(le, 9, []byte("__REALTIME_TIMESTAMP=1600000000000000\nMESSAGE=x\n")), packet,
		block(le, 0x204, make([]byte, 64)), block(le, 0x216, make([]byte, 64)), block(le, 0x221, make([]byte, 64)), packet,
		block(le, 0x217, make([]byte, 64)), packet,
	}, 1)
}

// TestNumbersOfOtherBlocks: a packet has the number that tshark 4.0.17 gives it, which counts blocks of these types too,
// whichever part of the file is read.
func TestNumbersOfOtherBlocks(t *testing.T) {
	packet := numberedPacket()
	file, ends := numberedBlocks()
	numbers := func(r *Reader) (list []int64) {
		d := NewDatagrams(r)
		for dg, err := d.Next(); ; dg, err = d.Next() {
			if err != nil {
				if err != io.EOF {
					t.Error(err)
				}
				return list
			}
			list = append(list, dg.N)
		}
	}
	want := "[1 4 6 10 11]"
	if got := fmt.Sprint(numbers(readerOf(file))); got != want {
		t.Errorf("want %s, got %s", want, got)
	}
	for _, skipped := range [][]byte{nil, bytes.Repeat(block(le, 0x77, repeat(4096)), 20)} { // parts are 1 KiB at least
		long := cat(file[:ends[0]], skipped, file[ends[0]:])
		long = cat(long, bytes.Repeat(cat(block(le, 0xbad, make([]byte, 8)), packet), 100))
		all := numbers(readerOf(long))
		var parts []int64
		err := Cut(bytes.NewReader(long), int64(len(long)), 1, func(p Part) error {
			r := NewReader(nil)
			r.ResetPart(bytes.NewReader(long[p.Warm:p.To]), &p)
			parts = append(parts, numbers(r)...)
			return nil
		})
		if err != nil || fmt.Sprint(parts) != fmt.Sprint(all) {
			t.Errorf("want %v, got %v, %v", all, parts, err)
		}
	}
}

// TestNumbersAsTshark holds the numbers, lengths and times of files that were refused once against tshark.
func TestNumbersAsTshark(t *testing.T) {
	old := fileHeader(le, magicMicro, 1)
	le.PutUint16(old[6:], 1)
	aix := fileHeader(be, magicMicro, 6)
	be.PutUint16(aix[6:], 2)
	numbered, _ := numberedBlocks()
	for name, file := range map[string][]byte{
		"blocks": numbered,
		"2.1":    cat(old, record(le, 5, 6, 99, 43, etherUDP([]byte("a")))),
		"aix":    cat(aix, record(be, 5, 6, 99, 43, etherUDP([]byte("a")))),
		"1970":   cat(fileHeader(le, magicMicro, 1), honestRecord(le, 0, 0, etherUDP([]byte("a")))),
	} {
		out, _ := run(t, file, "tshark", "-r", "-", "-Y", "udp", "-T", "fields", "-e", "frame.number", "-e", "frame.len", "-e", "frame.time_epoch")
		var want []string
		d := NewDatagrams(readerOf(file))
		for dg, err := d.Next(); err == nil; dg, err = d.Next() {
			want = append(want, fmt.Sprintf("%d\t%d\t%d.%09d", dg.N, dg.WireLen, dg.Time/1e9, dg.Time%1e9))
		}
		if got := strings.TrimSpace(string(out)); got != strings.Join(want, "\n") || got == "" {
			t.Errorf("%s: tshark says %q, want %q", name, got, want)
		}
	}
}
