package pcap_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/pktscope/pktscope/pcap"
)

// stopsAfter closes stop when it has been read once, as a signal that comes in the middle of a file.
type stopsAfter struct {
	io.Reader
	stop chan struct{}
	once bool
}

func (s *stopsAfter) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if !s.once {
		s.once = true
		close(s.stop)
	}
	return n, err
}

func TestInterruptible(t *testing.T) {
	file := bytes.Repeat([]byte{7}, 300<<10)
	for _, waits := range []bool{false, true} {
		in := &pcap.Interruptible{R: bytes.NewReader(file), Stop: make(chan struct{}), Waits: waits}
		if all, err := io.ReadAll(in); err != nil || !bytes.Equal(all, file) || in.Bytes != int64(len(file)) {
			t.Errorf("waits %v: want the file, got %d bytes, %d counted: %v", waits, len(all), in.Bytes, err)
		}
	}

	stop := make(chan struct{})
	in := &pcap.Interruptible{R: &stopsAfter{Reader: bytes.NewReader(file), stop: stop}, Stop: stop}
	n, err := in.Read(make([]byte, len(file)))
	if n != 128<<10 || err != nil {
		t.Errorf("want what was read before the end, got %d bytes: %v", n, err)
	}
	if n, err := in.Read(make([]byte, 1)); n != 0 || !errors.Is(err, pcap.ErrInterrupted) || in.Bytes != 128<<10 {
		t.Errorf("want an interrupted read, got %d bytes, %d counted: %v", n, in.Bytes, err)
	}

	// A pipe that nobody writes to.
	r, w := io.Pipe()
	defer w.Close()
	stop = make(chan struct{})
	in = &pcap.Interruptible{R: r, Stop: stop, Waits: true}
	go close(stop)
	if n, err := in.Read(make([]byte, 10)); n != 0 || !errors.Is(err, pcap.ErrInterrupted) {
		t.Errorf("want an interrupted read, got %d bytes: %v", n, err)
	}
}
