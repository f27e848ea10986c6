// Package junit writes results as JUnit XML, which CI servers read: the form that Ant's JUnit task writes, as Jenkins
// takes it.
//
// A case is a rule of an audit with the way it was broken, a rule of a campaign, a capture, or a budget. It fails where
// a packet showed that the reader is wrong, was refused, or is too large. There are no times: the same results make the
// same file.
//
// Texts come from readers, schemas, packets and file names: control and bidi characters are shown as `\x1b`, so that no
// byte is left that XML has no place for, and the rest is escaped as XML.
package junit

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
)

const (
	maxText  = 1000 // bytes of a text
	maxShown = 20   // problems in one case
)

type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Suites   []*suite `xml:"testsuite"`
}

type suite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []*testcase `xml:"testcase"`
}

type testcase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr"`
	Error   *outcome `xml:"error,omitempty"`
	Failure *outcome `xml:"failure,omitempty"`
	Skipped *outcome `xml:"skipped,omitempty"`
}

type outcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// Write writes all of a set. The error is the writer's.
func Write(w io.Writer, s *results.Set) error {
	problems := s.AllProblems()
	left := newPile(problems)
	out := suites{Name: "pktscope"}
	inputs := &suite{Name: "inputs"}
	for i, line := range s.Remarks() {
		inputs.add("pktscope.input", fmt.Sprintf("input %d is read", i+1)).Error = &outcome{Message: text(line), Type: "unreadable"}
	}
	out.add(inputs)
	for _, a := range s.Audits {
		out.add(auditSuite(a, s.NameOf(a.Protocol, a.Schema), left))
	}
	for _, c := range s.Campaigns {
		out.add(campaignSuite(c, s.NameOf(c.Protocol, c.Schema), left))
	}
	out.add(left.rest("findings", results.FromFinding))
	out.add(knownSuite(s))
	for _, r := range s.Rejects {
		out.add(captureSuite(r, s.NameOf(r.Protocol, r.Schema), left))
	}
	out.add(statisticsSuite(s, left))
	out.add(budgetSuite(s, left))
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// add adds a suite that has cases.
func (o *suites) add(s *suite) {
	if len(s.Cases) == 0 {
		return
	}
	for _, c := range s.Cases {
		switch {
		case c.Error != nil:
			s.Errors++
		case c.Failure != nil:
			s.Failures++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
	s.Tests, s.Time = len(s.Cases), "0"
	o.Tests += s.Tests
	o.Failures += s.Failures
	o.Errors += s.Errors
	o.Suites = append(o.Suites, s)
}

func (s *suite) add(class, name string) *testcase {
	c := &testcase{Class: text(class), Name: text(name), Time: "0"}
	s.Cases = append(s.Cases, c)
	return c
}

// fail makes a case fail of problems; without one it is as it was.
func (t *testcase) fail(list []*results.Problem) {
	if len(list) == 0 {
		return
	}
	first := list[0]
	f := &outcome{Message: first.Kind + ": " + text(first.Where()+": "+first.Message), Type: first.Kind}
	if len(list) > 1 {
		f.Message += fmt.Sprintf(" (and %d more)", len(list)-1)
	}
	var b strings.Builder
	for i, p := range list {
		if i == maxShown {
			fmt.Fprintf(&b, "and %d more\n", len(list)-i)
			break
		}
		describe(&b, p)
	}
	f.Text = b.String()
	t.Failure = f
}

// describe is all that is known of a problem, on a few lines.
func describe(b *strings.Builder, p *results.Problem) {
	fmt.Fprintf(b, "%s: %s: %s\n", p.Kind, text(p.Where()), text(p.Message))
	if p.Place != nil {
		fmt.Fprintf(b, "  stated in %s:%d:%d\n", text(p.Place.File), p.Place.Line, p.Place.Column)
	}
	if p.Count > 0 {
		fmt.Fprintf(b, "  packets: %d\n", p.Count)
	}
	switch {
	case p.File != "" && p.N > 0:
		fmt.Fprintf(b, "  the first: record %d of %s\n", p.N, text(p.File))
	case p.File != "":
		fmt.Fprintf(b, "  in %s\n", text(p.File))
	}
	if p.Packet != "" {
		fmt.Fprintf(b, "  packet: %s\n", text(p.Packet))
	}
	if p.Replay != "" && len(p.Replay) <= 4*maxText {
		fmt.Fprintf(b, "  again: %s\n", syntax.EscapeText(p.Replay))
	}
}

func text(s string) string { return syntax.EscapeText(table.Clip(s, maxText)) }

func auditSuite(a *report.SavedAudit, name string, left *pile) *suite {
	s := &suite{Name: text("audit of " + name + ", target " + a.Target)}
	class := name + ".audit"
	for i := range a.Rules {
		r := &a.Rules[i]
		c := s.add(class, r.Rule+": "+r.Kind)
		kind := r.Kind
		if kind == "valid" {
			kind = ""
		}
		c.fail(left.take(key{results.FromFinding, report.KindAudit, name, a.Target, r.Rule, kind}))
		switch wrong := r.Tried - r.Right + r.Misread; {
		case wrong == 0 || c.Failure != nil:
		case len(a.Findings) == 0 && len(a.KnownMistakes) > 0:
			c.Skipped = &outcome{Message: fmt.Sprintf("%d of %d answers are wrong, of known mistakes", wrong, r.Tried)}
		default:
			c.Failure = &outcome{Message: fmt.Sprintf("%d of %d answers are wrong", wrong, r.Tried), Type: r.Kind}
		}
	}
	s.other(class, left.takeAll(func(p *results.Problem) bool {
		return p.Tool == report.KindAudit && p.Name == name && p.Target == a.Target
	}))
	if a.Partial {
		s.add(class, "complete").Error = &outcome{Message: "the audit ended early", Type: "partial"}
	}
	return s
}

// knownSuite has a case that is skipped for each mistake that is accepted.
func knownSuite(set *results.Set) *suite {
	s := &suite{Name: "known mistakes"}
	for _, f := range set.AllKnown() {
		s.add(set.NameOf(f.Protocol, f.Schema)+".known", f.Name()).Skipped = &outcome{Message: fmt.Sprintf("known, %d packets show it", f.Count)}
	}
	for _, name := range set.Gone() {
		s.add("gone", name).Skipped = &outcome{Message: "known, and not seen"}
	}
	return s
}

func campaignSuite(c *report.SavedCampaign, name string, left *pile) *suite {
	s := &suite{Name: text("fuzz of " + name + ", target " + c.Target)}
	class := name + ".fuzz"
	byRule := map[string][]*results.Problem{}
	for _, p := range left.takeAll(func(p *results.Problem) bool {
		return p.Tool == report.KindFuzz && p.Name == name && p.Target == c.Target
	}) {
		byRule[p.Rule] = append(byRule[p.Rule], p)
	}
	for _, r := range c.Rules {
		one := s.add(class, r.Rule)
		one.fail(byRule[r.Rule])
		delete(byRule, r.Rule)
		if r.Reached == 0 && one.Failure == nil {
			one.Skipped = &outcome{Message: fmt.Sprintf("none of %d ways to break it was met", r.Of)}
		}
	}
	var others []*results.Problem
	for _, list := range byRule {
		others = append(others, list...)
	}
	slices.SortFunc(others, func(a, b *results.Problem) int {
		return strings.Compare(a.Rule+"\x00"+a.Kind+"\x00"+a.Reject, b.Rule+"\x00"+b.Kind+"\x00"+b.Reject)
	})
	s.other(class, others)
	return s
}

// other adds a case for each problem that no case is about.
func (s *suite) other(class string, list []*results.Problem) {
	for _, p := range list {
		name := p.Rule + ": " + p.Kind
		if p.Source == results.FromUntested {
			name = p.Rule + ": " + cmp.Or(p.Reject, p.Part, "everything")
		}
		s.add(class, name).fail([]*results.Problem{p})
	}
}

// captureSuite has a case for each capture.
func captureSuite(r *rejects.Result, name string, left *pile) *suite {
	s := &suite{Name: text("captures of " + name)}
	byFile := map[string][]*results.Problem{}
	for _, p := range left.takeAll(func(p *results.Problem) bool {
		return p.Source == results.FromReject && p.Name == name && p.Rule != ""
	}) {
		byFile[p.File] = append(byFile[p.File], p)
	}
	for _, f := range r.Files {
		c := s.add(name+".capture", f.File)
		if f.Rejected == 0 {
			continue
		}
		c.fail(byFile[f.File]) // what was met in this capture first
		if c.Failure == nil {
			c.Failure = &outcome{Type: "reject"}
		}
		c.Failure.Message = fmt.Sprintf("%d of %d packets refused", f.Rejected, f.Packets)
	}
	return s
}

// statisticsSuite has a case for each protocol that statistics know of and no capture.
func statisticsSuite(set *results.Set, left *pile) *suite {
	s := &suite{Name: "saved statistics"}
	for _, one := range set.Statistics {
		name := set.NameOf(one.Protocol(), one.Schema())
		list := left.takeAll(func(p *results.Problem) bool { return p.Source == results.FromReject && p.Name == name })
		if len(list) == 0 && set.HasRejectsOf(one) {
			continue
		}
		s.add(name+".statistics", "no packet refused").fail(list)
	}
	return s
}

// budgetSuite has a case for each protocol's budget, or one for each that is broken.
func budgetSuite(set *results.Set, left *pile) *suite {
	s := &suite{Name: "budgets"}
	for _, b := range set.Budgets {
		name := set.NameOf(b.Plan().Schema.Name, b.Schema())
		list := left.takeAll(func(p *results.Problem) bool { return p.Source == results.FromBudget && p.Name == name })
		if len(list) == 0 && len(b.Broken()) == 0 {
			s.add(name+".budget", "every packet is within its budget")
		}
		s.other(name+".budget", list)
	}
	return s
}
