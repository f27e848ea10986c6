package results

import (
	"fmt"

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

func sizeOfAudit(a *report.SavedAudit) int {
	return len(a.Rules) + len(a.Untested) + len(a.Unreached) + len(a.Proved) + len(a.Missed) + len(a.Unfinished) + len(a.Gone) + findingWeight*(len(a.Findings)+len(a.KnownMistakes))
}

func sizeOfCampaign(c *report.SavedCampaign) int {
	return len(c.Rules) + len(c.Untested) + len(c.Unreached) + len(c.Gone) + findingWeight*(len(c.Findings)+len(c.KnownMistakes))
}

func (r *Rejects) size() int { return rejectedWeight*len(r.Rows) + r.senders() + len(r.Files) }

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
