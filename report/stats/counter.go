package stats

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

// Counter counts the packets of a scan, of each protocol by itself, and of each the messages that they bring, each
// section by itself, as if it were a protocol: at most MaxSections. What is counted goes through one goroutine in the
// order of the capture, because a gap, a silence or an interval is between packets that follow each other; workers only
// sample.
type Counter struct {
	decoders *scan.Decoders
	stats    []*Stats // of each decoder, then of each section
	of       map[*plan.Plan]*Stats
	sections []map[int]bool // of each decoder, those that are counted
}

// NewCounter makes a Counter for the packets of decoders. Several scans, one after the other, are one capture in
// pieces.
func NewCounter(decoders *scan.Decoders) *Counter {
	c := &Counter{decoders: decoders, of: map[*plan.Plan]*Stats{}}
	for _, d := range decoders.All() {
		c.stats = append(c.stats, New(d.Plan()))
	}
	for _, d := range decoders.All() {
		counted := map[int]bool{}
		for _, section := range heldBy(d.Plan()) {
			counted[section] = true
			c.stats = append(c.stats, New(d.Plan().Sections[section]))
		}
		c.sections = append(c.sections, counted)
	}
	for _, s := range c.stats {
		c.of[s.plan] = s
	}
	return c
}

// KeepTime makes each Stats count what Summary.Timeline has.
func (c *Counter) KeepTime() {
	for _, s := range c.stats {
		s.KeepTime()
	}
}

// Stage counts packets, and their messages.
func (c *Counter) Stage() scan.Stage[Batch] {
	return scan.Stage[Batch]{
		New: func() func(*Batch, *scan.Packet) {
			samplers := make([]*samplers, c.decoders.Len())
			for i, d := range c.decoders.All() {
				samplers[i] = newSamplers(d, c.sections[i])
			}
			return func(b *Batch, p *scan.Packet) { samplers[p.Which()].add(b, p) }
		},
		Drain: func(b *Batch) error {
			var s *Stats // of the record before, as most are
			for i := range b.records {
				r := &b.records[i]
				if s == nil || s.plan != r.plan {
					s = c.of[r.plan]
				}
				if s != nil { // else of a section that is not counted
					s.takeOf(b, r)
				}
			}
			b.Reset()
			return nil
		},
		Lost: func(b *Batch, d *decode.Decoder, list []flow.Lost) {
			for i := range list {
				b.AddLost(d.Plan().Sections[list[i].Section], &list[i])
			}
		},
	}
}

// samplers are those of a protocol and of its sections.
type samplers struct {
	packets  *Sampler
	sections map[int]*Sampler
}

func newSamplers(d *decode.Decoder, sections map[int]bool) *samplers {
	s := &samplers{packets: NewSampler(d.Plan()), sections: map[int]*Sampler{}}
	for section := range sections {
		s.sections[section] = NewSampler(d.Plan().Sections[section])
	}
	return s
}

func (s *samplers) add(b *Batch, p *scan.Packet) {
	s.packets.Add(b, p)
	for section, message := range p.InMessages {
		if one := s.sections[section]; one != nil {
			one.Add(b, message)
		}
	}
	for i, met := range p.Met() {
		one := s.sections[met.Section]
		if met.Section < 0 {
			one = s.packets
		}
		if one != nil {
			one.AddContext(b, p, &p.Met()[i])
		}
	}
}

// All is what was counted of each decoder's packets, in their order, then of each of their sections.
func (c *Counter) All() []*Stats { return c.stats }

// Has reports whether number i of All is to be shown: something was counted, or it is of the only decoder.
func (c *Counter) Has(i int) bool {
	return !c.stats[i].Empty() || i == 0 && c.decoders.Len() == 1
}

// Met returns what was counted of a piece, without the protocols that had no packet and the sections that had no
// message; with one decoder, and of a piece of several, also those: a protocol that a piece does not have is counted,
// not missing. The Counter is not to be used any more.
func (c *Counter) Met(p saved.Piece) (list []*Segments) {
	for i, s := range c.stats {
		if c.Has(i) || p.Of > 1 {
			list = append(list, NewSegments(p, s))
		}
	}
	return list
}
