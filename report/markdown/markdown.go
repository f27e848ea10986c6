// Package markdown writes results as a summary in Markdown that fits into the comment of a pull request: what was done,
// in a line each, and the first problems.
//
// Every text from outside is in a code span, after a fence of backticks that is longer than any in it: there
// nothing is HTML, a link, a mention, a reference to an issue or a formula. Control and bidi characters and line ends
// are shown as `\x1b`.
package markdown

import (
	"fmt"
	"io"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/results"
)

// What a summary has at most: of lines about what was done, of problems, and of bytes of a text. GitHub takes 65,536
// characters.
const (
	maxLines    = 20
	maxProblems = 10
	maxTrouble  = 5
	maxText     = 200
	maxMessage  = 500 // bytes of what is wrong: the reader's line, with a function of C++, is at its end
	maxReplay   = 300 // bytes of a command; a longer one is left out
)

// Write writes the summary of a set. The error is the writer's.
func Write(w io.Writer, s *results.Set) error {
	problems := s.Problems()
	var b strings.Builder
	errors := 0
	for i := range problems {
		if problems[i].Level == results.Error {
			errors++
		}
	}
	b.WriteString("## pktscope: ")
	switch warnings := len(problems) - errors; {
	case len(problems) == 0:
		b.WriteString("no problem\n\n")
	case errors == 0:
		fmt.Fprintf(&b, "%s\n\n", table.Count(warnings, "warning"))
	case warnings == 0:
		fmt.Fprintf(&b, "%s\n\n", table.Count(errors, "error"))
	default:
		fmt.Fprintf(&b, "%s, %s\n\n", table.Count(errors, "error"), table.Count(warnings, "warning"))
	}
	done := lines(s)
	for i, line := range done {
		if i == maxLines {
			fmt.Fprintf(&b, "- and %d more\n", len(done)-i)
			break
		}
		b.WriteString("- " + line + "\n")
	}
	for i, line := range s.Remarks() {
		if i == maxTrouble {
			break
		}
		b.WriteString("\n**not all was read**: " + code(line) + "\n")
	}
	if len(problems) > 0 {
		b.WriteString("\n### Problems\n\n")
	}
	for i := range problems {
		if i == maxProblems {
			fmt.Fprintf(&b, "\n%d more are left out here.\n", len(problems)-i)
			break
		}
		problem(&b, i+1, &problems[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lines say what was done.
func lines(s *results.Set) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, a := range s.Audits {
		text := fmt.Sprintf("audit of %s, target %s: %s; %s", code(s.NameOf(a.Protocol, a.Schema)), code(a.Target), a.Sum(), table.Count(len(a.Findings), "finding"))
		text += untested(a.Untested)
		if a.Partial {
			text += ", **ended early**"
		}
		add("%s", text)
	}
	for _, c := range s.Campaigns {
		add("fuzz of %s, target %s: %s, coverage %.1f %%, %s%s", code(s.NameOf(c.Protocol, c.Schema)), code(c.Target), table.Count(int(c.Packets), "packet"), c.Coverage, table.Count(len(c.Findings), "finding"), untested(c.Untested))
	}
	for _, f := range s.AllKnown() {
		add("known mistake of %s, target %s: %s", code(s.NameOf(f.Protocol, f.Schema)), code(f.Target), code(f.Name()))
	}
	for _, name := range s.Gone() {
		add("known mistake that was not seen: %s", code(name))
	}
	alone := len(s.AllFindings()) // beside those that an audit or a campaign tells of
	for _, a := range s.Audits {
		alone -= len(a.Findings)
	}
	for _, c := range s.Campaigns {
		alone -= len(c.Findings)
	}
	if alone > 0 {
		add("%s in files", table.Count(alone, "finding"))
	}
	for _, r := range s.Rejects {
		add("captures of %s: %s in %s, %s refused", code(s.NameOf(r.Protocol, r.Schema)), table.Count(int(min(r.Packets, 1<<53)), "packet"), table.Count(len(r.Files), "file"), table.Grouped(r.Rejected))
	}
	for _, one := range s.Statistics {
		if s.HasRejectsOf(one) {
			continue // that line says it
		}
		sum := one.Summary()
		t := &sum.Total
		add("traffic of %s: %s, %s bytes of payload, %s refused", code(s.NameOf(one.Protocol(), one.Schema())), table.Count(int(min(t.Packets(), 1<<53)), "packet"), table.Grouped(t.PayloadBits()/8), table.Grouped(t.Rejected.Packets))
	}
	for _, one := range s.Budgets {
		total, broken := one.Total(), len(one.Broken())
		mean := 0.0
		if total.Packets > 0 {
			mean = float64(total.Bytes) / float64(total.Packets)
		}
		text := fmt.Sprintf("budget of %s: %s of %.1f bytes, the largest has %s", code(s.NameOf(one.Plan().Schema.Name, one.Schema())), table.Count(int(min(total.Packets, 1<<53)), "packet"), mean, table.Grouped(total.Max))
		if broken > 0 {
			text += fmt.Sprintf(", **%s over budget**", table.Count(broken, "part"))
		}
		add("%s", text)
	}
	return list
}

// untested is how many rows say that nothing is known, "" without any.
func untested(list []report.SavedUntested) string {
	n := report.Unaccepted(list)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", **%s untested**", table.Grouped(uint64(n)))
}

func problem(b *strings.Builder, n int, p *results.Problem) {
	fmt.Fprintf(b, "%d. **%s**", n, p.Kind) // a kind is lower-case letters and hyphens: see results
	if p.Source == results.FromReject {
		b.WriteString(" refused")
	}
	fmt.Fprintf(b, " in %s", code(p.Name))
	if p.Target != "" {
		fmt.Fprintf(b, ", target %s", code(p.Target))
	}
	fmt.Fprintf(b, ", %s: %s", code(p.Where()), span(syntax.EscapeText(table.Clip(p.Message, maxMessage))))
	if p.Place != nil {
		fmt.Fprintf(b, ", stated in %s", code(fmt.Sprintf("%s:%d", p.Place.File, p.Place.Line)))
	}
	if p.N > 0 && p.File != "" {
		fmt.Fprintf(b, ", first in record %d of %s", p.N, code(p.File))
	}
	if p.Count > 0 {
		fmt.Fprintf(b, " (%s)", table.Count(int(min(p.Count, 1<<53)), "packet"))
	}
	b.WriteByte('\n')
	if p.Replay != "" && len(p.Replay) <= maxReplay {
		fmt.Fprintf(b, "   again: %s\n", span(syntax.EscapeText(p.Replay)))
	}
}

// code is a text from outside as a code span.
func code(text string) string { return span(syntax.EscapeText(table.Clip(text, maxText))) }

// span is a code span. Where its text begins or ends with a backtick or a blank, a blank on both sides is no part of it
// (CommonMark, 6.1).
func span(text string) string {
	if strings.Trim(text, " ") == "" {
		return "` `"
	}
	longest, run := 0, 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if strings.ContainsAny(text[:1]+text[len(text)-1:], "` ") {
		text = " " + text + " "
	}
	return fence + text + fence
}
