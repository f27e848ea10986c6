package live

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/gopacket"

	"github.com/pktscope/pktscope/pcap"
)

// MaxSources is how many interfaces Sources captures on at most. Each has a receive buffer of its own.
const MaxSources = 32

// Sources is a live capture on several interfaces, whose packets come in the order of time. It implements gopacket's
// ZeroCopyPacketDataSource, and pcap.PacketSource; on one interface it is that Source. Where Options.Rings share the
// packets of an interface, what is said here of an interface is so of each of its rings.
//
// A packet waits until each other interface has one that came later, or has had none for 50 ms. It waits where it is: of
// each interface one block is held, and what comes meanwhile is in its receive buffer. So memory does not grow with the
// traffic, and what is read too slowly is dropped and counted as that of one Source is.
//
// One goroutine may read; any may call Accounts, Stop and Close meanwhile.
type Sources struct {
	list  []*Source // the rings of the first interface, then those of the next
	rings int       // of each interface
	heads []head    // of each of list
	last  int       // whose packet was returned last
	idle  func()    // of OnIdle; nil for none

	err error // what ended the first interface that was not stopped; of the reader alone
}

// head is the next packet of one source.
type head struct {
	data   []byte // nil for none
	ci     gopacket.CaptureInfo
	came   time.Time // when it was seen to be there
	silent time.Time // when none was there, last
	ended  bool      // none comes any more
}

const (
	// patienceForOthers is how long an interface that has no packet may still bring one from before: the kernel holds back what
	// comes slowly for retireAfter, and a busy machine is late.
	patienceForOthers = 50 * time.Millisecond
	// lookEvery is how often an interface without packets is looked at, at most. The kernel lets go of what comes
	// slowly every retireAfter.
	lookEvery = 5 * time.Millisecond
)

// OpenAll starts a capture on the interfaces of these names, at most MaxSources and each once; each takes the options
// for itself. Any has all interfaces, and goes with no other. Where one cannot be opened, none is.
func OpenAll(names []string, opts Options) (*Sources, error) {
	if len(names) == 0 || len(names) > MaxSources {
		return nil, fmt.Errorf("want 1..%d interfaces, got %d", MaxSources, len(names))
	}
	for i, name := range names {
		switch {
		case slices.Contains(names[:i], name):
			return nil, fmt.Errorf("interface %q is named twice", name)
		case len(names) > 1 && name == Any:
			return nil, fmt.Errorf("interface %q has all interfaces: name no other beside it", Any)
		}
	}
	s := &Sources{rings: max(opts.Rings, 1)}
	for _, name := range names {
		rings, err := openRings(name, opts)
		if err == nil {
			s.list = append(s.list, rings...)
			if link, first := rings[0].LinkType(), s.list[0].LinkType(); opts.Filter != nil && opts.Filter.code != nil && link != first {
				err = fmt.Errorf("interface %q: code is of one link type, %v is not the %v of %q: want terms", name, link, first, names[0])
			}
		}
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	s.heads = make([]head, len(s.list))
	return s, nil
}

// ZeroCopyReadPacketData waits for the next packet and returns it as that of Source does, of which InterfaceIndex says
// the interface, by its place among the names. It is valid until the next call.
//
// An interface that goes down ends the capture of all: what arrived until then is read first, then comes the error.
func (s *Sources) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	if len(s.list) == 1 {
		return s.list[0].ZeroCopyReadPacketData()
	}
	for {
		next := s.earliest()
		switch {
		case next >= 0 && s.settled(next):
			h := &s.heads[next]
			data := h.data
			h.data, s.last = nil, next
			h.ci.InterfaceIndex = next / s.rings
			return data, h.ci, nil
		case next < 0 && s.ended():
			if s.err != nil {
				return nil, gopacket.CaptureInfo{}, s.err
			}
			return nil, gopacket.CaptureInfo{}, io.EOF
		}
		if s.idle != nil {
			s.idle()
		}
		time.Sleep(lookEvery)
	}
}

// earliest is whose packet came first of those that are there, -1 for none.
func (s *Sources) earliest() int {
	next := -1
	now := time.Now() // before the looks, for what comes while they last
	for i := range s.heads {
		h := &s.heads[i]
		if h.data == nil && !h.ended && now.Sub(h.silent) >= lookEvery {
			s.look(i, now)
		}
		if h.data != nil && (next < 0 || h.ci.Timestamp.Before(s.heads[next].ci.Timestamp)) {
			next = i
		}
	}
	return next
}

// settled reports whether no other interface can still bring a packet from before that of next. The clock that packets
// are timed by can be set: so it is also enough that nothing came since the packet did.
func (s *Sources) settled(next int) bool {
	one := &s.heads[next]
	for i := range s.heads {
		h := &s.heads[i]
		if h.data == nil && !h.ended && h.silent.Sub(one.ci.Timestamp) < patienceForOthers && h.silent.Sub(one.came) < patienceForOthers {
			return false
		}
	}
	return true
}

// look takes the next packet of an interface, if there is one.
func (s *Sources) look(i int, now time.Time) {
	h := &s.heads[i]
	var err error
	if h.data, h.ci, err = s.list[i].ready(); err != nil {
		h.data, h.ended = nil, true
		if err != io.EOF && s.err == nil {
			s.err = err
			_ = s.Stop() // of one that has ended is no stop
		}
	}
	if h.came = now; h.data == nil {
		h.silent = now
	}
}

func (s *Sources) ended() bool {
	return !slices.ContainsFunc(s.heads, func(h head) bool { return !h.ended })
}

// LinkType is what the packet returned last begins with.
func (s *Sources) LinkType() pcap.LinkType { return s.list[s.last].LinkType() }

// Interfaces is how many there are.
func (s *Sources) Interfaces() int { return len(s.list) / s.rings }

// Interface is what a capture file says of an interface; id is a packet's InterfaceIndex, 0 ≤ id < Interfaces().
func (s *Sources) Interface(id int) pcap.Interface { return s.list[id*s.rings].Interface(0) }

// OnIdle has f called as that of Source does.
func (s *Sources) OnIdle(f func()) {
	s.idle = f
	if len(s.list) == 1 {
		s.list[0].OnIdle(f)
	}
}

// An Account is what the kernel counted of one interface.
type Account struct {
	Name string
	Stats
}

// Accounts returns the kernel's counts of each interface, in the order of the names; see [Source.Stats].
func (s *Sources) Accounts() ([]Account, error) {
	var list []Account
	for i, one := range s.list {
		stats, err := one.Stats()
		if err != nil {
			return nil, err
		}
		if i%s.rings == 0 {
			list = append(list, Account{Name: one.Interface(0).Name})
		}
		list[i/s.rings].add(stats)
	}
	return list, nil
}

// Sum adds accounts up.
func Sum(list []Account) (all Stats) {
	for _, a := range list {
		all.add(a.Stats)
	}
	return all
}

func (s *Stats) add(o Stats) {
	s.Received += o.Received
	s.Dropped += o.Dropped
}

// Stop ends the capture of all interfaces without losing what arrived; see [Source.Stop].
func (s *Sources) Stop() error {
	var err error
	for _, one := range s.list {
		err = errors.Join(err, one.Stop())
	}
	return err
}

// Close ends the capture of all interfaces. Reads return the packets that are held, one of each interface, and then
// io.EOF, also one that waits.
func (s *Sources) Close() error {
	var err error
	for _, one := range s.list {
		err = errors.Join(err, one.Close())
	}
	return err
}
