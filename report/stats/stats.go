package stats

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/saved"
)

// MaxCases is how many cases are told apart; a switch with a default takes any tag. The rest is counted together.
const MaxCases = 512

// Stats is what was counted of one protocol's packets. It can be continued: with more packets (Take), and with what was
// counted of the packets that come next (Merge). Not for two goroutines at once.
type Stats struct {
	shape  shape
	plan   *plan.Plan // nil of a part that was read
	schema *saved.SchemaRef
	gaps   saved.Gaps

	first, last int64    // the least and greatest time, ns; valid iff timed
	timed       bool     // some packet had a time
	total       [3]Tally // by sender: schema.Direction
	odd         oddities
	cases       map[caseKey]*caseCount
	other       [3]Tally  // of cases beyond MaxCases, by sender
	cadences    []cadence // of each sending side each case with @every: see cadence
	silences    silences
	series      series
	peers       peers
	name        func(tag uint64) string // nameOf, made once: a method value is an allocation
}

type caseKey struct {
	tag    uint64
	hasTag bool
	side   schema.Direction
}

type caseCount struct {
	name  string // "" of packets without one
	every uint8  // 1 + index into shape.everys, 0 for none
	tally Tally
}

// New makes a Stats for packets of a plan.
func New(p *plan.Plan) *Stats {
	s := &Stats{plan: p, schema: saved.NewSchemaRef(p), cases: map[caseKey]*caseCount{}}
	s.shape, _, _ = shapeOf(p)
	s.cadences = make([]cadence, 3*len(s.shape.everys))
	s.name = s.nameOf
	return s
}

// Protocol is the name of the protocol.
func (s *Stats) Protocol() string { return s.shape.protocol }

// Schema is the schema of the packets, nil where a saved part does not say.
func (s *Stats) Schema() *saved.SchemaRef { return s.schema }

// Incomplete returns what s does not cover, a line each, such as a capture that was cut. The caller escapes the lines.
func (s *Stats) Incomplete() []string { return s.gaps }

// AddIncomplete adds lines to those of Incomplete.
func (s *Stats) AddIncomplete(lines ...string) { s.gaps.Add(lines...) }

// Packets is how many packets were counted.
func (s *Stats) Packets() uint64 {
	return s.total[0].Packets() + s.total[1].Packets() + s.total[2].Packets()
}

// Take counts the packets of s's plan in a batch, and leaves those of other plans. Batches come in the order of the
// capture: gaps, silences and intervals are between packets that follow each other.
func (s *Stats) Take(b *Batch) {
	if s.plan == nil {
		panic("pktscope: internal error: a part that was read takes no packets; merge it into one that does")
	}
	for i := range b.records {
		if r := &b.records[i]; r.plan == s.plan {
			s.take(r, b.values[r.values[0]:r.values[1]])
		}
	}
}

func (s *Stats) take(r *record, values []value) {
	if r.time != 0 {
		s.sawTime(r.time, r.time)
		s.series.add(r, s.name)
	}
	s.total[r.side].add(r)
	s.odd.add(r)
	s.caseOf(caseKey{r.tag, r.hasTag, r.side}, caseCount{every: r.every}).add(r)
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

// caseOf is where a case is counted; fresh is what is known of it where it is new.
func (s *Stats) caseOf(key caseKey, fresh caseCount) *Tally {
	c := s.cases[key]
	if c == nil {
		if len(s.cases) >= MaxCases {
			return &s.other[key.side]
		}
		if key.hasTag && s.plan != nil {
			fresh.name = caseName(s.plan, key.tag)
		}
		c = &caseCount{name: fresh.name}
		s.cases[key] = c
	}
	if fresh.every != 0 { // a packet that is not accepted does not say
		c.every = fresh.every
	}
	return &c.tally
}

// Merge continues s with o, which is of the packets behind those of s, and is not to be used any more. Counts are then
// those of all the packets; where a gap, a silence or an interval lies across the border, it is counted as if there
// were none. The error is that the two are not of one protocol.
func (s *Stats) Merge(o *Stats) error {
	if !s.shape.equal(&o.shape) {
		if s.shape.protocol != o.shape.protocol {
			return fmt.Errorf("statistics of %q do not merge with those of %q", s.shape.protocol, o.shape.protocol)
		}
		return fmt.Errorf("the statistics are of two versions of %q: their counters, @ack, @every or timeout differ", s.shape.protocol)
	}
	if s.schema != nil && o.schema != nil && s.schema.Hash != o.schema.Hash {
		return fmt.Errorf("the statistics are of two schemas called %q", s.shape.protocol)
	}
	if o.schema == nil {
		s.schema = nil // of all of it nobody knows
	}
	s.gaps.Add(o.gaps...)
	if o.timed {
		s.sawTime(o.first, o.last)
	}
	for side := range o.total {
		s.total[side].merge(&o.total[side])
		s.other[side].merge(&o.other[side])
	}
	s.odd.merge(&o.odd)
	for _, key := range o.caseKeys() {
		s.caseOf(key, *o.cases[key]).merge(&o.cases[key].tally)
	}
	for i := range o.cadences {
		s.cadences[i].merge(&o.cadences[i])
	}
	s.silences.merge(&o.silences)
	s.series.merge(&o.series)
	s.mergePeers(&o.peers)
	return nil
}

// caseKeys lists the cases by number.
func (s *Stats) caseKeys() []caseKey {
	keys := make([]caseKey, 0, len(s.cases))
	for k := range s.cases {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b caseKey) int {
		return cmp.Or(cmp.Compare(asNumber(a.hasTag), asNumber(b.hasTag)), cmp.Compare(a.tag, b.tag), cmp.Compare(a.side, b.side))
	})
	return keys
}

func asNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}

func sortPeers(list []*peer) {
	slices.SortFunc(list, func(a, b *peer) int {
		return cmp.Or(a.key.peer.Compare(b.key.peer), a.key.other.Compare(b.key.other))
	})
}

func (s *Stats) code(c *coder) {
	s.shape.code(c)
	c.bool(&s.timed)
	c.int(&s.first)
	c.int(&s.last)
	c.check(s.first <= s.last, "the saved part ends before it begins")
	for side := range s.total {
		s.total[side].code(c)
		s.other[side].code(c)
	}
	s.odd.code(c)
	s.codeCases(c)
	if !c.writing {
		s.cadences = make([]cadence, 3*len(s.shape.everys))
	}
	for i := range s.cadences {
		s.cadences[i].code(c)
	}
	s.silences.code(c)
	s.series.code(c)
	s.peers.code(c, &s.shape)
}

func (s *Stats) codeCases(c *coder) {
	var keys []caseKey
	if c.writing {
		keys = s.caseKeys()
	} else {
		s.cases = map[caseKey]*caseCount{}
	}
	n := c.length(len(keys), MaxCases, 4)
	for i := range n {
		var key caseKey
		one := &caseCount{}
		if c.writing {
			key, one = keys[i], s.cases[keys[i]]
		}
		c.uint(&key.tag, ^uint64(0))
		c.bool(&key.hasTag)
		side := uint8(key.side)
		c.byte(&side, uint8(schema.Server))
		key.side = schema.Direction(side)
		c.text(&one.name, maxName)
		c.byte(&one.every, uint8(len(s.shape.everys)))
		one.tally.code(c)
		if !c.writing {
			c.check(s.cases[key] == nil, "the saved part has a case twice")
			s.cases[key] = one
		}
	}
}

// First is the least time, ns since the Unix epoch; 0 where no packet had one.
func (s *Stats) First() int64 { return s.first }
