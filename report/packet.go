package report

import (
	"net/netip"

	"github.com/pktscope/pktscope/decode"
)

// Packet is one decoded datagram: its trace, and what the capture knows about it.
type Packet struct {
	N     int64  // number of the capture record in its file, from 1
	File  string // name of the capture as the user gave it; "" where there is none (live)
	Time  int64  // ns since the Unix epoch; 0 where the capture does not say
	Src   netip.AddrPort
	Dst   netip.AddrPort
	Trace *decode.Trace
	// Cut: the capture kept fewer bytes of the datagram than were sent (snap length).
	Cut bool
	// LengthMismatch: the UDP length disagrees with the one that IP leaves for it; the shorter was used.
	LengthMismatch bool
}

// Verdict is what became of a packet.
type Verdict uint8

// The verdicts.
const (
	Accepted Verdict = iota
	Refused
	// Cut: nothing is wrong with what the capture kept of the datagram, or only what the missing bytes explain: a field that
	// does not fit, the checksum. This says nothing about its sender. A datagram that was too large when it was whole (see
	// decode.DecodeCut) is refused.
	Cut
)

// String gives the word of text and JSON: accept, reject or cut.
func (v Verdict) String() string { return [...]string{"accept", "reject", "cut"}[v] }

// Verdict judges the packet.
func (p *Packet) Verdict() Verdict {
	switch {
	case p.Cut && p.Trace.CutExplains():
		return Cut
	case !p.Trace.Rejected():
		return Accepted
	}
	return Refused
}

// Bits is the size of the datagram as it was sent; the capture may have kept less of it, see Kept.
func (p *Packet) Bits() int { return 8 * p.Trace.Size }

// Kept is how many bits of the datagram the capture has: where what was read of it can be, at most.
func (p *Packet) Kept() int { return 8 * len(p.Trace.Payload) }

// Notes is how many notes the packet has that may be shown, those that its trace had no room for included. A refused packet has none.
func (p *Packet) Notes() int {
	if p.Verdict() == Refused {
		return 0
	}
	n := p.Trace.ShownLeft()
	for range p.Trace.ShownNotes() {
		n++
	}
	if p.LengthMismatch {
		n++
	}
	return n
}

// lengthMismatch is what a length-mismatch note says: the one note that does not come from the decoder.
const lengthMismatch = "the UDP length disagrees with the IP length; the shorter one counts"
