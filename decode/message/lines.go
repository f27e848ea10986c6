package message

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Lines reads lines, of which each is an object. It needs the memory of the longest line, which MaxJSON bounds: input
// without an end of line must not be read as one.
type Lines struct {
	in     io.Reader
	buf    []byte
	start  int   // of what was not yielded yet
	from   int   // up to here there is no end of line
	number int64 // of the line that was yielded last, from 1
	err    error // of in; sticky
	most   int   // bytes of a line
}

// NewLines reads lines from in.
func NewLines(in io.Reader) *Lines {
	return &Lines{in: in, buf: make([]byte, 0, 64<<10), most: MaxJSON}
}

// ErrLongLine is the error of a line longer than an object may be. The lines after it can be read.
var ErrLongLine = errors.New("too long")

// Next returns the next line that is not blank, valid until the call after it. The error is io.EOF at the end,
// ErrLongLine, or what reading returned.
func (l *Lines) Next() ([]byte, error) {
	long := false
	for {
		if i := bytes.IndexByte(l.buf[l.from:], '\n'); i >= 0 {
			line := l.buf[l.start : l.from+i]
			l.start = l.from + i + 1
			l.from = l.start
			l.number++
			if long {
				return nil, l.tooLong()
			}
			if len(bytes.TrimSpace(line)) > 0 {
				return line, nil
			}
			continue
		}
		l.from = len(l.buf)
		if l.err != nil {
			return l.last(long)
		}
		if l.from-l.start > l.most {
			long = true
			l.buf, l.start, l.from = l.buf[:0], 0, 0
		}
		l.fill()
	}
}

// last is the line that ends with the input instead of an end of line.
func (l *Lines) last(long bool) ([]byte, error) {
	line := l.buf[l.start:]
	l.start = len(l.buf)
	switch {
	case l.err != io.EOF:
		return nil, l.err
	case long:
		l.number++
		return nil, l.tooLong()
	case len(bytes.TrimSpace(line)) > 0:
		l.number++
		return line, nil
	}
	return nil, io.EOF
}

// Number is that of the line that Next returned last, from 1.
func (l *Lines) Number() int64 { return l.number }

func (l *Lines) tooLong() error {
	return fmt.Errorf("%w: want at most %d bytes", ErrLongLine, l.most)
}

// fill reads more after what is there, in place of what was yielded.
func (l *Lines) fill() {
	if l.start > 0 {
		n := copy(l.buf, l.buf[l.start:])
		l.buf, l.from, l.start = l.buf[:n], l.from-l.start, 0
	}
	if len(l.buf) == cap(l.buf) {
		grown := make([]byte, len(l.buf), 2*cap(l.buf))
		copy(grown, l.buf)
		l.buf = grown
	}
	n, err := l.in.Read(l.buf[len(l.buf):cap(l.buf)])
	l.buf = l.buf[:len(l.buf)+n]
	l.err = err
}
