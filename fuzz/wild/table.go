package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// verdict is what the findings in a reader are worth.
type verdict struct {
	known  []*mistake
	audit  map[*mistake]int // findings of audit that a mistake explains
	fuzz   map[*mistake]int
	new    []finding // that no row explains, of both
	lethal int       // that may end a reader: rows and words of them are kept elsewhere
	untold int       // that nobody had the time to look into, so that their cause is not known
	missed []string  // that audit is known to find, and did not
}

// judge compares what was found with what is known.
func (r *result) judge(known []*mistake) {
	v := verdict{known: known, audit: map[*mistake]int{}, fuzz: map[*mistake]int{}}
	for _, f := range append(explain(known, r.audit.Findings, v.audit), explain(known, r.fuzz.Findings, v.fuzz)...) {
		switch {
		case f.lethal():
			v.lethal++
		case f.Undone != "" && f.Cause == "":
			v.untold++
		default:
			v.new = append(v.new, f)
		}
	}
	for _, m := range known {
		if m.by == "audit" && v.audit[m] == 0 {
			v.missed = append(v.missed, m.id)
		}
	}
	r.verdict = v
}

// explain counts the findings of each mistake, and returns those of none.
func explain(known []*mistake, findings []finding, counts map[*mistake]int) (rest []finding) {
	for i := range findings {
		f := &findings[i]
		at := slices.IndexFunc(known, func(m *mistake) bool {
			return slices.ContainsFunc(m.shows, func(shows func(*finding) bool) bool { return shows(f) })
		})
		if at < 0 {
			rest = append(rest, *f)
			continue
		}
		counts[known[at]]++
	}
	return rest
}

// list prints the findings and their mistakes.
func (r *result) list(to io.Writer) {
	for _, part := range []struct {
		name   string
		attack *attack
	}{{"audit", &r.audit}, {"fuzz", &r.fuzz}} {
		for i := range part.attack.Findings {
			f := &part.attack.Findings[i]
			counts := map[*mistake]int{}
			explain(r.verdict.known, part.attack.Findings[i:i+1], counts)
			id := "NEW"
			for m := range counts {
				id = m.id
			}
			fmt.Fprintf(to, "%s\t%s\t%s\t%s\n", r.reader.name, part.name, id, f)
		}
	}
}

// String is a finding in a line. Of one that may end a reader it has nothing: what is printed may be read by all.
func (f *finding) String() string {
	if f.lethal() {
		return "see REPORTING.md"
	}
	packet := f.Packet
	if len(packet) > 96 {
		packet = packet[:96] + "…"
	}
	return fmt.Sprintf("%s | %s: want %s, got %s (%d packets, one %s)%s", f.identity(), f.Path, f.Want, f.Got, f.Count, packet, f.undone())
}

// summarize prints the tables and what fails, and reports whether anything does.
func summarize(to io.Writer, results []*result) (failed bool) {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "reader\tversion\trules\taudit packets\tfindings\ts\tfuzz packets/s\tfindings\tfound\tby fuzz alone\tpolicies\tnew\tuntold\tfindings each\tload")
	for _, r := range results {
		v := &r.verdict
		var c counts
		c.add(v)
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%.1f\t%.0f\t%d\t%d of %d\t%d\t%d of %d\t%d\t%d\t%s\t%s\n", r.reader.name, r.version, r.audit.rules(), r.audit.Packets,
			len(r.audit.Findings), r.audit.Seconds, float64(r.fuzz.Packets)/max(r.fuzz.Seconds, 1e-9), len(r.fuzz.Findings),
			c.found, c.mistakes, c.fuzzAlone, c.policiesFound, c.policies, len(v.new), v.untold, c.each(), r.load)
	}
	var all counts
	for _, r := range results {
		all.add(&r.verdict)
	}
	fmt.Fprintf(t, "all\t\t\t\t\t\t\t\t%d of %d\t%d\t%d of %d\t%d\t%d\t%s\n", all.found, all.mistakes, all.fuzzAlone, all.policiesFound, all.policies, all.new, all.untold, all.each())
	t.Flush()
	for _, r := range results {
		v := &r.verdict
		if a := &r.audit; a.Partial || a.givenUp() > 0 {
			fmt.Fprintf(to, "%s: audit ended after %.0f s: %d rules not finished, %d given up in part\n", r.reader.name, a.Seconds, len(a.Unfinished), a.givenUp())
		}
		for _, id := range v.missed {
			fmt.Fprintf(to, "%s: audit did not find %s, which it is known to find\n", r.reader.name, id)
		}
		for _, m := range v.known {
			if v.audit[m] > 0 && v.fuzz[m] == 0 {
				fmt.Fprintf(to, "%s: fuzz did not find %s, which audit found\n", r.reader.name, m.id)
			}
		}
		for i := range v.new {
			fmt.Fprintf(to, "%s: no row of known.tsv explains: %s\n", r.reader.name, &v.new[i])
		}
		if v.lethal > 0 {
			fmt.Fprintf(to, "%s: %d findings of the kinds that REPORTING.md is about\n", r.reader.name, v.lethal)
		}
		for _, a := range []*attack{&r.audit, &r.fuzz} {
			if a.Packets == 0 {
				fmt.Fprintf(to, "%s: no packet was sent\n", r.reader.name)
				failed = true
			}
			if a.Lost > 0 {
				fmt.Fprintf(to, "%s: %d packets of findings beyond the most that are kept\n", r.reader.name, a.Lost)
			}
		}
		failed = failed || len(v.missed) > 0 || len(v.new) > 0
	}
	return failed
}

// rules is how many an audit tried.
func (a *attack) rules() int {
	names := map[string]bool{}
	for _, r := range a.Rules {
		names[r.Rule] = true
	}
	return len(names)
}

// counts is a line of the table.
type counts struct {
	mistakes, found         int
	policies, policiesFound int
	fuzzAlone               int // found by fuzz and not by audit
	new, untold             int
	findings, shown         int // findings of what is known, and the pairs of a mistake and a tool that found it
}

func (c *counts) add(v *verdict) {
	for _, m := range v.known {
		found := 0
		if v.audit[m] > 0 || v.fuzz[m] > 0 {
			found = 1
		}
		if m.class == "policy" {
			c.policies++
			c.policiesFound += found
		} else {
			c.mistakes++
			c.found += found
		}
		if v.audit[m] == 0 {
			c.fuzzAlone += found
		}
		for _, n := range []int{v.audit[m], v.fuzz[m]} {
			if n > 0 {
				c.findings += n
				c.shown++
			}
		}
	}
	c.new += len(v.new)
	c.untold += v.untold
}

// each is how many findings a mistake has that was found, in one run: 1 is best.
func (c *counts) each() string {
	if c.shown == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(c.findings)/float64(c.shown))
}

// undone is what was not tried of a finding.
func (f *finding) undone() string {
	if f.Undone == "" {
		return ""
	}
	return ", undone: " + f.Undone
}
