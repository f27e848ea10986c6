package results

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/saved"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
)

// Level is how much a problem weighs.
type Level uint8

// The levels.
const (
	Warning Level = iota // a packet of a capture was refused: by whoever sent it, or by a schema that is wrong
	Error                // a reader, or a budget, is broken
)

// Source is what told of a problem.
type Source uint8

// The sources.
const (
	FromFinding Source = iota // of an audit, a campaign, or a file of its own
	FromBudget
	FromReject
	FromUntested // of an audit or a campaign: nothing is known of a part of the protocol
)

// Problem is one thing that is wrong, as lists for machines have it. Every text in it may be hostile.
type Problem struct {
	Source   Source
	Level    Level
	Protocol string
	Name     string // what forms call the protocol: see Set.NameOf
	Target   string // of a finding and of what is untested; "" otherwise
	Tool     string // of these: report.KindAudit or KindFuzz
	Kind     string // of a finding its kind; over-budget; of a reject its kind; untested
	Reject   string // of a finding what the packet deserved, "" of a valid one; of a reject the same as Kind; of what is untested the way to be refused
	Part     string // of what is untested: what no valid packet has
	Rule     string // "" where it is not known
	Place    *saved.Place
	Schema   string // file of the schema, "" where it is not known
	// Path, Bit and Width are the field in the packet that shows it; Width is 0 where there is none. Bit and Width are
	// decode.Hidden where they tell a secret.
	Path       string
	Bit, Width int
	Message    string // one line, without the place; of a finding with its cause
	Count      uint64 // packets
	Packet     string // hexadecimal, "" where it is not known or secret
	Replay     string // a command for a shell, "" for none
	File       string // the capture, or the finding's file; "" for none
	N          int64  // of the capture's record, from 1; 0 for none
	Capture    string // the reproducer's capture, "" for none
	Known      bool   // of a finding, and of what is untested: it is accepted, see KnownProblems
	Cause      string // of a finding: the mistake in a sentence, "" where it is not known
	Nth        int    // of a crash: of those in one function the how-manyth line, from 0
	Report     string // of a crash: what the target printed
	Stack      []fuzz.Frame
}

// ReadersLine is the innermost call of a crash whose file is known; the zero Frame where none is.
func (p *Problem) ReadersLine() fuzz.Frame {
	for _, f := range p.Stack[:min(len(p.Stack), fuzz.MaxFrames)] {
		if f.File != "" {
			return f
		}
	}
	return fuzz.Frame{}
}

// Below is a file's path below a directory, if it is one, as the path of a compiler that ran there is; both have slashes,
// or those of Windows.
func Below(file, root string) (string, bool) {
	root = strings.TrimSuffix(path.Clean(strings.ReplaceAll(root, `\`, "/")), "/")
	if root == "" || root == "." {
		return "", false
	}
	file = path.Clean(strings.ReplaceAll(file, `\`, "/"))
	if drive := len(file) > 1 && file[1] == ':'; !drive && file[0] != '/' && file != "." && file != ".." && !strings.HasPrefix(file, "../") {
		return file, true
	}
	return strings.CutPrefix(file, root+"/")
}

// Fingerprint is the same for the same problem from run to run, whatever was written elsewhere in the schema: it is
// made of protocol, target, kind and rule, or the cause where it is known, and neither of a line of the schema, or of
// the reader's source, nor of a packet. 32 hexadecimal digits.
func (p *Problem) Fingerprint() string {
	rule := p.Rule
	cause, _ := fuzz.CutLine(p.Cause)
	if p.Place != nil && p.Place.Stable != "" {
		// The rule's own name has its line, as in require@12, and so has a cause that names it.
		rule = p.Place.Stable
		if at := strings.LastIndex(p.Rule, "require@"); at >= 0 {
			cause = strings.ReplaceAll(cause, p.Rule[at:], strings.TrimPrefix(rule, p.Rule[:at]))
		}
	}
	parts := []string{"pktscope 1", [...]string{"finding", "budget", "reject", "untested"}[p.Source], p.Protocol, p.Target, p.Kind, p.Reject, rule}
	if p.Part != "" {
		parts = append(parts, p.Part)
	}
	if cause != "" {
		parts = append(parts[:len(parts)-2], "", cause)
	}
	if p.Nth > 0 {
		parts = append(parts, fmt.Sprintf("line %d", p.Nth))
	}
	h := sha256.New()
	for _, part := range parts {
		// Lengths keep texts with NULs in them apart.
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// PlaceName is the one name that all views have for a place: its path, or where that is empty its rule, or "packet".
// What the schema gives no name, such as the rule check#1, goes by its owner's.
func PlaceName(path, rule string) string {
	return cmp.Or(path, reject.NameOf(rule), reject.Packet)
}

// Where is the field with its bits: "body.count, bits 96..103", or "packet".
func (p *Problem) Where() string {
	at := PlaceName(p.Path, p.Rule)
	if p.Bit == decode.Hidden {
		return at + ", bits " + reject.Masked
	}
	if p.Width > 0 {
		return fmt.Sprintf("%s, bits %d..%d", at, p.Bit, p.Bit+p.Width-1)
	}
	return at
}

// Problems lists all that is wrong, each mistake once: findings, then what was not tested, broken budgets, and rejects.
// What an audit and a campaign found is one problem, with the packets of both. It depends on nothing but the set.
func (s *Set) Problems() []Problem {
	var list []Problem
	at := map[string]int{}
	for _, p := range s.AllProblems() {
		mark := p.Name + "\x00" + p.Fingerprint() // two schemas of one name stay apart
		n, ok := at[mark]
		if !ok {
			at[mark] = len(list)
			list = append(list, p)
			continue
		}
		known := &list[n]
		known.Count = saved.Sum(known.Count, p.Count)
		if known.Capture == "" && p.Capture != "" {
			known.File, known.Capture = p.File, p.Capture
		}
	}
	return list
}

// AllProblems returns Problems, but repeats a mistake for each tool that found it.
func (s *Set) AllProblems() []Problem {
	s.Merge()
	var list []Problem
	nth := s.crashLines()
	for _, f := range s.AllFindings() {
		p := f.problem(s)
		p.Nth = nth.of(f)
		list = append(list, p)
	}
	for _, a := range s.Audits {
		list = append(list, s.untestedProblems(report.KindAudit, a.Protocol, a.Target, a.Schema, a.Untested)...)
	}
	for _, c := range s.Campaigns {
		list = append(list, s.untestedProblems(report.KindFuzz, c.Protocol, c.Target, c.Schema, c.Untested)...)
	}
	for _, b := range s.Budgets {
		rules := rejects.NewRules(b.Plan())
		for _, o := range b.Broken() {
			p := Problem{Source: FromBudget, Level: Error, Protocol: b.Plan().Schema.Name, Name: s.NameOf(b.Plan().Schema.Name, b.Schema()), Kind: "over-budget", Rule: o.Path, Path: o.Path,
				Place: rules.Place(o.Path), Schema: b.Plan().Schema.File.Name, Count: o.Times, File: o.File, N: o.N}
			p.Message = fmt.Sprintf("want at most %d bits, got %d; %s over budget, %d bits at most", o.Limit, o.First, syntax.Count(o.Times, "packet"), o.Worst)
			if o.Secret {
				p.Message = fmt.Sprintf("want at most %d bits, got %s; %s over budget", o.Limit, reject.Masked, syntax.Count(o.Times, "packet"))
			}
			if o.Path == "" {
				p.Rule = reject.Packet
				if p.Place = rules.Place(p.Rule); o.Case != "" {
					p.Rule = "packet<" + o.Case + ">"
				}
				p.Message = fmt.Sprintf("want at most %d bytes, got %d; %s too large, %d bytes at most", o.Limit, o.First, syntax.Count(o.Times, "packet"), o.Worst)
			}
			list = append(list, p)
		}
	}
	return s.rejectProblems(slices.DeleteFunc(list, func(p Problem) bool { return p.Known }))
}

// KnownProblems are the mistakes that are accepted: nothing fails of them.
func (s *Set) KnownProblems() (list []Problem) {
	s.Merge()
	nth := s.crashLines()
	for _, f := range s.AllKnown() {
		p := f.problem(s)
		p.Known, p.Nth = true, nth.of(f)
		list = append(list, p)
	}
	for _, a := range s.Audits {
		list = append(list, s.untestedProblems(report.KindAudit, a.Protocol, a.Target, a.Schema, a.Untested)...)
	}
	for _, c := range s.Campaigns {
		list = append(list, s.untestedProblems(report.KindFuzz, c.Protocol, c.Target, c.Schema, c.Untested)...)
	}
	return slices.DeleteFunc(list, func(p Problem) bool { return !p.Known })
}

// rejectProblems adds the rejects by rule, and those that only statistics know of, by kind.
func (s *Set) rejectProblems(list []Problem) []Problem {
	known := map[rejectKey]uint64{}
	for _, r := range s.Rejects {
		name := s.NameOf(r.Protocol, r.Schema)
		for i := range r.Rows {
			row := &r.Rows[i]
			for _, key := range []rejectKey{{r.Protocol, hashOf(r.Schema), row.Kind}, {r.Protocol, anySchema, row.Kind}} {
				known[key] = saved.Sum(known[key], row.Packets)
			}
			e := &row.First
			p := Problem{Source: FromReject, Protocol: r.Protocol, Name: name, Kind: row.Kind, Reject: row.Kind, Rule: row.Rule, Place: row.Place, Path: e.Path, Bit: int(e.Bit),
				Width: int(e.Width), Message: e.Message, Count: row.Packets, File: e.File, N: e.N}
			if r.Schema != nil {
				p.Schema = r.Schema.File
			}
			list = append(list, p)
		}
	}
	for _, one := range s.Statistics {
		of := anySchema // of before, when they did not say
		if one.Schema() != nil {
			of = one.Schema().Hash
		}
		for _, row := range one.Summary().Rejects {
			key := rejectKey{one.Protocol(), of, row.Kind}
			told := min(known[key], row.Packets)
			known[key] -= told
			if left := row.Packets - told; left > 0 {
				list = append(list, Problem{Source: FromReject, Protocol: one.Protocol(), Name: s.NameOf(one.Protocol(), one.Schema()), Kind: row.Kind, Reject: row.Kind, Count: left,
					Message: "of which rule, saved statistics do not tell: the capture does"})
			}
		}
	}
	return list
}

// rejectKey is packets of a schema's that were refused for one kind of reason; anySchema is all schemas of the
// protocol's name.
type rejectKey struct{ protocol, hash, kind string }

const anySchema = "any"

func (f *Finding) problem(s *Set) Problem {
	p := Problem{Source: FromFinding, Level: Error, Protocol: f.Protocol, Name: s.NameOf(f.Protocol, f.Schema), Target: f.Target, Tool: f.Tool, Kind: f.Kind, Reject: f.Reject, Rule: f.Rule, Place: f.Place,
		Path: f.Path, Bit: int(f.Bit), Width: int(f.Width), Message: "want " + f.Want + ", got " + f.Got, Count: uint64(f.Count), Packet: f.Packet, Replay: f.Replay,
		File: f.Source, Capture: f.Capture, Cause: f.Cause, Report: f.Report, Stack: f.Stack}
	if f.Cause != "" {
		p.Message += "; " + f.Cause
	}
	if f.Schema != nil {
		p.Schema = f.Schema.File
	}
	return p
}
