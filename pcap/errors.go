package pcap

import (
	"errors"
	"fmt"
)

// What a [FormatError] is, for errors.Is. Exactly one matches.
var (
	// ErrNotCapture: the input is empty or begins with no known magic.
	ErrNotCapture = errors.New("not a capture file")
	// ErrCut: the input ends in the middle of a header, record or block.
	// Everything whole before that was delivered.
	ErrCut = errors.New("capture cut short")
	// ErrMalformed: a value in the file contradicts the format or exceeds a
	// bound of this package. Everything before it was delivered; nothing
	// after it can be trusted.
	ErrMalformed = errors.New("malformed capture")
	// ErrExpands: the compressed file holds more for its size than
	// [Reader.MaxExpansion] allows. Everything before that was delivered.
	ErrExpands = errors.New("compressed capture expands too much")
)

// A FormatError says at which byte a capture file broke, and how.
type FormatError struct {
	// Offset counts bytes from 0 in the capture, which is what the Reader
	// read or, with Compression, what that expands to. For ErrCut it is the
	// capture's length, the first byte that is missing; else the field that
	// is wrong, or where the compressed data broke.
	Offset int64
	// Compression is "gzip", "zstd", or "" for a capture that was not
	// compressed.
	Compression string
	// Reason is one line without the offset. It never repeats bytes of the
	// file, only numbers, so it needs no escaping.
	Reason string

	kind error // one of the four above
}

// Error is one line: "byte 40: …", or "gzip: byte 40 uncompressed: …".
func (f *FormatError) Error() string {
	if f.Compression != "" {
		return fmt.Sprintf("%s: byte %d uncompressed: %s", f.Compression, f.Offset, f.Reason)
	}
	return fmt.Sprintf("byte %d: %s", f.Offset, f.Reason)
}

// Unwrap returns ErrNotCapture, ErrCut, ErrMalformed or ErrExpands.
func (f *FormatError) Unwrap() error { return f.kind }

// malformed builds the ErrMalformed whose field is delta bytes after the
// reader's place.
func (r *Reader) malformed(delta int, format string, args ...any) error {
	return r.fault(r.in.off+int64(delta), ErrMalformed, fmt.Sprintf(format, args...))
}

// fault builds a FormatError, the one place that does.
func (r *Reader) fault(offset int64, kind error, reason string) error {
	return &FormatError{Offset: offset, Compression: string(r.compression), Reason: reason, kind: kind}
}

// notCapture builds the ErrNotCapture of a file without a magic.
func (r *Reader) notCapture(reason string) error {
	return r.fault(0, ErrNotCapture, reason+": want a pcap or pcapng file")
}

// ended explains why what (begun at byte begin, of want bytes in all) is not
// whole: the input ended, or reading it failed.
func (r *Reader) ended(what string, begin, want int64) error {
	at := r.in.off + int64(r.in.buffered())
	if !r.in.atEnd() {
		if r.compression != uncompressed {
			return fmt.Errorf("%s: byte %d uncompressed: %w", r.compression, at, r.in.err)
		}
		return fmt.Errorf("byte %d: %w", at, r.in.err)
	}
	reason, kind := "cut", ErrCut
	if e, ok := r.in.err.(*compressedError); ok {
		reason, kind = e.reason, e.kind
	}
	return r.fault(at, kind, fmt.Sprintf("%s in %s: want %d bytes from byte %d, got %d", reason, what, want, begin, at-begin))
}
