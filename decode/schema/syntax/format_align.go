package syntax

import "unicode/utf8"

// Columns. Rows that follow each other at one indentation, without an empty line or a comment's own line between, make
// columns: of their second cells, of their third, and of the comments after them; rows without a cell end its column,
// as in gofmt. One thing more is in columns: the lists of subsets that begin at one place.

const indentWidth = 4

// pads are the blanks that a row has before its cells, beyond the one that is always there.
type pads struct{ value, list, notes, comment int }

// print gives the text of the rows, false where there would be too much of it.
func (l *layout) print() ([]byte, bool) {
	all := make([]pads, len(l.rows))
	for from := 0; from < len(l.rows); {
		to := from + 1
		for to < len(l.rows) && joined(&l.rows[to-1], &l.rows[to]) {
			to++
		}
		l.align(l.rows[from:to], all[from:to])
		from = to
	}
	var out []byte
	for i := range l.rows {
		r, p := &l.rows[i], &all[i]
		if len(out)+len(r.comment)+r.to-r.from+indentWidth*r.indent+p.value+p.list+p.notes+p.comment+3 > MaxSource {
			return nil, false
		}
		if r.blank {
			out = append(out, '\n')
		}
		out = blanks(out, indentWidth*r.indent)
		at := r.from
		for _, cell := range [...]struct{ start, pad int }{{r.value, p.value}, {r.list, p.list}, {r.notes, p.notes}} {
			if cell.start > 0 && cell.pad > 0 {
				out = append(out, l.buf[at:cell.start]...)
				out = blanks(out, cell.pad)
				at = cell.start
			}
		}
		out = append(out, l.buf[at:r.to]...)
		if r.comment != "" {
			if !r.alone {
				out = blanks(out, 1+p.comment)
			}
			out = append(out, r.comment...)
		}
		out = append(out, '\n')
	}
	return out, true
}

func blanks(b []byte, n int) []byte {
	for range n {
		b = append(b, ' ')
	}
	return b
}

// joined reports whether row b, right below row a, may share columns with it.
func joined(a, b *row) bool { return !a.alone && !b.alone && !b.blank && a.indent == b.indent }

// align computes the pads of rows that may share columns.
func (l *layout) align(rows []row, p []pads) {
	column(rows, func(r *row) bool { return r.value > 0 },
		func(i int) int { return l.cells(rows[i].from, rows[i].value) },
		func(i, pad int) { p[i].value = pad })
	// Subsets side by side are at one place: after second cells that are aligned by now, or in cells equally far in.
	start := func(i int) int { return l.cells(rows[i].from, rows[i].subset) + p[i].value }
	for from := 0; from < len(rows); {
		to := from + 1
		if l.hasList(&rows[from]) {
			first := start(from)
			for to < len(rows) && l.hasList(&rows[to]) && start(to) == first {
				to++
			}
			column(rows[from:to], func(*row) bool { return true },
				func(i int) int { return l.cells(rows[from+i].subset, rows[from+i].list) },
				func(i, pad int) { p[from+i].list = pad })
		}
		from = to
	}
	column(rows, func(r *row) bool { return r.notes > 0 },
		func(i int) int { return l.cells(rows[i].from, rows[i].notes) + p[i].value + p[i].list },
		func(i, pad int) { p[i].notes = pad })
	column(rows, func(r *row) bool { return r.comment != "" },
		func(i int) int { return l.cells(rows[i].from, rows[i].to) + p[i].value + p[i].list + p[i].notes },
		func(i, pad int) { p[i].comment = pad })
}

// hasList reports whether a subset's list is in a column: only in rows that have columns.
func (l *layout) hasList(r *row) bool { return r.value > 0 && r.list > 0 }

// column sets the pads of each run of rows that have a cell, from how wide each is before it.
func column(rows []row, has func(*row) bool, before func(int) int, set func(i, pad int)) {
	for from := 0; from < len(rows); {
		to, most := from, 0
		for to < len(rows) && has(&rows[to]) {
			most = max(most, before(to))
			to++
		}
		for i := from; i < to; i++ {
			set(i, most-before(i))
		}
		from = max(to, from+1)
	}
}

// cells is how many cells of a terminal a stretch of the text takes.
func (l *layout) cells(from, to int) int {
	n := 0
	for from < to {
		r, size := utf8.DecodeRune(l.buf[from:to])
		n += columns(r)
		from += size
	}
	return n
}
