package budget

import (
	"errors"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

// Budget is what was counted of one protocol's packets. It is not for two goroutines at once.
type Budget struct {
	shape  *shape
	schema *saved.SchemaRef
	gaps   saved.Gaps
	pieces saved.Pieces // what was counted; nil where nobody says
	state
	now     []uint64 // of each place: 1 + 2 × its weight in this packet; 0 when it did not come
	touched []uint32
	open    []instance
}

// state is what is saved and merged.
type state struct {
	maxPacket int // bytes, --max-packet; 0 for none
	refused   tally
	cut       tally // and those that need context: nothing is said of their senders
	all       caseStat
	cases     []caseStat
	places    []place  // of each step, then of each leaf whose width is found on the way
	values    []values // of each leaf
	padding   place    // bits between fields, per packet that has some
	end       place    // bits after the last field
	masked    place    // bits that are counted together, because each by itself tells a secret
	first     int64    // ns since 1970, of the earliest packet and the latest; valid iff there is one
	last      int64
	moments   moments
	gates     []breach // of each gate, and after them of --max-packet for each case and for packets without one
}

// tally is packets that are not part of the budget.
type tally struct{ packets, bytes uint64 }

// caseStat is the packets of one case.
type caseStat struct {
	packets uint64
	bytes   uint64 // payload
	refused uint64 // payload bytes of packets of it that were refused or cut
	size    Spread // bytes
}

// place is how often a step or a leaf came.
type place struct {
	times   uint64 // occurrences
	weight  uint64 // of a run as times; of an array its elements; of all else its bits
	packets uint64 // that have it
	empty   uint64 // arrays without elements
	spread  Spread // weight per packet that has it; kept only where it can differ
}

// values is what was seen of a leaf.
type values struct {
	least, most uint64 // as keys; valid iff seen
	seen        bool
	nan         uint64   // NaNs, which have no order
	digits      uint64   // characters of the values as decimal numbers
	words       uint64   // characters as names: cases of an enum
	groups      uint64   // 7-bit groups that a varint would take
	direct      []uint64 // how often each code came, where there are few codes
	sample      sample
}

// New makes an empty Budget. maxPacket is a size in bytes that no packet may exceed, 0 for none.
func New(p *plan.Plan, maxPacket int) *Budget {
	s := newShape(p)
	b := &Budget{shape: s, schema: saved.NewSchemaRef(p)}
	b.maxPacket = maxPacket
	b.cases = make([]caseStat, len(s.cases))
	b.places = make([]place, len(p.Steps)+len(p.Leaves))
	b.values = make([]values, len(p.Leaves))
	b.moments = newMoments(s.columns)
	b.gates = make([]breach, len(s.gates)+len(s.cases)+1)
	b.now = make([]uint64, len(b.places))
	b.open = make([]instance, len(s.gates))
	for i := range b.values {
		b.values[i].sample.limit = s.limit
		if s.leaves[i].direct {
			b.values[i].direct = make([]uint64, 1<<p.Leaves[i].Width)
		}
	}
	return b
}

// Plan is the plan whose packets are counted.
func (b *Budget) Plan() *plan.Plan { return b.shape.plan }

// Schema names the schema of the packets.
func (b *Budget) Schema() *saved.SchemaRef { return b.schema }

// Incomplete returns what b does not cover, a line each, such as a capture that was cut. The caller escapes the lines.
func (b *Budget) Incomplete() []string { return b.gaps }

// AddIncomplete adds lines to those of Incomplete.
func (b *Budget) AddIncomplete(lines ...string) { b.gaps.Add(lines...) }

// Pieces are what b was counted of, sorted; nil of a part of before, which did not say.
func (b *Budget) Pieces() saved.Pieces { return b.pieces }

// SetPiece says of what all of b was counted.
func (b *Budget) SetPiece(p saved.Piece) { b.pieces = saved.Pieces{p.Uncut()} }

// MaxPacket is the size in bytes that no packet may exceed, 0 for none.
func (b *Budget) MaxPacket() int { return b.maxPacket }

// Packets is how many packets the budget is of: those that were accepted and whole.
func (b *Budget) Packets() uint64 { return b.all.packets }

// Empty reports whether b had no packet at all, not even one that was refused or cut.
func (b *Budget) Empty() bool { return b.all.packets+b.refused.packets+b.cut.packets == 0 }

// Add counts a packet of its plan. It keeps nothing of it.
func (b *Budget) Add(p *scan.Packet) {
	t := p.Trace
	if t.Rejected() || p.Cut {
		of := &b.refused
		if p.Verdict() != decode.Refused {
			of = &b.cut
		}
		of.packets++
		of.bytes += uint64(t.Size)
		b.all.refused += uint64(t.Size)
		if which := b.shape.find(t); which >= 0 {
			b.cases[which].refused += uint64(t.Size)
		}
		return
	}
	if b.all.packets == 0 || p.Time < b.first {
		b.first = p.Time
	}
	if b.all.packets == 0 || p.Time > b.last {
		b.last = p.Time
	}
	which := b.shape.find(t)
	b.all.add(t)
	if which >= 0 {
		b.cases[which].add(t)
	}
	if b.maxPacket > 0 && len(t.Payload) > b.maxPacket {
		at := len(b.gates) - 1
		if which >= 0 {
			at = len(b.shape.gates) + which
		}
		b.gates[at].add(uint64(len(t.Payload)), which, &p.Envelope)
	}
	b.moments.begin(&p.Envelope)
	b.count(t)
	if len(b.shape.gates) > 0 {
		b.enforce(t, which, &p.Envelope)
	}
}

func (c *caseStat) add(t *decode.Trace) {
	c.packets++
	c.bytes += uint64(len(t.Payload))
	c.size.add(uint64(len(t.Payload)))
}

// errOther is why two budgets do not merge.
var errOther = errors.New("they are of different schemas, params or limits")

var errTooMany = errors.New("together they have more packets than can be counted")

// Merge adds what o has. Both are of the same schema text with the same params, and no piece was counted in both. After
// an error b is as it was.
func (b *Budget) Merge(o *Budget) error {
	if !same(b, o) {
		return errOther
	}
	if b.weight()+o.weight() > saved.MaxCount {
		return errTooMany
	}
	pieces, err := b.pieces.Union(o.pieces)
	if err != nil {
		return err
	}
	b.pieces = pieces
	switch {
	case o.all.packets == 0:
	case b.all.packets == 0:
		b.first, b.last = o.first, o.last
	default:
		b.first, b.last = min(b.first, o.first), max(b.last, o.last)
	}
	b.gaps.Add(o.gaps...)
	b.refused.merge(o.refused)
	b.cut.merge(o.cut)
	b.all.merge(&o.all)
	for i := range b.cases {
		b.cases[i].merge(&o.cases[i])
	}
	for i := range b.places {
		b.places[i].merge(&o.places[i])
	}
	b.padding.merge(&o.padding)
	b.end.merge(&o.end)
	b.masked.merge(&o.masked)
	for i := range b.values {
		b.values[i].merge(&o.values[i])
	}
	b.moments.merge(&o.moments)
	for i := range b.gates {
		b.gates[i].merge(&o.gates[i])
	}
	return nil
}

// weight bounds every count of b: none counts more than the bits of all packets.
func (b *Budget) weight() uint64 {
	return 8*(b.all.bytes+b.refused.bytes+b.cut.bytes) + b.all.packets + b.refused.packets + b.cut.packets
}

// same reports whether two budgets count the same things.
func same(a, b *Budget) bool {
	if a.maxPacket != b.maxPacket || len(a.values) != len(b.values) || len(a.places) != len(b.places) {
		return false
	}
	p, o := a.shape.plan.Schema, b.shape.plan.Schema
	if p == o {
		return true
	}
	return p.Files.Same(o.Files) && slices.EqualFunc(paramsOf(p), paramsOf(o), func(x, y param) bool { return x == y })
}

func (t *tally) merge(o tally) {
	t.packets += o.packets
	t.bytes += o.bytes
}

func (c *caseStat) merge(o *caseStat) {
	c.packets += o.packets
	c.bytes += o.bytes
	c.refused += o.refused
	c.size.merge(&o.size)
}

func (p *place) merge(o *place) {
	p.times += o.times
	p.weight += o.weight
	p.packets += o.packets
	p.empty += o.empty
	p.spread.merge(&o.spread)
}

func (v *values) merge(o *values) {
	if o.seen {
		v.see(o.least)
		v.see(o.most)
	}
	v.nan += o.nan
	v.digits += o.digits
	v.words += o.words
	v.groups += o.groups
	for i, n := range o.direct {
		v.direct[i] += n
	}
	v.sample.merge(&o.sample)
}
