package results

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
)

const kindRejects = "rejects"

// Rejects is why the packets of captures were refused, by rule: a row for each rule of the schema and the way it was broken.
type Rejects struct {
	SchemaVersion int               `json:"schema_version"`
	Kind          string            `json:"kind"` // rejects
	Tool          string            `json:"tool_version,omitempty"`
	Protocol      string            `json:"protocol"`
	Schema        *report.SchemaRef `json:"schema"`
	Packets       uint64            `json:"packets"`  // all of them, also the accepted ones
	Rejected      uint64            `json:"rejected"` // of these
	Rows          []RejectRow       `json:"rules"`    // the most packets first
	More          uint64            `json:"more,omitempty"`
}

// RejectRow is the packets that broke one rule in one way.
type RejectRow struct {
	Rule    string              `json:"rule"`
	Kind    string              `json:"kind"` // a reject kind
	Packets uint64              `json:"packets"`
	Place   *report.SchemaPlace `json:"place,omitempty"`
	First   Example             `json:"first"`
}

// Example is the earliest packet of a row. Its texts are cut at 256 bytes, and what is secret is masked.
type Example struct {
	File  string         `json:"file,omitempty"` // "" where there is none
	N     int64          `json:"n"`              // of the record in its file, from 1
	Time  time.Time      `json:"time,omitzero"`
	Src   netip.AddrPort `json:"src,omitzero"`
	Dst   netip.AddrPort `json:"dst,omitzero"`
	Path  string         `json:"path"`
	Bit   int            `json:"bit"`
	Width int            `json:"width"`
	Want  string         `json:"want"`
	Got   string         `json:"got"`
	// Message is the three of them in words: "want 16 bits, got 8 left".
	Message string `json:"message"`
}

// maxRows is how many rows are kept; a schema may have more ways to be refused than anyone reads. Packets of others are in More.
const maxRows = 4096

// RejectCounter counts the rejects of one plan. It is not for two goroutines at once: each has its own, and Rejects merge.
type RejectCounter struct {
	cover *fuzz.Coverage
	list  []fuzz.Refusal
	out   Rejects
	at    map[int]int // row of each refusal
}

// NewRejectCounter makes one. version is that of the program.
func NewRejectCounter(p *plan.Plan, version string) *RejectCounter {
	return &RejectCounter{
		cover: fuzz.NewCoverage(p), list: fuzz.Refusals(p), at: map[int]int{},
		out: Rejects{SchemaVersion: report.SchemaVersion, Kind: kindRejects, Tool: version, Protocol: p.Schema.Name, Schema: report.NewSchemaRef(p), Rows: []RejectRow{}},
	}
}

// Add counts a packet of the plan.
func (c *RejectCounter) Add(p *report.Packet) {
	c.out.Packets++
	if p.Verdict() != report.Refused {
		return
	}
	c.out.Rejected++
	which := c.cover.RefusalOf(p.Trace)
	if which < 0 {
		c.out.More++
		return
	}
	i, ok := c.at[which]
	if !ok {
		if len(c.out.Rows) == maxRows {
			c.out.More++
			return
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
}

func (c *RejectCounter) row(r *fuzz.Refusal, p *report.Packet) RejectRow {
	made := c.cover.Plan().Schema
	pos := made.Packet.Pos
	if r.Node != plan.NoNode {
		pos = c.cover.Plan().Nodes[r.Node].Pos
	}
	return RejectRow{Rule: r.Rule, Kind: r.Kind.String(), Place: &report.SchemaPlace{File: made.File.Name, Line: int(pos.Line), Column: int(pos.Col)}, First: example(p)}
}

func example(p *report.Packet) Example {
	r := p.Trace.Reject()
	e := Example{File: p.File, N: p.N, Src: p.Src, Dst: p.Dst, Path: clip(r.Path()), Bit: r.Bit, Width: r.Width, Want: clip(r.Want()), Got: clip(r.Got()), Message: clip(r.Message())}
	if p.Time != 0 {
		e.Time = time.Unix(0, p.Time).UTC()
	}
	return e
}

// clip cuts a text at 256 bytes, between two characters.
func clip(text string) string {
	const most = 256
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
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
	r.sort()
	return &r
}

func (r *Rejects) addRows(rows []RejectRow) {
	type rowKey struct{ rule, kind string }
	at := make(map[rowKey]int, len(r.Rows))
	for i := range r.Rows {
		at[rowKey{r.Rows[i].Rule, r.Rows[i].Kind}] = i
	}
	for i := range rows {
		o := &rows[i]
		n, ok := at[rowKey{o.Rule, o.Kind}]
		switch {
		case !ok && len(r.Rows) == maxRows:
			r.More = plus(r.More, o.Packets)
		case !ok:
			at[rowKey{o.Rule, o.Kind}] = len(r.Rows)
			r.Rows = append(r.Rows, *o)
		default:
			known := &r.Rows[n]
			known.Packets = plus(known.Packets, o.Packets)
			var ns int64
			if !o.First.Time.IsZero() {
				ns = o.First.Time.UnixNano()
			}
			if known.First.compare(ns, o.First.File, o.First.N) > 0 {
				known.First, known.Place = o.First, o.Place
			}
		}
	}
}

func (r *Rejects) sort() {
	slices.SortStableFunc(r.Rows, func(a, b RejectRow) int {
		return cmp.Or(cmp.Compare(b.Packets, a.Packets), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Kind, b.Kind))
	})
}

func readRejects(b []byte) (*Rejects, error) {
	r := &Rejects{}
	if err := decodeJSON(b, r); err != nil {
		return nil, err
	}
	var c check
	c.name("protocol", r.Protocol)
	c.schema(r.Schema)
	c.that(r.Packets <= maxCount && r.Rejected <= r.Packets, "rejects: counts that are none")
	c.that(len(r.Rows) <= maxRows, "rejects: want at most %d rules", maxRows)
	left := r.Rejected
	for i := range r.Rows {
		row := &r.Rows[i]
		c.name("rule", row.Rule)
		c.word("rule", row.Kind)
		c.place(row.Place)
		c.that(row.Packets <= left, "rejects: counts that do not fit together")
		left -= min(left, row.Packets)
		e := &row.First
		c.that(e.Bit >= 0 && e.Bit <= 8*maxPacket && e.Width >= 0 && e.Width <= 8*maxPacket, "rejects: bits outside of every packet")
		c.that(e.N >= 0 && len(e.File) <= maxName, "rejects: a packet that is none")
		year := e.Time.Year()
		c.that(e.Time.IsZero() || year >= 1700 && year < 2200, "rejects: a time that is none")
	}
	c.that(r.More <= left, "rejects: counts that do not fit together")
	return r, c.wrong
}

// AddRejects adds rejects.
func (s *Set) AddRejects(list ...*Rejects) error {
	for _, r := range list {
		if err := s.addRejects(r); err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) addRejects(r *Rejects) error {
	for _, known := range s.Rejects {
		if known.Protocol == r.Protocol && hashOf(known.Schema) == hashOf(r.Schema) {
			known.Tool = max(known.Tool, r.Tool)
			known.Packets = plus(known.Packets, r.Packets)
			known.Rejected = plus(known.Rejected, r.Rejected)
			known.More = plus(known.More, r.More)
			known.addRows(r.Rows)
			return nil
		}
	}
	if len(s.Rejects) == maxAudits {
		return tooMany("rejects", maxAudits)
	}
	s.Rejects = append(s.Rejects, r)
	return nil
}
