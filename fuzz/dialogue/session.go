package dialogue

import (
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Conn is a client's socket to a server. It is for one goroutine.
type Conn interface {
	// Send sends a datagram. An error ends the session, and all that is to be sent.
	Send(packet []byte) error
	// Receive waits for a datagram, at most so long; with 0 it takes what has come. packet is nil when none came, and is
	// valid until the next call. An error ends the session.
	Receive(wait time.Duration) (packet []byte, from netip.AddrPort, err error)
	// Follow makes the sender of what came the one that is talked to from now on.
	Follow(to netip.AddrPort) error
	// Peer is who is talked to.
	Peer() netip.AddrPort
}

// Session speaks a Dialogue with a server, once. It is for one goroutine.
type Session struct {
	dialogue *Dialogue
	conn     Conn
	names    []known
	seen     []known
	counters []uint64
	fresh    []message.Value
	state    int // in Dialogue.states
	step     int // steps done
	due      []time.Time
	sealer   *message.Sealer
	ring     *decode.Keyring
	held     decode.Held // keys that packets have told
	opened   []opened    // what was sealed in the server's last packet
	section  string      // of which messages are attacked; "" for packets
	message  *message.Message
	trace    decode.Trace // of what the server sent last
	own      decode.Trace
	buf      []byte
	from     netip.AddrPort
	came     []uint64 // tags of the server's packets, since they were taken
	last     []byte   // the server's last packet
	wanders  bool
	resent   bool // a step said something again
	limit    time.Duration
	seals    plan.Seals
	patched  []byte
	secrets  *Secrets
}

// known is a value that may not be there yet.
type known struct {
	v   message.Value
	set bool
}

// Refused is the error of a session that was not reached: the server's word, or its silence.
type Refused struct {
	Waiting string        // the line that waited, as CASE
	After   time.Duration // how long
	Last    string        // the server's last packet, as its fields are shown; "" for none
}

// Error is one line.
func (r *Refused) Error() string {
	if r.Last == "" {
		return fmt.Sprintf("no %s within %v: the server sent nothing", r.Waiting, r.After.Round(time.Millisecond))
	}
	return fmt.Sprintf("no %s within %v: the server's last packet is %s", r.Waiting, r.After.Round(time.Millisecond), r.Last)
}

// NewSession makes a session that has sent nothing. values are of the dialogue's params, in their order.
func (d *Dialogue) NewSession(conn Conn, values []message.Value) *Session {
	if len(values) != len(d.file.Params) {
		panic("dialogue: a session needs a value for each param")
	}
	s := &Session{
		dialogue: d, conn: conn, names: make([]known, len(d.names)), seen: make([]known, len(d.seen)), counters: make([]uint64, d.counters),
		due: make([]time.Time, len(d.keeps)), message: message.New(d.decoder.Plan()), seals: d.decoder.Plan().Seals(),
	}
	s.Open(nil)
	for i, v := range values {
		s.names[i] = known{v, true}
	}
	for _, t := range d.fresh {
		s.fresh = append(s.fresh, t.draw())
	}
	return s
}

// Open gives the session the keys of a file, for what is sealed, beside those that packets tell. It is called before the
// first packet.
func (s *Session) Open(file *keys.File) {
	s.ring = decode.NewKeyring(file)
	s.sealer = message.NewSealer(s.dialogue.decoder, s.ring)
}

// Hide makes the session add its secrets to others.
func (s *Session) Hide(in *Secrets) { s.secrets = in }

// Limit bounds the time that Join takes, below MaxStart.
func (s *Session) Limit(d time.Duration) { s.limit = d }

// State is the state that the session is in.
func (s *Session) State() string { return s.dialogue.states[s.state] }

const usualWithin = 2 * time.Second

// Join takes the steps up to a state, an index into States, and is done when it is reached. The error is a *Refused, or
// of the Conn.
func (s *Session) Join(state int) error {
	d, by := s.dialogue, time.Now().Add(MaxStart)
	if s.limit > 0 {
		by = time.Now().Add(min(s.limit, MaxStart))
	}
	var repeated *Line // what is sent until what is expected comes
	for ; s.state < state; s.step++ {
		l := d.steps[s.step]
		switch l.Verb {
		case State:
			s.state++
		case Send:
			if repeated = l; l.Until != nil {
				if err := s.await(l, l, by); err != nil {
					return err
				}
				repeated = nil
				continue
			}
			if err := s.say(l); err != nil {
				return err
			}
		case Expect:
			if err := s.await(l, repeated, by); err != nil {
				return err
			}
			repeated = nil
		}
	}
	return nil
}

// await waits for what a line expects, and says a line again and again meanwhile.
func (s *Session) await(l, repeated *Line, by time.Time) error {
	within, id := usualWithin, l.Case
	if l.Verb == Send {
		id = *l.Until
	}
	if repeated != nil && repeated.Within > 0 {
		within = repeated.Within
	}
	if l.Within > 0 {
		within = l.Within
	}
	begun := time.Now()
	if end := begun.Add(within); end.Before(by) {
		by = end
	}
	tag := s.dialogue.tree.tags[id.Text]
	var again time.Time
	if l.Verb == Send {
		again = begun // nothing of it was sent
	} else if repeated != nil && repeated.Every > 0 {
		again = begun.Add(repeated.Every)
	}
	s.last = s.last[:0]
	for {
		now := time.Now()
		if !now.Before(by) {
			return &Refused{id.Text, by.Sub(begun), s.lastText()}
		}
		if !again.IsZero() && !now.Before(again) {
			if err := s.say(repeated); err != nil {
				return err
			}
			s.resent = true
			if again = (time.Time{}); repeated.Every > 0 {
				again = now.Add(repeated.Every)
			}
		}
		wait := by.Sub(now)
		if !again.IsZero() {
			wait = min(wait, again.Sub(now))
		}
		came, what, err := s.receive(wait)
		if err != nil {
			return err
		}
		if what != packet || came != tag || l.Verb == Expect && !s.meets(l) {
			continue
		}
		if l.Verb == Expect && l.Port {
			if s.from.Port() == s.conn.Peer().Port() {
				continue
			}
			if err := s.conn.Follow(s.from); err != nil {
				return err
			}
		}
		if l.Verb == Expect {
			s.take(l)
		}
		return nil
	}
}

// arrival is what came.
type arrival uint8

const (
	nothing arrival = iota
	foreign         // no packet of the protocol
	packet
)

// receive takes one datagram, and does what lines say of any packet.
func (s *Session) receive(wait time.Duration) (tag uint64, what arrival, err error) {
	if next := s.nextDue(); !next.IsZero() {
		wait = min(wait, max(time.Until(next), 0))
	}
	data, from, err := s.conn.Receive(wait)
	if err != nil {
		return 0, nothing, err
	}
	if err := s.beat(time.Now()); err != nil || data == nil {
		return 0, nothing, err
	}
	s.last, s.from = append(s.last[:0], data...), from
	if s.dialogue.decoder.Decode(s.last, decode.Server, &s.trace) != nil {
		return 0, foreign, nil
	}
	tag, ok := s.dialogue.tree.tagOf(&s.trace)
	if !ok || !s.unseal(&s.trace, decode.Server) {
		return 0, foreign, nil
	}
	if len(s.came) < maxCame {
		s.came = append(s.came, tag)
	}
	for i := range s.dialogue.seen {
		at := &s.dialogue.seen[i]
		if at.tag != tag || at.first && s.seen[i].set {
			continue
		}
		if v, has := s.read(&at.at); has {
			s.seen[i] = known{v, true}
		}
	}
	if err := s.learn(tag); err != nil {
		return tag, packet, err
	}
	for _, l := range s.dialogue.reactions {
		if s.dialogue.since[l] <= s.step && s.dialogue.tree.tags[l.Case.Text] == tag && s.meets(l) {
			s.take(l)
			if err := s.say(l.Reply); err != nil {
				return tag, packet, err
			}
		}
	}
	return tag, packet, nil
}

// Wander is for a session that goes on with packets of somebody else's making: what the server answers then counts for
// all lines that expect it, whatever the session has sent.
func (s *Session) Wander() { s.wanders = true }

// learn takes what lines take of the server's last packet, where nobody waits for it in a step.
func (s *Session) learn(tag uint64) error {
	if !s.wanders {
		return nil
	}
	for _, l := range s.dialogue.steps {
		if l.Verb != Expect || s.dialogue.tree.tags[l.Case.Text] != tag || !s.meets(l) {
			continue
		}
		s.take(l)
		if l.Port && s.from.Port() != s.conn.Peer().Port() {
			if err := s.conn.Follow(s.from); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxCame bounds how many of the server's packets are remembered between two looks.
const maxCame = 4096

// meets reports whether the server's last packet has what a line wants.
func (s *Session) meets(l *Line) bool {
	for _, f := range l.Fields {
		if f.Op == 0 {
			continue
		}
		got, ok := s.read(&f.at)
		want, err := f.Value.value(s)
		if !ok || err != nil || !compare(got, want, f.Op) {
			return false
		}
	}
	return true
}

// compare compares two values: numbers by size, others for being alike.
func compare(got, want message.Value, op syntax.Token) bool {
	a, aok := new(big.Rat).SetString(string(got.Data))
	b, bok := new(big.Rat).SetString(string(want.Data))
	order := 0
	switch {
	case got.Kind == message.Number && want.Kind == message.Number && aok && bok:
		order = a.Cmp(b)
	case got.Kind == message.Bool || want.Kind == message.Bool:
		if got.Kind != want.Kind || got.Code != want.Code {
			order = 2
		}
	case string(got.Data) != string(want.Data) && fmt.Sprintf("%x", got.Data) != string(want.Data):
		order = 2
	}
	switch op {
	case syntax.EqEq:
		return order == 0
	case syntax.NotEq:
		return order != 0
	case syntax.Less:
		return order == -1
	case syntax.LessEq:
		return order == -1 || order == 0
	case syntax.Greater:
		return order == 1
	}
	return order == 0 || order == 1
}

// take binds names to what the server's last packet has.
func (s *Session) take(l *Line) {
	for _, f := range l.Fields {
		if f.Into == nil {
			continue
		}
		if v, ok := s.read(&f.at); ok {
			s.names[f.slot] = known{v, true}
		}
	}
}

// say sends what a line says.
func (s *Session) say(l *Line) error {
	data, err := s.build(l)
	if err != nil {
		return fmt.Errorf("%d:%d: %s: %w", l.Pos.Line, l.Pos.Col, l.Case.Text, err)
	}
	if (s.dialogue.decoder.Seals() || s.secrets != nil) && s.dialogue.decoder.Decode(data, decode.Client, &s.own) == nil {
		s.unseal(&s.own, decode.Client) // for the keys that it tells
		s.opened = s.opened[:0]
	}
	return s.conn.Send(data)
}

// build makes the packet of a line. It is valid until the next.
func (s *Session) build(l *Line) ([]byte, error) {
	tag := s.dialogue.tree.tags[l.Case.Text]
	m := s.dialogue.begin(s.message, tag)
	var lacks *unbound // an automatic value that the session does not have yet, and that the packet may not need
	for _, f := range s.dialogue.automaticOf(tag) {
		v, err := f.Value.value(s)
		var not *unbound
		if errors.As(err, &not) {
			lacks = not
			continue
		}
		if err != nil {
			return nil, err
		}
		m.put(&f.at, f.at.wrap(v))
	}
	for _, f := range l.Fields {
		v, err := f.Value.value(s)
		if err != nil {
			return nil, err
		}
		if f.Into != nil {
			s.names[f.slot] = known{v, true}
		}
		m.put(&f.at, f.at.wrap(v))
	}
	out, err := s.sealer.Encode(m.Message, &decode.Envelope{}, &s.held, s.buf[:0])
	var wrong *decode.EncodeError
	var none *decode.NoKeyError
	switch {
	case errors.As(err, &wrong) && lacks != nil:
		return nil, lacks
	case errors.As(err, &none) && none.Of.Seal.Key.Register != nil:
		return nil, &unbound{err.Error()}
	case err != nil:
		return nil, errors.New(encodeProblem(err))
	}
	s.buf = out
	return out, nil
}

// wrap keeps a number in a field that has every code.
func (p *place) wrap(v message.Value) message.Value {
	if p.mask == 0 || v.Kind != message.Number {
		return v
	}
	n, ok := new(big.Int).SetString(string(v.Data), 10)
	if !ok || n.Sign() >= 0 && n.BitLen() <= p.bits() {
		return v
	}
	return numberOf(n.And(n, new(big.Int).SetUint64(p.mask)))
}

func (p *place) bits() int { return new(big.Int).SetUint64(p.mask).BitLen() }
