package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/stats"
)

// Set is saved results: what one report is made of. The zero Set is empty. Equal kinds of one protocol and schema are
// one; what differs in its schema, or of an audit or a campaign in its target, stays apart. The lists are in an order
// that does not depend on that of the inputs once Merge was called.
type Set struct {
	Statistics []*stats.Segments
	Budgets    []*budget.Budget
	Rejects    []*rejects.Result
	Audits     []*report.SavedAudit
	Campaigns  []*report.SavedCampaign
	Findings   []*Finding // of files of their own; AllFindings has those of audits and campaigns, too

	// Trouble is what could not be read, or not to its end: a line each. AppendJSON saves it with every result.
	Trouble []string

	// unmet are of protocols that had no packet: pieces of captures say that they looked for them. They are saved while
	// pieces are missing, and Statistics where there are no others.
	unmet []*stats.Segments

	found map[placedKey]*Finding // Findings by what they are
	names schemas                // see NameOf; nil before it was asked
	read  int64                  // see Bytes
	kept  int                    // elements of Rejects, Audits and Campaigns: see keep
}

// The most different results of a kind. A Budget has a compiled schema and room for each of its fields, which is not
// sized by what a file says, but costs megabytes.
const (
	maxAudits   = 256
	maxFindings = 1 << 14
)

// Bytes is how much was read for it, unpacked, by one Read.
func (s *Set) Bytes() int64 { return s.read }

// Empty reports whether there is nothing in it.
func (s *Set) Empty() bool {
	return len(s.Statistics)+len(s.unmet)+len(s.Budgets)+len(s.Rejects)+len(s.Audits)+len(s.Campaigns)+len(s.Findings) == 0
}

// Add adds what o has, which is not to be used any more. With an error a part of it is added.
func (s *Set) Add(o *Set) error {
	if err := s.AddStatistics(slices.Concat(o.Statistics, o.unmet)...); err != nil {
		return err
	}
	if err := s.AddBudgets(o.Budgets...); err != nil {
		return err
	}
	if err := s.AddRejects(o.Rejects...); err != nil {
		return err
	}
	if err := add(s, &s.Audits, auditKind, o.Audits...); err != nil {
		return err
	}
	if err := add(s, &s.Campaigns, campaignKind, o.Campaigns...); err != nil {
		return err
	}
	for _, f := range o.Findings {
		if err := s.addFinding(f); err != nil {
			return err
		}
	}
	return nil
}

// AddStatistics adds statistics. The error is that some of what they were counted of was counted before, then nothing
// is added; or that there are too many.
func (s *Set) AddStatistics(list ...*stats.Segments) error {
	for _, one := range list {
		if known := s.statisticsLike(one); known != nil {
			if err := known.Twice(one); err != nil {
				return fmt.Errorf("statistics of %q: %w", one.Protocol(), err)
			}
		}
	}
	for _, one := range list {
		if known := s.statisticsLike(one); known != nil {
			if err := known.Union(one); err != nil {
				return fmt.Errorf("statistics of %q: %w", one.Protocol(), err)
			}
			continue
		}
		if len(s.Statistics)+len(s.unmet) == stats.MaxParts {
			return tooMany("statistics", stats.MaxParts)
		}
		s.unmet = append(s.unmet, one)
	}
	s.unmet = slices.DeleteFunc(s.unmet, func(one *stats.Segments) bool {
		if one.Packets() > 0 {
			s.Statistics = append(s.Statistics, one)
		}
		return one.Packets() > 0
	})
	return nil
}

// statisticsLike finds what statistics add up with, nil for nothing.
func (s *Set) statisticsLike(one *stats.Segments) *stats.Segments {
	for _, known := range slices.Concat(s.Statistics, s.unmet) {
		if hashOf(known.Schema()) == hashOf(one.Schema()) && known.Fits(one) == nil {
			return known
		}
	}
	return nil
}

func sortStatistics(list []*stats.Segments) {
	slices.SortStableFunc(list, func(a, b *stats.Segments) int {
		return cmp.Or(strings.Compare(a.Protocol(), b.Protocol()), strings.Compare(hashOf(a.Schema()), hashOf(b.Schema())), cmp.Compare(a.First(), b.First()))
	})
}

// AddBudgets adds budgets.
func (s *Set) AddBudgets(list ...*budget.Budget) error {
	return add(s, &s.Budgets, budgetKind, list...)
}

func tooMany(what string, most int) error {
	return fmt.Errorf("%s of more than %d different protocols, schemas or targets", what, most)
}

// Merge puts every list in its order.
func (s *Set) Merge() {
	s.names = nil
	if len(s.Statistics) == 0 {
		s.Statistics, s.unmet = s.unmet, nil
	}
	sortStatistics(s.Statistics)
	sortStatistics(s.unmet)
	slices.SortStableFunc(s.Budgets, budgetKind.compare)
	slices.SortStableFunc(s.Rejects, rejectsKind.compare)
	slices.SortStableFunc(s.Audits, auditKind.compare)
	slices.SortStableFunc(s.Campaigns, campaignKind.compare)
	for _, r := range s.Rejects {
		r.Sort()
	}
	for _, a := range s.Audits {
		sortAudit(a)
	}
	for _, c := range s.Campaigns {
		sortCampaign(c)
	}
	slices.SortStableFunc(s.Findings, func(a, b *Finding) int {
		return cmp.Or(strings.Compare(a.Protocol, b.Protocol), strings.Compare(a.Target, b.Target), compareFindings(&a.SavedFinding, &b.SavedFinding))
	})
}

func hashOf(s *saved.SchemaRef) string {
	if s == nil {
		return ""
	}
	return s.Hash
}
