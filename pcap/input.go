package pcap

import "io"

// bufferSize bounds what a Reader holds of its input, in bytes. It is larger
// than the largest block that must be whole in memory (maxHeldBlock), and
// large enough that moving a partial record to the front is rare.
const bufferSize = 512 << 10

// firstBuffer is what it holds of the first bytes: most captures of tests and
// of sessions end within it.
const firstBuffer = 16 << 10

// maxEmptyReads is how often an io.Reader may return neither bytes nor an
// error before it counts as broken: a reader from elsewhere must not hang us.
const maxEmptyReads = 100

// input is the one way to the bytes of a file: peek, then discard.
//
// Invariant: 0 ≤ start ≤ end ≤ len(buf); buf[start] is byte off of the stream.
// Unlike a bufio.Reader it keeps the offset, and hands out slices of a buffer
// that grows to bufferSize, and only when bytes of the stream have filled it:
// no declared length can size anything.
type input struct {
	r          io.Reader
	buf        []byte
	start, end int
	off        int64
	err        error // why r gave no more; nil while it may
}

func (i *input) reset(r io.Reader) { *i = input{r: r, buf: i.buf} }

// buffered is the number of bytes that peek returns without reading.
func (i *input) buffered() int { return i.end - i.start }

// atEnd reports whether the stream ended, in contrast to reading it failed.
// Decompressors say io.ErrUnexpectedEOF when their own input was cut (ours a
// *compressedError, also when it was corrupt): for the capture within that is
// an end, but never a clean one (see cleanEnd).
func (i *input) atEnd() bool {
	if _, ok := i.err.(*compressedError); ok {
		return true
	}
	return i.err == io.EOF || i.err == io.ErrUnexpectedEOF
}

// cleanEnd reports whether the stream ended exactly here.
func (i *input) cleanEnd() bool { return i.start == i.end && i.err == io.EOF }

// peek returns the next n bytes and leaves them in place; fewer only when the
// stream ended or failed before. n ≤ bufferSize. The bytes are valid until the
// next peek or skip.
func (i *input) peek(n int) []byte {
	if i.end-i.start >= n {
		return i.buf[i.start : i.start+n : i.start+n]
	}
	return i.fill(n)
}

func (i *input) fill(n int) []byte {
	if n > bufferSize {
		panic("pktscope: internal error: peek beyond the capture buffer")
	}
	if i.end == len(i.buf) && i.end < bufferSize && i.err == nil {
		i.grow()
	} else if i.start > 0 {
		i.moveTo(i.buf)
	}
	// One Read at a time and no more than needed: on a pipe from a running
	// capture the packets that are there must not wait for those to come.
	for empty := 0; i.end < n && i.err == nil; {
		if i.end == len(i.buf) {
			i.grow()
		}
		got, err := i.r.Read(i.buf[i.end:])
		if got < 0 || got > len(i.buf)-i.end {
			panic("pktscope: internal error: io.Reader returned an impossible count")
		}
		i.end += got
		i.err = err
		if got > 0 {
			empty = 0
		} else if empty++; empty >= maxEmptyReads && err == nil {
			i.err = io.ErrNoProgress
		}
	}
	n = min(n, i.end)
	return i.buf[:n:n]
}

// grow makes a full buffer larger.
func (i *input) grow() { i.moveTo(make([]byte, min(max(firstBuffer, 8*len(i.buf)), bufferSize))) }

// moveTo moves the bytes that are held to the front of a buffer.
func (i *input) moveTo(buf []byte) {
	i.end = copy(buf, i.buf[i.start:i.end])
	i.start, i.buf = 0, buf
}

// discard consumes n bytes that were peeked.
func (i *input) discard(n int) {
	i.start += n
	i.off += int64(n)
}

// skip consumes up to n bytes, however many, holding none of them. It reports
// whether all were there.
func (i *input) skip(n int64) bool {
	for n > 0 {
		if i.buffered() == 0 {
			i.peek(1)
		}
		got := int(min(n, int64(i.buffered())))
		if got == 0 {
			return false
		}
		i.discard(got)
		n -= int64(got)
	}
	return true
}
