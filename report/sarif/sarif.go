package sarif

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
)

// What one file has at most. Services refuse or cut more: GitHub shows 5,000 results of a run.
const (
	maxResults = 5000
	maxTrouble = 100  // inputs that could not be read
	maxText    = 1000 // bytes of a text
	maxPacket  = 2 << 10
)

// Fingerprint is the name of the fingerprint that results have.
const Fingerprint = "pktscope/v1"

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool        tool                   `json:"tool"`
	Automation  automation             `json:"automationDetails"`
	Invocations []invocation           `json:"invocations"`
	BaseIDs     map[string]description `json:"originalUriBaseIds"`
	ColumnKind  string                 `json:"columnKind"`
	Results     []result               `json:"results"`
}

type automation struct {
	ID string `json:"id"`
}

type description struct {
	Description message `json:"description"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name           string `json:"name"`
	Version        string `json:"version,omitempty"`
	InformationURI string `json:"informationUri"`
	Rules          []rule `json:"rules"`
}

type rule struct {
	ID               string        `json:"id"`
	Name             string        `json:"name"`
	ShortDescription message       `json:"shortDescription"`
	FullDescription  message       `json:"fullDescription"`
	Help             message       `json:"help"`
	Default          configuration `json:"defaultConfiguration"`
	Properties       tags          `json:"properties"`
}

type configuration struct {
	Level string `json:"level"`
}

type tags struct {
	Tags []string `json:"tags"`
}

type message struct {
	Text string `json:"text"`
}

type invocation struct {
	ExecutionSuccessful bool           `json:"executionSuccessful"`
	Notifications       []notification `json:"toolExecutionNotifications,omitempty"`
}

type notification struct {
	Level   string  `json:"level"`
	Message message `json:"message"`
}

type result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      message           `json:"message"`
	Locations    []location        `json:"locations"`
	Related      []location        `json:"relatedLocations,omitempty"`
	Stacks       []stack           `json:"stacks,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Occurrences  uint64            `json:"occurrenceCount,omitempty"`
	Suppressions []suppression     `json:"suppressions,omitempty"`
	Properties   properties        `json:"properties"`
}

// suppression says that a result is accepted, and by what.
type suppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification"`
}

type location struct {
	ID       int       `json:"id,omitempty"`
	Physical *physical `json:"physicalLocation,omitempty"`
	Logical  []logical `json:"logicalLocations,omitempty"`
	Message  *message  `json:"message,omitempty"`
}

type physical struct {
	Artifact artifact `json:"artifactLocation"`
	Region   *region  `json:"region,omitempty"`
}

type artifact struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type region struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn,omitempty"`
}

type logical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

// properties are what SARIF has no place for. Bits count from 0 in the datagram.
type properties struct {
	Protocol string     `json:"protocol"`
	Target   string     `json:"target,omitempty"`
	Rule     string     `json:"rule,omitempty"`
	Reject   string     `json:"reject,omitempty"`
	Path     string     `json:"path,omitempty"`
	Bit      saved.Bits `json:"bitOffset"`
	Width    saved.Bits `json:"bitWidth"`
	Packet   string     `json:"packet,omitempty"`
	Replay   string     `json:"replay,omitempty"`
	Record   int64      `json:"record,omitempty"` // of the capture, from 1
}

// Write writes all problems of a set, a run for each protocol and target. version is that of the program; root is the
// directory that it was run in, "" where that is nobody's business: files below it are named as they are from there.
// What is written depends on nothing else. The error is the writer's.
func Write(w io.Writer, s *results.Set, version, root string) error {
	var troubles []notification
	remarks := s.Remarks()
	for _, line := range remarks[:min(len(remarks), maxTrouble)] {
		troubles = append(troubles, notification{"error", message{plain(text(line))}})
	}
	of := map[subject][]results.Problem{}
	problems := append(s.Problems(), s.KnownProblems()...)
	left := max(len(problems)-maxResults, 0)
	for _, p := range problems[:len(problems)-left] {
		at := subject{p.Protocol, p.Target}
		of[at] = append(of[at], p)
	}
	if left > 0 {
		troubles = append(troubles, notification{"warning", message{fmt.Sprintf("%d more results are left out", left)}})
	}
	var runs []run
	add := func(category string, list []results.Problem) {
		out := newRun(category, list, version, root)
		out.Invocations[0] = invocation{len(remarks) == 0, troubles}
		runs = append(runs, out)
	}
	about := subjects(s)
	for i, one := range about {
		if len(about) > maxRuns && i == maxRuns-1 {
			var rest []results.Problem
			for _, other := range about[i:] {
				rest = append(rest, of[other]...)
			}
			add(othersCategory, rest)
			break
		}
		add(one.category(), of[one])
	}
	if runs == nil {
		add(noCategory, nil)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(log{"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", "2.1.0", runs})
}

func newRun(category string, problems []results.Problem, version, root string) run {
	rules, at := ruleTable()
	out := run{
		Tool:        tool{driver{Name: "pktscope", Version: text(strings.TrimPrefix(version, "v")), InformationURI: "https://github.com/pktscope/pktscope", Rules: rules}},
		Automation:  automation{category},
		Invocations: make([]invocation, 1),
		BaseIDs:     map[string]description{sourceRoot: {message{"the directory that pktscope was run in"}}},
		ColumnKind:  "unicodeCodePoints",
		Results:     []result{},
	}
	for i := range problems {
		p := &problems[i]
		id := ruleOf(p)
		index, ok := at[id]
		if !ok {
			index = len(out.Tool.Driver.Rules)
			at[id] = index
			out.Tool.Driver.Rules = append(out.Tool.Driver.Rules, otherRule(id, p.Level))
		}
		out.Results = append(out.Results, newResult(p, id, index, root))
	}
	return out
}

func newResult(p *results.Problem, id string, index int, root string) result {
	r := result{
		RuleID: id, RuleIndex: index, Level: levelWord(p.Level), Occurrences: p.Count,
		Message:      message{messageText(p)},
		Fingerprints: map[string]string{Fingerprint: p.Fingerprint()},
		Properties: properties{Protocol: text(p.Protocol), Target: text(p.Target), Rule: text(p.Rule), Reject: p.Reject, Path: text(p.Path), Bit: saved.Bits(p.Bit), Width: saved.Bits(p.Width),
			Record: p.N},
	}
	if p.Known {
		r.Suppressions = []suppression{{"external", "accepted", "a known mistake: pktscope --known"}}
	}
	if len(p.Packet) <= maxPacket {
		r.Properties.Packet = p.Packet
	}
	if len(p.Replay) <= 2*maxPacket {
		r.Properties.Replay = syntax.EscapeText(p.Replay)
	}
	name := p.Protocol
	if p.Rule != "" {
		name += "." + p.Rule
	}
	at := location{Logical: []logical{{text(name), "member"}}}
	switch {
	case p.Place != nil:
		at.Physical = &physical{artifactOf(p.Place.File, root), &region{p.Place.Line, p.Place.Column}}
	case p.Schema != "":
		at.Physical = &physical{Artifact: artifactOf(p.Schema, root), Region: &region{Line: 1}}
	}
	r.Locations = []location{at}
	r.stackOf(p, root)
	relate := func(file, what string) {
		if file != "" && file != "-" {
			r.Related = append(r.Related, location{ID: len(r.Related) + 1, Physical: &physical{Artifact: artifactOf(file, root)}, Message: &message{what}})
		}
	}
	switch {
	case p.Source == results.FromFinding:
		relate(p.Capture, "a capture with the packet")
		relate(p.File, "the finding, for pktscope fuzz --replay")
	case p.N > 0:
		relate(p.File, fmt.Sprintf("the first such packet is record %d", p.N))
	default:
		relate(p.File, "the first such packet is in it")
	}
	return r
}

func messageText(p *results.Problem) string {
	b := text(p.Name) + " " + text(p.Where()) + ": "
	switch p.Source {
	case results.FromFinding:
		b += p.Kind + ": "
	case results.FromUntested:
		b += "untested: "
	case results.FromReject:
		b += "packets are refused, " + p.Kind + ": "
	}
	b += text(p.Message)
	if p.Target != "" {
		b += "; target " + text(p.Target)
	}
	if p.Source != results.FromBudget && p.Count > 0 {
		b += fmt.Sprintf("; %d times", p.Count)
	}
	return plain(b)
}

// text is a text from outside: nothing a viewer would obey, and not longer than anyone reads.
func text(s string) string { return syntax.EscapeText(table.Clip(s, maxText)) }

// plain keeps a message from having placeholders, and links, which are [text](target): a blank tells the two apart.
func plain(s string) string { return strings.NewReplacer("](", "] (", "{", "{{", "}", "}}").Replace(s) }

const sourceRoot = "%SRCROOT%"

// artifactOf is a file by its name as it was given on the command line, or by a compiler: a relative one is relative to
// the source tree, and so is one below root.
func artifactOf(name, root string) artifact {
	name = strings.ReplaceAll(name, `\`, "/")
	if below, ok := results.Below(name, root); ok {
		name = below
	}
	if up := path.Clean(name); up == ".." || strings.HasPrefix(up, "../") { // relative to the tree, it would leave it
		name = path.Join("/", root, up)
	}
	if strings.HasPrefix(name, "/") {
		return artifact{URI: (&url.URL{Scheme: "file", Path: path.Clean(name)}).String()}
	}
	if len(name) > 2 && name[1] == ':' && name[2] == '/' { // a drive
		return artifact{URI: (&url.URL{Scheme: "file", Path: "/" + path.Clean(name)}).String()}
	}
	// Path.String puts ./ before a colon in the first segment, which would be a scheme.
	return artifact{URI: (&url.URL{Path: path.Clean(name)}).String(), Base: sourceRoot}
}

func levelWord(l results.Level) string {
	if l == results.Error {
		return "error"
	}
	return "warning"
}
