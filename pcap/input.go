package pcap

import "io"

// bufferSize bounds what a Reader holds of its input, in bytes. It is larger
// than the largest block that must be whole in memory (maxHeldBlock), and
// large enough that moving a partial record to the front is rare.
const bufferSize = 512 << 10

// maxEmptyReads is how often an io.Reader may return neither bytes nor an
// error before it counts as broken: a reader from elsewhere must not hang us.
const maxEmptyReads = 100

// input is the one way to the bytes of a file: peek, then discard.
//
// Invariant: 0 ≤ start ≤ end ≤ len(buf); buf[start] is byte off of the stream.
// Unlike a bufio.Reader it keeps the offset, and hands out slices of a buffer
// that never grows, so no declared length can size anything.
type input struct {
	r          io.Reader
	buf        []byte
	start, end int
	off        int64
	err        error // why r gave no more; nil while it may
}

func (in *input) reset(r io.Reader) {
	if in.buf == nil {
		in.buf = make([]byte, bufferSize)
	}
	*in = input{r: r, buf: in.buf}
}

// buffered is the number of bytes that peek returns without reading.
func (in *input) buffered() int { return in.end - in.start }

// atEnd reports whether the stream ended, in contrast to reading it failed.
// Decompressors say io.ErrUnexpectedEOF when their own input was cut (ours a
// *compressedError, also when it was corrupt): for the capture within that is
// an end, but never a clean one (see cleanEnd).
func (in *input) atEnd() bool {
	if _, ok := in.err.(*compressedError); ok {
		return true
	}
	return in.err == io.EOF || in.err == io.ErrUnexpectedEOF
}

// cleanEnd reports whether the stream ended exactly here.
func (in *input) cleanEnd() bool { return in.start == in.end && in.err == io.EOF }

// peek returns the next n bytes and leaves them in place; fewer only when the
// stream ended or failed before. n ≤ bufferSize. The bytes are valid until the
// next peek or skip.
func (in *input) peek(n int) []byte {
	if in.end-in.start >= n {
		return in.buf[in.start : in.start+n : in.start+n]
	}
	return in.fill(n)
}

func (in *input) fill(n int) []byte {
	if n > len(in.buf) {
		panic("pktscope: internal error: peek beyond the capture buffer")
	}
	if in.start > 0 {
		copy(in.buf, in.buf[in.start:in.end])
		in.end -= in.start
		in.start = 0
	}
	// One Read at a time and no more than needed: on a pipe from a running
	// capture the packets that are there must not wait for those to come.
	for empty := 0; in.end < n && in.err == nil; {
		got, err := in.r.Read(in.buf[in.end:])
		if got < 0 || got > len(in.buf)-in.end {
			panic("pktscope: internal error: io.Reader returned an impossible count")
		}
		in.end += got
		in.err = err
		if got > 0 {
			empty = 0
		} else if empty++; empty >= maxEmptyReads && err == nil {
			in.err = io.ErrNoProgress
		}
	}
	n = min(n, in.end)
	return in.buf[:n:n]
}

// discard consumes n bytes that were peeked.
func (in *input) discard(n int) {
	in.start += n
	in.off += int64(n)
}

// skip consumes up to n bytes, however many, holding none of them. It reports
// whether all were there.
func (in *input) skip(n int64) bool {
	for n > 0 {
		if in.buffered() == 0 {
			in.peek(1)
		}
		got := int(min(n, int64(in.buffered())))
		if got == 0 {
			return false
		}
		in.discard(got)
		n -= int64(got)
	}
	return true
}
