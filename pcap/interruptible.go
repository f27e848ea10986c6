package pcap

import (
	"errors"
	"io"
)

// ErrInterrupted ends an Interruptible whose Stop is closed.
var ErrInterrupted = errors.New("interrupted")

// maxInterruptibleRead bounds one read, in bytes: with what DefaultExpansion makes of them Stop is heeded in a second.
const maxInterruptibleRead = 128 << 10

// Interruptible reads R until Stop is closed; then Read returns ErrInterrupted. It keeps what it read before.
type Interruptible struct {
	R     io.Reader
	Stop  <-chan struct{}
	Waits bool // a read of R may wait, as one of a pipe: it is then made on a goroutine, which Stop leaves behind

	Bytes int64  // that were read
	Head  []byte // the first HeadBytes of them
}

// HeadBytes is how many bytes tell a capture from others.
const HeadBytes = 4096

// Read reads at most 128 KiB of R.
func (i *Interruptible) Read(b []byte) (n int, err error) {
	n, err = i.read(b)
	i.Bytes += int64(n)
	i.Head = append(i.Head, b[:min(n, HeadBytes-len(i.Head))]...)
	return n, err
}

func (i *Interruptible) read(b []byte) (n int, err error) {
	select {
	case <-i.Stop:
		return 0, ErrInterrupted
	default:
	}
	b = b[:min(len(b), maxInterruptibleRead)]
	if !i.Waits {
		return i.R.Read(b)
	}
	// The reading goroutine has memory of its own: after Stop it waits on, until the program ends.
	type result struct {
		b   []byte
		err error
	}
	got := make(chan result, 1)
	go func() {
		own := make([]byte, len(b))
		n, err := i.R.Read(own)
		got <- result{own[:n], err}
	}()
	select {
	case r := <-got:
		return copy(b, r.b), r.err
	case <-i.Stop:
		return 0, ErrInterrupted
	}
}
