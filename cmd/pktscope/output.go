package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"
)

// output is stdout through one buffer. Its methods may be called by several goroutines, because a timer flushes what
// waits in it while a capture is silent.
type output struct {
	mu   sync.Mutex
	sink sink
	buf  *bufio.Writer
	err  error // the first, a *stdoutError
}

func newOutput(w io.Writer) *output {
	o := &output{sink: sink{w: w}}
	o.buf = bufio.NewWriterSize(&o.sink, 64<<10)
	return o
}

// sink is what lies under the buffer. Stdout and a line of progress on stderr may be the same terminal: then that line
// goes before rows come.
type sink struct {
	w       io.Writer
	midLine bool   // the last byte written ended no line
	erase   func() // removes the line of progress, nil without one on this terminal
}

func (s *sink) Write(b []byte) (int, error) {
	if s.erase != nil {
		s.erase()
	}
	n, err := s.w.Write(b)
	if n > 0 {
		s.midLine = b[n-1] != '\n'
	}
	return n, err
}

// stdoutError is an error of writing stdout, which can come to light in several places and is said once.
type stdoutError struct{ err error }

func (s *stdoutError) Error() string { return fmt.Sprintf("stdout: %s", reason(s.err)) }
func (s *stdoutError) Unwrap() error { return s.err }

// keep remembers the first error.
func (o *output) keep(err error) {
	if o.err == nil && err != nil {
		o.err = &stdoutError{err}
	}
}

// Write keeps lines whole: what does not fit after what is buffered goes out in a write of its own.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil && len(b) > o.buf.Available() {
		o.keep(o.buf.Flush())
	}
	if o.err == nil {
		_, err := o.buf.Write(b)
		o.keep(err)
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
		o.keep(o.buf.Flush())
	}
	return o.err
}

// between calls f while nothing is being written, unless that is to be erased and stdout is in the middle of a line.
func (o *output) between(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sink.erase == nil || !o.sink.midLine {
		f()
	}
}

// setErase sets what is called before anything is written, nil for nothing.
func (o *output) setErase(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sink.erase = f
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
