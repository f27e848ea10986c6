package stats

import (
	"cmp"
	"slices"

	"github.com/pktscope/pktscope/decode/reject"
)

// What a bucket of the series is made of: accepted packets by case, rejected ones by kind.

// MaxSeriesCases is how many cases the series tells apart: of those that the schema lists the ones with the least
// numbers, then of what its default takes. Which these are does not depend on the order of packets, nor on how they
// were cut into parts: the tag is the sender's, and a rule like "the first that came" would let it choose, and merge to
// something else than the whole.
const MaxSeriesCases = 48

// seriesCase is a case of the series.
type seriesCase struct {
	tag    uint64
	listed bool // an arm of the switch names it
	name   string
}

// before is the order in which cases are kept.
func (s seriesCase) before(b seriesCase) bool {
	if s.listed != b.listed {
		return s.listed
	}
	return s.tag < b.tag
}

func compareCases(a, b seriesCase) int {
	return cmp.Or(cmp.Compare(asNumber(b.listed), asNumber(a.listed)), cmp.Compare(a.tag, b.tag))
}

// seriesCases are the cases that are told apart. A case has a slot, in which every bucket counts it.
type seriesCases struct {
	list []seriesCase
	slot map[uint64]int // by tag
}

// slot is a case's slot, -1 where it is not told apart. A new one may take that of another, whose counts go: from then
// on they are in nothing but the buckets' sums, as if it had never been told apart.
func (s *series) slot(one seriesCase, name func(tag uint64) string) int {
	c := &s.cases
	if i, ok := c.slot[one.tag]; ok {
		return i
	}
	i := len(c.list)
	if i < MaxSeriesCases {
		c.list = append(c.list, seriesCase{})
	} else {
		i = 0
		for j := range c.list {
			if c.list[i].before(c.list[j]) {
				i = j
			}
		}
		if !one.before(c.list[i]) {
			return -1
		}
		delete(c.slot, c.list[i].tag)
		for j := range s.buckets {
			if b := &s.buckets[j]; i < len(b.cases) {
				b.cases[i] = 0
			}
		}
	}
	if name != nil {
		one.name = name(one.tag)
	}
	if c.slot == nil {
		c.slot = map[uint64]int{}
	}
	c.list[i], c.slot[one.tag] = one, i
	return i
}

// take makes room for the cases of another series, and tells for each of its slots the one here, -1 for none.
func (s *series) take(o *seriesCases) []int {
	for _, one := range o.list {
		s.slot(one, nil)
	}
	slots := make([]int, len(o.list))
	for i, one := range o.list {
		at, ok := s.cases.slot[one.tag]
		if !ok {
			at = -1
		}
		slots[i] = at
	}
	return slots
}

func (b *bucket) addCase(slot int, n uint64) {
	for len(b.cases) <= slot {
		b.cases = append(b.cases, 0)
	}
	b.cases[slot] += n
}

// codeSplit is what version 2 of a part has beside the sums of a bucket. The cases are in their order, so that equal
// series are saved as equal bytes.
func (s *series) codeSplit(c *coder) {
	var order []int
	for i := range s.cases.list {
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int { return compareCases(s.cases.list[a], s.cases.list[b]) })
	n := c.length(len(order), MaxSeriesCases, 3)
	for i := range n {
		var one seriesCase
		if c.writing {
			one = s.cases.list[order[i]]
		}
		c.uint(&one.tag, ^uint64(0))
		c.bool(&one.listed)
		c.text(&one.name, maxName)
		if !c.writing {
			_, twice := s.cases.slot[one.tag]
			c.check(!twice, "the saved part has a case of the series twice")
			s.slot(one, nil)
		}
	}
	counts := make([]uint64, n)
	for i := range s.buckets {
		b := &s.buckets[i]
		sparse(c, b.kinds[:])
		clear(counts)
		for j := range order {
			if order[j] < len(b.cases) {
				counts[j] = b.cases[order[j]]
			}
		}
		sparse(c, counts)
		if c.writing {
			continue
		}
		told := uint64(0)
		for j, n := range counts {
			if n > 0 && c.err == nil {
				b.addCase(j, n)
			}
			told += n
		}
		for _, n := range b.kinds {
			c.check(n <= b.rejected, "a bucket of the saved part has more rejects than packets")
		}
		c.check(told <= b.packets, "a bucket of the saved part has more packets by case than in all")
	}
}

// CaseSeries is accepted packets of one case over time.
type CaseSeries struct {
	Case    string   `json:"case"`
	Packets []uint64 `json:"packets"` // of each bucket
}

// KindSeries is rejected packets of one kind over time.
type KindSeries struct {
	Kind    string   `json:"kind"`
	Packets []uint64 `json:"packets"` // of each bucket
}

// split adds what the buckets are made of: the most packets first.
func (s *series) split(out *Series) {
	out.Cases, out.Rejects = []CaseSeries{}, []KindSeries{}
	order := slices.Clone(s.cases.list)
	slices.SortFunc(order, compareCases)
	for _, one := range order {
		i, row, all := s.cases.slot[one.tag], CaseSeries{one.name, make([]uint64, len(s.buckets))}, uint64(0)
		for j := range s.buckets {
			if b := &s.buckets[j]; i < len(b.cases) {
				row.Packets[j] = b.cases[i]
				all += b.cases[i]
			}
		}
		if all > 0 {
			out.Cases = append(out.Cases, row)
		}
	}
	for k := range reject.OverBudget + 1 {
		row, all := KindSeries{k.String(), make([]uint64, len(s.buckets))}, uint64(0)
		for j := range s.buckets {
			row.Packets[j] = s.buckets[j].kinds[k]
			all += row.Packets[j]
		}
		if all > 0 {
			out.Rejects = append(out.Rejects, row)
		}
	}
	slices.SortStableFunc(out.Cases, func(a, b CaseSeries) int { return cmp.Compare(total(b.Packets), total(a.Packets)) })
	slices.SortStableFunc(out.Rejects, func(a, b KindSeries) int { return cmp.Compare(total(b.Packets), total(a.Packets)) })
}

func total(list []uint64) (sum uint64) {
	for _, n := range list {
		sum += n
	}
	return sum
}
