package stats

import (
	"net/netip"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/scan"
)

// maxValues is how many values of counters and acknowledgements are taken from one packet: a hostile one has half a
// million.
const maxValues = 256

// Sampler takes from decoded packets what is counted. There is one for each goroutine that decodes.
type Sampler struct {
	plan  *plan.Plan
	table []picks // of each op
	every []uint8
	cases *plan.Switch // the case switch, nil without
}

// picks are the values that the spans of one point hold.
type picks []source

// NewSampler makes a Sampler for packets of a plan.
func NewSampler(p *plan.Plan) *Sampler {
	s := &Sampler{plan: p, table: make([]picks, p.End()), cases: p.ShownCase()}
	var from []source
	_, from, s.every = shapeOf(p)
	for _, one := range from {
		at := p.Info[one.leaf].Point
		s.table[at] = append(s.table[at], one)
	}
	return s
}

// Batch is what Samplers took from some packets. The zero Batch is empty; it is reused after Reset.
type Batch struct {
	records  []record
	values   []value
	contexts []Context
}

// Reset empties it.
func (b *Batch) Reset() {
	b.records, b.values, b.contexts = b.records[:0], b.values[:0], b.contexts[:0]
}

// record is what is counted of one packet or message, or of messages beside it.
type record struct {
	plan     *plan.Plan
	time     int64
	at       place
	who      peerKey
	hash     uint64
	tag      uint64
	values   [2]uint32 // of the batch: from, to
	context  uint32    // 1 + which of the batch; 0 of a packet or message
	size     int32     // bytes of the datagram
	overhead int8
	hasTag   bool
	message  bool  // it is of messages that packets brought
	lost     bool  // the context is of messages that were given up
	listed   bool  // an arm of the case switch names the tag; valid of accepted packets
	half     uint8 // 0: sent by the peer, 1: sent to it
	every    uint8 // 1 + index into shape.everys, 0 for none
	side     schema.Direction
	verdict  decode.Verdict
	kind     reject.Kind
	notes    uint16 // bit set of reject.NoteKind
}

type value struct {
	v     uint64
	what  what
	index uint8
}

// peerKey is one flow, and who talks with whom in it: peer is the client's end. Where it is not known which end that is,
// it is the lower address. by is what else the schema's `flow by` names; it is 0 of a packet that was not accepted.
type peerKey struct {
	peer, other netip.AddrPort
	by          uint64
}

// ends is the key of all flows of the two.
func (k peerKey) ends() peerKey { return peerKey{peer: k.peer, other: k.other} }

// Add takes a packet. It keeps nothing of it.
func (s *Sampler) Add(b *Batch, p *scan.Packet) {
	t := p.Trace
	if t.Plan != s.plan {
		panic("pktscope: internal error: a sampler got a packet of another plan")
	}
	r := b.record(s.plan, p, t.From)
	r.size, r.verdict, r.message = int32(t.Size), p.Verdict(), p.IsMessage()
	if !r.message {
		r.overhead = int8(overhead(p.Src))
	}
	if t.HasTag && s.cases != nil {
		r.tag, r.hasTag = s.plan.CaseTag(t.Tag), true
	}
	from := uint32(len(b.values))
	switch r.verdict {
	case decode.Refused:
		r.kind = t.Reject().Kind
	case decode.Accepted:
		if r.hasTag {
			if arm := s.cases.Find(s.plan.Operands[s.cases.Tag].Key(t.Tag)); arm >= 0 {
				r.every, r.listed = s.every[arm], !s.cases.Item.Arms[arm].Default
			}
		}
		s.values(b, t)
	}
	if r.verdict != decode.Refused {
		for n := range p.ShownNotes() {
			r.notes |= 1 << n.Kind
		}
	}
	r.values = [2]uint32{from, uint32(len(b.values))}
}

// record begins a record of what has the ends and time of a packet.
func (b *Batch) record(of *plan.Plan, p *scan.Packet, from schema.Direction) *record {
	// Each field is stored where it stays: a literal of this size is made elsewhere and copied.
	b.records = append(b.records, record{})
	r := &b.records[len(b.records)-1]
	r.plan, r.time, r.at, r.side = of, p.Time, newPlace(p.File, p.N), from
	r.who = peerKey{p.Src, p.Dst, p.FlowKey()}
	if from == decode.Server || from == decode.FromUnknown && p.Dst.Compare(p.Src) < 0 {
		r.half, r.who.peer, r.who.other = 1, p.Dst, p.Src
	}
	r.hash = hashOf(r.who)
	return r
}

// values takes the counters and acknowledgements of an accepted packet, in wire order.
func (s *Sampler) values(b *Batch, t *decode.Trace) {
	most := len(b.values) + maxValues
	for i := range t.Records {
		span := &t.Records[i]
		for _, p := range s.table[span.Point] {
			v, ok := s.value(t, span, p)
			if !ok {
				continue
			}
			if len(b.values) == most {
				return
			}
			b.values = append(b.values, value{v, p.what, p.index})
		}
	}
}

// value is the value of a leaf in a span of its point; of a counter the code, whatever its values are called.
func (s *Sampler) value(t *decode.Trace, span *decode.Record, from source) (v uint64, ok bool) {
	p := s.plan
	info := &p.Info[from.leaf]
	off, width := uint32(int(from.leaf)-p.LeafAt(span.Point)), int(span.N)
	if p.ShapeAt(span.Point) == plan.ShapeCodes {
		if off >= span.N {
			return 0, false
		}
		width = int(p.Leaves[from.leaf].Width)
	} else if off != 0 || t.LeafOf(span) != int(from.leaf) {
		return 0, false // it ends a list, or is the index of a bitmap's element
	}
	v = t.Raw[span.Raw+off]
	if from.what != isSeq {
		return info.Value(v, width), true
	}
	if info.ZigZag {
		v = info.Value(v, width) & info.TypeSpan
	}
	return v, v <= info.TypeSpan
}
