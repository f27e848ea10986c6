package results

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/saved"
)

func readCampaign(b []byte) (*report.SavedCampaign, error) {
	m := &report.SavedCampaign{}
	if err := decodeJSON(b, m); err != nil {
		return nil, err
	}
	m.Kind = report.KindFuzz
	var c check
	c.name("protocol", m.Protocol)
	c.name("target", m.Target)
	c.schema(m.Schema)
	c.counts("campaign", int64(m.Runs), int64(m.Workers), m.Packets, m.Useful, m.Held, int64(m.Corpus), int64(m.Queue), int64(m.Passed), int64(m.Sequences), int64(m.Lost))
	if m.Synced != nil {
		c.counts("campaign", int64(m.Synced.Read), int64(m.Synced.Added))
	}
	c.that(m.Seconds >= 0 && m.Seconds <= saved.MaxCount && m.Coverage >= 0 && m.Coverage <= 100, "campaign: a time or coverage that is none")
	for i := range m.Rules {
		r := &m.Rules[i]
		c.name("rule", r.Rule)
		c.counts("rule", int64(r.Reached), int64(r.Of))
		c.that(r.Reached <= r.Of, "rule: more reached than there is")
	}
	m.Incomplete = cleaned(m.Incomplete)
	c.findings(m.Findings, m.KnownMistakes, m.Gone)
	c.untested(m.Untested)
	return m, c.wrong
}

// mergeCampaign adds what o has. Two corpora may have the same packets, so of theirs the larger counts, and coverage is
// at least that of the better one; the ways to be refused, which are named where they were not met, add up exactly.
func mergeCampaign(c, o *report.SavedCampaign) {
	c.Runs = saved.Sum(max(c.Runs, 1), max(o.Runs, 1))
	c.Seed = min(c.Seed, o.Seed)
	c.Tool = max(c.Tool, o.Tool)
	c.Workers = max(c.Workers, o.Workers)
	c.Seconds = min(math.Round((c.Seconds+o.Seconds)*1000)/1000, saved.MaxCount)
	c.Packets = saved.Sum(c.Packets, o.Packets)
	c.Useful = saved.Sum(c.Useful, o.Useful)
	c.Held = saved.Sum(c.Held, o.Held)
	c.Corpus = max(c.Corpus, o.Corpus)
	c.Queue = max(c.Queue, o.Queue)
	c.Passed, c.Sequences = max(c.Passed, o.Passed), max(c.Sequences, o.Sequences)
	if o.Synced != nil {
		if c.Synced == nil {
			c.Synced = new(fuzz.Synced)
		}
		c.Synced.Read, c.Synced.Added = saved.Sum(c.Synced.Read, o.Synced.Read), saved.Sum(c.Synced.Added, o.Synced.Added)
	}
	c.Coverage = max(c.Coverage, o.Coverage)
	c.Lost = saved.Sum(c.Lost, o.Lost)
	c.Incomplete.Add(o.Incomplete...)
	known := missing(c).matches(c) && missing(o).matches(o)
	c.Untested = mergeUntested(c.Untested, o.Untested)
	c.Unreached = both(c.Unreached, o.Unreached)
	left := missing(c)
	at := make(map[string]int, len(c.Rules))
	for i := range c.Rules {
		at[c.Rules[i].Rule] = i
	}
	for _, r := range o.Rules {
		i, ok := at[r.Rule]
		if !ok {
			at[r.Rule] = len(c.Rules)
			c.Rules = append(c.Rules, r)
			continue
		}
		both := &c.Rules[i]
		both.Of = max(both.Of, r.Of)
		both.Reached = max(both.Reached, r.Reached)
		if known {
			both.Reached = max(both.Reached, both.Of-left[r.Rule])
		}
	}
	c.Findings, c.KnownMistakes = mergeKnown(mergeFindings(c.Findings, o.Findings), c.KnownMistakes, o.KnownMistakes)
	c.Gone = both(c.Gone, o.Gone)
}

// unmet is how many of the ways to break each rule were not met.
type unmet map[string]int

// missing counts among what a campaign did not reach the ways to be refused: `rule: kind`.
func missing(c *report.SavedCampaign) unmet {
	kinds := map[string]bool{}
	for _, k := range reject.Kinds() {
		kinds[k.String()] = true
	}
	m := unmet{}
	for _, name := range c.Unreached {
		if i := strings.LastIndex(name, ": "); i >= 0 && kinds[name[i+2:]] {
			m[name[:i]]++
		}
	}
	return m
}

// matches reports whether the names agree with the counts of a campaign.
func (u unmet) matches(c *report.SavedCampaign) bool {
	for _, r := range c.Rules {
		if u[r.Rule] != r.Of-r.Reached {
			return false
		}
	}
	return true
}

func sortCampaign(c *report.SavedCampaign) {
	slices.SortStableFunc(c.Rules, func(a, b report.SavedReach) int {
		// The least reached first: a.Reached/a.Of without a division, in floats because products of counts do not fit.
		return cmp.Or(cmp.Compare(float64(a.Reached)*float64(b.Of), float64(b.Reached)*float64(a.Of)), strings.Compare(a.Rule, b.Rule))
	})
	sortUntested(c.Untested)
	slices.Sort(c.Unreached)
	sortFindings(c.Findings)
	sortFindings(c.KnownMistakes)
	slices.Sort(c.Gone)
}
