package report

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/saved"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
)

// Audit is what an audit found, with what it was about.
type Audit struct {
	Protocol string
	Target   string
	Seed     uint64
	Result   *fuzz.AuditResult
	Partial  bool // the audit ended early
	Verbose  bool // the text also lists what was not reached, and why
	Own      bool // the target is this project's decoder, which says why it refuses
	// KnownMistakes are findings that are accepted, and not in the Result's; Gone names those accepted that were not
	// seen.
	KnownMistakes []*fuzz.Finding
	Gone          []string
	// Replay is the command that sends a finding's packet again, without the packets: `--hex HEX` for each is added.
	Replay []string
	// Kept, when it is not nil, is the capture that a finding's packets are written to: what --replay takes where they
	// hold a secret.
	Kept func(f *fuzz.Finding) string
	// Plan, when it is not nil, tells which packets hold a secret, which are not shown, and the JSON where in the
	// schema rules are stated; Version is of the program.
	Plan    *plan.Plan
	Version string
	secrets *withheld // of Plan
}

// AppendText appends the audit as text: a line per rule, the findings, and the sum.
func (a *Audit) AppendText(b []byte, colour bool) []byte {
	s := newStyle(colour)
	r := a.Result
	b = append(b, fmt.Sprintf("audit of %s, target %s: ", syntax.EscapeText(a.Protocol), syntax.EscapeText(a.Target))...)
	switch n := unaccepted(r.Untested); {
	case r.Nothing != nil:
		b = append(s.refused.Append(b, "nothing was tested"), ", "...)
	case n > 0:
		b = append(s.refused.Append(b, table.Grouped(n)+" untested"), ", "...)
	}
	b = append(b, fmt.Sprintf("%s packets, valid and broken one rule at a time\n\n", table.Grouped(r.Packets))...)
	last := ""
	rules := byName(r.Rules)
	for i := range rules {
		rule := &rules[i]
		if rule.Rule != last {
			b = append(append(b, "  "...), s.name.Append(nil, syntax.EscapeText(rule.Rule))...)
			b = append(b, '\n')
			last = rule.Rule
		}
		b = a.rule(b, &s, rule)
	}
	if r.States != nil {
		b = appendStates(append(b, '\n'), r.States)
	}
	for i := range r.Findings {
		b = a.finding(append(b, '\n'), &s, &r.Findings[i])
	}
	b = append(b, '\n')
	if r.Hurried {
		b = s.note.Append(b, "the 60 s for all findings were over before all was tried with them: --duration TIME gives more")
		b = append(b, '\n')
	}
	return a.sum(appendKnown(b, &s, a.KnownMistakes, a.Gone), &s)
}

// byName are rules under the names that people are shown: what a struct has without a name is the struct's own.
func byName(rules []fuzz.RuleResult) (list []fuzz.RuleResult) {
	type key struct {
		name string
		kind reject.Kind
	}
	at := map[key]int{}
	for _, r := range rules {
		r.Rule = reject.NameOf(r.Rule)
		i, ok := at[key{r.Rule, r.Kind}]
		if !ok {
			at[key{r.Rule, r.Kind}] = len(list)
			list = append(list, r)
			continue
		}
		one := &list[i]
		one.Tried += r.Tried
		one.Right += r.Right
		one.Survived += r.Survived
		one.Misread += r.Misread
		one.Kicked += r.Kicked
		one.Elsewhere += r.Elsewhere
		one.Sampled = one.Sampled || r.Sampled
		one.LeftOut = saved.Sum(one.LeftOut, r.LeftOut)
		one.Classes = slices.Concat(one.Classes, r.Classes)
		slices.Sort(one.Classes)
		one.Classes = slices.Compact(one.Classes)
	}
	slices.SortStableFunc(list, func(a, b fuzz.RuleResult) int {
		return cmp.Or(strings.Compare(a.Rule, b.Rule), cmp.Compare(a.Kind, b.Kind))
	})
	return list
}

// rule is the line of a rule and a reason.
func (a *Audit) rule(b []byte, s *style, rule *fuzz.RuleResult) []byte {
	word, did, paint := rule.Kind.String(), "refused", s.kind
	if rule.Kind == reject.None {
		word, did, paint = "valid", "accepted", s.accept
	}
	b = append(b, "    "...)
	b = paint.Append(b, fmt.Sprintf("%-17s", word))
	if rule.Survived > 0 {
		did = "survived"
	}
	count := fmt.Sprintf(" %s %s of %s", did, table.Grouped(rule.Right), table.Grouped(rule.Tried))
	if rule.Misread > 0 {
		count += fmt.Sprintf(", %s of these read wrongly", table.Grouped(rule.Misread))
	}
	if rule.Elsewhere > 0 {
		count += fmt.Sprintf(", %s more %s", table.Grouped(rule.Elsewhere), refusedElsewhere)
	}
	if rule.Kicked > 0 {
		count += fmt.Sprintf(", the session was lost after %s", table.Grouped(rule.Kicked))
	}
	if rule.Right != rule.Tried || rule.Misread > 0 {
		b = s.refused.Append(b, count)
	} else {
		b = append(b, count...)
	}
	b = append(b, sampled(rule.Sampled, rule.LeftOut)...)
	b = append(b, "  "...)
	for i, class := range rule.Classes {
		if i > 0 {
			b = append(b, ' ')
		}
		b = s.dim.Append(b, class.String())
	}
	return append(b, '\n')
}

// sampled says that not all was tried, and how much is left out.
func sampled(is bool, leftOut uint64) string {
	switch {
	case !is:
		return ""
	case leftOut == 0:
		return ", sampled"
	case leftOut >= saved.MaxCount:
		return ", sampled: more than " + table.Grouped(uint64(saved.MaxCount)) + " left out"
	}
	return ", sampled: " + table.Grouped(leftOut) + " left out"
}

// shownPlaces is how many places of a cause the text shows; JSON has all.
const shownPlaces = 8

// finding is a block of a few lines.
func (a *Audit) finding(b []byte, s *style, f *fuzz.Finding) []byte {
	b = s.refused.Append(b, "  "+f.Kind.String())
	b = append(b, ' ')
	if f.State != "" {
		b = append(append(b, syntax.EscapeText(f.State)...), ", "...)
	}
	b = append(b, syntax.EscapeText(f.What())...)
	if f.Cause != "" {
		b = append(append(b, "\n    "...), syntax.EscapeText(f.Cause)...)
		if places := f.Places[:min(len(f.Places), shownPlaces)]; len(places) > 0 {
			b = append(append(b, ": "...), syntax.EscapeText(strings.Join(places, ", "))...)
			if more := len(f.Places) - len(places); more > 0 {
				b = append(b, fmt.Sprintf(" and %d more", more)...)
			}
		}
	}
	b = append(b, fmt.Sprintf("\n    %s", times(f.Count))...)
	if f.Done != "" {
		at := f.Changed
		if at == "" {
			at = "the packet"
		}
		b = append(b, fmt.Sprintf("; made by: %s, %s", syntax.EscapeText(at), f.Done)...)
	}
	b = append(b, fmt.Sprintf("\n    %d bytes from %s", len(f.Packet), a.sender(f))...)
	if f.Seal {
		b = append(b, ", made anew by each replay"...)
	} else if a.withheld().packet(f.Packet, f.From) {
		b = append(b, ", not shown: it holds a secret"...)
	} else {
		b = appendCutHex(append(b, ": "...), f.Packet)
	}
	b = append(b, '\n')
	if note := f.Undone.Note(len(f.Before)); note != "" {
		b = append(append(append(b, "    "...), note...), '\n')
	}
	for _, line := range reportLines(a.withheld().report(f)) {
		b = append(append(append(b, "    | "...), line...), '\n')
	}
	return a.replay(b, f)
}

// maxShownBytes is how much of a finding's packet the text shows; JSON has all of it.
const maxShownBytes = 96

func appendCutHex(b, data []byte) []byte {
	more := ""
	if len(data) > maxShownBytes {
		data, more = data[:maxShownBytes], "…"
	}
	return append(hex.AppendEncode(b, data), more...)
}

// maxReportLines is how much of a crash report the text shows.
const maxReportLines = 12

// reportLines are the first lines of what a target printed when it died, so that a terminal obeys none of it.
func reportLines(text string) []string {
	var lines []string
	for start := 0; start < len(text) && len(lines) < maxReportLines; {
		end := start
		for end < len(text) && text[end] != '\n' {
			end++
		}
		lines = append(lines, syntax.EscapeText(text[start:end]))
		start = end + 1
	}
	return lines
}

func times(n int) string {
	if n == 1 {
		return "1 packet shows it"
	}
	return table.Grouped(n) + " packets show it"
}

// sum is the end of the text.
func (a *Audit) sum(b []byte, s *style) []byte {
	r := a.Result
	if r.SurvivedHostile+r.SurvivedValid > 0 {
		b = s.note.Append(b, noVerdict)
		b = append(b, '\n')
	}
	line := answered(r.Refused, r.SurvivedHostile, r.Hostile, "hostile", "refused")
	switch {
	case r.Refused+r.SurvivedHostile != r.Hostile:
		b = s.refused.Append(b, line)
	case r.Hostile == 0:
		b = append(b, line...)
	default:
		if a.Own {
			line += ", each for the right reason at the right bit"
		}
		b = s.accept.Append(b, line)
	}
	b = append(b, '\n')
	if r.Elsewhere > 0 {
		b = s.refused.Append(b, table.Grouped(r.Elsewhere)+" more "+refusedElsewhere)
		b = append(b, '\n')
	}
	line = answered(r.Accepted, r.SurvivedValid, r.Valid, "valid", "accepted")
	switch {
	case r.Accepted+r.SurvivedValid != r.Valid:
		b = s.refused.Append(b, line)
	case r.Valid == 0:
		b = append(b, line...)
	default:
		b = s.accept.Append(b, line)
	}
	if r.Misread > 0 {
		b = append(b, '\n')
		b = s.refused.Append(b, misread(r.Misread))
	}
	if r.Valid > 0 && (r.Accepted+r.SurvivedValid == 0 || r.Misread >= r.Valid) && r.Bases > 0 && !a.Own {
		// Whose harness is not filled in, or whose schema is of another protocol, learns little from what stands above.
		b = append(b, '\n')
		what := "no valid packet was accepted"
		if r.Accepted+r.SurvivedValid > 0 {
			what = "of no valid packet the right values were read"
		}
		b = s.note.Append(b, what+": is the reader called, and does the schema mean the same order of bits and the same checksum?")
	}
	b = append(b, fmt.Sprintf("\n%s verdicts known in advance, %s asked of the reference; %s packets to begin with\n", table.Grouped(r.Known), table.Grouped(r.Packets-r.Known), table.Grouped(r.Bases))...)
	if a.Own {
		b = append(b, fmt.Sprintf("worst cost: %s steps of the %s that are proved\n", table.Grouped(r.Steps), table.Grouped(int(r.MaxSteps)))...)
	}
	if r.Lost > 0 {
		b = s.refused.Append(b, table.Grouped(r.Lost)+" packets show more findings, which did not fit")
		b = append(b, '\n')
	}
	b = a.untested(b, s, r.Untested)
	if n := len(r.Proved); n > 0 {
		b = append(b, fmt.Sprintf("%s ways to be refused are proved out of reach\n", table.Grouped(n))...)
		if a.Verbose {
			b = a.list(b, n, func(i int) string { return r.Proved[i].String() + ": " + r.Proved[i].Unreachable })
		}
	}
	if n := len(r.Missed); n > 0 {
		b = s.note.Append(b, fmt.Sprintf("%s boundaries without a valid packet", table.Grouped(n)))
		b = append(b, '\n')
		b = a.list(b, n, func(i int) string { return r.Missed[i].Why + ": " + r.Missed[i].Err.Error() })
	}
	if a.Partial {
		what := "the audit ended early: what is above is what was done by then"
		if r.Packets == 0 && !a.Own {
			what = "the audit ended before the target answered a packet: is it a reader of that kind of target, and is it started?"
		}
		b = s.refused.Append(b, what)
		b = append(b, '\n')
		if n := len(r.Unfinished); n > 0 {
			b = s.note.Append(b, fmt.Sprintf("%s not finished", syntax.Count(n, "rule")))
			b = append(b, '\n')
			b = a.list(b, n, func(i int) string {
				u := &r.Unfinished[i]
				of := table.Grouped(u.Of)
				if u.AtLeast {
					of = "at least " + of
				}
				return fmt.Sprintf("%s: %s of %s packets sent", reject.NameOf(u.Rule), table.Grouped(u.Tried), of)
			})
		}
	}
	return b
}

// untested are the rows of what was not tested.
func (a *Audit) untested(b []byte, s *style, list []fuzz.Untested) []byte {
	rules := rejects.NewRules(a.Plan)
	for i := range list {
		if i == maxListed && !a.Verbose {
			word := "untested"
			if list[i].NotReached {
				word = "not reached"
			}
			return append(b, fmt.Sprintf("  and %s more %s (-V)\n", table.Grouped(len(list)-i), word)...)
		}
		u := &list[i]
		line := " " + reject.NameOf(u.Rule)
		if p := rules.Place(u.Rule); p != nil {
			line += fmt.Sprintf(" (%s:%d:%d)", p.File, p.Line, p.Column)
		}
		switch {
		case u.NotReached:
			b = s.note.Append(b, "  not reached")
			line += ": " + u.Kind.String()
		case u.Known:
			b = s.note.Append(b, "  known, untested")
			line += ": " + u.What()
		default:
			b = s.refused.Append(b, "  untested")
			line += ": " + u.What()
		}
		b = append(append(b, syntax.EscapeText(line)...), '\n')
	}
	return b
}

func savedUntested(list []fuzz.Untested, rules *rejects.Rules) (out []SavedUntested) {
	for i := range list {
		u := &list[i]
		j := SavedUntested{Rule: u.Rule, Part: u.Part, What: u.What(), Known: u.Known, NotReached: u.NotReached, Place: rules.Place(u.Rule)}
		if u.Kind != reject.None {
			j.Kind = u.Kind.String()
		}
		out = append(out, j)
	}
	return out
}

// unaccepted is how many of what was not tested nobody accepts.
func unaccepted(list []fuzz.Untested) int {
	return Unaccepted(savedUntested(list, rejects.NewRules(nil)))
}

// maxListed is how many lines of a list the text has, unless it is verbose.
const maxListed = 8

func (a *Audit) list(b []byte, n int, line func(i int) string) []byte {
	for i := range n {
		if i == maxListed && !a.Verbose {
			return append(b, fmt.Sprintf("  and %s more (-V)\n", table.Grouped(n-i))...)
		}
		b = append(append(append(b, "  "...), syntax.EscapeText(reject.NameOf(line(i)))...), '\n')
	}
	return b
}

// WriteJSON writes the audit as one JSON object and a newline.
func (a *Audit) WriteJSON(w io.Writer) error {
	r := a.Result
	rules := rejects.NewRules(a.Plan)
	out := SavedAudit{
		Header: newHeader(KindAudit, a.Version, a.Protocol, a.Target, a.Plan), Seed: a.Seed, Partial: a.Partial, Packets: r.Packets,
		Hostile: r.Hostile, Refused: r.Refused, Valid: r.Valid, Accepted: r.Accepted, Misread: r.Misread, SurvivedHostile: r.SurvivedHostile, SurvivedValid: r.SurvivedValid, Known: r.Known, Bases: r.Bases,
		Steps: r.Steps, MaxSteps: r.MaxSteps, Rules: []SavedRule{}, Findings: []SavedFinding{}, Lost: r.Lost, States: savedStates(r.States),
	}
	for _, rule := range r.Rules {
		j := SavedRule{Rule: rule.Rule, Kind: "valid", Tried: rule.Tried, Right: rule.Right, Survived: rule.Survived, Misread: rule.Misread, Kicked: rule.Kicked, Sampled: rule.Sampled, LeftOut: saved.Sum(rule.LeftOut, 0), Classes: []string{}, Place: rules.Place(rule.Rule)}
		if rule.Kind != reject.None {
			j.Kind = rule.Kind.String()
		}
		for _, class := range rule.Classes {
			j.Classes = append(j.Classes, class.String())
		}
		out.Rules = append(out.Rules, j)
	}
	for i := range r.Findings {
		out.Findings = append(out.Findings, a.saved(&r.Findings[i], rules))
	}
	for _, f := range a.KnownMistakes {
		out.KnownMistakes = append(out.KnownMistakes, a.saved(f, rules))
	}
	out.Gone = a.Gone
	FitFindings(out.Findings, out.KnownMistakes)
	out.Untested = savedUntested(r.Untested, rules)
	for i := range r.Unreached {
		out.Unreached = append(out.Unreached, r.Unreached[i].String())
	}
	for i := range r.Proved {
		out.Proved = append(out.Proved, SavedProof{r.Proved[i].String(), r.Proved[i].Unreachable})
	}
	for _, m := range r.Missed {
		out.Missed = append(out.Missed, SavedMissed{m.Why, m.Err.Error()})
	}
	for _, u := range r.Unfinished {
		out.Unfinished = append(out.Unfinished, SavedUnfinished{u.Rule, u.Tried, u.Of, u.AtLeast})
	}
	return writeJSON(w, out)
}

// writeJSON writes an object in one line. Nobody obeys a text in it.
func writeJSON(w io.Writer, object any) error {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false) // names of rules have < and >
	if err := e.Encode(object); err != nil {
		return err
	}
	_, err := w.Write(syntax.AppendEscapedJSON(nil, line.Bytes()))
	return err
}

// newHeader names the schema where the plan is known.
func newHeader(kind, tool, protocol, target string, p *plan.Plan) saved.Header {
	h := saved.Header{SchemaVersion: saved.Version, Kind: kind, Tool: tool, Protocol: protocol, Target: target}
	if p != nil {
		h.Schema = saved.NewSchemaRef(p)
	}
	return h
}

// saved is a finding with the command that shows it again.
func (a *Audit) saved(f *fuzz.Finding, rules *rejects.Rules) SavedFinding {
	out := savedFinding(f, a.withheld(), rules)
	out.Replay = a.replayCommand(f)
	return out
}

func savedFinding(f *fuzz.Finding, secrets *withheld, rules *rejects.Rules) SavedFinding {
	j := SavedFinding{
		Kind: f.Kind.String(), Rule: f.Rule, Path: f.Path, Bit: saved.Bits(f.Bit), Width: saved.Bits(f.Width), Changed: f.Changed, Done: f.Done, Want: f.Want,
		Got: f.Got, Cause: f.Cause, Places: f.Places, Report: secrets.report(f), Stack: f.Stack, From: f.From.String(), Count: f.Count, Bytes: len(f.Packet),
		Place: rules.Place(f.Rule), Undone: f.Undone.String(), State: f.State, Seal: f.Seal, Dialogue: savedDialogue(f.Spoken),
	}
	if f.Reject != reject.None {
		j.Reject = f.Reject.String()
	}
	if f.Seal { // no packet of it says anything to another session
		return j
	}
	shown := func(packet []byte, from decode.Direction) (text string, secret bool) {
		if secrets.packet(packet, from) {
			if f.InState() { // a session gives secrets their values
				return hex.EncodeToString(secrets.without(packet, from)), true
			}
			return "", true
		}
		return hex.EncodeToString(packet), false
	}
	j.Packet, j.Secret = shown(f.Packet, f.From)
	for _, b := range f.Before {
		text, secret := shown(b.Data, b.From)
		j.Before = append(j.Before, SavedPacket{From: b.From.String(), Packet: text, Secret: secret})
	}
	return j
}

// withheld is what a's plan says of packets.
func (a *Audit) withheld() *withheld {
	if a.secrets == nil {
		a.secrets = newWithheld(a.Plan)
	}
	return a.secrets
}
