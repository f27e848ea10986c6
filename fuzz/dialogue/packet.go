package dialogue

import (
	"bytes"
	"errors"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz"
)

// maxSamples is how many random packets are made to have one of each case.
const maxSamples = 4000

// sample is a valid packet of a case, in which what is sealed lies open.
type sample struct {
	packet decode.Packet
	root   *message.Value // the packet as a tree
	sealed []*message.Opened
	inside map[*plan.SealedText]*message.Value // messages as trees
}

// sample finds a valid packet of each case that clients send. Cases that nobody can send are forgotten.
func (c *checker) sample() {
	var trace decode.Trace
	g, left := fuzz.NewGenerator(c.decoder), 0
	for _, tag := range c.tree.tags {
		if c.tree.from(tag) != decode.Server && c.tree.arm(tag) != plan.NoNode {
			left++
		}
	}
	least := uint64(0) // packets, to meet cases that an `if` may have
	if c.tree.armless {
		least = maxSamples / 16
	}
	sealer := message.NewSealer(c.decoder, decode.NewKeyring(nil))
	for n := uint64(0); n < maxSamples && (left > 0 || n < least); n++ {
		const seed = 1
		p, err := g.Random(seed, n)
		if err != nil || p.From == decode.Server || c.decoder.Decode(p.Data, decode.Client, &trace) != nil {
			continue
		}
		tag, ok := c.tree.tagOf(&trace)
		if _, had := c.samples[tag]; !ok || had {
			continue
		}
		if s := c.sampleOf(sealer, &trace); s != nil {
			if c.samples[tag] = s; c.tree.arm(tag) != plan.NoNode {
				left--
			}
		}
	}
	for _, name := range slices.Clone(c.tree.names) {
		tag := c.tree.tags[name]
		if _, ok := c.samples[tag]; !ok && c.tree.arm(tag) == plan.NoNode {
			c.tree.forget(tag)
		}
	}
}

// sampleOf makes the sample of a valid packet; nil where no message was found that fits what is sealed in it.
func (c *checker) sampleOf(sealer *message.Sealer, trace *decode.Trace) *sample {
	s := &sample{inside: map[*plan.SealedText]*message.Value{}}
	var kept decode.Trace // of the packet's own bytes
	data := bytes.Clone(trace.Payload)
	if c.decoder.Decode(data, decode.Client, &kept) != nil {
		return nil
	}
	m := message.New(c.decoder.Plan())
	m.FromTrace(&kept)
	for sealed := range kept.Sealed() {
		s.sealed = append(s.sealed, &message.Opened{
			Section: sealed.Seal.OpenName(), Of: sealed.SealedText, Text: sealed.Bytes[:len(sealed.Bytes)-sealed.Seal.Algorithm.Tag],
		})
	}
	s.root = &m.Root
	if s.packet = (decode.Packet{Data: data, From: decode.Client}); len(s.sealed) == 0 {
		return s
	}
	var sizes []int
	for _, o := range s.sealed {
		sizes = append(sizes, len(o.Text))
	}
	for try := range uint64(maxTexts) {
		m.Opened = nil
		for i, o := range s.sealed {
			if o.Of.Section < 0 {
				m.Opened = append(m.Opened, *o)
				continue
			}
			inner := c.decoder.Sections()[o.Of.Section]
			p, err := fuzz.NewGenerator(inner).Random(1, try)
			var read decode.Trace
			if err != nil {
				break
			}
			text := make([]byte, sizes[i]) // as long as what the packet has there, where a message can be
			if copy(text, p.Data); inner.Decode(text, decode.Client, &read) != nil {
				if text = bytes.Clone(p.Data); inner.Decode(text, decode.Client, &read) != nil {
					break
				}
			}
			of := message.New(inner.Plan())
			of.FromTrace(&read)
			o.Text, s.inside[o.Of] = text, &of.Root
			m.Opened = append(m.Opened, *o)
		}
		if len(m.Opened) < len(s.sealed) {
			continue
		}
		if packet, err := sealer.Lay(m, &decode.Envelope{}, nil, nil); err == nil {
			s.packet.Data = packet
			return s
		}
	}
	return nil
}

// maxTexts is how many messages are made, at most, to have one that fits what is sealed in a packet.
const maxTexts = 64

// sampleTree is a sample of a case as a tree, or what is sealed in it; empty without one.
func (d *Dialogue) sampleTree(tag uint64, of *plan.SealedText) *message.Value {
	s := d.samples[tag]
	switch {
	case s == nil:
	case of == nil:
		return s.root
	case s.inside[of] != nil:
		return s.inside[of]
	}
	return &message.Value{Kind: message.Object}
}

// caseName is the name of a case.
func (d *Dialogue) caseName(tag uint64) string {
	return decode.CaseOf(d.decoder.Plan(), tag).CaseName()
}

// draft is a packet of a case as it is made.
type draft struct {
	*message.Message
}

// begin empties a message for a packet of a case, with what is sealed in it.
func (d *Dialogue) begin(m *message.Message, tag uint64) draft {
	m.Reset()
	m.From, m.Case = decode.Client, d.caseName(tag)
	if s := d.samples[tag]; s != nil {
		for _, o := range s.sealed {
			m.Opened = append(m.Opened, message.Opened{Section: o.Section, Of: o.Of, Root: message.Value{Kind: message.Object}})
		}
	}
	return draft{m}
}

// put sets a field; false where there is no place for it.
func (m draft) put(at *place, v message.Value) bool {
	if at.of == nil {
		return at.put(&m.Root, v)
	}
	for i := range m.Opened {
		if o := &m.Opened[i]; o.Of == at.of {
			o.Text = nil
			return at.put(&o.Root, v)
		}
	}
	return false
}

// automaticOf are the automatic fields that packets of a case have.
func (d *Dialogue) automaticOf(tag uint64) []*Field {
	if len(d.decoder.Plan().Sealed) == 0 || d.samples[tag] == nil {
		return d.automatic
	}
	var all []*Field
	for _, f := range d.automatic {
		if memberAt(d.sampleTree(tag, f.at.of), f.at.parts) != nil {
			all = append(all, f)
		}
	}
	return all
}

// encodeProblem is an error of the encoder in one line, the packet's part first.
func encodeProblem(err error) string {
	var e *decode.EncodeError
	if errors.As(err, &e) {
		return e.Error()
	}
	return err.Error()
}
