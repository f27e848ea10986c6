package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/report"
)

// What audits, campaigns and rejects may have, whatever number of files it comes from: a small packed file says "{}," a
// hundred million times, and merging walks what is kept once for each object. In elements: a rule, a name, a capture are one.
const (
	maxKeptIn      = maxElements // in one result, so that what is merged can be read again
	maxKept        = 1 << 19     // in all of a Set
	findingWeight  = 8           // elements that a finding is, with its texts
	rejectedWeight = 4           // elements that a row of rejects is, with its example
)

// kind is what is known of results that are merged as they are added.
type kind[T any] struct {
	what    string
	compare func(a, b *T) int // the order of the kind, 0 of two that are merged
	merge   func(a, o *T)
	size    func(*T) int
}

var (
	auditKind = kind[report.SavedAudit]{"audits", func(a, b *report.SavedAudit) int {
		return cmp.Or(strings.Compare(a.Protocol, b.Protocol), strings.Compare(a.Target, b.Target), strings.Compare(hashOf(a.Schema), hashOf(b.Schema)))
	}, mergeAudit, func(a *report.SavedAudit) int {
		return len(a.Rules) + len(a.Untested) + len(a.Unreached) + len(a.Proved) + len(a.Missed) + len(a.Unfinished) + len(a.Gone) + findingWeight*(len(a.Findings)+len(a.KnownMistakes))
	}}
	campaignKind = kind[report.SavedCampaign]{"campaigns", func(a, b *report.SavedCampaign) int {
		return cmp.Or(strings.Compare(a.Protocol, b.Protocol), strings.Compare(a.Target, b.Target), strings.Compare(hashOf(a.Schema), hashOf(b.Schema)))
	}, mergeCampaign, func(c *report.SavedCampaign) int {
		return len(c.Rules) + len(c.Untested) + len(c.Unreached) + len(c.Gone) + findingWeight*(len(c.Findings)+len(c.KnownMistakes))
	}}
	rejectsKind = kind[Rejects]{"rejects", func(a, b *Rejects) int {
		return cmp.Or(strings.Compare(a.Protocol, b.Protocol), strings.Compare(hashOf(a.Schema), hashOf(b.Schema)))
	}, (*Rejects).merge, func(r *Rejects) int { return rejectedWeight*len(r.Rows) + r.senders() + len(r.Files) }}
)

// add merges results into those of a list, or puts them behind them.
func add[T any](s *Set, list *[]*T, k kind[T], more ...*T) error {
	for _, one := range more {
		at := slices.IndexFunc(*list, func(known *T) bool { return k.compare(known, one) == 0 })
		before := 0
		if at >= 0 {
			known := (*list)[at]
			before = k.size(known)
			k.merge(known, one)
			one = known
		} else if len(*list) == maxAudits {
			return tooMany(k.what, maxAudits)
		} else {
			*list = append(*list, one)
		}
		if err := s.keep(k.what, before, k.size(one)); err != nil {
			return err
		}
	}
	return nil
}

// keep counts that a result of one kind has grown from before to after elements. With an error the Set has more than it may,
// by less than what one object holds.
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
