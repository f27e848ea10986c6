package browse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/pktscope/pktscope/pcap"
)

// Store is the bytes of a capture that is not compressed, of which any can be read again: a file, or what comes in and is
// written to a file meanwhile.
type Store struct {
	file  io.ReaderAt
	grows bool // more may come

	mu      sync.Mutex
	size    int64
	ended   bool
	err     error         // why nothing more comes, but for the end of a capture
	changed chan struct{} // closed when the store grows or ends
}

// NewStore is the Store of a file of so many bytes.
func NewStore(file io.ReaderAt, size int64) *Store {
	return &Store{file: file, size: size, ended: true, changed: make(chan struct{})}
}

// Scratch is a file that a Store is written to: at its end alone.
type Scratch interface {
	io.ReaderAt
	io.Writer
}

// NewGrowingStore is the Store of what Write is given, which goes to an empty file.
func NewGrowingStore(file Scratch) *Store {
	return &Store{file: file, grows: true, changed: make(chan struct{})}
}

// MaxGrown is the most bytes that a Store that grows will keep.
const MaxGrown = 8 << 30

// Write adds bytes. Not for two goroutines at once.
func (s *Store) Write(b []byte) (int, error) {
	if s.length()+int64(len(b)) > MaxGrown {
		return 0, fmt.Errorf("no more than %d GiB are kept", MaxGrown>>30)
	}
	n, err := s.file.(Scratch).Write(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size += int64(n)
	s.wake()
	return n, err
}

// End says that nothing more comes, and why; nil at the end of a capture.
func (s *Store) End(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended, s.err = true, err
		s.wake()
	}
}

// Fill adds all that src holds, unpacked where it is compressed, to at most so many times its size (see
// pcap.Reader.MaxExpansion), and ends.
func (s *Store) Fill(src io.Reader, times int64) {
	plain := pcap.DecompressWithin(src, times)
	defer plain.Close()
	_, err := io.Copy(struct{ io.Writer }{s}, plain)
	s.End(err)
}

// Record adds the packets of an interface that match, until it is closed, and ends. now is called when they are kept.
func (s *Store) Record(src pcap.PacketSource, match func(*pcap.Datagram) bool, section pcap.Section) {
	w := pcap.NewWriter(s, section)
	if idle, ok := src.(interface{ OnIdle(f func()) }); ok {
		idle.OnIdle(func() { _ = w.Flush() }) // its error comes again
	}
	datagrams := pcap.NewDatagrams(src)
	for {
		d, err := datagrams.Next()
		if err == nil && match(d) {
			err = w.WriteDatagram(datagrams)
		}
		if err != nil {
			if flushed := w.Flush(); err == io.EOF {
				err = flushed
			}
			s.End(err)
			return
		}
	}
}

// wake wakes who waits. mu is held.
func (s *Store) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Store) length() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// state is what is there, and what changes with it.
func (s *Store) state() (size int64, ended bool, changed <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size, s.ended, s.changed, s.err
}

// errStopped ends a tail whose context was cancelled.
var errStopped = errors.New("stopped")

// tail reads a store from a place on, and waits at the end of one that grows.
type tail struct {
	store *Store
	ctx   context.Context
	at    int64
	upTo  int64  // where it ends; 0 is the store's end
	idle  func() // called before it waits; nil for none
}

func (t *tail) Read(b []byte) (int, error) {
	for {
		if t.ctx.Err() != nil {
			return 0, errStopped
		}
		size, ended, changed, err := t.store.state()
		if t.upTo > 0 && size >= t.upTo {
			size, ended, err = t.upTo, true, nil
		}
		if left := size - t.at; left > 0 {
			b = b[:min(int64(len(b)), left, maxRead)]
			n, err := t.store.file.ReadAt(b, t.at)
			t.at += int64(n)
			if n > 0 || err != io.EOF {
				return n, noEOF(err, n)
			}
			return 0, io.ErrUnexpectedEOF // the file became shorter
		}
		if ended {
			if err == nil {
				err = io.EOF
			}
			return 0, err
		}
		if t.idle != nil {
			t.idle()
		}
		select {
		case <-changed:
		case <-t.ctx.Done():
		}
	}
}

// maxRead bounds one read in bytes: as soon after that a scan can be stopped.
const maxRead = 128 << 10

// noEOF leaves out an end that comes with bytes.
func noEOF(err error, n int) error {
	if n > 0 && err == io.EOF {
		return nil
	}
	return err
}
