package stats

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/scan"
)

// Context is what is known of the messages of a section beside those that were read: their pieces, and those that need
// context. A Tally has the messages that were read.
type Context struct {
	Pieces      uint64 `json:"pieces"`      // of messages, those that came again included
	Resent      uint64 `json:"resent"`      // pieces that brought nothing new
	Conflicting uint64 `json:"conflicting"` // pieces that disagreed with others
	// Messages that were given up: pieces did not come in time, there was no room, the capture ended.
	Missing uint64 `json:"missing"`
	Evicted uint64 `json:"evicted"`
	End     uint64 `json:"end"`
	// Messages that stayed sealed, by decode.Reason.
	NoKey      uint64 `json:"no_key"`
	WrongKey   uint64 `json:"wrong_key"`
	AuthFailed uint64 `json:"auth_failed"`
	// Messages that were whole, and whose fields were not looked at: secrets, and those of a packet beyond
	// flow.MaxMessages.
	Unread         uint64 `json:"unread"`
	UnreadRejected uint64 `json:"unread_rejected"`
}

// Incomplete is how many messages were given up.
func (c Context) Incomplete() uint64 { return c.Missing + c.Evicted + c.End }

// Unopened is how many messages stayed sealed.
func (c Context) Unopened() uint64 { return c.NoKey + c.WrongKey + c.AuthFailed }

// all is the counts, in the order of a saved part.
func (c *Context) all() [11]*uint64 {
	return [...]*uint64{
		&c.Pieces, &c.Resent, &c.Conflicting, &c.Missing, &c.Evicted, &c.End, &c.NoKey, &c.WrongKey, &c.AuthFailed,
		&c.Unread, &c.UnreadRejected,
	}
}

// Merge adds what o has.
func (c *Context) Merge(o *Context) {
	from := o.all()
	for i, n := range c.all() {
		*n += *from[i]
	}
}

func (c *Context) code(k *coder) {
	if k.version <= partBare {
		return
	}
	list, at := [11]uint64{}, c.all()
	for i := range at {
		list[i] = *at[i]
	}
	sparse(k, list[:])
	for i := range at {
		*at[i] = list[i]
	}
}

// newContext is the Context of what a packet brought of a section.
func newContext(n *flow.Counts) Context {
	return Context{
		Pieces: uint64(n.Pieces), Resent: uint64(n.Resent), Conflicting: uint64(n.Conflicting),
		Missing: uint64(n.Lost[flow.Missing]), Evicted: uint64(n.Lost[flow.Evicted]), End: uint64(n.Lost[flow.End]),
		NoKey: uint64(n.Sealed[decode.NoKey]), WrongKey: uint64(n.Sealed[decode.WrongKey]), AuthFailed: uint64(n.Sealed[decode.AuthFailed]),
		Unread: uint64(n.Accepted), UnreadRejected: uint64(n.Refused),
	}
}

// AddContext takes what a packet brought of the section that is the sampler's plan, but for the messages that are
// Packet.InMessages, which are for Add. What was sealed in it and is no message is for the sampler of packets.
func (s *Sampler) AddContext(b *Batch, p *scan.Packet, met *flow.Met) {
	c := newContext(&met.Counts)
	for section, m := range p.InMessages {
		switch {
		case section != met.Section:
		case m.Verdict() == decode.Refused:
			c.UnreadRejected--
		case m.Verdict() == decode.NeedsContext: // which newContext has nothing of
		default:
			c.Unread--
		}
	}
	if c != (Context{}) {
		r := b.record(s.plan, p, p.Trace.From)
		r.context, r.message = b.context(c), met.Section >= 0
	}
}

// AddLost takes messages of the plan of a section that were given up.
func (b *Batch) AddLost(p *plan.Plan, l *flow.Lost) {
	e := scan.Packet{Envelope: decode.Envelope{Src: l.Src, Dst: l.Dst}}
	r := b.record(p, &e, decode.DirectionOf(p.Schema, l.Src.Port(), l.Dst.Port()))
	n := flow.Counts{}
	n.Lost[l.Reason]++
	r.context, r.message, r.lost = b.context(newContext(&n)), true, true
}

// context keeps a Context; it gives what record.context is.
func (b *Batch) context(c Context) uint32 {
	b.contexts = append(b.contexts, c)
	return uint32(len(b.contexts))
}

// takeContext counts what a packet brought of the section beside its messages. What was given up brings nobody back who
// was left out: else each stranger would come twice.
func (s *Stats) takeContext(r *record, c *Context) {
	s.context[r.side].Merge(c)
	if r.time != 0 {
		s.sawTime(r.time, r.time)
	}
	if r.lost && s.peers.table[r.who] == nil && s.peers.left.has(r.hash) {
		return
	}
	s.peers.find(&r.who, r.hash, r.side != schema.FromUnknown, &s.shape).halves[r.half].context.Merge(c)
}

// ContextRow is the Context of what one side sent.
type ContextRow struct {
	Direction string `json:"direction"`
	Context
}

// contextRows lists what is not empty.
func contextRows(of func(side schema.Direction) *Context) (rows []ContextRow) {
	for _, side := range sides {
		if c := of(side); c != nil && *c != (Context{}) {
			rows = append(rows, ContextRow{side.String(), *c})
		}
	}
	return rows
}

// ContextOf is all rows together.
func ContextOf(rows []ContextRow) (sum Context) {
	for i := range rows {
		sum.Merge(&rows[i].Context)
	}
	return sum
}

// codeContext is what a part has of messages.
func (s *Stats) codeContext(c *coder) {
	if c.version > partBare {
		c.bool(&s.messages)
	}
	for side := range s.context {
		s.context[side].code(c)
	}
}

// MaxSections is how many sections of a schema are counted, in its order: the first that its packets can bring.
const MaxSections = 16

// heldBy lists the sections whose messages packets of a plan bring, or what these bring.
func heldBy(p *plan.Plan) (list []int) {
	seen := make([]bool, len(p.Sections))
	var visit func(p *plan.Plan)
	meet := func(section int) {
		if section >= 0 && !seen[section] {
			seen[section] = true
			visit(p.Sections[section])
		}
	}
	visit = func(p *plan.Plan) {
		for _, b := range p.Blobs {
			if b.Fragment != nil {
				meet(int(b.Fragment.Section))
			}
		}
		for _, sealed := range p.Sealed {
			meet(int(sealed.Section))
		}
	}
	visit(p)
	for i := range seen {
		if seen[i] && len(list) < MaxSections {
			list = append(list, i)
		}
	}
	return list
}
