package pcap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"
)

// A packetSeen is what a reader returned, copied.
type packetSeen struct {
	data  string
	ns    int64
	wire  int
	iface int
	link  LinkType
}

// readAll reads until the error.
func readAll(r *Reader) (seen []packetSeen, err error) {
	for {
		data, ci, err := r.ZeroCopyReadPacketData()
		if err != nil {
			return seen, err
		}
		if ci.CaptureLength != len(data) || ci.Length < len(data) {
			return seen, fmt.Errorf("packet %d: %d bytes, capture info %+v", len(seen)+1, len(data), ci)
		}
		seen = append(seen, packetSeen{string(data), ci.Timestamp.UnixNano(), ci.Length, ci.InterfaceIndex, r.LinkType()})
	}
}

// smallClassic and smallNG are whole files with every kind of record, and the
// offsets at which they may end cleanly.
func smallClassic() (file []byte, ends []int) {
	parts := [][]byte{fileHeader(be, magicNano, 0xf0000000|1), honestRecord(be, 1, 2, []byte("first")),
		honestRecord(be, 3, 4, nil), record(be, 5, 6, 3, 99, []byte("cut"))}
	return join(parts, 1)
}

func smallNG() (file []byte, ends []int) {
	parts := [][]byte{
		block(le, blockSection, shbBody(le, 1, -1, opt(le, 4, []byte("pktscope")...))),
		idb(le, LinkEthernet, 0), block(le, 5, repeat(8)),
		epb(le, 0, 1, []byte("first"), opt(le, 1, 'n', 'o', 't', 'e'), opt(le, optEnd)),
		spb(le, 6, []byte("simple")), opb(le, 0, 9, []byte("obsolete")),
		shb(be), idb(be, LinkRaw, 4, opt(be, optTSResol, 9)), idb(be, LinkIPv6, 0, opt(be, optTSResol, 128+10), tsOffset(be, -2), opt(be, optEnd)),
		epb(be, 1, 4096, nil), spb(be, 100, []byte("snap")), epb(be, 0, 7, []byte("last")),
	}
	return join(parts, 1)
}

// join concatenates parts; a file may end after each, but not before the
// first from.
func join(parts [][]byte, from int) (file []byte, ends []int) {
	for i, p := range parts {
		file = append(file, p...)
		if i+1 >= from {
			ends = append(ends, len(file))
		}
	}
	return file, ends
}

func TestWholeFiles(t *testing.T) {
	for _, row := range []struct {
		file func() ([]byte, []int)
		want []packetSeen
	}{
		{smallClassic, []packetSeen{
			{"first", 1_000000002, 5, 0, LinkEthernet},
			{"", 3_000000004, 0, 0, LinkEthernet},
			{"cut", 5_000000006, 99, 0, LinkEthernet},
		}},
		{smallNG, []packetSeen{
			{"first", 1000, 5, 0, LinkEthernet},
			{"simple", 0, 6, 0, LinkEthernet},
			{"obsolete", 9000, 8, 0, LinkEthernet},
			{"", 2_000000000, 0, 1, LinkIPv6},
			{"snap", 0, 100, 0, LinkRaw},
			{"last", 7, 4, 0, LinkRaw},
		}},
	} {
		file, _ := row.file()
		seen, err := readAll(NewReader(bytes.NewReader(file)))
		if err != io.EOF {
			t.Fatal(err)
		}
		if fmt.Sprint(seen) != fmt.Sprint(row.want) {
			t.Errorf("want %v, got %v", row.want, seen)
		}
	}
}

// TestCutEverywhere ends a file at every byte: all that was whole is
// delivered, and the error names the file's length, or none is due.
func TestCutEverywhere(t *testing.T) {
	for _, build := range []func() ([]byte, []int){smallClassic, smallNG} {
		file, ends := build()
		all, err := readAll(NewReader(bytes.NewReader(file)))
		if err != io.EOF {
			t.Fatal(err)
		}
		clean := map[int]bool{}
		for _, end := range ends {
			clean[end] = true
		}
		for cut := 1; cut < len(file); cut++ {
			seen, err := readAll(NewReader(bytes.NewReader(file[:cut])))
			if fmt.Sprint(seen) != fmt.Sprint(all[:len(seen)]) {
				t.Fatalf("cut at %d: packets differ: %v", cut, seen)
			}
			if clean[cut] {
				if err != io.EOF {
					t.Errorf("cut at %d: want io.EOF, got %v", cut, err)
				}
				continue
			}
			var format *FormatError
			if !errors.As(err, &format) || !errors.Is(err, ErrCut) || format.Offset != int64(cut) {
				t.Errorf("cut at %d: want ErrCut there, got %v", cut, err)
			}
			// A cut never delivers less than the last clean end before it.
			for end := cut; end > 0; end-- {
				if clean[end] {
					if atEnd, _ := readAll(NewReader(bytes.NewReader(file[:end]))); len(atEnd) != len(seen) {
						t.Errorf("cut at %d: want the %d packets before byte %d, got %d", cut, len(atEnd), end, len(seen))
					}
					break
				}
			}
		}
	}
}

// TestCutMessages pins the words of the cuts.
func TestCutMessages(t *testing.T) {
	file := cat(fileHeader(le, magicMicro, 1), honestRecord(le, 0, 0, []byte("first")))
	ng := cat(shb(le), idb(le, 1, 0), epb(le, 0, 0, []byte("first")))
	for _, row := range []readRow{
		{"file header", file[:20], nil, "byte 20: cut in file header: want 24 bytes from byte 0, got 20", ErrCut},
		{"record header", file[:30], nil, "byte 30: cut in header of packet 1: want 16 bytes from byte 24, got 6", ErrCut},
		{"packet", file[:42], nil, "byte 42: cut in packet 1: want 21 bytes from byte 24, got 18", ErrCut},
		{"section header", ng[:11], nil, "byte 11: cut in section header: want 12 bytes from byte 0, got 11", ErrCut},
		{"section", ng[:20], nil, "byte 20: cut in section header: want 28 bytes from byte 0, got 20", ErrCut},
		{"block header", ng[:30], nil, "byte 30: cut in block header: want 8 bytes from byte 28, got 2", ErrCut},
		{"interface", ng[:40], nil, "byte 40: cut in interface block: want 20 bytes from byte 28, got 12", ErrCut},
		{"enhanced packet", ng[:70], nil, "byte 70: cut in packet 1: want 40 bytes from byte 48, got 22", ErrCut},
		{"enhanced packet's data", ng[:80], nil, "byte 80: cut in packet 1: want 40 bytes from byte 48, got 32", ErrCut},
	} {
		t.Run(row.name, func(t *testing.T) { checkRow(t, row) })
	}
}

// TestClassicHeaders reads both orders and both resolutions, and a link type
// with a frame check sequence's length above it.
func TestClassicHeaders(t *testing.T) {
	for _, o := range []byteOrder{le, be} {
		for magic, scale := range map[uint32]int64{magicMicro: 1000, magicNano: 1} {
			file := cat(fileHeader(o, magic, 0x24000000|uint32(LinkIPv6)), record(o, 1<<32-1, 999_999, 2, 1<<32-1, []byte("ab")))
			seen, err := readAll(NewReader(bytes.NewReader(file)))
			want := packetSeen{"ab", (1<<32-1)*1e9 + 999_999*scale, 1<<31 - 1, 0, LinkIPv6}
			if err != io.EOF || len(seen) != 1 || seen[0] != want {
				t.Errorf("%v magic %x: want %v, got %v, %v", o, magic, want, seen, err)
			}
		}
	}
}

// TestSectionLengthIsNotBelieved: a lie there must not hide packets.
func TestSectionLengthIsNotBelieved(t *testing.T) {
	for _, length := range []int64{-1, 0, 1, 40, 1 << 40, -1 << 63} {
		file := cat(block(le, blockSection, shbBody(le, 1, length, nil)), idb(le, 1, 0), epb(le, 0, 1, []byte("a")), epb(le, 0, 1, []byte("b")))
		if seen, err := readAll(NewReader(bytes.NewReader(file))); err != io.EOF || len(seen) != 2 {
			t.Errorf("section length %d: want 2 packets, got %v, %v", length, seen, err)
		}
	}
}

// TestManyInterfaces reads 200,000 interfaces: 65,536 are taken, and each
// section counts for itself.
func TestManyInterfaces(t *testing.T) {
	section := shb(le)
	one := idb(le, LinkRaw, 0)
	full := cat(section, bytes.Repeat(one, MaxInterfaces), epb(le, MaxInterfaces-1, 0, []byte("x")))
	seen, err := readAll(NewReader(bytes.NewReader(cat(full, full))))
	if err != io.EOF || len(seen) != 2 || seen[1].iface != MaxInterfaces-1 {
		t.Errorf("two full sections: got %v, %v", seen, err)
	}
	_, err = readAll(NewReader(bytes.NewReader(cat(section, bytes.Repeat(one, 200_000)))))
	want := fmt.Sprintf("byte %d: section: want at most 65536 interfaces, got more", 28+20*65536)
	if err.Error() != want {
		t.Errorf("want %q, got %q", want, err)
	}
}

// TestClock holds timestamps against their value by hand.
func TestClock(t *testing.T) {
	for _, row := range []struct {
		resol  byte
		units  uint64
		offset int64
		ns     int64
		ok     bool
	}{
		{0, 9223372036, 0, 9223372036e9, true},
		{0, 9223372037, 0, 0, false},
		{0, 1 << 63, 0, 0, false},
		{6, 1_600_000_000_000_001, 0, 1_600_000_000_000_001_000, true},
		{9, 1<<63 - 1, 0, 1<<63 - 1, true},
		{9, 1 << 63, 0, 0, false},
		{9, 1 << 63, -1, 1<<63 - 1e9, true},
		{9, 1<<64 - 1, -9223372036, 0, false},
		{9, 5, -9223372036, -9223372036e9 + 5, true},
		{9, 1<<63 - 1, 1, 0, false},
		{9, 854775807, 9223372036, 1<<63 - 1, true},
		{12, 1999, 0, 1, true},
		{19, 1<<64 - 1, 0, 1844674407, true},
		{128, 3, 0, 3e9, true},
		{128 + 1, 3, 0, 1_500_000_000, true},
		{128 + 32, 1<<32 + 1<<31, 0, 1_500_000_000, true},
		{128 + 63, 1<<64 - 1, 0, 1_999_999_999, true},
		{128 + 10, 1<<64 - 1, 0, 0, false},
	} {
		c := microseconds
		if !c.setResolution(row.resol) {
			t.Fatalf("resolution %d refused", row.resol)
		}
		c.offset = row.offset * 1e9
		ns, ok := c.nanoseconds(row.units)
		if ok != row.ok || ok && ns != row.ns {
			t.Errorf("%d units of resolution %d %+d: want %d %v, got %d %v", row.units, row.resol, row.offset, row.ns, row.ok, ns, ok)
		}
	}
}

// TestReadErrors: what the io.Reader says is passed on with its place, and
// only a decompressor's unexpected end counts as a cut.
func TestReadErrors(t *testing.T) {
	file, _ := smallClassic()
	disk := errors.New("disk on fire")
	for _, at := range []int{0, 2, 10, 24, 30, 44} {
		seen, err := readAll(NewReader(io.MultiReader(bytes.NewReader(file[:at]), iotest.ErrReader(disk))))
		if want := fmt.Sprintf("byte %d: disk on fire", at); !errors.Is(err, disk) || errors.Is(err, ErrCut) || err.Error() != want {
			t.Errorf("want %q, got %q after %d packets", want, err, len(seen))
		}
	}
	_, err := readAll(NewReader(io.MultiReader(bytes.NewReader(file[:24+21]), iotest.ErrReader(io.ErrUnexpectedEOF))))
	if want := "byte 45: cut in header of packet 2: want 16 bytes from byte 45, got 0"; err.Error() != want || !errors.Is(err, ErrCut) {
		t.Errorf("want %q, got %q", want, err)
	}
	if _, err := readAll(NewReader(stuck{})); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("reader that returns nothing: want io.ErrNoProgress, got %v", err)
	}
	if _, err := readAll(NewReader(iotest.DataErrReader(bytes.NewReader(file)))); err != io.EOF {
		t.Errorf("reader with data and io.EOF at once: want io.EOF, got %v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// TestPipe: packets that are there are delivered while the writer waits.
func TestPipe(t *testing.T) {
	pr, pw := io.Pipe()
	defer pr.Close()
	r := NewReader(pr)
	got := make(chan string)
	go func() {
		for {
			data, _, err := r.ReadPacketData()
			if err != nil {
				close(got)
				return
			}
			got <- string(data)
		}
	}()
	pw.Write(fileHeader(le, magicMicro, 1))
	for _, want := range []string{"one", "two"} {
		pw.Write(honestRecord(le, 0, 0, []byte(want)))
		if s := <-got; s != want {
			t.Errorf("want %q, got %q", want, s)
		}
	}
	pw.Close()
	if _, open := <-got; open {
		t.Error("packet after the end")
	}
}

// TestReadPacketDataCopies: the caller keeps what it got.
func TestReadPacketDataCopies(t *testing.T) {
	r := NewReader(bytes.NewReader(cat(fileHeader(le, magicMicro, 1), honestRecord(le, 0, 0, repeat(300)))))
	data, ci, err := r.ReadPacketData()
	if err != nil || ci.CaptureLength != 300 {
		t.Fatal(ci, err)
	}
	r.Reset(iotest.ErrReader(io.EOF))
	clear(r.in.buf)
	if string(data) != string(repeat(300)) {
		t.Error("packet changed with the buffer")
	}
}

// TestNoAllocations: the steady state allocates nothing, options or not.
func TestNoAllocations(t *testing.T) {
	classic := bytes.Repeat(honestRecord(le, 0, 0, repeat(100)), 5000)
	ng := bytes.Repeat(cat(epb(le, 0, 1, repeat(100), opt(le, 1, 'n')), spb(le, 9, repeat(9)), opb(le, 0, 1, repeat(9)), block(le, 99, repeat(40))), 2000)
	for name, file := range map[string][]byte{
		"pcap":   cat(fileHeader(le, magicMicro, 1), classic),
		"pcapng": cat(shb(le), idb(le, 1, 0), ng),
	} {
		r := NewReader(bytes.NewReader(file))
		n := testing.AllocsPerRun(4000, func() {
			if _, _, err := r.ZeroCopyReadPacketData(); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%s: want 0 allocations per packet, got %v", name, n)
		}
	}
}
