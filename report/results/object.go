package results

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// A splitter cuts a file into its JSON objects, one a line or over several lines, and counts what is in them before
// anything is decoded: `{},{},{},` would become a hundred times its size in memory.
type splitter struct {
	in      *bufio.Reader
	limits  Limits
	line    int // of the byte read last, from 1
	read    int64
	objects int
	buf     []byte
}

// What one object may hold. A rule of an audit, a field of a budget are elements; both are bounded by what a schema can
// have.
const (
	maxElements = 1 << 18 // in the lists and objects directly in it
	maxValues   = 1 << 21 // in all
	maxDepth    = 32
)

var (
	errNoJSON   = errors.New("no saved results: want what -T json of stats, budget, audit or fuzz wrote, or the JSON of a finding")
	errCut      = errors.New("it is cut: the object has no end")
	errElements = fmt.Errorf("more than %d elements in one object", maxElements)
	errValues   = fmt.Errorf("more than %d values in one object", maxValues)
	errDepth    = fmt.Errorf("objects in objects, more than %d deep", maxDepth)
)

func newSplitter(r io.Reader, l Limits) *splitter {
	return &splitter{in: bufio.NewReaderSize(r, 64<<10), limits: l, line: 1}
}

func (s *splitter) byte() (byte, error) {
	c, err := s.in.ReadByte()
	if err != nil {
		return 0, err
	}
	if c == '\n' {
		s.line++
	}
	if s.read++; s.read > s.limits.Bytes {
		return 0, fmt.Errorf("more than %d MiB", s.limits.Bytes>>20)
	}
	return c, nil
}

// next gives the next object, valid until the call after it, and the line it begins in. The error is io.EOF after the
// last.
func (s *splitter) next() (object []byte, line int, err error) {
	var c byte
	for {
		if c, err = s.byte(); err != nil {
			return nil, s.line, err
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			break
		}
	}
	line = s.line
	if c != '{' {
		return nil, line, errNoJSON
	}
	if s.objects++; s.objects > s.limits.Objects {
		return nil, line, fmt.Errorf("more than %d objects in one file", s.limits.Objects)
	}
	s.buf = append(s.buf[:0], c)
	err = s.rest()
	if err == io.EOF {
		err = errCut
	}
	return s.buf, line, err
}

// rest reads on to the end of the object.
func (s *splitter) rest() error {
	depth, elements, values := 1, 0, 0
	for text, escaped := false, false; depth > 0; {
		c, err := s.byte()
		switch {
		case err != nil:
			return err
		case len(s.buf) >= s.limits.Object:
			return fmt.Errorf("an object of more than %d MiB", s.limits.Object>>20)
		}
		s.buf = append(s.buf, c)
		if text {
			text, escaped = escaped || c != '"', !escaped && c == '\\'
			continue
		}
		switch c {
		case '"':
			text = true
		case '{', '[', ',':
			if values++; values > maxValues {
				return errValues
			}
			if c != ',' {
				depth++
			}
			if depth == 2 {
				if elements++; elements > maxElements {
					return errElements
				}
			}
			if depth > maxDepth {
				return errDepth
			}
		case '}', ']':
			depth--
		}
	}
	return nil
}
