package dialogue

import (
	"bytes"
	"errors"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/fuzz"
)

// maxSamples is how many random packets are made to have one of each case.
const maxSamples = 4000

// sample finds a valid packet of each case that clients send.
func (c *checker) sample() {
	var trace decode.Trace
	g, left := fuzz.NewGenerator(c.decoder), 0
	for _, tag := range c.tree.tags {
		if c.tree.from(tag) != decode.Server {
			left++
		}
	}
	for n := uint64(0); n < maxSamples && left > 0; n++ {
		const seed = 1
		p, err := g.Random(seed, n)
		if err != nil || p.From == decode.Server || c.decoder.Decode(p.Data, decode.Client, &trace) != nil || !trace.HasTag {
			continue
		}
		if _, ok := c.samples[trace.Tag]; !ok {
			c.samples[trace.Tag] = decode.Packet{Data: bytes.Clone(p.Data), From: decode.Client}
			left--
		}
	}
}

// sampleTree is a sample of a case as a tree; empty without one.
func (d *Dialogue) sampleTree(tag uint64) *message.Value {
	m := message.New(d.decoder.Plan())
	if p, ok := d.samples[tag]; ok {
		var trace decode.Trace
		_ = d.decoder.Decode(p.Data, p.From, &trace) // it is valid
		m.FromTrace(&trace)
	}
	return &m.Root
}

// caseName is the name of a case.
func (d *Dialogue) caseName(tag uint64) string {
	return decode.CaseOf(d.decoder.Plan(), tag).CaseName()
}

// packetOf is an empty packet of a case.
func (d *Dialogue) packetOf(tag uint64) *message.Message {
	m := message.New(d.decoder.Plan())
	m.From, m.Case = decode.Client, d.caseName(tag)
	return m
}

// automaticOf are the automatic fields that packets of a case have.
func (d *Dialogue) automaticOf(uint64) []*Field { return d.automatic }

// encodeProblem is an error of the encoder in one line, the packet's part first.
func encodeProblem(err error) string {
	var e *decode.EncodeError
	if errors.As(err, &e) {
		return e.Error()
	}
	return err.Error()
}
