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
	unmet        []*stats.Segments
	unmetBudgets []*budget.Budget // as unmet, of Budgets

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
	return len(s.Statistics)+len(s.unmet)+len(s.Budgets)+len(s.unmetBudgets)+len(s.Rejects)+len(s.Audits)+len(s.Campaigns)+len(s.Findings) == 0
}

// Add adds what o has, which is not to be used any more. Where some of it was counted before, the error says so and
// nothing is added; with another error, a part is.
func (s *Set) Add(o *Set) error {
	if err := cmp.Or(s.statisticsTwice(slices.Concat(o.Statistics, o.unmet)), s.budgetsTwice(slices.Concat(o.Budgets, o.unmetBudgets))); err != nil {
		return err
	}
	if err := s.AddStatistics(slices.Concat(o.Statistics, o.unmet)...); err != nil {
		return err
	}
	if err := s.AddBudgets(slices.Concat(o.Budgets, o.unmetBudgets)...); err != nil {
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
	if err := s.statisticsTwice(list); err != nil {
		return err
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

// statisticsTwice says what of a list was counted before, nil for nothing.
func (s *Set) statisticsTwice(list []*stats.Segments) error {
	for _, one := range list {
		if known := s.statisticsLike(one); known != nil {
			if err := known.Twice(one); err != nil {
				return fmt.Errorf("statistics of %q: %w", one.Protocol(), err)
			}
		}
	}
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

// AddBudgets adds budgets. The error is that some of what they were counted of was counted before, then nothing is
// added; or that they do not fit or are too many.
func (s *Set) AddBudgets(list ...*budget.Budget) error {
	if err := s.budgetsTwice(list); err != nil {
		return err
	}
	all := slices.Concat(s.Budgets, s.unmetBudgets)
	err := add(s, &all, budgetKind, list...)
	s.Budgets, s.unmetBudgets = nil, nil
	for _, one := range all {
		if one.Empty() {
			s.unmetBudgets = append(s.unmetBudgets, one)
		} else {
			s.Budgets = append(s.Budgets, one)
		}
	}
	return err
}

// budgetsTwice says what of a list was counted before, nil for nothing.
func (s *Set) budgetsTwice(list []*budget.Budget) error {
	for _, one := range list {
		for _, known := range slices.Concat(s.Budgets, s.unmetBudgets) {
			if budgetKind.compare(known, one) == 0 {
				if err := known.Pieces().Twice(one.Pieces()); err != nil {
					return fmt.Errorf("budget of %q: %w", one.Plan().Schema.Name, err)
				}
			}
		}
	}
	return nil
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
	if len(s.Budgets) == 0 {
		s.Budgets, s.unmetBudgets = s.unmetBudgets, nil
	}
	sortStatistics(s.Statistics)
	sortStatistics(s.unmet)
	slices.SortStableFunc(s.Budgets, budgetKind.compare)
	slices.SortStableFunc(s.unmetBudgets, budgetKind.compare)
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
