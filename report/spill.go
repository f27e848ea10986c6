package report

import "io"

// spillSize is how much of a packet's rendering waits in memory while it is written in pieces.
const spillSize = 64 << 10

// spill lets a renderer that appends write what it has so far in the middle of a packet. Without a writer it does
// nothing.
type spill struct {
	w   io.Writer
	b   []byte
	err error
}

// write renders through w.
func (s *spill) write(w io.Writer, render func([]byte) []byte) error {
	s.w, s.err = w, nil
	s.b = render(s.b[:0])
	if s.err == nil {
		_, s.err = w.Write(s.b)
	}
	s.w = nil
	return s.err
}

// over writes all but the last byte, which a renderer may look back at, once there is much.
func (s *spill) over(b []byte) []byte {
	if s.w == nil || len(b) < spillSize {
		return b
	}
	last := len(b) - 1
	if s.err == nil {
		_, s.err = s.w.Write(b[:last])
	}
	b[0] = b[last]
	return b[:1]
}
