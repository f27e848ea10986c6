package message

import (
	"errors"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
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

// NewSealer makes the Sealer of a protocol, with the keys of a file, which may be nil.
func NewSealer(d *decode.Decoder, file *keys.File) *Sealer {
	return &Sealer{ring: decode.NewKeyring(file), top: newLevel(d, make([]*level, len(d.Sections())))}
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
	given, some := make([]bool, len(l.paths)), len(opened) > 0
	for i := range opened {
		o := &opened[i]
		text, err := s.text(l, m.From, o, e, h)
		if err != nil {
			return buf, err
		}
		at := l.place(m, o, given)
		if at < 0 {
			return buf, &decode.EncodeError{Path: "message", Problem: "the packet has nothing sealed that is a " + o.Section}
		}
		given[at] = true
		l.put(m, at, text)
	}
	start := len(buf)
	out, err := m.Encode(l.encoder, buf)
	if err != nil || !some {
		return out, err
	}
	if err := l.decoder.Decode(out[start:], m.From, &l.trace); err != nil {
		return buf, err
	}
	for sealed := range l.trace.Sealed() {
		at := slices.IndexFunc(l.decoder.Plan().Sealed, func(x plan.SealedText) bool { return x.Node == sealed.Node })
		if !l.isGiven(at, given) {
			continue
		}
		if err := s.ring.Seal(&l.trace, &sealed, e, h, m.From); err != nil {
			return buf, err
		}
	}
	slices.Clone(l.trace.Seals).Sort().Repair(out[start:], -1)
	return out, nil
}

// isGiven reports whether the text of a place was given: arms of one switch have one path.
func (l *level) isGiven(at int, given []bool) bool {
	for i := range given {
		if given[i] && slices.Equal(l.paths[i], l.paths[at]) {
			return true
		}
	}
	return false
}

// text is what a message is before it is sealed.
func (s *Sealer) text(l *level, from decode.Direction, o *Opened, e *decode.Envelope, h *decode.Held) ([]byte, error) {
	if o.Text != nil {
		return o.Text, nil
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
	in.message.Root, in.message.From = o.Root, from
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
		case o.Of != nil, m.has(l.paths[i]):
			return i
		case first < 0:
			first = i
		}
	}
	return first
}

// has reports whether the tree has something at a path.
func (m *Message) has(path []string) bool {
	v := &m.Root
	for _, name := range path {
		v = v.Member(name)
	}
	return v != nil
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
