package pcap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/pktscope/pktscope/corpus/need"
)

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// zstded is data in one frame, with a checksum.
func zstded(data []byte, opts ...zstd.EOption) []byte {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, append([]zstd.EOption{zstd.WithEncoderConcurrency(1)}, opts...)...)
	if err != nil {
		panic(err)
	}
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// zstdBlock is a block of a frame: kind 0 raw, 1 one byte repeated.
func zstdBlock(last bool, kind, size int, data ...byte) []byte {
	h := size<<3 | kind<<1
	if last {
		h |= 1
	}
	return append([]byte{byte(h), byte(h >> 8), byte(h >> 16)}, data...)
}

// zstdFrame begins a frame with any window descriptor.
func zstdFrame(window byte) []byte { return append(bytes.Clone(magicZstd), 0, window) }

// zstdSingle begins a frame without window descriptor: the window is the size.
func zstdSingle(size uint64) []byte {
	return binary.LittleEndian.AppendUint64(append(bytes.Clone(magicZstd), 0xe0), size)
}

func skippable(size uint32, data []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(cat([]byte{0x5a}, magicSkippable), size), data...)
}

func edited(b []byte, at int, v byte) []byte {
	b = bytes.Clone(b)
	b[at] ^= v
	return b
}

// compressedRows are what a compressed file may do wrong.
func compressedRows() []readRow {
	file := cat(fileHeader(le, magicMicro, 1), honestRecord(le, 1, 2, []byte("first"))) // 45 bytes
	gz, zs := gzipped(file), zstded(file)
	gzCut := gzipped(file[:len(file)-3])
	first := []string{"first"}
	const wants = ": want a pcap or pcapng file"
	next := func(reason string) string {
		return reason + " in header of packet 2: want 16 bytes from byte 45, got 0"
	}
	named := cat([]byte{0x1f, 0x8b, 8, 1 << 3, 0, 0, 0, 0, 0, 255}, []byte("name without end"))
	return []readRow{
		{"gzip of nothing", gzipped(nil), nil, "gzip: byte 0 uncompressed: empty" + wants, ErrNotCapture},
		{"zstd of nothing", zstded(nil, zstd.WithZeroFrames(true)), nil, "zstd: byte 0 uncompressed: empty" + wants, ErrNotCapture},
		{"gzip of text", gzipped([]byte("text")), nil, "gzip: byte 0 uncompressed: no magic" + wants, ErrNotCapture},
		{"gzip within gzip", gzipped(gz), nil, "gzip: byte 0 uncompressed: gzip within gzip" + wants, ErrNotCapture},
		{"zstd within gzip", gzipped(zs), nil, "gzip: byte 0 uncompressed: zstd within gzip" + wants, ErrNotCapture},
		{"gzip within zstd", zstded(gz), nil, "zstd: byte 0 uncompressed: gzip within zstd" + wants, ErrNotCapture},
		{"three bytes of gzip", gz[:3], nil, "byte 3: cut in magic: want 4 bytes from byte 0, got 3", ErrCut},
		{"three bytes of zstd", zs[:3], nil, "byte 3: cut in magic: want 4 bytes from byte 0, got 3", ErrCut},
		{"header of gzip alone", gz[:10], nil, "gzip: byte 0 uncompressed: compressed data cut in magic: want 4 bytes from byte 0, got 0", ErrCut},
		{"four bytes of zstd", zs[:4], nil, "zstd: byte 0 uncompressed: compressed data cut in magic: want 4 bytes from byte 0, got 0", ErrCut},
		{"gzip cut in its name", named, nil, "gzip: byte 0 uncompressed: compressed data cut in magic: want 4 bytes from byte 0, got 0", ErrCut},
		{"gzip with a method of 7", cat([]byte{0x1f, 0x8b, 7}, gz[3:]), nil,
			"gzip: byte 0 uncompressed: compressed data corrupt (gzip: invalid header) in magic: want 4 bytes from byte 0, got 0", ErrMalformed},
		{"gzip with a name of 513 bytes", cat(named[:10], repeat(600)), nil,
			"gzip: byte 0 uncompressed: compressed data corrupt (gzip: invalid header) in magic: want 4 bytes from byte 0, got 0", ErrMalformed},

		// Cut and corrupt after packets.
		{"gzip without trailer", gz[:len(gz)-8], first, "gzip: byte 45 uncompressed: " + next("compressed data cut"), ErrCut},
		{"gzip cut in its trailer", gz[:len(gz)-1], first, "gzip: byte 45 uncompressed: " + next("compressed data cut"), ErrCut},
		{"gzip of a cut capture", gzCut, nil, "gzip: byte 42 uncompressed: cut in packet 1: want 21 bytes from byte 24, got 18", ErrCut},
		{"gzip with a wrong checksum", edited(gz, len(gz)-8, 1), first, "gzip: byte 45 uncompressed: " + next("compressed data corrupt (gzip: invalid checksum)"), ErrMalformed},
		{"gzip with a wrong size", edited(gz, len(gz)-1, 1), first, "gzip: byte 45 uncompressed: " + next("compressed data corrupt (gzip: invalid checksum)"), ErrMalformed},
		{"gzip with garbage after", cat(gz, []byte("garbage garbage")), first, "gzip: byte 45 uncompressed: " + next("compressed data corrupt (gzip: invalid header)"), ErrMalformed},
		{"gzip cut in the next member's header", cat(gz, gz[:5]), first, "gzip: byte 45 uncompressed: " + next("compressed data cut"), ErrCut},
		{"gzip cut in the next member's name", cat(gz, named), first, "gzip: byte 45 uncompressed: " + next("compressed data cut"), ErrCut},
		{"zstd without checksum", zs[:len(zs)-4], first, "zstd: byte 45 uncompressed: " + next("compressed data cut"), ErrCut},
		{"zstd with a wrong checksum", edited(zs, len(zs)-1, 1), first, "zstd: byte 45 uncompressed: " + next("compressed data corrupt (CRC check failed)"), ErrMalformed},
		{"zstd with garbage after", cat(zs, []byte("garbage")), first, "zstd: byte 45 uncompressed: " + next("compressed data corrupt (invalid input: magic number mismatch)"), ErrMalformed},
		{"zstd cut in the next frame's magic", cat(zs, magicZstd[:1]), first, "zstd: byte 45 uncompressed: " + next("compressed data cut"), ErrCut},
		{"zstd cut in a skippable frame", cat(zs, skippable(100, repeat(99))), first, "zstd: byte 45 uncompressed: " + next("compressed data cut"), ErrCut},
		{"zstd with a reserved block type", cat(zstdFrame(0), zstdBlock(false, 0, len(file), file...), zstdBlock(true, 3, 1)), first,
			"zstd: byte 45 uncompressed: " + next("compressed data corrupt (invalid input: reserved block type encountered)"), ErrMalformed},
		{"malformed capture in zstd", zstded(cat(file, record(le, 0, 0, MaxPacket+1, 0, nil))), first,
			"zstd: byte 53 uncompressed: packet 2: captured length: want 0..262144, got 262145", ErrMalformed},

		// Windows.
		{"zstd window of 9 MiB", cat(zstdFrame(13<<3|1), zstdBlock(true, 0, len(file), file...)), nil,
			"zstd: byte 0 uncompressed: compressed data needs a window above 8 MiB (zstd -dc --long=31 unpacks it) in magic: want 4 bytes from byte 0, got 0", ErrMalformed},
		{"zstd window of 3.75 TiB", cat(zstdFrame(255), zstdBlock(true, 0, len(file), file...)), nil,
			"zstd: byte 0 uncompressed: compressed data needs a window above 8 MiB (zstd -dc --long=31 unpacks it) in magic: want 4 bytes from byte 0, got 0", ErrMalformed},
		{"zstd window of 8 EiB, by its size", cat(zstdSingle(1<<63), zstdBlock(true, 0, len(file), file...)), nil,
			"zstd: byte 0 uncompressed: compressed data needs a window above 8 MiB (zstd -dc --long=31 unpacks it) in magic: want 4 bytes from byte 0, got 0", ErrMalformed},
		{"zstd with a huge window after an honest frame", cat(zs, zstdFrame(20<<3)), first,
			"zstd: byte 45 uncompressed: " + next("compressed data needs a window above 8 MiB (zstd -dc --long=31 unpacks it)"), ErrMalformed},
		{"zstd with a dictionary", cat(magicZstd, []byte{1, 0, 77}, zstdBlock(true, 0, len(file), file...)), nil,
			"zstd: byte 0 uncompressed: compressed data needs a dictionary in magic: want 4 bytes from byte 0, got 0", ErrMalformed},
	}
}

func TestHostileCompression(t *testing.T) {
	for _, row := range compressedRows() {
		t.Run(row.name, func(t *testing.T) {
			r := NewReader(iotest.OneByteReader(bytes.NewReader(row.file)))
			var got []string
			for {
				data, _, err := r.ReadPacketData()
				if err == nil {
					got = append(got, string(data))
					continue
				}
				if err.Error() != row.err || !errors.Is(err, row.kind) {
					t.Errorf("error: want %q, got %q", row.err, err)
				}
				if _, _, again := r.ReadPacketData(); again != err {
					t.Errorf("error of the next call: want the same, got %v", again)
				}
				break
			}
			if fmt.Sprint(got) != fmt.Sprint(row.want) {
				t.Errorf("packets before it: want %q, got %q", row.want, got)
			}
		})
	}
}

// compressedForms are the ways to compress a file that must read as the file.
func compressedForms(file []byte) map[string][]byte {
	half := len(file) / 2
	return map[string][]byte{
		"gzip":               gzipped(file),
		"gzip members":       cat(gzipped(file[:half]), gzipped(nil), gzipped(file[half:]), gzipped(nil)),
		"zstd":               zstded(file),
		"zstd frames":        cat(zstded(file[:half]), zstded(file[half:], zstd.WithEncoderCRC(false)), zstded(nil, zstd.WithZeroFrames(true))),
		"zstd skippable":     cat(skippable(3, repeat(3)), zstded(file), skippable(0, nil)),
		"zstd largest":       zstded(file, zstd.WithWindowSize(maxWindow), zstd.WithEncoderLevel(zstd.SpeedBestCompression)),
		"zstd single window": cat(zstdSingle(uint64(len(file))), zstdBlock(true, 0, len(file), file...)),
	}
}

func TestCompressedCaptures(t *testing.T) {
	r := NewReader(nil)
	for _, build := range []func() ([]byte, []int){smallClassic, smallNG} {
		file, _ := build()
		want, _ := readAll(readerOf(file))
		for name, packed := range compressedForms(file) {
			r.Reset(iotest.HalfReader(bytes.NewReader(packed)))
			if seen, err := readAll(r); err != io.EOF || fmt.Sprint(seen) != fmt.Sprint(want) {
				t.Errorf("%s: want %v, got %v, %v", name, want, seen, err)
			}
		}
	}
}

// TestCompressedCutEverywhere ends a compressed file at every byte: never a
// clean end before the last, never a packet that differs, and the more that is
// there the more is delivered.
func TestCompressedCutEverywhere(t *testing.T) {
	file, _ := smallNG()
	all, _ := readAll(readerOf(file))
	r := NewReader(nil)
	for name, packed := range map[string][]byte{"gzip": gzipped(file), "zstd": zstded(file)} {
		before := 0
		for cut := 1; cut < len(packed); cut++ {
			r.Reset(bytes.NewReader(packed[:cut]))
			seen, err := readAll(r)
			var format *FormatError
			if !errors.As(err, &format) || !errors.Is(err, ErrCut) || cut >= 4 && !strings.HasPrefix(err.Error(), name) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%s cut at %d: got %v", name, cut, err)
			}
			if len(seen) < before || fmt.Sprint(seen) != fmt.Sprint(all[:len(seen)]) {
				t.Fatalf("%s cut at %d: %d packets, %d before: %v", name, cut, len(seen), before, seen)
			}
			before = len(seen)
		}
		if before != len(all) {
			t.Errorf("%s without its last byte: want all %d packets, got %d", name, len(all), before)
		}
	}
}

// TestCompressedReadErrors: a file that cannot be read is not called corrupt.
func TestCompressedReadErrors(t *testing.T) {
	file, _ := smallNG()
	disk := errors.New("disk on fire")
	for name, packed := range map[string][]byte{"gzip": gzipped(file), "zstd": zstded(file)} {
		for cut := 4; cut <= len(packed); cut++ {
			_, err := readAll(NewReader(io.MultiReader(bytes.NewReader(packed[:cut]), iotest.ErrReader(disk))))
			if !errors.Is(err, disk) || !strings.HasPrefix(err.Error(), name+": byte ") {
				t.Errorf("%s at %d: want the disk's error, got %v", name, cut, err)
			}
		}
	}
}

// bombs expand to classic captures of n bytes, by runs of one byte.
func bombs(n int) map[string]io.Reader {
	head := cat(fileHeader(le, magicMicro, 1), record(le, 0, 0, 0, 0, nil))
	// Zeros are records of no bytes.
	var gz bytes.Buffer
	w, _ := gzip.NewWriterLevel(&gz, 9)
	w.Write(head)
	zeros := make([]byte, 1<<20)
	for range n >> 20 {
		w.Write(zeros)
	}
	w.Close()
	zs := cat(zstdFrame(13<<3), zstdBlock(false, 0, len(head), head...))
	for range n >> 17 {
		zs = append(zs, zstdBlock(false, 1, 128<<10, 0)...)
	}
	zs = append(zs, zstdBlock(true, 0, 0)...)
	// Frames whose windows grow make a decoder allocate again and again.
	frames := cat(zstdFrame(0), zstdBlock(true, 0, len(head), head...))
	for i := range n >> 17 {
		frames = append(frames, zstdFrame(byte(i%14)<<3)...)
		frames = append(frames, zstdBlock(true, 1, 1<<10, 0)...)
	}
	return map[string]io.Reader{"gzip": &gz, "zstd": bytes.NewReader(zs), "zstd frames": bytes.NewReader(frames)}
}

// TestBombs: a file that expands to 256 MiB is read to its end in less than
// 24 MiB of heap, in all.
func TestBombs(t *testing.T) {
	need.OneGoroutine(t)
	for name, src := range bombs(need.Rounds(256<<20, 24<<20)) {
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r := NewReader(src)
		r.MaxExpansion(0)
		var most uint64
		for n := 0; ; n++ {
			_, _, err := r.ZeroCopyReadPacketData()
			if err == io.EOF {
				if n < need.Rounds(100_000, 8_000) {
					t.Errorf("%s: only %d packets", name, n)
				}
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if n%(1<<20) == 0 {
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapInuse-min(now.HeapInuse, before.HeapInuse))
			}
		}
		runtime.ReadMemStats(&now)
		most = max(most, now.HeapInuse-min(now.HeapInuse, before.HeapInuse))
		if most > 24<<20 {
			t.Errorf("%s: want at most 24 MiB, got %d bytes", name, most)
		}
		r.Close()
	}
}

// TestExpansion: a bomb is read up to its bound, and not further; what expands
// as often as DefaultExpansion allows is read to its end, and so is a small file.
func TestExpansion(t *testing.T) {
	need.OneGoroutine(t)
	for name, src := range bombs(80 << 20) {
		r := NewReader(src)
		if name == "gzip" {
			r.MaxExpansion(900) // gzip itself ends at 1,032
		}
		n := int64(0)
		var err error
		for err == nil {
			_, _, err = r.ZeroCopyReadPacketData()
			n += 16
		}
		var broken *FormatError
		if name == "zstd frames" { // 1 KiB of 10 bytes
			if err != io.EOF {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !errors.As(err, &broken) || !errors.Is(err, ErrExpands) || broken.Offset < freeExpansion || n > freeExpansion+1<<20 ||
			!strings.Contains(err.Error(), "compressed data expands to more than ") {
			t.Errorf("%s: %d bytes, then %v", name, n, err)
		}
		if _, _, again := r.ZeroCopyReadPacketData(); again != err {
			t.Errorf("%s: then %v", name, again)
		}
		r.Close()
	}
	for name, src := range bombs(8 << 20) {
		r := NewReader(src)
		for err := error(nil); err != io.EOF; {
			if _, _, err = r.ZeroCopyReadPacketData(); err != nil && err != io.EOF {
				t.Fatalf("%s of 32 MiB: %v", name, err)
			}
		}
		r.Close()
	}
}

// TestClose: a closed reader says so, and Reset opens it again.
func TestClose(t *testing.T) {
	file, _ := smallNG()
	want, _ := readAll(readerOf(file))
	r := readerOf(zstded(file))
	for range 2 {
		if _, _, err := r.ReadPacketData(); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.ReadPacketData(); err != errClosed {
			t.Errorf("closed: got %v", err)
		}
		r.Reset(bytes.NewReader(zstded(file)))
	}
	if seen, err := readAll(r); err != io.EOF || len(seen) != len(want) {
		t.Errorf("after reset: %v, %v", seen, err)
	}
}

// TestNoAllocationsCompressed: the steady state allocates nothing either.
func TestNoAllocationsCompressed(t *testing.T) {
	var records []byte
	for i := range uint32(40_000) {
		records = append(records, honestRecord(le, i*7919, i*104729%1e6, repeat(100))...)
	}
	file := cat(fileHeader(le, magicMicro, 1), records)
	for name, packed := range map[string][]byte{"gzip": gzipped(file), "zstd": zstded(file)} {
		r := readerOf(packed)
		read := func() {
			if _, _, err := r.ZeroCopyReadPacketData(); err != nil {
				t.Fatal(err)
			}
		}
		for range 10_000 {
			read()
		}
		if n := testing.AllocsPerRun(20_000, read); n != 0 {
			t.Errorf("%s: want 0 allocations per packet, got %v", name, n)
		}
	}
}

// FuzzCompressed: what a front gives reads the same in one-byte pieces, and
// ends in an error of one line that names the compression.
func FuzzCompressed(f *testing.F) {
	for _, row := range compressedRows() {
		f.Add(row.file)
	}
	file, _ := smallNG()
	for _, packed := range compressedForms(file) {
		f.Add(packed)
	}
	whole, slow := NewReader(nil), NewReader(nil)
	f.Fuzz(func(t *testing.T, packed []byte) {
		if len(packed) < 4 || compressionOf(packed) == uncompressed {
			return
		}
		whole.Reset(io.LimitReader(bytes.NewReader(packed), 1<<16))
		slow.Reset(iotest.OneByteReader(io.LimitReader(bytes.NewReader(packed), 1<<16)))
		seen, err := readSome(whole, 2000)
		again, slowErr := readSome(slow, 2000)
		if fmt.Sprint(seen) != fmt.Sprint(again) || fmt.Sprint(err) != fmt.Sprint(slowErr) {
			t.Fatalf("one byte at a time: %d packets, %v; at once: %d, %v", len(again), slowErr, len(seen), err)
		}
		var format *FormatError
		if err != nil && err != io.EOF {
			if !errors.As(err, &format) || format.Compression == "" || strings.ContainsAny(err.Error(), "\r\n") || format.Offset < 0 {
				t.Fatalf("error: %q", err)
			}
		}
	})
}

// readSome reads up to limit packets; err is nil if more would come.
func readSome(r *Reader, limit int) (seen []packetSeen, err error) {
	for len(seen) < limit {
		data, ci, err := r.ZeroCopyReadPacketData()
		if err != nil {
			return seen, err
		}
		seen = append(seen, packetSeen{string(data), ci.Timestamp.UnixNano(), ci.Length, ci.InterfaceIndex, r.LinkType()})
	}
	return seen, nil
}
