package stats

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
)

// MaxCases is how many cases are told apart, of each sender by itself; a switch with a default takes any tag.
// The rest is counted together. Which are told apart does not depend on the order of packets: those without a tag, then
// those that the schema lists, then the least tags (see MaxSeriesCases).
const MaxCases = 512

// caseCounts are packets by case and sender.
type caseCounts struct {
	table map[caseKey]*caseCount
	order []*caseCount // by before
}

type caseKey struct {
	tag    uint64
	hasTag bool
	side   schema.Direction
}

type caseCount struct {
	caseKey
	listed bool   // an arm of the case switch names the tag
	name   string // "" of packets without one
	every  uint8  // 1 + index into shape.everys, 0 for none
	tally  Tally
}

// compareKept is the order in which cases are kept.
func compareKept(a, b *caseCount) int {
	return cmp.Or(cmp.Compare(asNumber(a.hasTag), asNumber(b.hasTag)), cmp.Compare(asNumber(b.listed), asNumber(a.listed)),
		cmp.Compare(a.tag, b.tag), cmp.Compare(a.side, b.side))
}

// enter makes room for a case that is new. false says that it is one of the others; a case that it drives out becomes
// one, and cannot come again, since those that are kept come before it from then on.
func (c *caseCounts) enter(one *caseCount, s *Stats) bool {
	at, _ := slices.BinarySearchFunc(c.order, one, compareKept)
	if len(c.order) == MaxCases {
		if at == MaxCases {
			return false
		}
		last := c.order[MaxCases-1]
		s.other[last.side].Merge(&last.tally)
		delete(c.table, last.caseKey)
		c.order = c.order[:MaxCases-1]
	}
	if c.table == nil {
		c.table = map[caseKey]*caseCount{}
	}
	c.table[one.caseKey] = one
	c.order = slices.Insert(c.order, at, one)
	return true
}

func (s *Stats) mergeCases(o *caseCounts) {
	for _, from := range o.order {
		c := s.cases.table[from.caseKey]
		if c == nil {
			c = &caseCount{caseKey: from.caseKey, listed: from.listed, name: from.name}
			if !s.cases.enter(c, s) {
				s.other[from.side].Merge(&from.tally)
				continue
			}
		}
		if from.every != 0 {
			c.every = from.every
		}
		c.tally.Merge(&from.tally)
	}
}

// byNumber lists the cases by tag.
func (c *caseCounts) byNumber() []*caseCount {
	return slices.SortedFunc(maps.Values(c.table), func(a, b *caseCount) int {
		return cmp.Or(cmp.Compare(asNumber(a.hasTag), asNumber(b.hasTag)), cmp.Compare(a.tag, b.tag), cmp.Compare(a.side, b.side))
	})
}

func (s *Stats) codeCases(c *coder) {
	list := s.cases.byNumber()
	n := c.length(len(list), MaxCases, 4)
	for i := range n {
		one := &caseCount{}
		if c.writing {
			one = list[i]
		}
		c.uint(&one.tag, ^uint64(0))
		c.bool(&one.hasTag)
		side := uint8(one.side)
		c.byte(&side, uint8(schema.Server))
		one.side = schema.Direction(side)
		c.text(&one.name, maxName)
		c.byte(&one.every, uint8(len(s.shape.everys)))
		one.tally.code(c)
		if c.version >= 3 {
			c.bool(&one.listed)
		}
		if c.writing {
			continue
		}
		c.check(s.cases.table[one.caseKey] == nil, "the saved part has a case twice")
		if c.err == nil {
			s.cases.enter(one, s)
		}
	}
}
