package decode

import "github.com/pktscope/pktscope/decode/reject"

// Message is one that a packet brought, with a field that holds all of it or the last piece that was missing; or one that
// was given up.
type Message struct {
	Section int    // of Sections, of the packet's Decoder
	ID      uint64 // valid unless Alone
	Alone   bool   // a field held all of it: @message
	Secret  bool   // ID is not to be shown
	// Outer is the message in whose field it came, by its place in the same list; -1: a field of the datagram.
	Outer  int
	Field  int // of the outer Trace's Fragments
	Pieces []MessagePiece
	// Trace is the message as its section's Decoder read it: bits count from its first. nil of a message given up.
	Trace *Trace
	Lost  string // why it was given up: `missing 2 of 5`, `evicted`, `end`; "" of a whole one
}

// MessagePiece is a piece of a message: of a whole one in its order.
type MessagePiece struct {
	Record int64 // the number of the capture's record that completed its packet
	At, N  int   // where it begins in the message and how long it is, in bytes; of a message given up At is -1
}

// Verdict is what became of the message.
func (m *Message) Verdict() Verdict {
	switch {
	case m.Trace == nil:
		return NeedsContext
	case m.Trace.NeedsContext():
		return NeedsContext
	case m.Trace.Rejected():
		return Refused
	}
	return Accepted
}

// Reject is why a message was refused; nil where it was not.
func (m *Message) Reject() *reject.Reject {
	if m.Trace == nil {
		return nil
	}
	return m.Trace.Reject()
}
