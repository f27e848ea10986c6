package message

import (
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Opened is the text of something that a packet has sealed, as the message that it is.
type Opened struct {
	Section string   // its name; "" where the text is none
	Root    Value    // an Object: the fields of the message
	Opened  []Opened // what is sealed in it in turn
	// Text, where it is not nil, is the text instead of Root.
	Text []byte
	// Of is where it is sealed; nil for the first place that the plan has for a message of Section.
	Of *plan.SealedText
}

// openedOf takes what JSON has under `message` and `messages`: those that were accepted and are shown.
func openedOf(v *Value) (list []Opened) {
	for i := range v.Items {
		one := v.Items[i : i+1]
		switch v.Items[i].Name {
		case "messages":
			one = v.Items[i].Items
		case "message":
		default:
			continue
		}
		for k := range one {
			section, fields, verdict := one[k].Member("section"), one[k].Member("fields"), one[k].Member("verdict")
			accepted := verdict == nil || verdict.Kind == Text && string(verdict.Data) == decode.Accepted.String()
			if section != nil && section.Kind == Text && fields != nil && fields.Kind == Object && accepted {
				list = append(list, Opened{Section: string(section.Data), Root: *fields, Opened: openedOf(&one[k])})
			}
		}
	}
	return list
}

// Sealer encodes messages with what is sealed in their packets. It is for one goroutine.
type Sealer struct {
	ring *decode.Keyring
	top  *level
}

// level is what packets, or the messages of a section, are written with.
type level struct {
	encoder *decode.Encoder
	decoder *decode.Decoder
	message *Message // of a section
	trace   decode.Trace
	paths   [][]string // of each of Plan.Sealed
	inner   []*level   // of each section; made when it is needed
}

// NewSealer makes the Sealer of a protocol, with the keys of a file and of flows.
func NewSealer(d *decode.Decoder, ring *decode.Keyring) *Sealer {
	return &Sealer{ring: ring, top: newLevel(d, make([]*level, len(d.Sections())))}
}

func newLevel(d *decode.Decoder, inner []*level) *level {
	l := &level{encoder: decode.NewEncoder(d), decoder: d, inner: inner}
	p := d.Plan()
	for i := range p.Sealed {
		var path []string
		for id := p.Sealed[i].Node; p.Nodes[id].Parent != plan.NoNode; id = p.Nodes[id].Parent {
			path = append(path, p.Nodes[id].Name)
		}
		slices.Reverse(path)
		l.paths = append(l.paths, path)
	}
	return l
}

// Encode appends the packet that a message describes, as Message.Encode does, with the texts of its Opened sealed in it:
// with the keys that h holds of a flow for who sends it, else with those of the file, of which e names the flow. h may be
// nil. A text of which no key is known is an error that names the key.
func (s *Sealer) Encode(m *Message, e *decode.Envelope, h *decode.Held, buf []byte) ([]byte, error) {
	return s.encode(s.top, m, m.Opened, e, h, buf)
}

func (s *Sealer) encode(l *level, m *Message, opened []Opened, e *decode.Envelope, h *decode.Held, buf []byte) ([]byte, error) {
	out, given, err := s.lay(l, m, opened, e, h, buf)
	if err != nil || len(opened) == 0 {
		return out, err
	}
	return out, s.seal(l, out[len(buf):], m.From, e, h, given)
}

// Lay is Encode without a key: the texts lie open in the packet, and their tags are zeros. What is sealed in them in turn
// is not: it is sealed as Encode does it.
func (s *Sealer) Lay(m *Message, e *decode.Envelope, h *decode.Held, buf []byte) ([]byte, error) {
	out, _, err := s.lay(s.top, m, m.Opened, e, h, buf)
	return out, err
}

// Seal seals all texts that lie open in a packet that is accepted, in place, and repairs its checksums.
func (s *Sealer) Seal(packet []byte, from decode.Direction, e *decode.Envelope, h *decode.Held) error {
	return s.seal(s.top, packet, from, e, h, nil)
}

// lay writes a packet with its texts open, and says which of its places were given one.
func (s *Sealer) lay(l *level, m *Message, opened []Opened, e *decode.Envelope, h *decode.Held, buf []byte) ([]byte, []bool, error) {
	given := make([]bool, len(l.paths))
	for i := range opened {
		o := &opened[i]
		at := l.place(m, o, given)
		if at < 0 {
			return buf, nil, &decode.EncodeError{Path: "message", Problem: "the packet has nothing sealed that is a " + o.Section}
		}
		text, err := s.text(m, at, l, o, e, h)
		if err != nil {
			return buf, nil, err
		}
		given[at] = true
		l.put(m, at, text)
	}
	out, err := m.Encode(l.encoder, buf)
	return out, given, err
}

// seal seals the texts of a packet that were given; all with nil.
func (s *Sealer) seal(l *level, packet []byte, from decode.Direction, e *decode.Envelope, h *decode.Held, given []bool) error {
	if err := l.decoder.Decode(packet, from, &l.trace); err != nil {
		return err
	}
	for sealed := range l.trace.Sealed() {
		if given != nil && !l.isGiven(sealed.Node, given) {
			continue
		}
		if err := s.ring.Seal(&l.trace, &sealed, e, h, from); err != nil {
			return err
		}
	}
	slices.Clone(l.trace.Seals).Sort().Repair(packet, -1)
	return nil
}

// isGiven reports whether the text of a node was given: arms of one switch have one path.
func (l *level) isGiven(node plan.NodeID, given []bool) bool {
	at := slices.IndexFunc(l.decoder.Plan().Sealed, func(x plan.SealedText) bool { return x.Node == node })
	for i := range given {
		if given[i] && slices.Equal(l.paths[i], l.paths[at]) {
			return true
		}
	}
	return false
}

// text is what a message is before it is sealed; of none it is what the tree has in its place.
func (s *Sealer) text(m *Message, at int, l *level, o *Opened, e *decode.Envelope, h *decode.Held) ([]byte, error) {
	switch {
	case o.Text != nil:
		return o.Text, nil
	case o.Section == "":
		sealed := &l.decoder.Plan().Sealed[at]
		v := m.at(l.paths[at]).Member(l.decoder.Plan().Nodes[sealed.Data.Node].Name)
		if v == nil {
			return nil, nil
		}
		var err error
		data := v.Data
		if v.Kind == Text {
			if data, err = hex.DecodeString(string(v.Data)); err != nil {
				err = &decode.EncodeError{Path: strings.Join(l.paths[at], "."), Problem: "want a text in hex"}
			}
		}
		return data, err
	}
	n := slices.IndexFunc(s.top.decoder.Schema().Sections, func(x *schema.Section) bool { return x.Name == o.Section })
	if n < 0 {
		return nil, &decode.EncodeError{Path: "message", Problem: "the protocol has no message of this name"}
	}
	if l.inner[n] == nil {
		l.inner[n] = newLevel(s.top.decoder.Sections()[n], l.inner)
		l.inner[n].message = New(l.inner[n].decoder.Plan())
	}
	in := l.inner[n]
	in.message.Reset()
	in.message.Root, in.message.From = o.Root, m.From
	text, err := s.encode(in, in.message, o.Opened, e, h, nil)
	var wrong *decode.EncodeError
	if errors.As(err, &wrong) {
		inside := *wrong
		if inside.Path = o.Section; wrong.Path != "" {
			inside.Path += "." + wrong.Path
		}
		err = &inside
	}
	return text, err
}

// place chooses where a message is sealed: of the places that the plan has for it one that the tree has, else the first.
func (l *level) place(m *Message, o *Opened, given []bool) int {
	first := -1
	for i := range l.paths {
		s := &l.decoder.Plan().Sealed[i]
		switch {
		case given[i], o.Of != nil && s.Node != o.Of.Node, o.Of == nil && s.Seal.OpenName() != o.Section:
			continue
		case o.Of != nil, m.at(l.paths[i]) != nil:
			return i
		case first < 0:
			first = i
		}
	}
	return first
}

// at is what the tree has at a path; nil for nothing.
func (m *Message) at(path []string) *Value {
	v := &m.Root
	for _, name := range path {
		v = v.Member(name)
	}
	return v
}

// put sets a text, which is open, and a tag of zeros.
func (l *level) put(m *Message, at int, text []byte) {
	p, v := l.decoder.Plan(), &m.Root
	child := func(name string) {
		c := v.Member(name)
		if c == nil {
			v.Items = append(v.Items, Value{Name: name})
			c = &v.Items[len(v.Items)-1]
		}
		v = c
	}
	for _, name := range l.paths[at] {
		child(name)
		if v.Kind != Object {
			*v = Value{Name: name, Kind: Object}
		}
	}
	object, s := v, &p.Sealed[at]
	child(p.Nodes[s.Data.Node].Name)
	*v = Value{Name: v.Name, Kind: Bytes, Data: text}
	if v = object; s.Tag != nil {
		child(p.Nodes[s.Tag.Node].Name)
		*v = Value{Name: v.Name, Kind: Bytes, Data: make([]byte, s.Seal.Algorithm.Tag)}
	}
}
