package report

import (
	"fmt"

	"github.com/pktscope/pktscope/report/internal/words"
)

// noVerdict is what a sum begins with where packets were survived and no more: nothing in it may read as if they were refused.
const noVerdict = "the reader gives no verdict: what counts is that it goes on, and the values that it gives"

// answered is how packets of a sort were answered: "480 of 480 hostile packets refused".
func answered(right, survived, of int, sort, done string) string {
	switch {
	case survived == 0:
		return fmt.Sprintf("%s of %s %s packets %s", words.Grouped(right), words.Grouped(of), sort, done)
	case right == 0:
		return fmt.Sprintf("%s of %s %s packets survived", words.Grouped(survived), words.Grouped(of), sort)
	}
	return fmt.Sprintf("%s of %s %s packets %s, %s more survived", words.Grouped(right), words.Grouped(of), sort, done, words.Grouped(survived))
}

// refusedElsewhere is said of hostile packets that do not count as refused, for the reader says another reason than the right one.
const refusedElsewhere = "refused with another reason, path or bit"

// misread says how many packets had the right answer and something else that is wrong.
func misread(n int) string {
	return plural(uint64(n), "packet") + " with the right answer read wrongly"
}

// Sum is how an audit's packets were answered, in one line.
func (a *SavedAudit) Sum() string {
	text := answered(a.Refused, a.SurvivedHostile, a.Hostile, "hostile", "refused") + ", " +
		answered(a.Accepted, a.SurvivedValid, a.Valid, "valid", "accepted")
	if a.Misread > 0 {
		text += ", " + misread(a.Misread)
	}
	if a.SurvivedHostile+a.SurvivedValid > 0 {
		text += "; " + noVerdict
	}
	return text
}

// AllRight reports whether nothing was wrong with any answer.
func (a *SavedAudit) AllRight() bool {
	return a.Refused+a.SurvivedHostile == a.Hostile && a.Accepted+a.SurvivedValid == a.Valid && len(a.Findings) == 0
}
