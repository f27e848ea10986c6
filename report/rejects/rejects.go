package rejects

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/pktscope/pktscope/report/saved"
)

// Kind is the `kind` of saved rejects.
const Kind = "rejects"

// Result is why the packets of captures were refused, by rule: a row for each rule of the schema and the way it was
// broken.
type Result struct {
	saved.Header
	Incomplete saved.Gaps `json:"incomplete,omitempty"` // what they are not of, such as a capture that was cut
	Packets    uint64     `json:"packets"`              // all of them, also the accepted ones
	Rejected   uint64     `json:"rejected"`             // of these
	Rows       []Row      `json:"rules"`                // the most packets first
	More       uint64     `json:"more,omitempty"`
	// Files are the captures that they came from, by name.
	Files     []File `json:"files"`
	MoreFiles bool   `json:"more_files,omitempty"` // there are more than MaxFiles
}

// File is what became of the packets of one capture.
type File struct {
	File     string `json:"file"`
	Packets  uint64 `json:"packets"`
	Rejected uint64 `json:"rejected,omitempty"`
	Cut      uint64 `json:"cut,omitempty"` // by the capture
}

// Row is the packets that broke one rule in one way.
type Row struct {
	Rule    string       `json:"rule"`
	Kind    string       `json:"kind"` // a reject kind
	Packets uint64       `json:"packets"`
	Place   *saved.Place `json:"place,omitempty"`
	First   Example      `json:"first"`
	// Senders are who sent them, the most packets first; Packets has also those of senders that are not listed.
	Senders []Sender `json:"senders,omitempty"`
}

// Example is the earliest packet of a row. Its texts are cut at 256 bytes, and what is secret is masked.
type Example struct {
	File  string         `json:"file,omitempty"` // "" where there is none
	N     int64          `json:"n"`              // of the record in its file, from 1
	Time  time.Time      `json:"time,omitzero"`
	Src   netip.AddrPort `json:"src,omitzero"`
	Dst   netip.AddrPort `json:"dst,omitzero"`
	Path  string         `json:"path"`
	Bit   saved.Bits     `json:"bit"`
	Width saved.Bits     `json:"width"`
	Want  string         `json:"want"`
	Got   string         `json:"got"`
	// Message is the three of them in words: "want 16 bits, got 8 left".
	Message string `json:"message"`
}

// The bounds of what is counted, and of what is read.
const (
	// MaxRows is the most rows; a schema may have more ways to be refused than anyone reads. Packets of others are in
	// More.
	MaxRows = 4096
	// MaxFiles is how many captures are told apart.
	MaxFiles = 4096
	// MaxSenders is the most rows of senders over all rules; anyone sends from as many addresses as he likes. Packets
	// of others are in their rule's row alone.
	MaxSenders = 4096

	maxText = 256 // bytes of a text of an example
)

// compare orders packets by time, then by file and number, so that the earliest is the same however the work was cut.
func (e *Example) compare(ns int64, file string, n int64) int {
	return cmp.Or(cmp.Compare(e.time(), ns), strings.Compare(e.File, file), cmp.Compare(e.N, n))
}

// time is in nanoseconds, 0 where the packet has none.
func (e *Example) time() int64 {
	if e.Time.IsZero() {
		return 0
	}
	return e.Time.UnixNano()
}

func (r *Result) addFiles(files []File) {
	at := make(map[string]int, len(r.Files))
	for i := range r.Files {
		at[r.Files[i].File] = i
	}
	for _, f := range files {
		n, ok := at[f.File]
		switch {
		case !ok && len(r.Files) == MaxFiles:
			r.MoreFiles = true
		case !ok:
			at[f.File] = len(r.Files)
			r.Files = append(r.Files, f)
		default:
			known := &r.Files[n]
			known.Packets = saved.Sum(known.Packets, f.Packets)
			known.Rejected = saved.Sum(known.Rejected, f.Rejected)
			known.Cut = saved.Sum(known.Cut, f.Cut)
		}
	}
}

func (r *Result) addRows(rows []Row) {
	type rowKey struct{ rule, kind string }
	at := make(map[rowKey]int, len(r.Rows))
	for i := range r.Rows {
		at[rowKey{r.Rows[i].Rule, r.Rows[i].Kind}] = i
	}
	left := MaxSenders - r.Senders()
	for i := range rows {
		o := &rows[i]
		n, ok := at[rowKey{o.Rule, o.Kind}]
		switch {
		case !ok && len(r.Rows) == MaxRows:
			r.More = saved.Sum(r.More, o.Packets)
		case !ok:
			at[rowKey{o.Rule, o.Kind}] = len(r.Rows)
			row := *o
			row.Senders = nil
			left = row.addSenders(o.Senders, left)
			r.Rows = append(r.Rows, row)
		default:
			known := &r.Rows[n]
			known.Packets = saved.Sum(known.Packets, o.Packets)
			if o.Packets > 0 && known.First.compare(o.First.time(), o.First.File, o.First.N) > 0 {
				known.First, known.Place = o.First, o.Place
			}
			left = known.addSenders(o.Senders, left)
		}
	}
}

// Sort puts the rows and the files in their order.
func (r *Result) Sort() {
	slices.SortStableFunc(r.Files, func(a, b File) int { return strings.Compare(a.File, b.File) })
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Packets, a.Packets), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Kind, b.Kind))
	})
}

// Merge adds what o has.
func (r *Result) Merge(o *Result) {
	r.Tool = max(r.Tool, o.Tool)
	r.Incomplete.Add(o.Incomplete...)
	r.Packets = saved.Sum(r.Packets, o.Packets)
	r.Rejected = saved.Sum(r.Rejected, o.Rejected)
	r.More = saved.Sum(r.More, o.More)
	r.addRows(o.Rows)
	r.addFiles(o.Files)
	r.MoreFiles = r.MoreFiles || o.MoreFiles
}
