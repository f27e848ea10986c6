package decode

import (
	"fmt"
	"iter"
	"net/netip"

	"github.com/pktscope/pktscope/decode/reject"
)

// Packet is one datagram with its sender, as a Decoder reads it.
type Packet struct {
	Data []byte
	// Size is how many bytes the datagram was sent with, where a capture may have kept only its beginning; less than
	// len(Data) stands for that.
	Size int
	From Direction
}

// Envelope is what a capture knows of a datagram beside its bytes.
type Envelope struct {
	N    int64  // number of the capture record in its file, from 1
	File string // name of the capture as the user gave it, "" where there is none (live)
	Time int64  // ns since the Unix epoch; 0 where the capture does not say, see HasTime
	// First and Before are the Times of the capture's first datagram and of the one before this: its own, where it is the
	// first. They are what a scan has read, and 0 elsewhere.
	First, Before int64
	Src           netip.AddrPort
	Dst           netip.AddrPort
	// Cut: the capture kept fewer bytes of the datagram than were sent (snap length).
	Cut bool
	// LengthMismatch: the UDP length disagrees with the one that IP leaves for it; the shorter was used. It is a note.
	LengthMismatch bool
	// OddTime: what the capture says of the time is none of its format; Time is what was meant, or 0. It is a note.
	OddTime bool
	// OverMTU: the datagram is larger than its network takes, so it is several that offload has merged (GSO, GRO).
	OverMTU bool
	// Merged: the datagram is refused because it is several; how many bytes each has but the last, -1 where nobody knows.
	Merged int
	// Timed: Time is one also where it is 0, which is 1970.
	Timed bool
}

// HasTime reports whether Time is one.
func (e *Envelope) HasTime() bool { return e.Timed || e.Time != 0 }

// AppendContext appends why the datagram of e, decoded into t, needs context: what it rests on, or how it was merged.
func (e *Envelope) AppendContext(b []byte, t *Trace) []byte {
	switch {
	case e.Merged == 0:
		return t.AppendContext(b)
	case e.Merged < 0:
		return append(b, "merged by offload, into more than an Ethernet packet has room for"...)
	}
	return fmt.Appendf(b, "merged by offload, of %d datagrams with %d bytes each at most", (t.Size+e.Merged-1)/e.Merged, e.Merged)
}

// ofCapture are the notes of an Envelope.
var ofCapture = [...]reject.Note{{Kind: reject.LengthMismatch}, {Kind: reject.OddTime}}

// ShownNotes are the notes on the datagram of e, which was decoded into t: those of the capture, then those of the
// decoder that may be shown. Trace.ShownLeft is how many more there are. That there is something to note of a secret, or
// of what one decides about, tells of it.
func (e *Envelope) ShownNotes(t *Trace) iter.Seq[*reject.Note] {
	return func(yield func(*reject.Note) bool) {
		for i, noted := range [...]bool{e.LengthMismatch, e.OddTime} {
			if noted && !yield(&ofCapture[i]) {
				return
			}
		}
		for i := range t.Notes {
			if n := &t.Notes[i]; !t.hidesNote(n.Kind, n.At) && !yield(n) {
				return
			}
		}
	}
}

// Verdict is what became of a packet.
type Verdict uint8

// The verdicts.
const (
	Accepted Verdict = iota
	Refused
	// Cut: nothing is wrong with what the capture kept of the datagram, or only what the missing bytes explain: a field
	// that does not fit, the checksum. This says nothing about its sender. A datagram that was too large when it was
	// whole (see Read) is refused.
	Cut
	// NeedsContext: what it takes to judge is not in the capture, of a message some of its pieces, of merged datagrams
	// where each ends; or it rests on what earlier packets have set, of which some can be missing (see
	// Trace.NeedsContext). This says nothing about its sender.
	NeedsContext
)

// String gives the word of text and JSON: accept, reject, cut or needs-context.
func (v Verdict) String() string { return [...]string{"accept", "reject", "cut", "needs-context"}[v] }

// Verdict judges the datagram of e, which was decoded into t.
func (e *Envelope) Verdict(t *Trace) Verdict {
	switch {
	case e.Cut && t.TruncationExplains():
		return Cut
	case !t.refused:
		return Accepted
	case t.NeedsContext(), e.Merged != 0:
		return NeedsContext
	}
	return Refused
}

// Read decodes p into t, as Decode does; the reject, if any, is in t. A datagram that its capture cut is too large for
// the schema by its size on the wire. All else is judged by the bytes that were kept (see Trace.TruncationExplains).
func (d *Decoder) Read(p *Packet, t *Trace) {
	d.ReadHeld(p, nil, FromUnknown, t)
}

// ReadHeld is Read of a packet whose flow holds something, where registers steer; nil is nothing. sender sent the packet,
// where p.From may not know: see Held.Commit.
func (d *Decoder) ReadHeld(p *Packet, held *Held, sender Direction, t *Trace) {
	_ = d.decode(p.Data, max(p.Size, len(p.Data)), p.From, held, sender, t)
}
