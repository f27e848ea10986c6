package scan

import (
	"iter"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/pcap"
)

// Packet is one decoded datagram: what the capture knows of it, and its trace.
type Packet struct {
	decode.Envelope
	*decode.Trace
	which    int // of the decoders
	records  []pcap.Record
	messages []decode.Message
	left     int
	met      []flow.Met
	inner    *Packet // of InMessages
	outer    *Packet // of a message: the packet that completed it
}

// Which is the number of the decoder that read the packet, of those that chose it.
func (p *Packet) Which() int { return p.which }

// Records are the packets that the datagram came in, all its fragments, where Options.Records asks for them.
func (p *Packet) Records() []pcap.Record { return p.records }

// Messages are those that the packet completed, where its schema has any, each before those that it holds; then those
// that were given up when it came (their Trace is nil). Left is how many more there were.
func (p *Packet) Messages() (list []decode.Message, left int) { return p.messages, p.left }

// Met is what the packet brought of each section of its schema, the messages that are not among Messages included.
func (p *Packet) Met() []flow.Met { return p.met }

// InMessages yields the messages that the packet completed, each as a packet of the plan of its section, but for those
// that are a secret. Each is valid until the next.
func (p *Packet) InMessages(yield func(section int, message *Packet) bool) {
	for i := range p.messages {
		m := &p.messages[i]
		if m.Trace == nil || m.Secret {
			continue
		}
		if p.inner == nil {
			p.inner = &Packet{outer: p}
		}
		p.inner.Envelope, p.inner.Trace, p.inner.which = p.Envelope, m.Trace, p.which
		p.inner.LengthMismatch, p.inner.OddTime = false, false // are the datagram's
		if !yield(m.Section, p.inner) {
			return
		}
	}
}

// IsMessage reports whether the packet is a message of another, see InMessages: no header of IP and UDP is its own.
func (p *Packet) IsMessage() bool { return p.outer != nil }

// FlowKey is decode.Trace.FlowKey, of a message that of the packet that completed it; 0 of what was not accepted, and
// where a secret tells flows apart.
func (p *Packet) FlowKey() uint64 {
	if p.outer != nil {
		return p.outer.FlowKey()
	}
	if p.Trace == nil || p.Verdict() != decode.Accepted || p.Plan.FlowSecret() {
		return 0
	}
	return p.Trace.FlowKey()
}

// NeedsContext reports whether the packet, or a message of it, could not be judged by what the capture has: see
// decode.NeedsContext.
func (p *Packet) NeedsContext() bool {
	return p.Verdict() == decode.NeedsContext || slices.ContainsFunc(p.messages, func(m decode.Message) bool { return m.Verdict() == decode.NeedsContext })
}

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

// Stopped reports whether the packet was not read to its end for what is in it: it is refused, or would be if its flow
// held what it was read by.
func (p *Packet) Stopped() bool {
	v := p.Verdict()
	return v == decode.Refused || v == decode.NeedsContext
}

// Bits is the size of the datagram as it was sent, in bits; the capture may have kept less of it, see Kept.
func (p *Packet) Bits() int { return 8 * p.Trace.Size }

// Kept is how many bits of the datagram the capture has: where what was read of it can be, at most.
func (p *Packet) Kept() int { return 8 * len(p.Trace.Payload) }

// Notes is how many notes the packet has that may be shown, those that its trace had no room for included. One that
// Stopped has none.
func (p *Packet) Notes() int {
	if p.Stopped() {
		return 0
	}
	n := p.Trace.ShownLeft()
	if len(p.Trace.Notes) == 0 && !p.LengthMismatch && !p.OddTime { // of most packets there is nothing to go through
		return n
	}
	for range p.ShownNotes() {
		n++
	}
	return n
}

// ShownNotes are those of them that there was room for, and that may be shown.
func (p *Packet) ShownNotes() iter.Seq[*reject.Note] { return p.Envelope.ShownNotes(p.Trace) }
