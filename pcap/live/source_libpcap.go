//go:build libpcap

package live

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/gopacket"
	libpcap "github.com/google/gopacket/pcap"

	"github.com/pktscope/pktscope/pcap"
)

// A Source is a live capture on one interface, here through libpcap. It
// implements gopacket's PacketDataSource and ZeroCopyPacketDataSource, and
// pcap.PacketSource.
//
// One goroutine may read; any may call Stats, Stop and Close meanwhile: they
// wait for the read, up to some 10 ms.
type Source struct {
	name    string
	snapLen int
	filter  string // "" for none
	link    pcap.LinkType

	// Of the reader alone.
	data   []byte    // the packet returned last, never nil: libpcap's own memory goes with Close
	idle   func()    // of OnIdle; nil for none
	idled  time.Time // when it was called last
	silent int       // waits in a row that brought nothing
	ended  error     // why nothing more arrives

	stopped atomic.Int64 // when, in ns since 1970; 0 for not
	closed  atomic.Bool
	mu      sync.Mutex // guards handle, which libpcap does not, and stats
	handle  *libpcap.Handle
	stats   Stats
}

// readWait is how long a read waits inside of libpcap, and how long libpcap
// collects packets before it hands them over.
const readWait = 10 * time.Millisecond

// Open starts a capture on the interface called name, which is what libpcap
// calls it.
//
// The error tells which interfaces there are when there is none of that name,
// and is fs.ErrPermission for errors.Is where the right to capture is missing.
func Open(name string, opts Options) (*Source, error) {
	opts, err := opts.checked()
	if err != nil {
		return nil, err
	}
	if err := findDevice(name); err != nil {
		return nil, err
	}
	handle, err := activate(name, opts)
	if err != nil {
		return nil, fmt.Errorf("interface %q: %w", name, err)
	}
	s := &Source{name: name, snapLen: opts.SnapLen, handle: handle, data: []byte{}}
	if s.link, err = linkOf(handle); err == nil && opts.Filter != nil {
		s.filter = opts.Filter.String()
		err = setFilter(handle, opts.Filter, s.link)
	}
	if err != nil {
		handle.Close()
		return nil, fmt.Errorf("interface %q: %w", name, err)
	}
	return s, nil
}

// findDevice looks for name in libpcap's list, and tells the list if it is
// missing.
func findDevice(name string) error {
	all, err := libpcap.FindAllDevs()
	if err != nil {
		return fmt.Errorf("interfaces: %w", err)
	}
	var names []string
	for _, one := range all {
		if one.Name == name {
			return nil
		}
		names = append(names, strconv.Quote(one.Name))
	}
	return fmt.Errorf("interface %q: no such interface: want %s", name, strings.Join(names, ", "))
}

// activate opens a device; packets arrive from now on.
func activate(name string, opts Options) (*libpcap.Handle, error) {
	inactive, err := libpcap.NewInactiveHandle(name)
	if err != nil {
		return nil, err
	}
	defer inactive.CleanUp()
	err = errors.Join(
		inactive.SetSnapLen(opts.SnapLen),
		inactive.SetBufferSize(opts.ReceiveBuffer),
		inactive.SetPromisc(opts.Promiscuous),
		inactive.SetTimeout(readWait))
	if err != nil {
		return nil, err
	}
	handle, err := inactive.Activate() // in nanoseconds where it can
	if err != nil {
		// gopacket has a type for it that it keeps to itself.
		if text := err.Error(); strings.Contains(text, "Permission Denied") || strings.Contains(text, "permission") {
			return nil, fmt.Errorf("capturing wants a privilege, such as root's: %w", fs.ErrPermission)
		}
		return nil, err
	}
	return handle, nil
}

// linkOf is what packets of a handle begin with: what this project reads.
func linkOf(handle *libpcap.Handle) (pcap.LinkType, error) {
	switch link := pcap.LinkType(handle.LinkType()); link {
	case pcap.LinkEthernet, pcap.LinkNull, pcap.LinkLoop, pcap.LinkSLL, pcap.LinkIPv4, pcap.LinkIPv6:
		return link, nil
	case pcap.LinkRawBSD, pcap.LinkRawOpenBSD, pcap.LinkRaw: // as the system numbers it
		return pcap.LinkRaw, nil
	default:
		return 0, fmt.Errorf("want ethernet, loopback or raw ip, got %s", link)
	}
}

// setFilter sets the filter; libpcap throws away what came before it.
func setFilter(handle *libpcap.Handle, f *Filter, link pcap.LinkType) error {
	code, err := f.assemble(link)
	if err == nil {
		raw := make([]libpcap.BPFInstruction, len(code))
		for i, c := range code {
			raw[i] = libpcap.BPFInstruction{Code: c.Op, Jt: c.Jt, Jf: c.Jf, K: c.K}
		}
		err = handle.SetBPFInstructionFilter(raw)
	}
	if err != nil {
		return fmt.Errorf("filter: libpcap refuses %s: %w", f, err)
	}
	return nil
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
// link layer on, at most SnapLen bytes, valid until the next call. A packet
// comes at most some 10 ms after it arrived, if libpcap keeps its word.
//
// In the CaptureInfo, Timestamp is libpcap's, to the nanosecond where it has
// that; Length is the length on the wire; InterfaceIndex is 0, the only
// interface of this source.
//
// After Close the error is io.EOF, also for a call that is waiting; after Stop
// once what was waiting is read. Any other error means that the interface
// vanished; whether one that is down ends the capture is libpcap's affair (on
// Linux it does not: packets come again when it is up).
func (s *Source) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	for {
		if s.ended == nil {
			s.sayIdle(s.silent > 0)
		}
		if data, ci, err := s.ready(); data != nil || err != nil {
			return data, ci, err
		}
	}
}

// ready returns the next packet if it comes within readWait; data is nil where none does.
func (s *Source) ready() ([]byte, gopacket.CaptureInfo, error) {
	if s.ended != nil {
		return nil, gopacket.CaptureInfo{}, s.ended
	}
	ci, err := s.read()
	switch at := s.stopped.Load(); {
	case errors.Is(err, libpcap.NextErrorTimeoutExpired):
		// Twice: a packet can wait for as long as a read does.
		if s.silent++; s.silent >= 2 && at != 0 {
			s.ended = io.EOF
		}
		return nil, gopacket.CaptureInfo{}, s.ended
	case err != nil:
		s.ended = err
		return nil, gopacket.CaptureInfo{}, s.ended
	case at != 0 && ci.Timestamp.UnixNano() > at:
		s.ended = io.EOF
		return nil, gopacket.CaptureInfo{}, s.ended
	}
	s.silent = 0
	return s.data, ci, nil
}

// read copies the next packet to data, or says that none came for readWait.
func (s *Source) read() (gopacket.CaptureInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return gopacket.CaptureInfo{}, io.EOF
	}
	data, ci, err := s.handle.ZeroCopyReadPacketData()
	switch {
	case errors.Is(err, libpcap.NextErrorTimeoutExpired):
		return ci, err
	case errors.Is(err, libpcap.NextErrorReadError):
		if why := s.handle.Error(); why != nil {
			err = why
		}
		if text := err.Error(); strings.Contains(text, "disappeared") || strings.Contains(text, "went down") {
			return ci, fmt.Errorf("interface %q went down: %w", s.name, err)
		}
		return ci, fmt.Errorf("interface %q: read: %w", s.name, err)
	case err != nil:
		return ci, fmt.Errorf("interface %q: read: %w", s.name, err)
	}
	n := min(len(data), s.snapLen) // a filter's verdict can be more
	s.data = append(s.data[:0], data[:n]...)
	return gopacket.CaptureInfo{Timestamp: ci.Timestamp, CaptureLength: n, Length: max(ci.Length, n)}, nil
}

// OnIdle has f called by the goroutine that reads whenever there was nothing
// for 10 ms, and every 10 ms while packets come, because libpcap does not tell
// whether more are there: time to pass on what was collected. It must be called
// before the first read.
func (s *Source) OnIdle(f func()) { s.idle = f }

func (s *Source) sayIdle(silent bool) {
	if s.idle == nil {
		return
	}
	if now := time.Now(); silent || now.Sub(s.idled) >= readWait {
		s.idled = now
		s.idle()
	}
}

// Stop ends the capture without losing what arrived: reads return what came
// until now and then io.EOF. It may be called from any goroutine, and again;
// Close is still to be called.
func (s *Source) Stop() error {
	s.stopped.CompareAndSwap(0, time.Now().UnixNano())
	return nil
}

// LinkType is what packets begin with.
func (s *Source) LinkType() pcap.LinkType { return s.link }

// Interface is what a capture file says of the interface: its name, and which
// packets of it are kept, and how much of them. id is 0, that of all packets.
func (s *Source) Interface(id int) pcap.Interface {
	return pcap.Interface{Link: s.link, Name: s.name, SnapLen: uint32(s.snapLen), Filter: s.filter}
}

// Stats returns libpcap's counts since Open; after Close, those at Close. What
// they count differs between systems: on Linux as without libpcap, but packets
// of the loopback interface twice, once as sent.
func (s *Source) Stats() (Stats, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return s.stats, nil
	}
	err := s.collect()
	return s.stats, err
}

// collect asks libpcap; called with mu held, before Close.
func (s *Source) collect() error {
	counts, err := s.handle.Stats()
	if err != nil {
		return fmt.Errorf("interface %q: statistics: %w", s.name, err)
	}
	s.stats = Stats{Received: uint64(uint32(counts.PacketsReceived)), Dropped: uint64(uint32(counts.PacketsDropped))}
	return nil
}

// Close ends the capture: a read that waits returns io.EOF within 10 ms, as do
// all later ones. It may be called from any goroutine, and again.
func (s *Source) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return nil
	}
	err := s.collect()
	s.closed.Store(true)
	s.handle.Close()
	return err
}
