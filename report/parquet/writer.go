package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/report/scan"
)

// The bounds of a file.
const (
	rowGroupRows  = 131_072
	rowGroupBytes = 64 << 20 // that wait for the end of a row group
	// MaxChunks is how many columns the row groups of a file have together: what is known of each is kept until the end.
	MaxChunks = 131_072

	batchValues = 64 << 10 // that the packets of a batch come to, each
	passValues  = 1 << 20  // that a large packet comes to in a pass
)

// ErrProtocols is that a capture has packets of several protocols: their columns are not of one file.
var ErrProtocols = errors.New("packets of several protocols: one protocol a file, which -p says")

// Writer writes packets of one protocol as a Parquet file: those of the first that comes, if there are several
// decoders. It is for one goroutine, but for what its Stage does.
type Writer struct {
	out     io.Writer
	layouts map[*plan.Plan]*Layout
	most    int64 // rows; 0 for any number

	layout  *Layout // nil before the first packet
	file    *file
	rows    int64 // of the file
	inGroup int
	pending []int // of each group of columns: rows without it that its columns do not have yet
	held    int   // bytes that wait for the end of the row group
	large   *rows // packets that workers do not render
	pass    int   // values that a large packet comes to in a pass: passValues
}

// Batch is packets on their way to the file.
type Batch struct {
	rows  *rows
	mixed bool // it has packets of several protocols
}

// NewWriter begins a file of packets that one of some decoders reads. After most rows, if that is not 0, the Stage ends
// the scan.
func NewWriter(out io.Writer, decoders []*decode.Decoder, most int64) (*Writer, error) {
	w := &Writer{out: out, layouts: map[*plan.Plan]*Layout{}, most: most, pass: passValues}
	for _, d := range decoders {
		l, err := NewLayout(d.Plan())
		if err != nil {
			return nil, err
		}
		w.layouts[d.Plan()] = l
	}
	if len(decoders) == 1 {
		w.begin(w.layouts[decoders[0].Plan()])
	}
	return w, nil
}

// Batched is the size in bytes of the largest packet that a worker renders, for scan.Options: what it comes to is
// bounded. -1 says that none is small enough.
func (w *Writer) Batched() int {
	size := scan.DefaultBatched
	for _, l := range w.layouts {
		if l.density > 0 {
			size = min(size, int(batchValues/(8*l.density)))
		}
	}
	if size == 0 {
		return -1
	}
	return size
}

// Rows is how many rows the file has.
func (w *Writer) Rows() int64 { return w.rows }

// Plan is the plan whose packets the file has; nil before the first, unless there is one decoder.
func (w *Writer) Plan() *plan.Plan {
	if w.layout == nil {
		return nil
	}
	return w.layout.plan
}

func (w *Writer) begin(l *Layout) {
	w.layout = l
	w.file = newFile(w.out, l)
	w.pending = make([]int, len(l.groups))
	w.large = newRows(l, 0, len(l.columns))
}

// Stage is what writes the packets of a scan.
func (w *Writer) Stage() scan.Stage[Batch] {
	return scan.Stage[Batch]{
		New: func() func(*Batch, *scan.Packet) {
			return func(b *Batch, p *scan.Packet) {
				l := w.layouts[p.Plan]
				if b.rows == nil || b.rows.n == 0 && b.rows.layout != l {
					b.rows = newRows(l, 0, len(l.columns))
				}
				if b.rows.layout != l {
					b.mixed = true
					return
				}
				b.rows.add(p)
			}
		},
		Drain: func(b *Batch) error {
			if err := w.writeLarge(); err != nil {
				return err
			}
			if b.mixed {
				return ErrProtocols
			}
			if b.rows != nil && b.rows.n > 0 {
				err := w.use(b.rows.layout)
				if err == nil {
					err = w.write(b.rows)
				}
				b.rows.reset()
				if err != nil {
					return err
				}
			}
			if w.most > 0 && w.rows >= w.most {
				return batch.ErrStop
			}
			return nil
		},
		Large: w.takeLarge,
	}
}

// use makes a layout the file's.
func (w *Writer) use(l *Layout) error {
	switch {
	case w.layout == nil:
		w.begin(l)
	case w.layout != l:
		return ErrProtocols
	}
	return nil
}

// takeLarge takes a packet that no worker renders.
func (w *Writer) takeLarge(p *scan.Packet) error {
	if err := w.use(w.layouts[p.Plan]); err != nil {
		return err
	}
	most := w.layout.most(p.Trace)
	sum := 0
	for _, n := range most {
		sum += n
	}
	if sum+w.large.values > w.pass {
		if err := w.writeLarge(); err != nil {
			return err
		}
	}
	if sum <= w.pass {
		w.large.add(p)
		return nil
	}
	return w.passes(p, most)
}

func (w *Writer) writeLarge() error {
	if w.large == nil || w.large.n == 0 {
		return nil
	}
	defer w.large.reset()
	return w.write(w.large)
}

// passes writes a packet in passes over some columns each; most is how many values each column gets at most.
func (w *Writer) passes(p *scan.Packet, most []int) error {
	for i := range w.pending {
		w.catchUp(i)
	}
	for from := 0; from < len(most); {
		to, sum := from, 0
		for ; to < len(most) && (to == from || sum+most[to] <= w.pass); to++ {
			sum += most[to]
		}
		r := newRows(w.layout, from, to)
		r.add(p)
		r.fill()
		for i := range r.columns {
			w.column(from+i, &r.columns[i])
		}
		from = to
	}
	return w.added(1)
}

// most is how many values each column gets of a packet, at most.
func (l *Layout) most(t *decode.Trace) []int {
	n := make([]int, len(l.columns))
	for i := range n {
		n[i] = 1
	}
	for i := range n[:countBase] {
		n[i] = 64 // notes
	}
	for i := range t.Records {
		s := &t.Records[i]
		if !l.plan.ListAt(s.Point) {
			continue
		}
		if f := l.fields[l.plan.StepAt(s.Point).At().Node]; f != nil {
			for c := f.lo; c < f.hi; c++ {
				n[c] += int(s.N) * l.columns[c].times
			}
		}
	}
	return n
}

// fill fills the columns of all groups up to the last row.
func (r *rows) fill() {
	for i := range r.layout.groups {
		r.absent(i, r.n)
	}
}

// write writes rows of all columns.
func (w *Writer) write(r *rows) error {
	for at := range countBase {
		w.column(at, &r.columns[at])
	}
	for i, g := range w.layout.groups {
		if r.until[i] == 0 { // most cases are in few batches
			w.pending[i] += r.n
			continue
		}
		w.catchUp(i)
		for at := g.lo; at < g.hi; at++ {
			w.column(at, &r.columns[at])
		}
		w.pending[i] = r.n - r.until[i]
	}
	return w.added(r.n)
}

// catchUp writes the rows that a group of columns does not have yet.
func (w *Writer) catchUp(i int) {
	if g := w.layout.groups[i]; w.pending[i] > 0 {
		for at := g.lo; at < g.hi; at++ {
			w.file.chunks[at].skip(w.pending[i], 0, 0)
		}
		w.pending[i] = 0
	}
}

// column writes cells of whole rows to a column.
func (w *Writer) column(at int, o *cells) {
	if len(o.runs) == 0 {
		return
	}
	c := &w.file.chunks[at]
	before := c.held()
	c.add(o, &w.file.press)
	if c.full() {
		c.end(&w.file.press)
	}
	w.held += c.held() - before
}

// added counts rows, and ends the row group when it is time to.
func (w *Writer) added(n int) error {
	w.rows += int64(n)
	w.inGroup += n
	if w.inGroup >= rowGroupRows-256 || w.held > rowGroupBytes {
		return w.endGroup()
	}
	return nil
}

func (w *Writer) endGroup() error {
	if w.inGroup == 0 {
		return nil
	}
	for i := range w.pending {
		w.catchUp(i)
	}
	if n := len(w.file.groups); (n+1)*len(w.layout.columns) > MaxChunks {
		return fmt.Errorf("more than %d row groups of %d columns: want less in a file", n, len(w.layout.columns))
	}
	if err := w.file.endGroup(w.inGroup, w.held <= rowGroupBytes/4); err != nil { // what large packets made grow is given back
		return err
	}
	w.inGroup, w.held = 0, 0
	for i := range w.file.chunks {
		w.held += w.file.chunks[i].held()
	}
	return nil
}

// Close ends the file, with what is known of the whole of it. There must be a Plan.
func (w *Writer) Close(about *About) error {
	if err := w.writeLarge(); err != nil {
		return err
	}
	if err := w.endGroup(); err != nil {
		return err
	}
	return w.file.close(w.layout.metadata(about))
}
