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
)

// A FormatError says at which byte a capture file broke, and how.
type FormatError struct {
	// Offset counts bytes from 0 in what the Reader read (for a compressed
	// file: in the uncompressed stream). For ErrCut it is the stream's
	// length, the first byte that is missing; else the field that is wrong.
	Offset int64
	// Reason is one line without the offset. It never repeats bytes of the
	// file, only numbers, so it needs no escaping.
	Reason string

	kind error // one of the three above
}

// Error is one line: "byte 40: …".
func (e *FormatError) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Reason) }

// Unwrap returns ErrNotCapture, ErrCut or ErrMalformed.
func (e *FormatError) Unwrap() error { return e.kind }

// malformed builds the ErrMalformed whose field is delta bytes behind the
// reader's place.
func (r *Reader) malformed(delta int, format string, args ...any) error {
	return &FormatError{Offset: r.in.off + int64(delta), Reason: fmt.Sprintf(format, args...), kind: ErrMalformed}
}

// ended explains why what (begun at byte begin, of want bytes in all) is not
// whole: the input ended, or reading it failed.
func (r *Reader) ended(what string, begin, want int64) error {
	at := r.in.off + int64(r.in.buffered())
	if !r.in.atEnd() {
		return fmt.Errorf("byte %d: %w", at, r.in.err)
	}
	return &FormatError{
		Offset: at,
		Reason: fmt.Sprintf("cut in %s: want %d bytes from byte %d, got %d", what, want, begin, at-begin),
		kind:   ErrCut,
	}
}
