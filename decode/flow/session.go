package flow

import (
	"math/big"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// MaxMessages is how many messages of one packet are kept to be looked at; all are decoded and counted.
const MaxMessages = 256

// maxDepth is how many messages lie in each other at most: the language has no more.
const maxDepth = 4

// What stays for the next packet of a Trace and of a field's bytes.
const (
	keptCodes = 8 << 10
	keptBytes = 2 << 10
)

// Session decodes packets, and the messages that they bring, alone or in pieces. For one goroutine, which gives it the
// packets of a flow in their order.
type Session struct {
	decoder  *decode.Decoder
	table    *Table
	keys     *decode.Keyring // nil: what is sealed stays so
	steers   bool            // packets are read by what the flow holds
	trust    bool
	counts   Counts
	met      []Met
	lost     []Lost
	messages []decode.Message
	traces   []*decode.Trace        // of messages
	spare    [maxDepth]decode.Trace // of those beyond MaxMessages, by how many others they are in
	rooms    [][]byte               // of bytes that do not lie on bytes
	alone    []decode.MessagePiece
	used     int // of rooms
	left     int
	piece    Piece
	envelope *decode.Envelope
	from     decode.Direction
}

// Counts is what a Session met.
type Counts struct {
	Accepted, Refused int64    // messages that were whole
	Lost              [3]int64 // messages that were given up, by Reason
	Pieces            int64    // of messages, those that came again included
	Resent            int64    // pieces that brought nothing new
	Conflicting       int64    // pieces that disagreed with others
	Sealed            [4]int64 // sealed texts, by decode.Reason
	Context           int64    // messages that were refused by what the flow held
}

// Met is what a packet brought of the messages of a section. What is Lost of it is the message of the packet itself, which
// has more pieces than are put together; the messages that were given up when it came are Session.Lost.
type Met struct {
	Section int // of decode.Decoder.Sections; -1 is of sealed texts that are no message
	Counts
}

// Messages is how many messages were whole, or given up.
func (c *Counts) Messages() int64 { return c.Accepted + c.Refused + c.Context + c.Incomplete() }

// Unopened is how many sealed texts were not opened.
func (c *Counts) Unopened() int64 {
	return c.Sealed[decode.NoKey] + c.Sealed[decode.WrongKey] + c.Sealed[decode.AuthFailed]
}

// Incomplete is how many messages were given up.
func (c *Counts) Incomplete() int64 { return c.Lost[Missing] + c.Lost[Evicted] + c.Lost[End] }

// Add adds what another Session met.
func (c *Counts) Add(o *Counts) {
	c.Accepted += o.Accepted
	c.Refused += o.Refused
	c.Context += o.Context
	for why, n := range o.Lost {
		c.Lost[why] += n
	}
	c.Pieces += o.Pieces
	c.Resent += o.Resent
	c.Conflicting += o.Conflicting
	for why, n := range o.Sealed {
		c.Sealed[why] += n
	}
}

// New makes a Session of a Decoder, which must be Stateful, or one that Seals: of another there is nothing to put
// together.
func New(d *decode.Decoder, l Limits) *Session {
	if !d.Stateful() && !d.Seals() {
		panic("flow: the schema has no @message, no @fragment, no sealed and no register that steers: decode its packets without a Session")
	}
	sections := make([]Section, len(d.Sections()))
	for i := range sections {
		sections[i].Remember = maxFinished
	}
	for _, p := range append([]*plan.Plan{d.Plan()}, d.Plan().Sections...) {
		for _, b := range p.Blobs {
			if f := b.Fragment; f != nil && f.ID >= 0 {
				s := &sections[f.Section]
				s.Remember = min(s.Remember, remember(f.Note.ID.Lo, f.Note.ID.Hi))
			}
		}
	}
	return &Session{decoder: d, table: NewTable(l, sections), steers: d.Steers()}
}

// Open makes the session open what is sealed, with the keys of a file and those that flows tell. It is called before the
// first packet.
func (s *Session) Open(file *keys.File) { s.keys = decode.NewKeyring(file) }

// Trust makes a refusal of what the flow held a refusal: see decode.Trace.NeedsContext. It is called before the first
// packet.
func (s *Session) Trust() { s.trust = true }

// remember is how many messages may be remembered whose ids are from lo to hi: half of them, so that an id that comes
// round is not taken for the one before.
func remember(lo, hi *big.Int) int {
	n := new(big.Int).Sub(hi, lo)
	if n.Cmp(big.NewInt(2*maxFinished)) >= 0 {
		return maxFinished
	}
	return int(n.Int64()+1) / 2
}

// Decode reads a packet, of which e is known, into t, as Decoder.Read does, and puts together what it brings. The error
// is the reject in t. A packet that is accepted by itself and has a piece that can be part of no message is refused:
// reject.Fragment. What is odd about its pieces is among the notes of t. A refusal that rests on what packets before it have
// set is none: t.NeedsContext. Nothing else depends on packets before it, and a packet that is refused or cut leaves
// nothing after.
func (s *Session) Decode(p *decode.Packet, e *decode.Envelope, t *decode.Trace) error {
	s.reset()
	s.read(s.decoder, p, e, t)
	if e.Verdict(t) == decode.Accepted && t.JudgePieces() == nil {
		s.envelope, s.from = e, t.From
		s.table.Meet(e.Src, e.Dst, t.FlowKey(), e.Time)
		s.table.Accept()
		s.take(t, -1, 0)
		s.lose()
	}
	if t.Rejected() {
		return t.Reject()
	}
	return nil
}

// read decodes a packet with what its flow holds.
func (s *Session) read(d *decode.Decoder, p *decode.Packet, e *decode.Envelope, t *decode.Trace) {
	if !s.steers {
		d.Read(p, t)
		return
	}
	held, sender := s.table.Find(e.Src, e.Dst, e.Time, p.From)
	if d.ReadHeld(p, held, sender, t); s.trust {
		t.TrustContext()
	}
}

// reset forgets the packet before. Memory that a large one took is given back.
func (s *Session) reset() {
	for i, t := range s.traces[:min(len(s.messages), len(s.traces))] {
		if cap(t.Raw) > keptCodes || cap(t.Records) > keptCodes/2 {
			s.traces[i] = &decode.Trace{}
		}
	}
	for i := range s.rooms[:s.used] {
		if cap(s.rooms[i]) > keptBytes {
			s.rooms[i] = nil
		}
	}
	for i := range s.met {
		s.counts.Add(&s.met[i].Counts)
	}
	s.messages, s.alone, s.met, s.lost, s.used, s.left = s.messages[:0], s.alone[:0], s.met[:0], nil, 0, 0
}

// of is what the packet brought of a section.
func (s *Session) of(section int) *Counts {
	for i := range s.met {
		if s.met[i].Section == section {
			return &s.met[i].Counts
		}
	}
	s.met = append(s.met, Met{Section: section})
	return &s.met[len(s.met)-1].Counts
}

// take takes the pieces that an accepted trace holds: of a datagram, or of message number outer, in so many others.
func (s *Session) take(t *decode.Trace, outer, depth int) {
	if s.steers {
		for range s.table.Commit(t, s.table.Side(s.from), s.envelope.N) {
			t.NoteMessage(reject.ConflictingState)
		}
	}
	for i := range t.Fragments {
		f := &t.Fragments[i]
		data := t.Bytes(int(f.Record), s.room())
		if f.Whole() {
			s.alone = append(s.alone, decode.MessagePiece{Record: s.envelope.N, N: len(data)})
			s.decode(decode.Message{Section: int(f.Section), Alone: true, Secret: f.Secret(), Outer: outer, Field: i, Pieces: s.alone[len(s.alone)-1 : len(s.alone) : len(s.alone)]}, data, depth, 0)
			continue
		}
		counts := s.of(int(f.Section))
		counts.Pieces++
		if f.Broken(len(data)) { // a message of too many pieces is counted with its first
			if f.At == 0 {
				counts.Lost[Evicted]++
			}
			continue
		}
		s.piece = Piece{
			Section: int(f.Section), ID: f.ID, Bytes: f.Bytes(), At: f.At, Of: f.Of, Counted: !f.Ends(), Last: f.Last,
			Data: data, Record: s.envelope.N,
		}
		whole, odd := s.table.Add(&s.piece)
		s.note(t, f, odd)
		if whole != nil {
			s.decode(decode.Message{Section: int(f.Section), ID: f.ID, Secret: f.Secret(), Outer: outer, Field: i, Pieces: whole.Parts}, whole.Data, depth, whole.Odd)
		}
	}
	if s.keys != nil {
		s.unseal(t, outer, depth)
	}
}

// unseal opens what is sealed in an accepted trace, as take has it, and sets the registers that the trace sets. What does
// not open is a message that needs context: who lacks a key knows nothing of its sender.
func (s *Session) unseal(t *decode.Trace, outer, depth int) {
	side := s.table.Side(s.from)
	for sealed := range t.Sealed() {
		room := s.room()
		plain, why := s.keys.Open((*room)[:0], t, &sealed, s.envelope, s.table.Registers(), side)
		section := int(sealed.Section)
		s.of(section).Sealed[why]++
		if *room = plain; why == decode.Opened && sealed.Tag != nil {
			s.table.Authentic()
		}
		if section < 0 {
			continue
		}
		s.alone = append(s.alone, decode.MessagePiece{Record: s.envelope.N, N: len(plain)})
		m := decode.Message{
			Section: section, Alone: true, Secret: t.Plan.Nodes[sealed.Node].Secret, Outer: outer, Field: -1,
			Pieces: s.alone[len(s.alone)-1 : len(s.alone) : len(s.alone)],
		}
		if why != decode.Opened {
			s.closed(m, why)
		} else if n := len(s.messages); !s.decode(m, plain, depth, 0) && sealed.Tag == nil && n < len(s.messages) && s.messages[n].Verdict() == decode.Refused {
			s.messages = s.messages[:n] // nothing tells that the key was right
			counts := s.of(section)
			counts.Refused--
			counts.Sealed[decode.Opened]--
			counts.Sealed[decode.WrongKey]++
			s.closed(m, decode.WrongKey)
		}
	}
	s.table.Keep(t, side)
}

// closed tells of a message that was not opened.
func (s *Session) closed(m decode.Message, why decode.Reason) {
	m.Pieces[0].At, m.Lost, m.Secret = -1, why.String(), true
	if len(s.messages) < MaxMessages {
		s.messages = append(s.messages, m)
	} else {
		s.left++
	}
}

// note notes what is odd about a piece.
func (s *Session) note(t *decode.Trace, f *decode.Fragment, odd Odd) {
	if f.Secret() && odd&ConflictingFragment != 0 { // who sends a guess is not told whether it is the secret
		odd = odd&^ConflictingFragment | DuplicateFragment
	}
	switch {
	case odd&ConflictingFragment != 0:
		s.of(int(f.Section)).Conflicting++
		t.NoteFragment(f, reject.ConflictingFragment)
	case odd&DuplicateFragment != 0:
		s.of(int(f.Section)).Resent++
		t.NoteFragment(f, reject.DuplicateFragment)
	case odd&DuplicateMessage != 0:
		s.of(int(f.Section)).Resent++
		t.NoteFragment(f, reject.DuplicateMessage)
	}
}

// decode reads a message that is whole, of which m tells all but the Trace, and takes what it holds of others. It reports
// whether the message was accepted.
func (s *Session) decode(m decode.Message, data []byte, depth int, odd Odd) bool {
	n, t := len(s.messages), &s.spare[depth]
	if n < MaxMessages {
		for n >= len(s.traces) {
			s.traces = append(s.traces, &decode.Trace{})
		}
		t = s.traces[n]
		m.Trace, m.Secret = t, m.Secret || m.Outer >= 0 && s.messages[m.Outer].Secret
		s.messages = append(s.messages, m)
	} else {
		s.left++
		n = -1
	}
	s.read(s.decoder.Sections()[m.Section], &decode.Packet{Data: data, From: s.from}, s.envelope, t)
	switch {
	case t.NeedsContext():
		s.of(m.Section).Context++
		return false
	case t.Rejected() || t.JudgePieces() != nil:
		s.of(m.Section).Refused++
		return false
	}
	s.of(m.Section).Accepted++
	if odd&OutOfOrder != 0 {
		t.NoteMessage(reject.OutOfOrder)
	}
	s.take(t, n, depth+1)
	return true
}

// lose tells of what was given up.
func (s *Session) lose() {
	s.lost = s.table.Lost()
	for i := range s.lost {
		l := &s.lost[i]
		s.counts.Lost[l.Reason]++
		if len(s.messages) < MaxMessages {
			s.messages = append(s.messages, decode.Message{Section: l.Section, ID: l.ID, Secret: true, Outer: -1, Pieces: l.Parts, Lost: l.String()})
		} else {
			s.left++
		}
	}
}

// room is memory for the bytes of a field of this packet.
func (s *Session) room() *[]byte {
	if s.used == len(s.rooms) {
		s.rooms = append(s.rooms, nil)
	}
	s.used++
	return &s.rooms[s.used-1]
}

// Messages are those of the last Decode or Flush, valid until the next: first those that its packet completed, each
// before those that its own fields hold, in the order of the wire; then those that were given up.
func (s *Session) Messages() []decode.Message { return s.messages }

// Left is how many more there were than Messages has.
func (s *Session) Left() int { return s.left }

// Flush gives up the messages that are open, at the end of a capture: Messages has them.
func (s *Session) Flush() {
	s.reset()
	s.table.Flush()
	s.lose()
}

// Met is what the packet of the last Decode brought, of each section that it has something of; valid until the next.
func (s *Session) Met() []Met { return s.met }

// Ask marks the messages of which the packet of the last Decode has pieces: Lost says which of those that are given up
// were marked. A filter does so with the packets that it is true of.
func (s *Session) Ask() {
	if len(s.met) > 0 { // else the table met none, or another packet
		s.table.Ask()
	}
}

// Lost is all messages that were given up in the last Decode or Flush, of whatever flow; valid until the next.
func (s *Session) Lost() []Lost { return s.lost }

// Counts is what was met until now.
func (s *Session) Counts() Counts {
	sum := s.counts
	for i := range s.met {
		sum.Add(&s.met[i].Counts)
	}
	return sum
}
