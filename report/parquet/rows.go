package parquet

import (
	"math"
	"unsafe"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/report/scan"
)

// rows are the values of some packets, a list for each column, with the levels that say which row and which element of
// which list a value is of, and how much of the way to it is there (Dremel, 2010).
//
// A group of the layout has values up to its last row only: what is missing after are rows without it.
type rows struct {
	layout  *Layout
	n       int     // rows
	columns []cells // of the columns from first on; a window of them in a pass
	first   int
	until   []int // of each group: rows that its columns have values of
	values  int
	made    []byte // a text that is made

	// Of the packet at hand.
	trace *decode.Trace
	open  []frame
	seen  []uint64 // of each field: the frame that it was last met in
	count uint64   // frames
	visit func(*decode.Event) bool
}

// frame is an open group or list.
type frame struct {
	f     *field
	rep   uint8 // of the first value in it
	met   int   // elements of a list
	count uint64
}

// newRows makes room for the columns from..to-1.
func newRows(l *Layout, from, to int) *rows {
	r := &rows{layout: l, columns: make([]cells, to-from), first: from, until: make([]int, len(l.groups)), seen: make([]uint64, l.ids)}
	r.visit = r.event
	return r
}

// reset forgets all rows.
func (r *rows) reset() {
	for i := range r.columns {
		r.columns[i].reset()
	}
	clear(r.until)
	r.n, r.values = 0, 0
	clear(r.seen)
	r.count = 0
}

// cell adds the levels of a value to a column, and gives the column; nil if it is in another pass.
func (r *rows) cell(at int, rep, def uint8) *cells {
	i := at - r.first
	if uint(i) >= uint(len(r.columns)) {
		return nil
	}
	c := &r.columns[i]
	c.level(1, def, rep)
	r.values++
	return c
}

// number appends a number.
func (r *rows) number(at int, v uint64, rep, def uint8) {
	if c := r.cell(at, rep, def); c != nil {
		c.nums = append(c.nums, v)
	}
}

// text appends a text, as UTF-8.
func (r *rows) text(at int, b []byte, rep, def uint8) {
	if c := r.cell(at, rep, def); c != nil {
		c.text(b)
	}
}

func (r *rows) string(at int, s string, rep, def uint8) {
	r.text(at, unsafe.Slice(unsafe.StringData(s), len(s)), rep, def)
}

// null appends to columns that so much of the way to a value is there.
func (r *rows) null(from, to int, def, rep uint8) { r.nulls(from, to, 1, def, rep) }

func (r *rows) nulls(from, to, n int, def, rep uint8) {
	from, to = max(from, r.first), min(to, r.first+len(r.columns))
	for i := from; i < to; i++ {
		r.columns[i-r.first].level(n, def, rep)
		r.values += n
	}
}

// absent appends rows without a group up to a row.
func (r *rows) absent(i, row int) {
	if g := r.layout.groups[i]; row > r.until[i] {
		r.nulls(g.lo, g.hi, row-r.until[i], 0, 0)
		r.until[i] = row
	}
}

// add appends a packet.
func (r *rows) add(p *scan.Packet) {
	r.envelope(p)
	if p.Verdict() == decode.Accepted {
		r.trace = p.Trace
		r.fields()
		r.trace = nil
	}
	r.n++
}

// fields appends what an accepted packet has.
func (r *rows) fields() {
	r.open = r.open[:0]
	for i, g := range r.layout.groups {
		if g.arm < 0 {
			r.begin(i)
			r.push(g, 0)
		}
	}
	r.trace.Show(r.visit)
	for len(r.open) > 0 {
		r.close()
	}
}

// begin fills the columns of a group up to the row at hand.
func (r *rows) begin(i int) {
	r.absent(i, r.n)
	r.until[i] = r.n + 1
}

func (r *rows) push(f *field, rep uint8) {
	r.count++
	r.open = append(r.open, frame{f: f, rep: rep, count: r.count})
}

// close ends the innermost group or list: what was not met in it is absent.
func (r *rows) close() {
	top := &r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	switch f := top.f; {
	case f.kind == list && top.met == 0:
		r.null(f.lo, f.hi, f.def, top.rep)
	case f.kind == group:
		for _, one := range f.inside {
			if r.seen[one.id] != top.count {
				r.null(one.lo, one.hi, f.def, top.rep)
			}
		}
	}
}

// enter comes to a field, and gives the repetition level of its first value.
func (r *rows) enter(f *field) uint8 {
	top := len(r.open) - 1
	if g := f.parent; g != nil && g.arm >= 0 && !g.whole {
		r.arm(g) // the value of a case that is no struct is in a group that no event opens
		top = len(r.open) - 1
	}
	in := &r.open[top]
	if in.f != f.parent || in.f.kind == group && r.seen[f.id] == in.count {
		panic("pktscope: internal error: parquet: a field where it is not expected")
	}
	if in.f.kind == group {
		r.seen[f.id] = in.count
		return in.rep
	}
	in.met++
	if in.met > 1 {
		return in.f.rep
	}
	return in.rep
}

// arm opens the group of a case.
func (r *rows) arm(g *field) {
	for i, one := range r.layout.groups {
		if one == g {
			r.begin(i)
		}
	}
	r.push(g, 0)
}

// event takes a step of a packet. What has no column is passed over, and so are secrets.
func (r *rows) event(ev *decode.Event) bool {
	f := r.layout.fields[ev.Node]
	switch ev.Kind {
	case decode.Open:
		switch {
		case f == nil:
		case f.arm >= 0:
			r.arm(f)
		default:
			r.push(f, r.enter(f))
		}
	case decode.Close:
		if f != nil {
			r.close()
			r.leave(f)
		}
	case decode.Leaf, decode.Blob:
		if f != nil {
			r.leaf(f, ev, r.enter(f))
			r.leave(f)
		}
	case decode.Item:
		r.item(ev)
	case decode.Masked, decode.Stretch:
	}
	return true
}

// leave closes the group around a field that ended, if no event does.
func (r *rows) leave(f *field) {
	if g := f.parent; g != nil && g.arm >= 0 && !g.whole {
		r.close()
	}
}

// item looks for an optional element that is not there.
func (r *rows) item(ev *decode.Event) {
	p := r.layout.plan
	n := &p.Nodes[ev.Node]
	if !n.Elem || ev.Raw != 0 || ev.Leaf < 0 || p.Info[ev.Leaf].Kind != plan.LeafBool {
		return
	}
	in := r.layout.fields[n.Parent]
	if in == nil || len(r.open) == 0 || r.open[len(r.open)-1].f != in {
		return
	}
	element := in.inside[0]
	r.null(element.lo, element.hi, in.def+1, r.enter(element))
}

// leaf appends a value.
func (r *rows) leaf(f *field, ev *decode.Event, rep uint8) {
	switch f.value {
	case texts:
		r.text(f.lo, r.trace.Value(ev).Bytes(), rep, f.def)
	case blobs:
		if c := r.cell(f.lo, rep, f.def); c != nil {
			c.bytes(ev.Data)
		}
	case integers:
		r.number(f.lo, r.code(ev), rep, f.def)
	case bools:
		v := uint64(0)
		if ev.Raw != 0 {
			v = 1
		}
		r.number(f.lo, v, rep, f.def)
	case floats:
		r.number(f.lo, uint64(math.Float32bits(float32(r.float(ev)))), rep, f.def)
	case doubles:
		r.number(f.lo, math.Float64bits(r.float(ev)), rep, f.def)
	case cases:
		info := &r.layout.plan.Info[ev.Leaf]
		if name := info.CaseName(ev.Raw); name != "" {
			r.string(f.lo, name, rep, f.def)
		} else {
			r.made = info.AppendInt(r.made[:0], ev.Raw, ev.CodeWidth)
			r.text(f.lo, r.made, rep, f.def)
		}
		r.number(f.lo+1, r.code(ev), rep, f.def)
	case flags:
		r.flags(f, ev, rep)
		r.number(f.lo+1, r.code(ev), rep, f.def)
	}
}

// flags appends the names of the flags that are set.
func (r *rows) flags(f *field, ev *decode.Event, rep uint8) {
	names := f.nameLevel()
	info := &r.layout.plan.Info[ev.Leaf]
	any := false
	for i := range info.Cases.List {
		if c := &info.Cases.List[i]; ev.Raw&c.Code == c.Code {
			r.string(f.lo, c.Name, rep, names)
			rep, any = f.rep, true
		}
	}
	if !any {
		r.null(f.lo, f.lo+1, names-1, rep)
	}
}

// nameLevel is the definition level of a name of flags.
func (f *field) nameLevel() uint8 {
	if f.optional {
		return f.def // the list is not optional itself, and a name is one level down
	}
	return f.def + 1
}

func (r *rows) code(ev *decode.Event) uint64 {
	return r.layout.plan.Info[ev.Leaf].Value(ev.Raw, ev.CodeWidth)
}

func (r *rows) float(ev *decode.Event) float64 {
	return r.layout.plan.Info[ev.Leaf].Float(ev.Raw, ev.CodeWidth)
}
