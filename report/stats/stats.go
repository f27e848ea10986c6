package stats

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/saved"
)

// Stats is what was counted of one protocol's packets. It can be continued: with more packets (Take), and with what was
// counted of the packets that come next (Merge). Not for two goroutines at once.
type Stats struct {
	shape    shape
	plan     *plan.Plan   // nil of a part that was read
	switches *plan.Switch // the case switch, nil without
	schema   *saved.SchemaRef

	first, last int64    // the least and greatest time, ns; valid iff timed
	timed       bool     // some packet had a time
	total       [3]Tally // by sender: schema.Direction
	odd         oddities
	messages    bool       // some of it is of messages that packets brought, not of packets
	context     [3]Context // by sender
	cases       caseCounts
	other       [3]Tally  // of cases beyond MaxCases, by sender
	cadences    []cadence // of each sending side each case with @every: see cadence
	silences    silences
	series      series
	peers       peers
	name        func(tag uint64) string // nameOf, made once: a method value is an allocation
}

// New makes a Stats for packets of a plan.
func New(p *plan.Plan) *Stats {
	s := &Stats{plan: p, schema: saved.NewSchemaRef(p), switches: p.ShownCase()}
	s.shape, _, _ = shapeOf(p)
	s.cadences = make([]cadence, 3*len(s.shape.everys))
	s.name = s.nameOf
	return s
}

// Protocol is the name of the protocol.
func (s *Stats) Protocol() string { return s.shape.protocol }

// Schema is the schema of the packets, nil where a saved part does not say.
func (s *Stats) Schema() *saved.SchemaRef { return s.schema }

// Packets is how many packets were counted.
func (s *Stats) Packets() uint64 {
	return s.total[0].Packets() + s.total[1].Packets() + s.total[2].Packets()
}

// Empty reports whether nothing was counted, no piece of a message either.
func (s *Stats) Empty() bool { return s.Packets() == 0 && !s.messages }

// Take counts the packets of s's plan in a batch, and leaves those of other plans. Batches come in the order of the
// capture: gaps, silences and intervals are between packets that follow each other.
func (s *Stats) Take(b *Batch) {
	if s.plan == nil {
		panic("pktscope: internal error: a part that was read takes no packets; merge it into one that does")
	}
	for i := range b.records {
		if r := &b.records[i]; r.plan == s.plan {
			s.takeOf(b, r)
		}
	}
}

// takeOf counts a record of a batch.
func (s *Stats) takeOf(b *Batch, r *record) {
	s.messages = s.messages || r.message
	if r.context > 0 {
		s.takeContext(r, &b.contexts[r.context-1])
	} else {
		s.take(r, b.values[r.values[0]:r.values[1]])
	}
}

func (s *Stats) take(r *record, values []value) {
	if r.time != 0 {
		s.sawTime(r.time, r.time)
		s.series.add(r, s.name)
	}
	s.total[r.side].add(r)
	s.odd.add(r)
	s.caseOf(caseKey{r.tag, r.hasTag, r.side}, r.every).add(r)
	p := s.peers.find(&r.who, r.hash, r.side != schema.FromUnknown, &s.shape)
	s.takePeer(p, r, values)
}

// nameOf is what a case of the plan is called.
func (s *Stats) nameOf(tag uint64) string { return caseName(s.plan, tag) }

func (s *Stats) sawTime(first, last int64) {
	if !s.timed {
		s.first, s.last, s.timed = first, last, true
	}
	s.first, s.last = min(s.first, first), max(s.last, last)
}

// cadence is that of one case with @every as one side sends it: a stranger may send the case of the other side as well.
func (s *Stats) cadence(side schema.Direction, every int) *cadence {
	return &s.cadences[int(side)*len(s.shape.everys)+every]
}

// caseOf is where a packet of a case is counted. A packet that is not accepted does not say which @every its case has.
func (s *Stats) caseOf(key caseKey, every uint8) *Tally {
	c := s.cases.table[key]
	if c == nil {
		c = &caseCount{caseKey: key, listed: s.lists(key)}
		if !s.cases.enter(c, s) {
			return &s.other[key.side]
		}
		if key.hasTag {
			c.name = caseName(s.plan, key.tag)
		}
	}
	if every != 0 {
		c.every = every
	}
	return &c.tally
}

// lists reports whether an arm of the case switch names a tag.
func (s *Stats) lists(key caseKey) bool {
	if !key.hasTag || s.switches == nil {
		return false
	}
	arm := s.switches.Find(s.plan.Operands[s.switches.Tag].Key(key.tag))
	return arm >= 0 && !s.switches.Item.Arms[arm].Default
}

// Merge continues s with o, which is of the packets after those of s, and stays as it is. Counts are then those of all
// the packets; where a gap, a silence or an interval lies across the border, it is counted as if there were none. The
// error is that the two are not of one protocol.
//
// Merging is associative: of parts a, b and c the same bytes are saved (AppendJSON) of (ab)c and a(bc), and of a capture
// that was not cut. That holds until a bound is reached, which the counts then say: peers left out, borders unsettled.
func (s *Stats) Merge(o *Stats) error { return s.merge(o, true) }

// merge continues s with o; judge says that nothing is missing between them.
func (s *Stats) merge(o *Stats, judge bool) error {
	if err := s.fits(o); err != nil {
		return err
	}
	if o.schema == nil {
		s.schema = nil // of all of it nobody knows
	}
	s.mergeTime(o)
	if o.timed {
		s.sawTime(o.first, o.last)
	}
	for side := range o.total {
		s.total[side].Merge(&o.total[side])
		s.other[side].Merge(&o.other[side])
		s.context[side].Merge(&o.context[side])
	}
	s.messages = s.messages || o.messages
	s.odd.merge(&o.odd)
	s.mergeCases(&o.cases)
	for i := range o.cadences {
		s.cadences[i].merge(&o.cadences[i])
	}
	s.silences.merge(&o.silences)
	s.series.merge(&o.series)
	s.mergePeers(&o.peers, judge)
	return nil
}

// fits says why o is not of the same protocol, nil when it is.
func (s *Stats) fits(o *Stats) error {
	if !s.shape.equal(&o.shape) {
		if s.shape.protocol != o.shape.protocol {
			return fmt.Errorf("statistics of %q do not merge with those of %q", s.shape.protocol, o.shape.protocol)
		}
		return fmt.Errorf("the statistics are of two versions of %q: their counters, @ack, @every or timeout differ", s.shape.protocol)
	}
	if s.schema != nil && o.schema != nil && s.schema.Hash != o.schema.Hash {
		return fmt.Errorf("the statistics are of two schemas called %q", s.shape.protocol)
	}
	return nil
}

// empty is a Stats of the same protocol without packets.
func (s *Stats) empty() *Stats {
	e := &Stats{shape: s.shape, schema: s.schema, cadences: make([]cadence, len(s.cadences))}
	if s.peers.timeline != nil {
		e.KeepTime()
	}
	return e
}

func asNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}

func sortPeers(list []*peer) {
	slices.SortFunc(list, func(a, b *peer) int {
		return cmp.Or(a.key.peer.Compare(b.key.peer), a.key.other.Compare(b.key.other), cmp.Compare(a.key.by, b.key.by))
	})
}

func (s *Stats) code(c *coder) {
	s.shape.code(c)
	c.bool(&s.timed)
	c.instant(&s.first)
	c.instant(&s.last)
	c.check(s.first <= s.last, "the saved part ends before it begins")
	for side := range s.total {
		s.total[side].code(c)
		s.other[side].code(c)
	}
	s.odd.code(c)
	s.codeContext(c)
	s.codeCases(c)
	if !c.writing {
		s.cadences = make([]cadence, 3*len(s.shape.everys))
	}
	for i := range s.cadences {
		s.cadences[i].code(c)
	}
	s.silences.code(c)
	s.series.code(c)
	s.codeTime(c)
	s.peers.code(c, &s.shape)
	s.checkSums(c)
}
