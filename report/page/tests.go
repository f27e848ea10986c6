package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
)

// What audits and campaigns found.

// The most that is listed of each.
const (
	maxRuleRows    = 500
	maxFindingRows = 500
	maxShownBytes  = 256
	maxReportLines = 40
	maxReplay      = 1500 // characters; a longer command is not for copying
)

// ruleRow is how a reader did with a rule.
type ruleRow struct {
	Rule, Kind, Count, Note, Where string
	Right                          bool
}

// findingRow is a mistake of a reader.
type findingRow struct {
	ID                                           string
	Kind, What, Where, Made, From, Packet, Count string
	Before                                       string
	Report, Replay                               string
	File, Capture                                string // of one that came in a file, too
	About                                        string // of one that came in no audit or campaign
}

// testView is an audit, a campaign, or findings that came by themselves.
type testView struct {
	ID, Title, Sum string
	Tone           string
	Facts          []fact
	Rules          []ruleRow
	RulesHead      string
	RulesCaption   string
	MoreRules      string
	Findings       []findingRow
	MoreFindings   string
	Known          []string // mistakes that are accepted, and those of them that were not seen
	Untested       []untestedRow
	MoreUntested   string
	States         *stateTable // nil for none
	Unreached      []string
	MoreUnreached  string
}

// untestedRow is a part of a protocol that nothing is known about.
type untestedRow struct{ Rule, What, Where string }

// untestedCount is how many of them there are.
func (r *Report) untestedCount() (n int) {
	if r.Results == nil {
		return 0
	}
	for _, a := range r.Results.Audits {
		n += report.Unaccepted(a.Untested)
	}
	for _, c := range r.Results.Campaigns {
		n += report.Unaccepted(c.Untested)
	}
	return n
}

// findingsCount is how many mistakes were found: what an audit and a campaign both found is one, as in every other
// form.
func (r *Report) findingsCount() (n int) {
	if r.Results == nil {
		return 0
	}
	for _, c := range r.Results.Campaigns {
		n += max(c.Lost, 0)
	}
	for _, p := range r.Results.Problems() {
		if p.Source == results.FromFinding {
			n++
		}
	}
	return n
}

// tests are the parts about audits, campaigns and findings of files that are in none of them; left is how many of the
// first two have none.
func (r *Report) tests() (list []testView, left int) {
	if r.Results == nil {
		return nil, 0
	}
	id := func() string { return fmt.Sprint("test-", len(list)) }
	findings := r.Results.AllFindings() // those of audits first, then those of campaigns
	take := func(n int) (taken []*results.Finding) {
		taken, findings = findings[:n], findings[n:]
		return taken
	}
	for i, a := range r.Results.Audits {
		if found := take(len(a.Findings)); i < maxTests {
			list = append(list, auditView(a, r.Results.NameOf(a.Protocol, a.Schema), id(), found))
		}
	}
	for i, c := range r.Results.Campaigns {
		if found := take(len(c.Findings)); i < maxTests {
			list = append(list, campaignView(c, r.Results.NameOf(c.Protocol, c.Schema), id(), found))
		}
	}
	left = len(r.Results.Audits) + len(r.Results.Campaigns) - len(list)
	if len(findings) > 0 {
		v := testView{ID: id(), Title: "Findings from files", Tone: "bad", Sum: table.Count(len(findings), "finding") + "."}
		v.findings(findings)
		for i := range v.Findings {
			f := findings[i]
			v.Findings[i].About = plain(r.Results.NameOf(f.Protocol, f.Schema))
			if f.Target != "" {
				v.Findings[i].About += ", target " + plain(f.Target)
			}
		}
		list = append(list, v)
	}
	return list, left
}

func auditView(a *report.SavedAudit, name, id string, found []*results.Finding) testView {
	v := testView{ID: id, Title: fmt.Sprintf("Audit of %s, target %s", plain(name), plain(a.Target)), Tone: "good"}
	v.Sum = plain(a.Sum()) + ". " + table.Count(len(a.Findings), "finding") + "."
	if !a.AllRight() {
		v.Tone = "bad"
	}
	v.untested(a.Untested)
	if a.Partial {
		v.Sum += " The audit ended early: this is what was done by then."
		v.Tone = "bad"
	}
	v.Facts = []fact{{"packets sent", table.Grouped(a.Packets), ""}, {"packets to begin with", table.Grouped(a.Bases), ""}, {"seed", fmt.Sprint(a.Seed), ""}}
	if a.MaxSteps > 0 {
		v.Facts = append(v.Facts, fact{"worst cost", table.Grouped(a.Steps) + " steps", "of " + table.Grouped(a.MaxSteps) + " that are proved"})
	}
	if n := len(a.Proved); n > 0 {
		v.Facts = append(v.Facts, fact{"proved out of reach", table.Count(n, "way"), "to be refused"})
	}
	rules := slices.Clone(a.Rules)
	slices.SortStableFunc(rules, func(x, y report.SavedRule) int { // what went wrong first
		return cmp.Compare(boolNumber(allRight(x)), boolNumber(allRight(y)))
	})
	v.RulesHead, v.RulesCaption = "Answered rightly", "Each rule of the schema, broken; the ones that were answered wrongly first"
	for i := range rules[:min(len(rules), maxRuleRows)] {
		x := &rules[i]
		row := ruleRow{
			Rule: plain(reject.NameOf(x.Rule)), Kind: plain(x.Kind), Count: table.Grouped(x.Right-x.Misread) + " of " + table.Grouped(x.Tried), Right: allRight(*x), Where: place(x.Place),
		}
		if x.Sampled {
			if row.Note = "sampled"; x.LeftOut > 0 {
				row.Note += ", " + table.Grouped(x.LeftOut) + " left out"
			}
		}
		v.Rules = append(v.Rules, row)
	}
	v.MoreRules = more(len(rules)-len(v.Rules), "rule")
	v.findings(found)
	v.known(a.KnownMistakes, a.Gone, len(a.Findings))
	v.States = statesOf(a.States, a.Findings)
	v.unreached(a.Unreached)
	return v
}

func campaignView(c *report.SavedCampaign, name, id string, found []*results.Finding) testView {
	v := testView{ID: id, Title: fmt.Sprintf("Fuzzing of %s, target %s", plain(name), plain(c.Target)), Tone: "good"}
	v.Sum = fmt.Sprintf("%s, of which %s got after the first check; %.1f %% of the schema was reached. %s.", table.Count(c.Packets, "packet"), table.Grouped(c.Useful),
		c.Coverage, table.Count(len(c.Findings), "finding"))
	if len(c.Findings) > 0 {
		v.Tone = "bad"
	}
	v.untested(c.Untested)
	if c.Lost > 0 {
		v.Sum += " " + table.Count(c.Lost, "finding") + " more did not fit."
	}
	v.Facts = []fact{{"time", seconds(c.Seconds), ""}, {"corpus", table.Count(c.Corpus, "packet"), ""}, {"seed", fmt.Sprint(c.Seed), ""}, {"workers", fmt.Sprint(c.Workers), ""}}
	v.RulesHead, v.RulesCaption = "Ways to be refused that were met", "Each rule of the schema; the least covered first"
	for _, x := range c.Rules[:min(len(c.Rules), maxRuleRows)] {
		v.Rules = append(v.Rules, ruleRow{
			Rule: plain(reject.NameOf(x.Rule)), Count: table.Grouped(max(x.Reached, 0)) + " of " + table.Grouped(max(x.Of, 0)), Right: x.Reached >= x.Of,
		})
	}
	v.MoreRules = more(len(c.Rules)-len(v.Rules), "rule")
	v.findings(found)
	v.known(c.KnownMistakes, c.Gone, len(c.Findings))
	v.unreached(c.Unreached)
	return v
}

func boolNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}

func more(n int, what string) string {
	if n <= 0 {
		return ""
	}
	return "and " + table.Count(n, "more "+what)
}

func place(p *saved.Place) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", plain(p.File), p.Line, p.Column)
}

func (t *testView) unreached(list []string) {
	for _, s := range list[:min(len(list), maxRuleRows)] {
		t.Unreached = append(t.Unreached, plain(reject.NameOf(s)))
	}
	t.MoreUnreached = more(len(list)-len(t.Unreached), "way")
}

// untested are what nothing is known about.
func (t *testView) untested(list []report.SavedUntested) {
	n := report.Unaccepted(list)
	if n > 0 {
		t.Tone = "bad"
		t.Sum += " " + table.Grouped(n) + " untested."
	}
	for i := range list[:min(len(list), maxRuleRows)] {
		u := &list[i]
		row := untestedRow{plain(reject.NameOf(u.Rule)), plain(u.What), place(u.Place)}
		if u.Known {
			row.What += " (accepted)"
		}
		t.Untested = append(t.Untested, row)
	}
	t.MoreUntested = more(len(list)-len(t.Untested), "row")
}

// bitText is a bit's number, where that may be shown.
func bitText(bit int) string {
	if bit == decode.Hidden {
		return reject.Masked
	}
	return strconv.Itoa(bit)
}

func (t *testView) findings(list []*results.Finding) {
	for i := range list[:min(len(list), maxFindingRows)] {
		f := list[i]
		path := results.PlaceName(f.Path, f.Rule)
		row := findingRow{
			ID: fmt.Sprintf("%s-finding-%d", t.ID, i+1), Kind: plain(f.Kind), Where: place(f.Place), From: plain(f.From),
			What:  fmt.Sprintf("%s, bit %s: want %s, got %s", plain(path), bitText(int(f.Bit)), plain(cmp.Or(f.Want, "nothing")), plain(cmp.Or(f.Got, "nothing"))),
			Count: table.Count(max(f.Count, 0), "packet"), Report: reportText(f.Report), File: plain(f.Source), Capture: plain(f.Capture),
		}
		if f.Cause != "" {
			row.What += "; " + plain(f.Cause)
		}
		if f.Done != "" {
			row.Made = plain(cmp.Or(f.Changed, "the packet")) + ", " + plain(f.Done)
		}
		row.Packet = table.Count(max(f.Bytes, 0), "byte")
		if hexText := f.Packet; hexText != "" {
			if len(hexText) > 2*maxShownBytes {
				hexText = hexText[:2*maxShownBytes] + "…"
			}
			row.Packet += ": " + plain(hexText)
		} else if f.Bytes > 0 {
			row.Packet += ", not shown: it holds a secret"
		}
		undone, _ := oracle.ParseUndone(f.Undone) // it was checked
		row.Before = undone.Note(len(f.Before))
		if len(f.Replay) <= maxReplay {
			row.Replay = plain(f.Replay)
		}
		t.Findings = append(t.Findings, row)
	}
	t.MoreFindings = more(len(list)-len(t.Findings), "finding")
}

// known lists the mistakes that are accepted. Where nothing else is wrong, nothing is bad.
func (t *testView) known(list []report.SavedFinding, gone []string, findings int) {
	if len(list) > 0 && findings == 0 {
		t.Tone = "note"
	}
	for i := range list[:min(len(list), maxFindingRows)] {
		t.Known = append(t.Known, plain(list[i].Name())+", "+table.Count(max(list[i].Count, 0), "packet"))
	}
	for _, name := range gone[:min(len(gone), maxFindingRows)] {
		t.Known = append(t.Known, plain(name)+", not seen")
	}
}

// reportText is the first lines of what a target printed when it died.
func reportText(text string) string {
	lines := strings.SplitN(strings.TrimRight(text, "\n"), "\n", maxReportLines+1)
	cut := len(lines) > maxReportLines
	lines = lines[:min(len(lines), maxReportLines)]
	for i, line := range lines {
		lines[i] = plain(line)
	}
	if cut {
		lines = append(lines, "…")
	}
	return strings.Join(lines, "\n")
}

// allRight reports whether a rule's packets were all answered and read rightly.
func allRight(r report.SavedRule) bool { return r.Right == r.Tried && r.Misread == 0 }
