package scan

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/pcap"
)

// Packet is one decoded datagram: what the capture knows of it, and its trace.
type Packet struct {
	decode.Envelope
	*decode.Trace
	records  []pcap.Record
	messages []decode.Message
	left     int
}

// Records are the packets that the datagram came in, all its fragments, where Options.Records asks for them.
func (p *Packet) Records() []pcap.Record { return p.records }

// Messages are those that the packet completed, where its schema has any, each before those that it holds; then those
// that were given up when it came (their Trace is nil). Left is how many more there were.
func (p *Packet) Messages() (list []decode.Message, left int) { return p.messages, p.left }

// RefusedMessage reports whether a message that the packet completed was refused.
func (p *Packet) RefusedMessage() bool {
	for i := range p.messages {
		if p.messages[i].Verdict() == decode.Refused {
			return true
		}
	}
	return false
}

// sizeOfMessages is how many bytes a rendering has to show, beside the datagram's.
func (p *Packet) sizeOfMessages() (n int) {
	for i := range p.messages {
		if t := p.messages[i].Trace; t != nil {
			n += t.Size
		}
	}
	return n
}

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
