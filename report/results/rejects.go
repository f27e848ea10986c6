package results

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode/reject"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/internal/about"
	"github.com/pktscope/pktscope/report/stats"
)

const kindRejects = "rejects"

// Rejects is why the packets of captures were refused, by rule: a row for each rule of the schema and the way it was broken.
type Rejects struct {
	SchemaVersion int               `json:"schema_version"`
	Kind          string            `json:"kind"` // rejects
	Tool          string            `json:"tool_version,omitempty"`
	Protocol      string            `json:"protocol"`
	Schema        *report.SchemaRef `json:"schema"`
	Incomplete    about.Gaps        `json:"incomplete,omitempty"` // what they are not of, such as a capture that was cut
	Packets       uint64            `json:"packets"`              // all of them, also the accepted ones
	Rejected      uint64            `json:"rejected"`             // of these
	Rows          []RejectRow       `json:"rules"`                // the most packets first
	More          uint64            `json:"more,omitempty"`
	// Files are the captures that they came from, by name.
	Files     []FileRow `json:"files"`
	MoreFiles bool      `json:"more_files,omitempty"` // there are more than maxFiles
}

// FileRow is what became of the packets of one capture.
type FileRow struct {
	File     string `json:"file"`
	Packets  uint64 `json:"packets"`
	Rejected uint64 `json:"rejected,omitempty"`
	Cut      uint64 `json:"cut,omitempty"` // by the capture
}

// HasRejectsOf reports whether the set has the rejects by rule of what statistics are of.
func (s *Set) HasRejectsOf(one *stats.Stats) bool {
	return slices.ContainsFunc(s.Rejects, func(r *Rejects) bool {
		return r.Protocol == one.Protocol() && (one.Schema() == nil || hashOf(r.Schema) == one.Schema().Hash)
	})
}

// RejectRow is the packets that broke one rule in one way.
type RejectRow struct {
	Rule    string              `json:"rule"`
	Kind    string              `json:"kind"` // a reject kind
	Packets uint64              `json:"packets"`
	Place   *report.SchemaPlace `json:"place,omitempty"`
	First   Example             `json:"first"`
	// Senders are who sent them, the most packets first; Packets has also those of senders that are not listed.
	Senders []SenderRow `json:"senders,omitempty"`
}

// Example is the earliest packet of a row. Its texts are cut at 256 bytes, and what is secret is masked.
type Example struct {
	File  string         `json:"file,omitempty"` // "" where there is none
	N     int64          `json:"n"`              // of the record in its file, from 1
	Time  time.Time      `json:"time,omitzero"`
	Src   netip.AddrPort `json:"src,omitzero"`
	Dst   netip.AddrPort `json:"dst,omitzero"`
	Path  string         `json:"path"`
	Bit   report.Bits    `json:"bit"`
	Width report.Bits    `json:"width"`
	Want  string         `json:"want"`
	Got   string         `json:"got"`
	// Message is the three of them in words: "want 16 bits, got 8 left".
	Message string `json:"message"`
}

// maxRows is how many rows are kept; a schema may have more ways to be refused than anyone reads. Packets of others are in More.
const maxRows = 4096

// maxText is how many bytes of a text an example has.
const maxText = 256

// maxFiles is how many captures are told apart.
const maxFiles = 4096

// RejectCounter counts the rejects of one plan. It is not for two goroutines at once: each has its own, and Rejects merge.
type RejectCounter struct {
	cover *fuzz.Coverage
	list  []fuzz.Refusal
	rules *report.Rules // nil until there is a reject
	out   Rejects
	at    map[int]int // row of each refusal
	file  int         // row of the capture at hand

	senders map[senderKey]*SenderRow
}

// NewRejectCounter makes one. version is that of the program.
func NewRejectCounter(p *plan.Plan, version string) *RejectCounter {
	list := fuzz.Refusals(p)
	for i := range list {
		if id, ok := p.FoldedRule(list[i].Point(p), list[i].Kind == reject.PastEnd); ok {
			list[i].Rule = cmp.Or(string(p.AppendRule(nil, id)), reject.Packet)
		}
	}
	return &RejectCounter{
		cover: fuzz.NewCoverage(p), list: list, at: map[int]int{},
		out:  Rejects{SchemaVersion: report.SchemaVersion, Kind: kindRejects, Tool: version, Protocol: p.Schema.Name, Schema: report.NewSchemaRef(p), Rows: []RejectRow{}, Files: []FileRow{}},
		file: -1, senders: map[senderKey]*SenderRow{},
	}
}

// Add counts a packet of the plan. It gives the rule that a refused packet broke, for Sender; -1 for none.
func (c *RejectCounter) Add(p *report.Packet) int {
	c.out.Packets++
	file, verdict := c.fileOf(p.File), p.Verdict()
	file.Packets++
	if verdict == report.Cut {
		file.Cut++
	}
	if verdict != report.Refused {
		return -1
	}
	file.Rejected++
	c.out.Rejected++
	which := c.cover.RefusalOf(p.Trace)
	if which < 0 {
		c.out.More++
		return -1
	}
	i, ok := c.at[which]
	if !ok {
		if len(c.out.Rows) == maxRows {
			c.out.More++
			return -1
		}
		i = len(c.out.Rows)
		c.at[which] = i
		c.out.Rows = append(c.out.Rows, c.row(&c.list[which], p))
	}
	row := &c.out.Rows[i]
	row.Packets++
	if row.First.compare(p.Time, p.File, p.N) > 0 {
		row.First = example(p)
	}
	return which
}

// fileOf is the row of a capture; packets come one capture after the other.
func (c *RejectCounter) fileOf(name string) *FileRow {
	list := c.out.Files
	if c.file < 0 || list[c.file].File != name {
		if c.file = slices.IndexFunc(list, func(f FileRow) bool { return f.File == name }); c.file < 0 {
			if len(list) == maxFiles {
				c.out.MoreFiles = true
				return &FileRow{}
			}
			c.file = len(list)
			c.out.Files = append(list, FileRow{File: name})
		}
	}
	return &c.out.Files[c.file]
}

func (c *RejectCounter) row(r *fuzz.Refusal, p *report.Packet) RejectRow {
	if c.rules == nil {
		c.rules = report.NewRules(c.cover.Plan())
	}
	return RejectRow{Rule: r.Rule, Kind: r.Kind.String(), Place: c.rules.Place(r.Rule), First: example(p)}
}

func example(p *report.Packet) Example {
	r := p.Trace.Reject()
	e := Example{File: p.File, N: p.N, Src: p.Src, Dst: p.Dst, Path: Clip(r.ShownPath(), maxText), Want: Clip(r.Want(), maxText), Got: Clip(r.Got(), maxText), Message: Clip(r.Message(), maxText)}
	e.Bit, e.Width = report.ShownBits(r)
	if p.Time != 0 {
		e.Time = time.Unix(0, p.Time).UTC()
	}
	return e
}

// compare orders packets by time, then by file and number, so that the earliest is the same however the work was cut.
func (e *Example) compare(ns int64, file string, n int64) int {
	var at int64
	if !e.Time.IsZero() {
		at = e.Time.UnixNano()
	}
	return cmp.Or(cmp.Compare(at, ns), strings.Compare(e.File, file), cmp.Compare(e.N, n))
}

// Rejects is what was counted. The counter is not to be used any more.
func (c *RejectCounter) Rejects() *Rejects {
	// One rule can be broken in the same way at two places of the plan.
	r := c.out
	rows := r.Rows
	r.Rows = rows[:0:0]
	r.addRows(rows)
	r.addRows(c.senderRows())
	r.sort()
	return &r
}

func (r *Rejects) addFiles(files []FileRow) {
	at := make(map[string]int, len(r.Files))
	for i := range r.Files {
		at[r.Files[i].File] = i
	}
	for _, f := range files {
		n, ok := at[f.File]
		switch {
		case !ok && len(r.Files) == maxFiles:
			r.MoreFiles = true
		case !ok:
			at[f.File] = len(r.Files)
			r.Files = append(r.Files, f)
		default:
			known := &r.Files[n]
			known.Packets = plus(known.Packets, f.Packets)
			known.Rejected = plus(known.Rejected, f.Rejected)
			known.Cut = plus(known.Cut, f.Cut)
		}
	}
}

func (r *Rejects) addRows(rows []RejectRow) {
	type rowKey struct{ rule, kind string }
	at := make(map[rowKey]int, len(r.Rows))
	for i := range r.Rows {
		at[rowKey{r.Rows[i].Rule, r.Rows[i].Kind}] = i
	}
	left := maxSenders - r.senders()
	for i := range rows {
		o := &rows[i]
		n, ok := at[rowKey{o.Rule, o.Kind}]
		switch {
		case !ok && len(r.Rows) == maxRows:
			r.More = plus(r.More, o.Packets)
		case !ok:
			at[rowKey{o.Rule, o.Kind}] = len(r.Rows)
			row := *o
			row.Senders = nil
			left = row.addSenders(o.Senders, left)
			r.Rows = append(r.Rows, row)
		default:
			known := &r.Rows[n]
			known.Packets = plus(known.Packets, o.Packets)
			var ns int64
			if !o.First.Time.IsZero() {
				ns = o.First.Time.UnixNano()
			}
			if o.Packets > 0 && known.First.compare(ns, o.First.File, o.First.N) > 0 {
				known.First, known.Place = o.First, o.Place
			}
			left = known.addSenders(o.Senders, left)
		}
	}
}

func (r *Rejects) sort() {
	slices.SortStableFunc(r.Files, func(a, b FileRow) int { return strings.Compare(a.File, b.File) })
	slices.SortStableFunc(r.Rows, func(a, b RejectRow) int {
		return cmp.Or(cmp.Compare(b.Packets, a.Packets), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Kind, b.Kind))
	})
}
