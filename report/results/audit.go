package results

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/saved"
)

func readAudit(b []byte) (*report.SavedAudit, error) {
	a := &report.SavedAudit{}
	if err := decodeJSON(b, a); err != nil {
		return nil, err
	}
	a.Kind = report.KindAudit
	var c check
	c.name("protocol", a.Protocol)
	c.name("target", a.Target)
	c.schema(a.Schema)
	c.counts("audit", int64(a.Runs), int64(a.Packets), int64(a.Hostile), int64(a.Refused), int64(a.Valid), int64(a.Accepted), int64(a.Misread), int64(a.SurvivedHostile), int64(a.SurvivedValid), int64(a.Known),
		int64(a.Bases), int64(a.Steps), a.MaxSteps, int64(a.Lost))
	c.that(saved.Sum(a.Refused, a.SurvivedHostile) <= a.Hostile && saved.Sum(a.Accepted, a.SurvivedValid) <= a.Valid, "audit: more right answers than packets")
	for i := range a.Rules {
		r := &a.Rules[i]
		c.name("rule", r.Rule)
		c.word("rule", r.Kind)
		c.counts("rule", int64(r.Tried), int64(r.Right), int64(r.Survived), int64(r.Misread), int64(r.Kicked), int64(r.LeftOut))
		c.that(r.Right <= r.Tried && r.Survived <= r.Right && r.Misread <= r.Right, "rule: more right answers than packets")
		c.that(len(r.Classes) <= fuzz.MaxClasses, "rule: more than %d classes", fuzz.MaxClasses)
		for _, class := range r.Classes {
			c.word("class", class)
		}
		c.place(r.Place)
	}
	a.Incomplete = cleaned(a.Incomplete)
	c.findings(a.Findings, a.KnownMistakes, a.Gone)
	c.untested(a.Untested)
	for _, u := range a.Unfinished {
		c.name("rule that was not finished", u.Rule)
		c.counts("rule that was not finished", int64(u.Tried), int64(u.Of))
	}
	c.states(a.States)
	return a, c.wrong
}

// mergeAudit adds what o has. Counts add up; what no packet reached is what none of both did.
func mergeAudit(a, o *report.SavedAudit) {
	a.Runs = saved.Sum(max(a.Runs, 1), max(o.Runs, 1))
	a.Seed = min(a.Seed, o.Seed)
	a.Tool = max(a.Tool, o.Tool)
	a.Partial = a.Partial || o.Partial
	a.Incomplete.Add(o.Incomplete...)
	a.Packets = saved.Sum(a.Packets, o.Packets)
	a.Hostile = saved.Sum(a.Hostile, o.Hostile)
	a.Refused = saved.Sum(a.Refused, o.Refused)
	a.Valid = saved.Sum(a.Valid, o.Valid)
	a.Accepted = saved.Sum(a.Accepted, o.Accepted)
	a.Misread = saved.Sum(a.Misread, o.Misread)
	a.SurvivedHostile = saved.Sum(a.SurvivedHostile, o.SurvivedHostile)
	a.SurvivedValid = saved.Sum(a.SurvivedValid, o.SurvivedValid)
	a.Known = saved.Sum(a.Known, o.Known)
	a.Bases = saved.Sum(a.Bases, o.Bases)
	a.Steps = max(a.Steps, o.Steps)
	a.MaxSteps = max(a.MaxSteps, o.MaxSteps)
	type ruleKey struct{ rule, kind string }
	at := make(map[ruleKey]int, len(a.Rules))
	for i := range a.Rules {
		at[ruleKey{a.Rules[i].Rule, a.Rules[i].Kind}] = i
	}
	for i := range o.Rules {
		r := &o.Rules[i]
		n, ok := at[ruleKey{r.Rule, r.Kind}]
		if !ok {
			at[ruleKey{r.Rule, r.Kind}] = len(a.Rules)
			a.Rules = append(a.Rules, *r)
			continue
		}
		known := &a.Rules[n]
		known.Tried = saved.Sum(known.Tried, r.Tried)
		known.Right = saved.Sum(known.Right, r.Right)
		known.Misread = saved.Sum(known.Misread, r.Misread)
		known.Kicked = saved.Sum(known.Kicked, r.Kicked)
		known.Survived = saved.Sum(known.Survived, r.Survived)
		known.Sampled = known.Sampled || r.Sampled
		known.LeftOut = max(known.LeftOut, r.LeftOut) // what both left out is no more
		for _, class := range r.Classes {
			if len(known.Classes) < fuzz.MaxClasses && !slices.Contains(known.Classes, class) {
				known.Classes = append(known.Classes, class)
			}
		}
	}
	a.Findings, a.KnownMistakes = mergeKnown(mergeFindings(a.Findings, o.Findings), a.KnownMistakes, o.KnownMistakes)
	a.Gone = both(a.Gone, o.Gone)
	a.Lost = saved.Sum(a.Lost, o.Lost)
	a.Untested = mergeUntested(a.Untested, o.Untested)
	a.Unreached = both(a.Unreached, o.Unreached)
	a.Proved = united(a.Proved, o.Proved)
	a.Missed = both(a.Missed, o.Missed)
	a.Unfinished = both(a.Unfinished, o.Unfinished)
	a.States = mergeStates(a.States, o.States)
}

// both is what two lists have in common, in the order of the first; twice what both have twice.
func both[T comparable](a, b []T) []T {
	left := map[T]int{}
	for _, one := range b {
		left[one]++
	}
	var out []T
	for _, one := range a {
		if left[one] > 0 {
			left[one]--
			out = append(out, one)
		}
	}
	return out
}

// united is what either list has.
func united[T comparable](a, b []T) []T {
	left := map[T]int{}
	for _, one := range a {
		left[one]++
	}
	for _, one := range b {
		if left[one]--; left[one] < 0 {
			a = append(a, one)
		}
	}
	return a
}

func sortAudit(a *report.SavedAudit) {
	number := map[string]int{}
	for _, k := range reject.Kinds() {
		number[k.String()] = int(k)
	}
	slices.SortStableFunc(a.Rules, func(x, y report.SavedRule) int {
		return cmp.Or(strings.Compare(x.Rule, y.Rule), cmp.Compare(number[x.Kind], number[y.Kind]), strings.Compare(x.Kind, y.Kind))
	})
	for i := range a.Rules {
		slices.Sort(a.Rules[i].Classes)
	}
	sortFindings(a.Findings)
	sortFindings(a.KnownMistakes)
	slices.Sort(a.Gone)
	sortUntested(a.Untested)
	slices.Sort(a.Unreached)
	slices.SortStableFunc(a.Proved, func(x, y report.SavedProof) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), strings.Compare(x.Reason, y.Reason))
	})
	slices.SortStableFunc(a.Missed, func(x, y report.SavedMissed) int {
		return cmp.Or(strings.Compare(x.Boundary, y.Boundary), strings.Compare(x.Error, y.Error))
	})
}
