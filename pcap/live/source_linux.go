//go:build !libpcap

package live

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/gopacket"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/pcap"
)

// A Source is a live capture on one interface, or on all of them. It implements gopacket's
// PacketDataSource and ZeroCopyPacketDataSource, and pcap.PacketSource.
//
// One goroutine may read; any may call Stats and Close meanwhile.
type Source struct {
	name     string
	snapLen  int
	filter   string               // "" for none
	code     []bpf.RawInstruction // of the filter; nil for none
	link     pcap.LinkType
	loopback bool

	// The socket is non-blocking and in the runtime's poller: a read that
	// waits holds no thread, Close wakes it, and the descriptor is not closed
	// (and its number not reused) while a call is inside the kernel.
	file *os.File
	raw  syscall.RawConn

	ringMu sync.Mutex // guards ring: Close unmaps it
	ring   *ring

	// Of the reader alone.
	block   block
	taken   uint64                // packets, out of all blocks
	poll    func(fd uintptr) bool // s.take, bound once so that reads do not allocate
	idle    func()                // of OnIdle; nil for none
	pending unix.Errno            // what take found wrong with the socket
	ended   error                 // why nothing more arrives; what did is read before it is said

	stopped atomic.Bool
	closed  atomic.Bool
	mu      sync.Mutex // guards stats, and Close against itself
	stats   Stats
}

// ReadPacketData is ZeroCopyReadPacketData with a copy that the caller keeps.
func (s *Source) ReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	data, ci, err := s.ZeroCopyReadPacketData()
	if err != nil {
		return nil, ci, err
	}
	return append(make([]byte, 0, len(data)), data...), ci, nil
}

// ZeroCopyReadPacketData waits for the next packet and returns it from its
// link layer on, at most SnapLen bytes, valid until the next call. A VLAN tag
// that the kernel took out is back in its place, and datagrams that it
// handles as one (UDP GSO and GRO, from Linux 6.2 on, but of Any) come one by
// one, as on the wire. On the loopback interface
// each packet comes once, as received; elsewhere sent and received ones come.
// A packet comes at most some 10 ms after it arrived: the kernel hands over
// several at once.
//
// In the CaptureInfo, Timestamp is the kernel's, to the nanosecond; Length is
// the length on the wire; InterfaceIndex is 0, the only interface of this
// source.
//
// After Close the error is io.EOF, also for a call that is waiting; after Stop
// once what was waiting is read. Any other error means that the interface went
// down or vanished; what arrived before that is read first.
func (s *Source) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	for {
		data, ci, err := s.next()
		if data != nil || err != nil {
			return data, ci, err
		}
		if err := s.fill(); err != nil {
			return nil, ci, err
		}
	}
}

// ready returns the next packet if it has arrived; data is nil where none has. It does not wait but at the end, for
// what arrived before it: see drain.
func (s *Source) ready() (data []byte, ci gopacket.CaptureInfo, err error) {
	for {
		if data, ci, err = s.next(); data != nil || err != nil {
			return data, ci, err
		}
		if s.takeReady() {
			continue
		}
		if s.ended == nil {
			if s.stopped.Load() {
				s.ended = io.EOF
			} else if !s.failed() {
				return nil, ci, nil
			}
		}
		if err = s.drain(); err != nil {
			return nil, ci, err
		}
	}
}

// failed reports whether the socket has an error, which becomes s.ended.
func (s *Source) failed() bool {
	s.pending = 0
	err := s.raw.Control(func(fd uintptr) { s.look(fd) })
	switch {
	case s.pending != 0:
		s.ended = s.readError(s.pending)
	case err != nil:
		s.ended = s.readError(err)
	}
	return s.ended != nil
}

// next is the next packet of the block at hand; data is nil where none is left.
func (s *Source) next() ([]byte, gopacket.CaptureInfo, error) {
	if s.closed.Load() {
		return nil, gopacket.CaptureInfo{}, io.EOF
	}
	for s.block.cut.left() || s.block.left > 0 {
		if s.block.cut.left() {
			p := s.block.cut.next(s.snapLen)
			return p.data, p.info(), nil
		}
		p, err := s.block.packet(s.link, s.snapLen)
		if err != nil {
			s.ended = s.readError(err)
			return nil, gopacket.CaptureInfo{}, s.ended
		}
		s.taken++
		// What lo sends it receives: without this every packet comes twice.
		if p.kind == unix.PACKET_OUTGOING && (s.loopback || p.hardware == unix.ARPHRD_LOOPBACK) {
			s.block.cut.size = 0
			continue
		}
		if !s.block.cut.left() {
			return p.data, p.info(), nil
		}
	}
	return nil, gopacket.CaptureInfo{}, nil
}

// OnIdle has f called by the goroutine that reads whenever it has read what
// there is and is about to wait: time to pass on what was collected. It must be
// called before the first read.
func (s *Source) OnIdle(f func()) { s.idle = f }

// fill waits for the next block of packets.
func (s *Source) fill() error {
	if s.ended == nil {
		if s.idle != nil {
			if s.takeReady() {
				return nil
			}
			s.idle()
		}
		s.pending = 0
		err := s.raw.Read(s.poll)
		switch {
		case s.closed.Load():
			return io.EOF
		case s.block.left > 0:
			return nil
		case s.stopped.Load():
			s.ended = io.EOF
		case s.pending != 0:
			s.ended = s.readError(s.pending)
		case err != nil: // an error of the socket can keep the poller from waiting
			_ = s.raw.Control(func(fd uintptr) { s.take(fd) })
			if s.ended = s.readError(err); s.pending != 0 {
				s.ended = s.readError(s.pending)
			}
		default:
			return nil // a block without packets
		}
	}
	return s.drain()
}

// take is what a syscall.RawConn calls: it takes a block or an error of the
// socket, or returns false to be called again when there may be one.
func (s *Source) take(fd uintptr) bool {
	return s.takeReady() || s.look(fd) || s.closed.Load()
}

// look takes an error of the socket, if it has one.
func (s *Source) look(fd uintptr) bool {
	errno, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && errno != 0 {
		s.pending = unix.Errno(errno)
	}
	return s.pending != 0
}

// takeReady takes a block if there is one.
func (s *Source) takeReady() bool {
	s.ringMu.Lock()
	defer s.ringMu.Unlock()
	return s.ring.take(&s.block)
}

// drain takes what the kernel still has when nothing more arrives, and returns
// s.ended when there is nothing left: every packet that the kernel counted was
// read or dropped. The last block is let go of some time after its first
// packet.
func (s *Source) drain() error {
	const (
		pause    = 2 * time.Millisecond
		patience = time.Second // for a kernel that cannot count
	)
	agreed := 0
	for waited := time.Duration(0); waited < patience; waited += pause {
		if s.takeReady() {
			return nil
		}
		stats, err := s.Stats()
		if err != nil || s.closed.Load() {
			break
		}
		// Twice: what another processor was handing over meanwhile was
		// perhaps not counted yet.
		if stats.Received <= s.taken+stats.Dropped {
			if agreed++; agreed == 2 {
				break
			}
		}
		time.Sleep(pause)
	}
	return s.ended
}

func (s *Source) readError(err error) error {
	switch {
	case s.closed.Load():
		return io.EOF
	case errors.Is(err, unix.ENETDOWN), errors.Is(err, unix.ENXIO), errors.Is(err, unix.ENODEV):
		return fmt.Errorf("interface %q went down: %w", s.name, err)
	}
	return fmt.Errorf("interface %q: read: %w", s.name, err)
}

// Stop ends the capture without losing what arrived: the kernel hands over no
// more, reads return what waits in the receive buffer and then io.EOF. It may
// be called from any goroutine, and again; Close is still to be called.
func (s *Source) Stop() error {
	var err error
	if controlErr := s.raw.Control(func(fd uintptr) { err = attach(int(fd), nothing) }); controlErr != nil {
		err = controlErr
	}
	s.stopped.Store(true)
	if deadlineErr := s.file.SetReadDeadline(time.Unix(1, 0)); err == nil { // wakes the read
		err = deadlineErr
	}
	if err != nil && !s.closed.Load() {
		return fmt.Errorf("interface %q: stop: %w", s.name, err)
	}
	return nil
}

// LinkType is what packets begin with: LinkEthernet or LinkRaw, and LinkSLL2
// from Any.
func (s *Source) LinkType() pcap.LinkType { return s.link }

// Interface is what a capture file says of the interface: its name, and which
// packets of it are kept, and how much of them. id is 0, that of all packets.
func (s *Source) Interface(id int) pcap.Interface {
	return pcap.Interface{Link: s.link, Name: s.name, SnapLen: uint32(s.snapLen), Filter: s.filter}
}

// Stats returns the kernel's counts since Open; after Close, those at Close.
func (s *Source) Stats() (Stats, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return s.stats, nil
	}
	err := s.collect()
	return s.stats, err
}

// collect adds the kernel's counts to ours: reading them sets them to zero.
// Called with mu held, before the file is closed.
func (s *Source) collect() error {
	var kernel *unix.TpacketStatsV3
	var err error
	if controlErr := s.raw.Control(func(fd uintptr) {
		kernel, err = unix.GetsockoptTpacketStatsV3(int(fd), unix.SOL_PACKET, unix.PACKET_STATISTICS)
	}); controlErr != nil {
		err = controlErr
	}
	if err != nil {
		return fmt.Errorf("interface %q: statistics: %w", s.name, err)
	}
	s.stats.Received += uint64(kernel.Packets)
	s.stats.Dropped += uint64(kernel.Drops)
	return nil
}

// Close ends the capture: a read that waits returns io.EOF at once, as do all
// later ones. It may be called from any goroutine, and again.
func (s *Source) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return nil
	}
	statsErr := s.collect()
	s.closed.Store(true) // before the file closes: the woken read looks at it
	err := s.file.Close()
	s.ringMu.Lock()
	defer s.ringMu.Unlock()
	if err = errors.Join(err, s.ring.unmap()); err != nil {
		return fmt.Errorf("interface %q: close: %w", s.name, err)
	}
	return statsErr
}
