package decode

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// Messages. A schema may say that the bytes of a field are a message, or a piece of one that several datagrams bring
// (`@message`, `@fragment`), and what a message is (`message Game max 4096 { … }`). A Decoder knows no more of it than
// one datagram tells: it keeps nothing. What puts messages together does it so:
//
//	if !d.Stateful() {
//		return // no field holds anything of a message
//	}
//	if d.Decode(payload, from, &t) != nil {
//		return // a refused packet commits nothing
//	}
//	key := t.FlowKey() // with both addresses: the flow
//	for i := range t.Fragments {
//		p := &t.Fragments[i]
//		data := t.Bytes(int(p.Record), &room) // valid until the next Decode: copy what is kept
//		if p.Whole() {
//			d.Sections()[p.Section].Decode(data, from, &inner) // whose Fragments may hold messages, too
//		} else if p.Broken(len(data)) {
//			return t.RefuseFragment(p, kind) // its own numbers contradict each other
//		}
//		// else keep it under (key, from, p.Section, p.ID, p.Of) until it is whole: see Fragment
//	}

// Fragment is what a field of bytes holds of a message: all of it, or a piece. The numbers are the sender's.
type Fragment struct {
	Record  int32  // of Trace.Records: the bytes are Trace.Bytes(Record, &room), and may be none
	Section int32  // the message is Sections()[Section]
	ID      uint64 // tells the messages apart that are on the way: of an expression below 0 its two's complement
	// At is the number of the piece, from 0, or with Bytes the offset of its first byte in the message.
	At uint64
	// Of is how many pieces there are, or with Bytes how many bytes; 0 where the sender does not say it before the end
	// (Ends), or says that there are none.
	Of   uint64
	Last bool // it is the piece at the end
	Note *plan.Fragment
}

// Whole reports whether it is all of a message.
func (f *Fragment) Whole() bool { return f.Note.ID < 0 }

// Bytes reports whether At and Of count bytes, not pieces.
func (f *Fragment) Bytes() bool { return f.Note.Note.Bytes }

// Ends reports whether Last says which piece is at the end, in place of Of.
func (f *Fragment) Ends() bool { return f.Note.Last >= 0 }

// Max is the most bytes that the message has.
func (f *Fragment) Max() int { return f.Note.Note.Section.Max }

// Secret reports whether its bytes or its numbers are a secret, or computed from one: they are not to be shown.
func (f *Fragment) Secret() bool { return f.Note.Secret }

// Broken reports whether a piece of size bytes can be part of no message, whatever else comes: it lies after the end
// that it gives itself, or after the most that a message has (Max bytes, schema.MaxPieces pieces), or it is larger.
func (f *Fragment) Broken(size int) bool {
	switch most := uint64(f.Max()); {
	case uint64(size) > most:
		return true
	case f.Whole():
		return false
	case f.Bytes():
		return f.At > most-uint64(size) || !f.Ends() && (f.Of > most || f.At+uint64(size) > f.Of)
	default:
		return f.At >= schema.MaxPieces || !f.Ends() && (f.Of > schema.MaxPieces || f.At >= f.Of)
	}
}

// fragment notes what the blob holds that was read last.
func (m *machine) fragment(n *plan.Fragment) {
	t := m.t
	t.Fragments = append(t.Fragments, Fragment{Record: int32(len(t.Records) - 1), Section: n.Section, Note: n})
	p := &t.Fragments[len(t.Fragments)-1]
	if n.ID < 0 {
		return
	}
	m.steps += 3
	p.ID, p.At = m.eval(uint32(n.ID)), m.eval(uint32(n.At))
	if n.Whole >= 0 {
		p.Of = m.eval(uint32(n.Whole))
	} else {
		p.Last = m.eval(uint32(n.Last)) != 0
	}
}

// RefuseFragment refuses an accepted packet for one of its pieces, which it was decoded with: as Decode gives it, the
// reject is at the first bit of the field, with At and Of as its Code and Limit. The packet then has no notes.
func (t *Trace) RefuseFragment(p *Fragment, kind reject.Kind) error {
	s := &t.Records[p.Record]
	bit, width := t.Clip(int(p.Record), int(s.Bit), 8*int(s.N))
	at := reject.Place{Point: s.Point, Leaf: -1, Parent: s.Parent, Index: s.Index}
	return t.refuse(kind, bit, width, at, p.At, p.Of)
}

// JudgePieces refuses an accepted packet for the first of its pieces that is part of no message by its own numbers: the
// reject is of kind reject.Fragment. nil where there is none.
func (t *Trace) JudgePieces() error {
	for i := range t.Fragments {
		if f := &t.Fragments[i]; f.contradicts(int(t.Records[f.Record].N)) {
			return t.RefuseFragment(f, reject.Fragment)
		}
	}
	return nil
}

// contradicts reports whether a piece of size bytes is part of no message by its own numbers. That a message has more
// pieces than are put together is no fault of its sender.
func (f *Fragment) contradicts(size int) bool {
	if f.Whole() || f.Bytes() {
		return f.Broken(size)
	}
	return size > f.Max() || !f.Ends() && f.At >= f.Of
}

// FlowKey is what tells flows apart besides their addresses, as `flow by` says: 0 where it says no more than `address`.
// It is of an accepted packet only.
func (t *Trace) FlowKey() uint64 {
	var key uint64
	for _, k := range t.Plan.FlowBy {
		env := plan.Env{Registers: t.registers, From: t.From}
		key = key<<k.Bits | t.Plan.Eval(k.Operand, &env)&(1<<k.Bits-1)
	}
	return key
}

// sections are the decoders of the messages of a schema, made when somebody asks.
type sections struct {
	once sync.Once
	list []*Decoder
}

// Sections are the decoders of the messages of the schema, in the order of Schema().Sections. Each is of one goroutine
// or many, as any Decoder; what it reads as a datagram is one whole message, of which `max datagram` is the `max`. All
// of a schema have the same: do not change the list.
func (d *Decoder) Sections() []*Decoder {
	d.sections.once.Do(func() {
		if d.sections.list != nil || len(d.plan.Sections) == 0 {
			return
		}
		list := make([]*Decoder, len(d.plan.Sections))
		for i, p := range d.plan.Sections {
			if list[i] = d; p != d.plan {
				list[i] = New(p)
				list[i].sections.list = list
			}
		}
		d.sections.list = list
	})
	return d.sections.list
}

// Section is the decoder of one message.
func (d *Decoder) Section(name string) (*Decoder, error) {
	names := make([]string, 0, len(d.plan.Sections))
	for i, m := range d.Schema().Sections {
		if m.Name == name {
			return d.Sections()[i], nil
		}
		names = append(names, m.Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%q: the schema has no `message`", name)
	}
	return nil, fmt.Errorf("%q: the schema has no such message: want %s", name, strings.Join(names, ", "))
}

// Alone is the decoder of one message where it comes by itself: in a capture of messages, or as what a target reads. It
// is Section's, but that it has no more bytes than a datagram: schema.MaxUDPPayload.
func (d *Decoder) Alone(name string) (*Decoder, error) {
	section, err := d.Section(name)
	if err != nil || section.Schema().MaxDatagram <= schema.MaxUDPPayload {
		return section, err
	}
	of := d.Schema().Section(name)
	of.MaxDatagram = schema.MaxUDPPayload
	made, _ := plan.CompileIn(of, d.plan.Context)
	if made == nil || made.Bound.MinBits > 8*schema.MaxUDPPayload {
		return nil, fmt.Errorf("%q: no datagram has room for such a message", name)
	}
	made.Hold(d.plan.Sections)
	return New(made), nil
}

// Stateful reports whether more can be known of the packets than each tells by itself: some field holds a message, or a
// piece of one, or it Steers. Where it does not, there is nothing to put together.
func (d *Decoder) Stateful() bool {
	if d.Steers() {
		return true
	}
	for _, b := range d.plan.Blobs {
		if b.Fragment != nil {
			return true
		}
	}
	return false
}

// NoteFragment notes what is odd about a piece of an accepted packet, which it was decoded with.
func (t *Trace) NoteFragment(p *Fragment, kind reject.NoteKind) {
	s := &t.Records[p.Record]
	bit, width := t.Clip(int(p.Record), int(s.Bit), 8*int(s.N))
	t.note(kind, bit, width, reject.Place{Point: s.Point, Leaf: -1, Parent: s.Parent, Index: s.Index}, p.At)
}

// NoteMessage notes what is odd about an accepted message as a whole.
func (t *Trace) NoteMessage(kind reject.NoteKind) { t.note(kind, 0, 0, packetPlace, 0) }

// appendPiece appends the numbers of a piece that is part of no message.
func (t *Trace) appendPiece(b []byte, r *reject.Reject) []byte {
	f := t.step(r.At).(*plan.Blob).Fragment
	switch {
	case f.Secret:
		return append(b, reject.Masked...)
	case f.ID < 0:
		return append(b, "more bytes than it has"...)
	case f.Note.Bytes:
		b = append(b, "offset "...)
	default:
		b = append(b, "index "...)
	}
	b = strconv.AppendUint(b, r.Code, 10)
	if f.Whole >= 0 {
		b = strconv.AppendUint(append(b, " of "...), r.Limit, 10)
	}
	return b
}
