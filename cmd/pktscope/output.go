package main

import (
	"bufio"
	"errors"
	"io"
	"sync"
	"syscall"
	"time"
)

// output is stdout through one buffer. Its methods may be called by several goroutines, because a timer flushes what
// waits in it while a capture is silent.
type output struct {
	mu  sync.Mutex
	buf *bufio.Writer
	err error // the first
}

func newOutput(w io.Writer) *output { return &output{buf: bufio.NewWriterSize(w, 64<<10)} }

// Write keeps lines whole: what does not fit behind what is buffered goes out in a write of its own.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil && len(b) > o.buf.Available() {
		o.err = o.buf.Flush()
	}
	if o.err == nil {
		_, o.err = o.buf.Write(b)
	}
	if o.err != nil {
		return 0, o.err
	}
	return len(b), nil
}

// Flush writes out what is buffered, and returns the first error of all writes so far.
func (o *output) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = o.buf.Flush()
	}
	return o.err
}

// flushEvery flushes from time to time until stop is called, so that lines show while the next packet is waited for.
func (o *output) flushEvery(d time.Duration) (stop func()) {
	ticker := time.NewTicker(d)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ticker.C:
				_ = o.Flush() // kept in err
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
		<-ended
	}
}

// isClosedPipe reports whether the reader of our output went away, as `| head` does.
func isClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
