package scan

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/pcap"
)

// judge decodes and filters one datagram after the other, in memory of its own.
type judge struct {
	options  *Options
	sessions []*flow.Session   // of each decoder; nil of one whose packets bring no messages
	matchers []*filter.Matcher // of each decoder; nil without filters, and one is nil that matches nothing
	packet   Packet
	trace    decode.Trace
	spare    decode.Trace // of what may be one of several in a datagram
	last     int          // whose session the last packet went to; -1 for none
	asked    []flow.Lost
	some     bool  // a datagram was on a decoder's port
	strange  Flows // on none, until then
}

func newJudge(o *Options) *judge {
	j := &judge{options: o}
	j.packet.Trace = &j.trace
	j.sessions = newSessions(o.Decoders, o.Flow)
	for _, p := range o.Filters {
		var m *filter.Matcher
		if p != nil {
			m = p.NewMatcher()
		}
		j.matchers = append(j.matchers, m)
	}
	return j
}

// read decodes a datagram and counts it; nil when the options do not ask for it. What it returns is valid until the
// next call.
func (j *judge) read(d *datagram, t *Tally) *Packet {
	which := j.options.Decoders.Index(d.Src, d.Dst)
	if j.last = which; which < 0 {
		if t.NoPort++; !j.some {
			j.strange.add(d.Src, d.Dst, 1)
		}
		return nil
	}
	j.some = true
	p, decoder := &j.packet, j.options.Decoders.At(which)
	accepted := j.accepts(decoder, d, which)
	if accepted {
		t.Packets++
		t.Accepted++
		if j.options.Only != All {
			return nil
		}
	}
	p.Envelope, p.which, p.records, p.messages, p.left, p.met = d.Envelope, which, d.records, nil, 0, nil
	if accepted {
		t.Matched++
		return p
	}
	p.decode(decoder, j.sessions[which], d.data, d.size, &j.spare)
	verdict, notes := p.Verdict(), p.Notes()
	t.packet(p, verdict, notes)
	switch j.options.Only {
	case All:
	case Rejects:
		if verdict != decode.Refused && !p.RefusedMessage() {
			return nil
		}
	case Notes:
		if notes == 0 {
			return nil
		}
	}
	if j.matchers != nil {
		m := j.matchers[which]
		if m == nil {
			return nil
		}
		m.Bring(p.messages)
		if !m.Match(p.Trace, &p.Envelope) {
			return nil
		}
		if s := j.sessions[which]; s != nil {
			s.Ask()
		}
	}
	t.Matched++
	return p
}

// accepts reports whether a datagram is one of those that the options pass over, or hand on unread, so that no more than
// this has to be known of it. False says nothing.
func (j *judge) accepts(decoder *decode.Decoder, d *datagram, which int) bool {
	if j.options.Only == All && (!j.options.Unread || j.matchers != nil) || j.sessions[which] != nil || d.Cut || d.LengthMismatch || d.OddTime {
		return false
	}
	var packet decode.Packet
	fill(&packet, decoder, &d.Envelope, d.data, d.size)
	return decoder.Accepts(&packet, &j.trace)
}

// fill makes a datagram what a decoder reads, field by field: see shipment.add.
func fill(to *decode.Packet, decoder *decode.Decoder, e *decode.Envelope, data []byte, size int) {
	to.Data, to.Size, to.From = data, size, decode.DirectionOf(decoder.Schema(), e.Src.Port(), e.Dst.Port())
}

// Read decodes a datagram of a capture into p, whose Trace is the caller's. The ports say who sent it. p refers to the
// datagram's payload.
func (p *Packet) Read(d *decode.Decoder, from *pcap.Datagram, file string) {
	p.Envelope = envelope(from, file)
	p.decode(d, nil, from.Payload, from.Size, nil)
}

// times are when the datagrams of a capture came, up to the last.
type times struct {
	some        bool
	first, last int64
}

// tell adds to an envelope what came before its datagram, which is the last from now on.
func (t *times) tell(e *decode.Envelope) {
	if !t.some {
		*t = times{true, e.Time, e.Time}
	}
	e.First, e.Before, t.last = t.first, t.last, e.Time
}

func envelope(d *pcap.Datagram, file string) decode.Envelope {
	return decode.Envelope{N: d.N, File: file, Time: d.Time, Src: d.Src, Dst: d.Dst, Cut: d.Cut, LengthMismatch: d.LengthMismatch, OddTime: d.OddTime, Timed: d.Timed, OverMTU: d.OverMTU}
}

// decode reads a datagram, in the session of its decoder if there is one; spare is memory to work in, or nil.
func (p *Packet) decode(d *decode.Decoder, s *flow.Session, data []byte, size int, spare *decode.Trace) {
	var packet decode.Packet
	fill(&packet, d, &p.Envelope, data, size)
	if s == nil {
		d.Read(&packet, p.Trace)
	} else {
		_ = s.Decode(&packet, &p.Envelope, p.Trace) // the reject is in the trace
		p.messages, p.left, p.met = s.Messages(), s.Left(), s.Met()
	}
	if r := p.Trace.Reject(); r != nil && !p.Cut {
		if p.Merged = merged(d, &packet, r, spare); p.Merged == 0 && p.OverMTU {
			p.Merged = -1
		}
	}
}

// maxMerged is how many datagrams Linux puts into one at most. Whatever bytes are left over can be packets of less than
// leastMerged bytes, which says nothing then.
const maxMerged, leastMerged = 128, 8

// merged is how many bytes those datagrams have of which a refused packet is made, but the last, which can be shorter:
// each of them is accepted where it is a datagram of its own. 0 says that it is not made of such.
func merged(d *decode.Decoder, packet *decode.Packet, r *reject.Reject, spare *decode.Trace) int {
	size := r.Bit / 8
	if r.Kind != reject.TrailingBytes || r.Bit%8 != 0 || size < leastMerged || len(packet.Data) > maxMerged*size {
		return 0
	}
	if spare == nil {
		spare = new(decode.Trace)
	}
	for at := 0; at < len(packet.Data); at += size {
		one := decode.Packet{Data: packet.Data[at:min(at+size, len(packet.Data))], From: packet.From}
		if !d.Accepts(&one, spare) {
			return 0
		}
	}
	return size
}

// newSessions makes a session for each decoder that needs one.
func newSessions(d *Decoders, l flow.Limits) []*flow.Session {
	list := make([]*flow.Session, d.Len())
	for i := range list {
		if !d.keeps(i) {
			continue
		}
		list[i] = flow.New(d.At(i), l)
		if d.keys != nil {
			list[i].Open(d.keys)
		}
		if d.trust {
			list[i].Trust()
		}
	}
	return list
}

// lost gives the messages that were given up when the last packet came, and whose they are.
func (j *judge) lost() (*decode.Decoder, []flow.Lost) {
	if j.last < 0 || j.sessions[j.last] == nil {
		return nil, nil
	}
	return j.options.Decoders.At(j.last), j.lostOf(j.sessions[j.last])
}

// lostOf is what a session gave up; with filters, the messages of which they were true of a packet.
func (j *judge) lostOf(s *flow.Session) []flow.Lost {
	if j.matchers == nil {
		return s.Lost()
	}
	j.asked = j.asked[:0]
	for _, one := range s.Lost() {
		if one.Asked {
			j.asked = append(j.asked, one)
		}
	}
	return j.asked
}

// end gives up the messages that are open at the end of a capture, and tells each of them.
func (j *judge) end(each func(*decode.Decoder, []flow.Lost)) {
	for i, s := range j.sessions {
		if s != nil {
			s.Flush()
			each(j.options.Decoders.At(i), j.lostOf(s))
		}
	}
}

// messages is what the sessions met.
func (j *judge) messages() (sum flow.Counts) {
	for _, s := range j.sessions {
		if s != nil {
			c := s.Counts()
			sum.Add(&c)
		}
	}
	return sum
}
