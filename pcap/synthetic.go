package pcap

import (
	"math"
	"net/netip"
	"time"
)

// Synthetic gives addresses and times to packets that were never on a wire: between two loopback addresses, a
// millisecond apart from a fixed time on. So the same packets make the same file, byte for byte.
type Synthetic struct {
	Client, Server netip.AddrPort

	next int64 // ns since 1970
}

// The ports where nobody chose any.
const (
	syntheticServer = 4000
	syntheticClient = 50000
)

var syntheticEpoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// NewSynthetic gives the server the port of its protocol, or 4000 where port is 0. The client has another one.
func NewSynthetic(port uint16) *Synthetic {
	client := uint16(syntheticClient)
	switch port {
	case 0:
		port = syntheticServer
	case client:
		client++
	}
	loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	return &Synthetic{Client: netip.AddrPortFrom(loopback, client), Server: netip.AddrPortFrom(loopback, port), next: syntheticEpoch}
}

// Time is when a packet was captured, in ns since 1970: known, or where it is not timed a millisecond after the packet
// before.
func (s *Synthetic) Time(known int64, timed bool) int64 {
	if !timed {
		known = s.next
	}
	if known <= math.MaxInt64-int64(time.Millisecond) {
		s.next = known + int64(time.Millisecond)
	}
	return known
}
