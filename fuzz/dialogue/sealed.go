package dialogue

import (
	"bytes"
	"errors"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/plan"
)

// What is sealed. A session opens what the server sends with the keys of its file and those that its packets tell, seals
// what it sends with them, and counts no packet that none of its keys opens. Packets of somebody else's making have what
// they are to seal lying open: a campaign and an audit know no keys.

// opened is a message that was sealed in a packet.
type opened struct {
	of    *plan.SealedText
	trace decode.Trace
}

// unseal opens what is sealed in a packet of a side, and keeps the keys that it tells. It is false where a text is not
// that of any key that there is.
func (s *Session) unseal(t *decode.Trace, side decode.Direction) bool {
	s.opened = s.opened[:0]
	for sealed := range t.Sealed() {
		plain, why := s.ring.Open(nil, t, &sealed, &decode.Envelope{}, &s.held, side)
		if why == decode.NoKey {
			continue
		}
		if why != decode.Opened {
			return false
		}
		if sealed.Section < 0 {
			continue
		}
		s.opened = append(s.opened, opened{of: sealed.SealedText})
		in := &s.opened[len(s.opened)-1].trace
		if s.dialogue.decoder.Sections()[sealed.Section].Decode(plain, side, in) != nil {
			return false
		}
		s.held.Keep(in, side)
		s.secrets.addFields(in)
	}
	s.held.Keep(t, side)
	s.secrets.addFields(t)
	return true
}

// read is the value of a field in the server's last packet; ok is false where it does not have it.
func (s *Session) read(at *place) (v message.Value, ok bool) {
	if at.of == nil {
		return at.read(&s.trace)
	}
	for i := range s.opened {
		if s.opened[i].of == at.of {
			return at.read(&s.opened[i].trace)
		}
	}
	return v, false
}

// Attack makes what is sent from now on messages of a section, each sealed in a packet of its own; "" is packets. The
// section is one that a client's packets have.
func (s *Session) Attack(section string) { s.section = section }

// Sections are the messages that the dialogue attacks; packets says that it attacks packets.
func (d *Dialogue) Sections() (names []string, packets bool) {
	return slices.Clone(d.sections), len(d.sections) == 0 || len(d.attack) > 0
}

// Carries says which case's packets have a message of a section sealed in them; "" for none that a client sends.
func (d *Dialogue) Carries(section string) string {
	if tag, ok := d.carriers[section]; ok {
		return d.caseName(tag)
	}
	return ""
}

// Send sends a packet of somebody else's making, with the dialogue's automatic values in it; or a message in a packet:
// see Attack. A message that no packet holds is not sent: ErrNoPacket.
func (s *Session) Send(packet []byte) error {
	if s.section == "" {
		return s.conn.Send(s.Patch(packet))
	}
	tag := s.dialogue.carriers[s.section]
	if data, ok := s.sampled(tag, packet, s.dialogue.attack[tag]); ok {
		return s.conn.Send(data)
	}
	return ErrNoPacket
}

// ErrNoPacket is the error of a message that is sealed in no packet: it is longer or shorter than what has room there.
var ErrNoPacket = errors.New("no packet holds the message")

// sampled is the sample of a case with the automatic values, and others. text, where it is not nil, is what is sealed in
// it as a message of the attacked section. It is valid until the next.
func (s *Session) sampled(tag uint64, text []byte, more []*Field) ([]byte, bool) {
	from := s.dialogue.samples[tag]
	m := s.dialogue.begin(s.message, tag)
	m.Root = clone(from.root)
	for i := range m.Opened {
		o := &m.Opened[i]
		switch {
		case o.Of.Section < 0:
		case text != nil && o.Section == s.section:
			o.Text = text
		default:
			o.Root = clone(s.dialogue.sampleTree(tag, o.Of))
		}
	}
	return s.seal(m, append(slices.Clone(s.dialogue.automaticOf(tag)), more...), text != nil)
}

// seal sets what it knows of fields in a packet that has them, and seals it; text says that what was given as one stays.
// Without a key it stays open, with a tag of zeros: nobody has such a session.
func (s *Session) seal(m draft, fields []*Field, text bool) ([]byte, bool) {
	for _, f := range fields {
		if f.at.of != nil && text && m.isText(f.at.of) {
			continue
		}
		if v, err := f.Value.value(s); err == nil {
			m.put(&f.at, f.at.wrap(v))
		}
	}
	out, err := s.sealer.Encode(m.Message, &decode.Envelope{}, &s.held, s.patched[:0])
	var none *decode.NoKeyError
	if errors.As(err, &none) {
		out, err = s.sealer.Lay(m.Message, &decode.Envelope{}, &s.held, s.patched[:0])
	}
	if err != nil {
		return nil, false
	}
	s.patched = out
	return out, true
}

func (m draft) isText(of *plan.SealedText) bool {
	return slices.ContainsFunc(m.Opened, func(o message.Opened) bool { return o.Of == of && o.Text != nil })
}

// reseal gives an accepted packet, in which what is sealed lies open, the values of fields that it has, and seals it.
func (s *Session) reseal(packet []byte, fields []*Field) ([]byte, bool) {
	data := bytes.Clone(packet)
	if s.dialogue.decoder.Decode(data, decode.Client, &s.own) != nil {
		return packet, false
	}
	m := draft{s.message}
	m.FromTrace(&s.own)
	m.From = decode.Client
	for sealed := range s.own.Sealed() {
		text := bytes.Clone(sealed.Bytes[:len(sealed.Bytes)-sealed.Seal.Algorithm.Tag])
		m.Opened = append(m.Opened, message.Opened{Section: sealed.Seal.OpenName(), Of: sealed.SealedText, Text: text})
	}
	var has []*Field
	for _, f := range fields {
		if f.at.of == nil && memberAt(&m.Root, f.at.parts) != nil {
			has = append(has, f)
		}
	}
	return s.seal(m, has, true)
}

// clone is a tree of its own.
func clone(v *message.Value) message.Value {
	out := *v
	out.Items = make([]message.Value, len(v.Items))
	for i := range v.Items {
		out.Items[i] = clone(&v.Items[i])
	}
	return out
}
