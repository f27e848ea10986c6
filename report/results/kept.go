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
)

// What audits, campaigns and rejects may have, whatever number of files it comes from: a small packed file says "{}," a
// hundred million times, and merging walks what is kept once for each object. In elements: a rule, a name, a capture
// are one.
const (
	maxKeptIn      = maxElements // in one result, so that what is merged can be read again
	maxKept        = 1 << 19     // in all of a Set
	findingWeight  = 8           // elements that a finding is, with its texts
	rejectedWeight = 4           // elements that a row of rejects is, with its example
)

// kind is what is known of results of one sort, which are merged as they are added.
type kind[T any] struct {
	what    string
	most    int               // different ones of a Set
	compare func(a, b *T) int // the order of the kind, 0 of two that are merged
	merge   func(a, o *T) error
	size    func(*T) int // elements; 0 where its package bounds it
}

var (
	auditKind = kind[report.SavedAudit]{"audits", maxAudits,
		func(a, b *report.SavedAudit) int { return compareHeaders(&a.Header, &b.Header) }, always(mergeAudit),
		func(a *report.SavedAudit) int {
			return len(a.Rules) + len(a.Untested) + len(a.Unreached) + len(a.Proved) + len(a.Missed) + len(a.Unfinished) +
				len(a.Gone) + findingWeight*(len(a.Findings)+len(a.KnownMistakes))
		}}
	campaignKind = kind[report.SavedCampaign]{"campaigns", maxAudits,
		func(a, b *report.SavedCampaign) int { return compareHeaders(&a.Header, &b.Header) }, always(mergeCampaign),
		func(c *report.SavedCampaign) int {
			return len(c.Rules) + len(c.Untested) + len(c.Unreached) + len(c.Gone) + findingWeight*(len(c.Findings)+len(c.KnownMistakes))
		}}
	rejectsKind = kind[rejects.Result]{"rejects", maxAudits,
		func(a, b *rejects.Result) int { return compareHeaders(&a.Header, &b.Header) }, always((*rejects.Result).Merge),
		func(r *rejects.Result) int { return rejectedWeight*len(r.Rows) + r.Senders() + len(r.Files) }}
	budgetKind = kind[budget.Budget]{"budgets", budget.MaxBudgets,
		func(a, b *budget.Budget) int {
			return cmp.Or(strings.Compare(a.Plan().Schema.Name, b.Plan().Schema.Name), strings.Compare(a.Schema().Hash, b.Schema().Hash),
				cmp.Compare(a.MaxPacket(), b.MaxPacket()))
		}, (*budget.Budget).Merge, func(*budget.Budget) int { return 0 }}
)

// compareHeaders orders results by what they are of: protocol, target and schema.
func compareHeaders(a, b *saved.Header) int {
	return cmp.Or(strings.Compare(a.Protocol, b.Protocol), strings.Compare(a.Target, b.Target), strings.Compare(hashOf(a.Schema), hashOf(b.Schema)))
}

// always is a merge that nothing stops.
func always[T any](merge func(a, o *T)) func(a, o *T) error {
	return func(a, o *T) error {
		merge(a, o)
		return nil
	}
}

// add merges results into those of a list, or appends them.
func add[T any](s *Set, list *[]*T, k kind[T], more ...*T) error {
	for _, one := range more {
		at := slices.IndexFunc(*list, func(known *T) bool { return k.compare(known, one) == 0 })
		before := 0
		switch {
		case at >= 0:
			known := (*list)[at]
			before = k.size(known)
			if err := k.merge(known, one); err != nil {
				return fmt.Errorf("%s: %w", k.what, err)
			}
			one = known
		case len(*list) == k.most:
			return tooMany(k.what, k.most)
		default:
			*list = append(*list, one)
		}
		if err := s.keep(k.what, before, k.size(one)); err != nil {
			return err
		}
	}
	return nil
}

// keep counts that a result of one kind has grown from before to after elements. With an error the Set has more than it
// may, by less than what one object holds.
func (s *Set) keep(what string, before, after int) error {
	s.kept += after - before
	switch {
	case after > maxKeptIn:
		return fmt.Errorf("%s of more than %d rules and names, of which a finding is %d", what, maxKeptIn, findingWeight)
	case s.kept > maxKept:
		return fmt.Errorf("results of more than %d rules and names in all, of which a finding is %d", maxKept, findingWeight)
	}
	return nil
}
