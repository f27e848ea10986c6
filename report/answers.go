package report

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/internal/table"
)

// noVerdict is what a sum begins with where packets were survived and no more: nothing in it may read as if they were
// refused.
const noVerdict = "the reader gives no verdict: what counts is that it goes on, and the values that it gives"

// answered is how packets of a sort were answered: "480 of 480 hostile packets refused".
func answered(right, survived, of int, sort, done string) string {
	switch {
	case survived == 0:
		return fmt.Sprintf("%s of %s %s packets %s", table.Grouped(right), table.Grouped(of), sort, done)
	case right == 0:
		return fmt.Sprintf("%s of %s %s packets survived", table.Grouped(survived), table.Grouped(of), sort)
	}
	return fmt.Sprintf("%s of %s %s packets %s, %s more survived", table.Grouped(right), table.Grouped(of), sort, done, table.Grouped(survived))
}

// refusedElsewhere is said of hostile packets that do not count as refused, for the reader says another reason than the
// right one.
const refusedElsewhere = "refused with another reason, path or bit"

// misread says how many packets had the right answer and something else that is wrong.
func misread(n int) string {
	return syntax.Count(n, "packet") + " with the right answer read wrongly"
}

// Sum is how an audit's packets were answered, in one line.
func (s *SavedAudit) Sum() string {
	text := answered(s.Refused, s.SurvivedHostile, s.Hostile, "hostile", "refused") + ", " +
		answered(s.Accepted, s.SurvivedValid, s.Valid, "valid", "accepted")
	if s.Misread > 0 {
		text += ", " + misread(s.Misread)
	}
	if s.SurvivedHostile+s.SurvivedValid > 0 {
		text += "; " + noVerdict
	}
	return text
}

// AllRight reports whether nothing was wrong with any answer.
func (s *SavedAudit) AllRight() bool {
	return s.Refused+s.SurvivedHostile == s.Hostile && s.Accepted+s.SurvivedValid == s.Valid && len(s.Findings) == 0
}
