package report

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/rejects"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
)

// Campaign is how far a campaign has come, with what it is about.
type Campaign struct {
	Protocol string
	Target   string
	Seed     uint64
	Workers  int
	Passed   time.Duration
	State    *fuzz.CampaignState
	// As in Audit.
	KnownMistakes []*fuzz.Finding
	Gone          []string
	Replay        []string
	Synced        bool // with other campaigns
	Kept          func(f *fuzz.Finding) string
	Plan          *plan.Plan
	Version       string
}

// rate is so many a second.
func (c *Campaign) rate(n int64) int {
	return int(float64(n) / max(c.Passed.Seconds(), 1e-3))
}

// Line is the campaign in one line, without a line end:
//
//	0:05  1,234,567 packets, 246,913/s; useful 240,001/s; coverage 99.1%; corpus 415; findings 0
func (c *Campaign) Line() string {
	s := c.State
	return fmt.Sprintf("%s  %s packets, %s/s; useful %s/s; coverage %.1f%%; corpus %s; findings %s%s", clock(c.Passed), table.Grouped(int(s.Execs)),
		table.Grouped(c.rate(s.Execs)), table.Grouped(c.rate(s.Valid)), s.Coverage.Percent(), table.Grouped(s.Kept), table.Grouped(len(s.Findings)), c.pending())
}

// sessions is what those of a dialogue passed through.
func (c *Campaign) sessions() string {
	return fmt.Sprintf("%s of states and cases passed through, %s kept", table.Count(c.State.Passed, "pair"), table.Count(c.State.Sequences, "sequence"))
}

// pending is how many findings wait to be minimized: several may be one mistake.
func (c *Campaign) pending() string {
	if c.State.Pending == 0 {
		return ""
	}
	return fmt.Sprintf(", %s to be minimized", table.Grouped(c.State.Pending))
}

// clock is a time as minutes and seconds, with hours where there are some.
func clock(d time.Duration) string {
	seconds := int(d.Seconds())
	if seconds >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// ruleCoverage is how many of the ways to break a rule have been met.
type ruleCoverage struct {
	rule        string
	reached, of int
}

// rules lists what has been reached of each rule, the least first; what is proved out of reach is not counted.
func (c *Campaign) rules() (list []ruleCoverage, reached, of int) {
	at := map[string]int{}
	for _, r := range c.State.Coverage.Rules() {
		if r.Unreachable != "" {
			continue
		}
		i, ok := at[r.Rule]
		if !ok {
			i = len(list)
			at[r.Rule] = i
			list = append(list, ruleCoverage{rule: r.Rule})
		}
		list[i].of++
		of++
		if r.Reached {
			list[i].reached++
			reached++
		}
	}
	slices.SortStableFunc(list, func(a, b ruleCoverage) int { return a.reached*b.of - b.reached*a.of })
	return list, reached, of
}

// screenRules is how many rules the screen shows.
const screenRules = 8

// Screen is the campaign as lines of at most width cells, for a terminal that shows them again and again.
func (c *Campaign) Screen(width int, colour bool) []string {
	st, s := newStyle(colour), c.State
	rules, reached, of := c.rules()
	lines := screenLines{width: width}
	line := lines.add
	line(st.kind, "pktscope fuzz  %s  target %s  seed %d  -j %d  %s", c.Protocol, c.Target, c.Seed, c.Workers, clock(c.Passed))
	line(table.Paint{}, "  packets   %s, %s/s; useful %.1f%%, %s/s", table.Grouped(int(s.Execs)), table.Grouped(c.rate(s.Execs)), 100*float64(s.Valid)/float64(max(s.Execs, 1)), table.Grouped(c.rate(s.Valid)))
	line(table.Paint{}, "  corpus    %s, %s to go on from", table.Grouped(s.Kept), table.Grouped(s.Queue))
	if s.Passed > 0 {
		line(table.Paint{}, "  sessions  %s", c.sessions())
	}
	line(table.Paint{}, "  coverage  %.1f%%; %d of %d ways to be refused", s.Coverage.Percent(), reached, of)
	if n := len(s.Findings); n > 0 {
		f := s.Findings[n-1]
		line(st.refused, "  findings  %s%s, the newest: %v %s", table.Grouped(n), c.pending(), f.Kind, f.What())
	} else {
		line(st.accept, "  findings  0%s", c.pending())
	}
	for i, r := range rules {
		if i == screenRules {
			break
		}
		line(st.dim, "  %5.1f%%  %s", 100*float64(r.reached)/float64(r.of), reject.NameOf(r.rule))
	}
	return lines.list
}

// AppendText appends the findings and the sum.
func (c *Campaign) AppendText(b []byte, colour bool) []byte {
	st, s := newStyle(colour), c.State
	a := c.findings()
	if n := unaccepted(s.Untested); n > 0 {
		b = append(st.refused.Append(b, table.Grouped(n)+" untested"), '\n')
	}
	b = a.untested(b, &st, s.Untested)
	for _, f := range s.Findings {
		b = a.finding(b, &st, f)
	}
	if len(s.Findings) > 0 {
		b = append(b, '\n')
	}
	b = appendKnown(b, &st, c.KnownMistakes, c.Gone)
	rules, reached, of := c.rules()
	b = append(b, fmt.Sprintf("campaign against %s, target %s, seed %d: %s packets, %s of them useful\n", syntax.EscapeText(c.Protocol),
		syntax.EscapeText(c.Target), c.Seed, table.Grouped(int(s.Execs)), table.Grouped(int(s.Valid)))...)
	if s.Held > 0 {
		b = append(b, fmt.Sprintf("%s others were not sent, because the target was likely to die of them\n", table.Grouped(int(s.Held)))...)
	}
	if s.Passed > 0 {
		b = append(b, "sessions: "+c.sessions()+"\n"...)
	}
	if c.Synced {
		b = append(b, fmt.Sprintf("synced: %s of other campaigns read, %s of them new; not repeatable\n", table.Count(s.Synced.Read, "packet"), table.Grouped(s.Synced.Added))...)
	}
	b = append(b, fmt.Sprintf("coverage %.1f%%: %d of %d ways to be refused", s.Coverage.Percent(), reached, of)...)
	shown := 0
	for _, r := range rules {
		if r.reached < r.of && shown < screenRules {
			b = append(b, fmt.Sprintf("\n  %d of %d  %s", r.reached, r.of, syntax.EscapeText(reject.NameOf(r.rule)))...)
			shown++
		}
	}
	b = append(b, '\n')
	word := st.accept
	if len(s.Findings)+unaccepted(s.Untested) > 0 {
		word = st.refused
	}
	b = word.Append(b, syntax.Count(len(s.Findings), "finding"))
	if s.Lost > 0 {
		b = append(b, fmt.Sprintf(", and %s that did not fit", table.Grouped(s.Lost))...)
	}
	return append(b, '\n')
}

// WriteJSON writes the sum as one JSON object and a newline.
func (c *Campaign) WriteJSON(w io.Writer) error {
	s := c.State
	places := rejects.NewRules(c.Plan)
	audit := c.findings()
	out := SavedCampaign{
		Header: newHeader(KindFuzz, c.Version, c.Protocol, c.Target, c.Plan), Seed: c.Seed, Workers: c.Workers, Seconds: c.Passed.Round(time.Millisecond).Seconds(),
		Packets: s.Execs, Useful: s.Valid, Held: s.Held, Corpus: s.Kept, Queue: s.Queue, Passed: s.Passed, Sequences: s.Sequences, Coverage: float64(int(10*s.Coverage.Percent())) / 10,
		Rules: []SavedReach{}, Untested: savedUntested(s.Untested, places), Unreached: s.Coverage.Unreached(), Findings: []SavedFinding{}, Lost: s.Lost,
	}
	if c.Synced {
		out.Synced = &s.Synced
	}
	rules, _, _ := c.rules()
	for _, r := range rules {
		out.Rules = append(out.Rules, SavedReach{r.rule, r.reached, r.of})
	}
	for _, f := range s.Findings {
		out.Findings = append(out.Findings, audit.saved(f, places))
	}
	for _, f := range c.KnownMistakes {
		out.KnownMistakes = append(out.KnownMistakes, audit.saved(f, places))
	}
	out.Gone = c.Gone
	FitFindings(out.Findings, out.KnownMistakes)
	return writeJSON(w, out)
}

// AppendReplay appends what came of sending the packets of a finding once more.
func (c *Campaign) AppendReplay(b []byte, colour bool) []byte {
	st := newStyle(colour)
	if len(c.State.Findings) == 0 {
		b = st.accept.Append(b, "nothing is wrong with the answer any more, target "+syntax.EscapeText(c.Target))
		return append(b, '\n')
	}
	a := Audit{Plan: c.Plan}
	for _, f := range c.State.Findings {
		b = a.finding(b, &st, f)
	}
	return b
}

// findings is what writes a campaign's findings.
func (c *Campaign) findings() *Audit {
	return &Audit{Target: c.Target, Replay: c.Replay, Kept: c.Kept, Plan: c.Plan, Verbose: true}
}
