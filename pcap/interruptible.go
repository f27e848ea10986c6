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

	Bytes int64 // that were read
}

// Read reads at most 128 KiB of R.
func (i *Interruptible) Read(b []byte) (n int, err error) {
	select {
	case <-i.Stop:
		return 0, ErrInterrupted
	default:
	}
	b = b[:min(len(b), maxInterruptibleRead)]
	if !i.Waits {
		n, err = i.R.Read(b)
		i.Bytes += int64(n)
		return n, err
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
		n = copy(b, r.b)
		i.Bytes += int64(n)
		return n, r.err
	case <-i.Stop:
		return 0, ErrInterrupted
	}
}
