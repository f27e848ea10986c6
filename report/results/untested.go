package results

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/saved"
)

// What audits and campaigns know nothing about.

func (c *check) untested(list []report.SavedUntested) {
	for i := range list {
		u := &list[i]
		c.name("untested rule", u.Rule)
		if u.Kind != "" {
			c.word("untested rule", u.Kind)
		}
		c.that(len(u.Part) <= saved.MaxName, "untested rule: a part with a name that is too long")
		c.place(u.Place)
	}
}

// untestedKey is the same for what is the same.
type untestedKey struct{ rule, kind, part string }

func untestedKeyOf(u *report.SavedUntested) untestedKey { return untestedKey{u.Rule, u.Kind, u.Part} }

// mergeUntested is what neither of two runs tested. A run that tested nothing at all says so in one row, and has
// nothing to take from the other's.
func mergeUntested(a, o []report.SavedUntested) []report.SavedUntested {
	nothing := func(list []report.SavedUntested) bool {
		return len(list) == 1 && list[0].Kind == "" && list[0].Part == ""
	}
	switch {
	case nothing(a):
		return o
	case nothing(o):
		return a
	}
	also := map[untestedKey]*report.SavedUntested{}
	for i := range o {
		also[untestedKeyOf(&o[i])] = &o[i]
	}
	both := slices.DeleteFunc(a, func(u report.SavedUntested) bool { return also[untestedKeyOf(&u)] == nil })
	for i := range both { // what one of them does not accept is not accepted
		other := also[untestedKeyOf(&both[i])]
		both[i].Known = both[i].Known && other.Known
		if both[i].NotReached && !other.NotReached {
			both[i].NotReached, both[i].What = false, other.What
		}
	}
	return both
}

func sortUntested(list []report.SavedUntested) {
	slices.SortStableFunc(list, func(x, y report.SavedUntested) int {
		return cmp.Or(strings.Compare(x.Rule, y.Rule), strings.Compare(x.Kind, y.Kind), strings.Compare(x.Part, y.Part), strings.Compare(x.What, y.What))
	})
}

func (s *Set) untestedProblems(tool, protocol, target string, of *saved.SchemaRef, untested []report.SavedUntested) (list []Problem) {
	for i := range untested {
		u := &untested[i]
		if u.NotReached {
			continue
		}
		p := Problem{Known: u.Known, Source: FromUntested, Level: Error, Protocol: protocol, Name: s.NameOf(protocol, of), Target: target, Tool: tool, Kind: "untested", Reject: u.Kind, Part: u.Part,
			Rule: u.Rule, Place: u.Place, Message: u.What}
		if of != nil {
			p.Schema = of.File
		}
		list = append(list, p)
	}
	return list
}
