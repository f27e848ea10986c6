package scan

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/pcap"
)

// Packet is one decoded datagram: what the capture knows of it, and its trace.
type Packet struct {
	decode.Envelope
	*decode.Trace
	records []pcap.Record
}

// Records are the packets that the datagram came in, all its fragments, where Options.Records asks for them.
func (p *Packet) Records() []pcap.Record { return p.records }

// Verdict judges the packet.
func (p *Packet) Verdict() decode.Verdict { return p.Envelope.Verdict(p.Trace) }

// Bits is the size of the datagram as it was sent, in bits; the capture may have kept less of it, see Kept.
func (p *Packet) Bits() int { return 8 * p.Trace.Size }

// Kept is how many bits of the datagram the capture has: where what was read of it can be, at most.
func (p *Packet) Kept() int { return 8 * len(p.Trace.Payload) }

// Notes is how many notes the packet has that may be shown, those that its trace had no room for included. A refused
// packet has none.
func (p *Packet) Notes() int {
	if p.Verdict() == decode.Refused {
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
