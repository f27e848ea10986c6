package pcap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Compressed captures: gzip (RFC 1952) and Zstandard (RFC 8878) before a
// Reader, told by their magic.
//
// A few kilobytes may expand to anything, so nothing here is sized by what is
// read: one window of at most maxWindow, one goroutine (the library's defaults
// took 529 MB for a .zst of 67 kB), and the Reader's own bounds after it. A
// bomb costs no memory, but time, which maxExpansion bounds.

// DefaultExpansion is how many bytes a compressed file may hold for each of
// its own, beyond the first freeExpansion. Games compress 1 to 6 times, with
// zstd -19 as with gzip; the most repetitive captures that were made, full
// frames of zeros with a counter, 203 and 324 times, jumbo frames of them
// 1,081; gzip ends at 1,032 and zstd at 32,768.
const DefaultExpansion = 1100

// freeExpansion is what any file may expand to, in bytes.
const freeExpansion = 64 << 20

// maxWindow is the largest zstd window accepted, in bytes: that of level 19,
// and what RFC 8878 (section 3.1.1.1.2) asks decoders to support.
const maxWindow = 8 << 20

// maxFrontRead bounds one read from a decompressor in bytes, so that packets
// from a pipe do not wait until bufferSize of them are there.
const maxFrontRead = 64 << 10

// A compression is what a file begins with instead of a capture.
type compression string

const (
	uncompressed compression = ""
	inGzip       compression = "gzip"
	inZstd       compression = "zstd"
)

var (
	magicGzip = []byte{0x1f, 0x8b}
	magicZstd = []byte{0x28, 0xb5, 0x2f, 0xfd}
	// A zstd file may begin with skippable frames, 0x50..0x5f and this.
	magicSkippable = []byte{0x2a, 0x4d, 0x18}
)

// compressionOf tells it by the first four bytes of a file.
func compressionOf(b []byte) compression {
	switch {
	case bytes.HasPrefix(b, magicGzip):
		return inGzip
	case bytes.HasPrefix(b, magicZstd), b[0]>>4 == 5 && bytes.HasPrefix(b[1:], magicSkippable):
		return inZstd
	}
	return uncompressed
}

// A compressedError is why a decompressor gave no more.
type compressedError struct {
	reason string // what to say before the place
	kind   error  // ErrCut, ErrMalformed or ErrExpands
}

func (c *compressedError) Error() string { return c.reason }

// A front decompresses for the Reader after it. It is an io.Reader whose
// errors are io.EOF, a *compressedError, or what the file's own reader said.
type front struct {
	kind compression
	raw  input // the file; it holds the bytes in which the magic was seen
	br   *bufio.Reader
	gz   *gzip.Reader
	zs   *zstd.Decoder
	open bool // gzip: within a member
	err  error

	most int64 // bytes for each of the file; 0 for any number
	out  int64 // bytes delivered
	bomb bool  // they are too many
}

// begin makes f decompress the file whose magic was seen in raw, and returns
// the input of its contents. raw's buffer becomes f's and the other way round.
// most is that of the front; 0 is for whoever bounds what is read.
func (f *front) begin(raw input, kind compression, most int64) input {
	behind := input{buf: f.raw.buf}
	f.raw, f.kind, f.open, f.err, f.most, f.out, f.bomb = raw, kind, false, nil, most, 0, false
	if f.br == nil {
		f.br = bufio.NewReaderSize(nil, maxFrontRead)
	}
	f.br.Reset(&f.raw)
	switch kind {
	case inGzip:
		if f.gz == nil {
			f.gz = new(gzip.Reader)
		}
	case inZstd:
		if f.zs == nil {
			zs, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecodeBuffersBelow(0))
			if err != nil {
				panic("pktscope: internal error: zstd options: " + err.Error())
			}
			f.zs = zs
		}
		if err := f.zs.Reset(f.br); err != nil {
			panic("pktscope: internal error: zstd reset: " + err.Error())
		}
	}
	behind.reset(f)
	return behind
}

// release lets go of the file, and keeps the memory for the next one.
func (f *front) release() {
	f.raw = input{buf: f.raw.buf}
	if f.br != nil {
		f.br.Reset(nil)
	}
	if f.zs != nil {
		f.zs.Reset(nil) // cannot fail: it was not closed
	}
}

// Read gives what the file holds.
func (f *front) Read(p []byte) (int, error) {
	if f.bomb {
		return 0, f.err
	}
	p = p[:min(len(p), maxFrontRead)]
	read := f.readZstd
	if f.kind == inGzip {
		read = f.readGzip
	}
	n, err := read(p)
	f.out += int64(n)
	taken := f.raw.off - int64(f.br.Buffered())
	if f.err == nil && f.most > 0 && f.out > freeExpansion && f.out/f.most > taken {
		f.bomb = true
		f.err = &compressedError{fmt.Sprintf("compressed data expands to more than %d times its size (its first %d bytes to %d)", f.most, taken, f.out), ErrExpands}
	}
	return n, err
}

func (f *front) readZstd(p []byte) (int, error) {
	n, err := f.zs.Read(p)
	if f.err != nil {
		// The block whose checksum did not follow, or did not agree: it is
		// delivered, as from gzip, and then the error.
		if n > 0 {
			return n, nil
		}
		return 0, f.err
	}
	if f.err = f.fault(err); f.err == io.EOF || f.err == nil {
		return n, f.err
	}
	return n, nil
}

// readGzip goes from member to member itself: the library takes an end within
// the name in a later member's header for the end of the file.
func (f *front) readGzip(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	for {
		if !f.open {
			if _, err := f.br.Peek(1); err == io.EOF {
				f.err = io.EOF
				return 0, f.err
			}
			if err := f.gz.Reset(f.br); err != nil {
				if err == io.EOF {
					err = io.ErrUnexpectedEOF
				}
				f.err = f.fault(err)
				return 0, f.err
			}
			f.gz.Multistream(false)
			f.open = true
		}
		n, err := f.gz.Read(p)
		if err == io.EOF {
			f.open, err = false, nil
		}
		f.err = f.fault(err)
		if n > 0 || f.err != nil {
			return n, f.err
		}
	}
}

// fault turns a decompressor's error into one of ours.
func (f *front) fault(err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case f.raw.err != nil && f.raw.err != io.EOF && f.raw.err != io.ErrUnexpectedEOF:
		return f.raw.err // reading the file failed, its contents may be fine
	case err == io.ErrUnexpectedEOF:
		return &compressedError{"compressed data cut", ErrCut}
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return &compressedError{"compressed data needs a window above 8 MiB (zstd -dc --long=31 unpacks it)", ErrMalformed}
	case errors.Is(err, zstd.ErrUnknownDictionary):
		return &compressedError{"compressed data needs a dictionary", ErrMalformed}
	}
	// The library's words are fixed, with numbers and no bytes of the file.
	return &compressedError{"compressed data corrupt (" + err.Error() + ")", ErrMalformed}
}

// Read makes the input of a compressed file the source of its decompressor.
func (i *input) Read(p []byte) (int, error) {
	if len(i.peek(1)) == 0 {
		return 0, i.err
	}
	n := copy(p, i.buf[i.start:i.end])
	i.discard(n)
	return n, nil
}

// Close lets go of the memory of a decompressor. It neither closes nor reads
// what the Reader reads from, and no goroutine or file is left after without
// it. Reading further is an error; Reset makes the Reader usable again.
func (r *Reader) Close() error {
	if r.front != nil && r.front.zs != nil {
		r.front.zs.Close()
	}
	*r = Reader{err: errClosed, sections: r.sections, expansion: r.expansion}
	return nil
}

var errClosed = errors.New("capture reader is closed")
