package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/saved"
)

// What results are not of: captures that were cut or not read to their end, inputs that could not be read. It is saved
// with each of them, so that what is made of saved results does not look whole either.

// cleaned is gaps as they are kept, of some that were read.
func cleaned(lines []string) (gaps saved.Gaps) {
	gaps.Add(lines...)
	return gaps
}

// Incomplete says, in a line each, what the results are not of.
func (s *Set) Incomplete() []string {
	var all saved.Gaps
	for _, one := range s.Statistics {
		all.Add(one.Incomplete()...)
	}
	for _, one := range s.Budgets {
		all.Add(one.Incomplete()...)
	}
	for _, one := range s.Rejects {
		all.Add(one.Incomplete...)
	}
	for _, one := range s.Audits {
		all.Add(one.Incomplete...)
	}
	for _, one := range s.Campaigns {
		all.Add(one.Incomplete...)
	}
	return all
}

// Missing says, in a line for each of the statistics and budgets, which pieces of captures they are not of.
func (s *Set) Missing() (lines []string) {
	tell := func(what, name string, list []string, missing, of uint64) {
		if missing > 0 {
			lines = append(lines, fmt.Sprintf("%s of %s: %d of %s missing: %s", what, name, missing, syntax.Count(of, "piece"), strings.Join(list, ", ")))
		}
	}
	for _, one := range s.Statistics {
		list, missing, of := one.Missing()
		tell("statistics", s.NameOf(one.Protocol(), one.Schema()), list, missing, of)
	}
	for _, one := range s.Budgets {
		list, missing, of := one.Pieces().Missing()
		tell("budget", s.NameOf(one.Plan().Schema.Name, one.Schema()), list, missing, of)
	}
	return lines
}

// Remarks are Trouble, Incomplete and Missing, each line once: what every form says beside the results.
func (s *Set) Remarks() []string {
	list := append(slices.Clip(s.Trouble), s.Missing()...)
	for _, line := range s.Incomplete() {
		if !slices.Contains(s.Trouble, line) {
			list = append(list, line)
		}
	}
	return list
}

// keepTrouble puts Trouble that no result has into all of them: nobody knows what an input that was not read would have
// added to.
func (s *Set) keepTrouble() {
	known := s.Incomplete()
	lines := slices.DeleteFunc(slices.Clone(s.Trouble), func(line string) bool { return slices.Contains(known, line) })
	for _, one := range s.Statistics {
		one.AddIncomplete(lines...)
	}
	for _, one := range s.Budgets {
		one.AddIncomplete(lines...)
	}
	for _, one := range s.Rejects {
		one.Incomplete.Add(lines...)
	}
	for _, one := range s.Audits {
		one.Incomplete.Add(lines...)
	}
	for _, one := range s.Campaigns {
		one.Incomplete.Add(lines...)
	}
}
