package rejects

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

// Counter counts the packets of one plan, and why they were refused: by rule, kind and sender. Take is for one
// goroutine, which sees all batches in order, so that what is kept does not depend on how the work was cut.
type Counter struct {
	plan              *plan.Plan
	version           string
	packets, rejected uint64
	more              uint64      // refused ones without a row
	rows              map[int]row // by refusal; MaxRows at most
	files             []File
	file              int // of the capture at hand; -1 before the first
	moreFiles         bool
	senders           int // rows of all of them, MaxSenders at most
	finders           []*Finder
}

type row struct {
	packets uint64
	senders map[netip.AddrPort]*Sender
}

// NewCounter makes one. version is that of the program.
func NewCounter(p *plan.Plan, version string) *Counter {
	return &Counter{plan: p, version: version, rows: map[int]row{}, file: -1}
}

// Packets is how many packets were counted.
func (c *Counter) Packets() uint64 { return c.packets }

// A Finder finds the rules that packets broke, and remembers the earliest packet of each. It is for one goroutine.
type Finder struct {
	plan  *plan.Plan
	cover *coverage.Set   // nil until there is a reject
	first map[int]Example // by refusal; MaxRows at most, which is all that the Counter can have rows for
}

// NewFinder makes a Finder of the counter, before any of its packets.
func (c *Counter) NewFinder() *Finder {
	f := &Finder{plan: c.plan, first: map[int]Example{}}
	c.finders = append(c.finders, f)
	return f
}

// Batch is what a Counter has to know of packets. The zero Batch is empty.
type Batch struct{ records []record }

// Reset empties the batch, and keeps its memory.
func (b *Batch) Reset() { b.records = b.records[:0] }

type record struct {
	plan    *plan.Plan
	verdict decode.Verdict
	refusal int32 // of a refused packet; -1 where it is not known
	n       int64
	file    string
	sender  netip.AddrPort
}

// Add puts a packet of the Finder's plan in a batch. It keeps nothing of the packet's trace.
func (f *Finder) Add(b *Batch, p *scan.Packet) {
	r := record{plan: f.plan, verdict: p.Verdict(), refusal: -1, n: p.N, file: p.File, sender: p.Src}
	if r.verdict == decode.Refused {
		r.refusal = int32(f.refusal(p))
	}
	b.records = append(b.records, r)
}

func (f *Finder) refusal(p *scan.Packet) int {
	if f.cover == nil {
		f.cover = coverage.New(f.plan)
	}
	which := f.cover.RejectPointOf(p.Trace)
	if which < 0 {
		return which
	}
	known, ok := f.first[which]
	if !ok && len(f.first) < MaxRows || ok && known.compare(p.Time, p.File, p.N) > 0 {
		f.first[which] = newExample(p)
	}
	return which
}

// Take counts the packets of the counter's plan in a batch, and leaves those of other plans.
func (c *Counter) Take(b *Batch) {
	for i := range b.records {
		if r := &b.records[i]; r.plan == c.plan {
			c.take(r)
		}
	}
}

func (c *Counter) take(r *record) {
	c.packets++
	file := c.fileOf(r.file)
	file.Packets++
	switch r.verdict {
	case decode.Cut:
		file.Cut++
	case decode.Refused:
		file.Rejected++
		c.rejected++
		c.refused(r)
	}
}

func (c *Counter) refused(r *record) {
	which := int(r.refusal)
	known, ok := c.rows[which]
	if which < 0 || !ok && len(c.rows) == MaxRows {
		c.more++
		return
	}
	if !ok {
		known.senders = map[netip.AddrPort]*Sender{}
	}
	known.packets++
	c.rows[which] = known
	s := known.senders[r.sender]
	if s == nil {
		if c.senders == MaxSenders {
			return
		}
		c.senders++
		s = &Sender{Sender: r.sender, File: r.file, N: r.n}
		known.senders[r.sender] = s
	}
	s.add(&Sender{Packets: 1, File: r.file, N: r.n})
}

// fileOf is the row of a capture; packets come one capture after the other.
func (c *Counter) fileOf(name string) *File {
	if c.file < 0 || c.files[c.file].File != name {
		if c.file = slices.IndexFunc(c.files, func(f File) bool { return f.File == name }); c.file < 0 {
			if len(c.files) == MaxFiles {
				c.moreFiles = true
				return &File{}
			}
			c.file = len(c.files)
			c.files = append(c.files, File{File: name})
		}
	}
	return &c.files[c.file]
}

// Result is what was counted. The Counter and its Finders are not to be used any more.
func (c *Counter) Result() *Result {
	r := &Result{
		Header:  saved.Header{SchemaVersion: saved.Version, Kind: Kind, Tool: c.version, Protocol: c.plan.Schema.Name, Schema: saved.NewSchemaRef(c.plan)},
		Packets: c.packets, Rejected: c.rejected, More: c.more, Rows: []Row{}, Files: append([]File{}, c.files...), MoreFiles: c.moreFiles,
	}
	// One rule can be broken in the same way at two places of the plan: addRows makes one row of them.
	r.addRows(c.resultRows())
	r.Sort()
	return r
}

func (c *Counter) resultRows() []Row {
	if len(c.rows) == 0 {
		return nil
	}
	refusals, rules := coverage.RejectPoints(c.plan), NewRules(c.plan)
	var rows []Row
	for which := range refusals {
		known, ok := c.rows[which]
		if !ok {
			continue
		}
		f := &refusals[which]
		rule := f.Rule
		if id, ok := c.plan.FoldedRule(f.At, f.Kind == reject.PastEnd); ok {
			rule = cmp.Or(string(c.plan.AppendRule(nil, id)), reject.Packet)
		}
		one := Row{Rule: rule, Kind: f.Kind.String(), Packets: known.packets, Place: rules.Place(rule), First: c.firstOf(which)}
		for _, s := range known.senders {
			one.Senders = append(one.Senders, *s)
		}
		sortSenders(one.Senders)
		rows = append(rows, one)
	}
	return rows
}

// firstOf is the earliest packet of a refusal.
func (c *Counter) firstOf(which int) (first Example) {
	found := false
	for _, f := range c.finders {
		if e, ok := f.first[which]; ok && (!found || first.compare(e.time(), e.File, e.N) > 0) {
			first, found = e, true
		}
	}
	return first
}

func newExample(p *scan.Packet) Example {
	r := p.Trace.Reject()
	e := Example{
		File: p.File, N: p.N, Src: p.Src, Dst: p.Dst, Bit: saved.ShownBit(r), Width: saved.ShownWidth(r),
		Path: table.Clip(r.ShownPath(), maxText), Want: table.Clip(r.Want(), maxText), Got: table.Clip(r.Got(), maxText),
		Message: table.Clip(r.Message(), maxText),
	}
	if p.HasTime() {
		e.Time = time.Unix(0, p.Time).UTC()
	}
	return e
}
