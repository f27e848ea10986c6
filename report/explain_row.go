package report

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/report/internal/table"
)

// rulerRow is one row of a ruler: bits, and under them to which field they belong.
type rulerRow struct {
	first  int // bit, at the start of a byte
	order  wire.Order
	bits   []rune
	marks  []rune
	hues   []int8
	drawn  bool // something in it was asked for
	left   int  // bytes that were left out instead, of this thing
	leftOf string
}

// The hues of what is no field.
const (
	noHue  = -1
	dimHue = -2
)

// stripe is how one piece looks.
type stripe struct {
	order       wire.Order
	hide        bool
	key         rune
	hue         int
	first, last bool // the row at hand has its beginning, its end
	name        []byte
}

// rowOf is the row that a bit goes into. A row ends where it is full, and where another order draws the other way.
func (e *Explain) rowOf(bit int, order wire.Order) *rulerRow {
	if n := len(e.rows); n > 0 {
		row := &e.rows[n-1]
		if row.left == 0 && bit < row.first+8*e.bytes && (row.order == order || bit%8 != 0) {
			return row
		}
		e.endRow()
	}
	return e.newRow(bit&^7, order)
}

func (e *Explain) newRow(first int, order wire.Order) *rulerRow {
	if len(e.rows) < cap(e.rows) {
		e.rows = e.rows[:len(e.rows)+1]
	} else {
		e.rows = append(e.rows, rulerRow{})
	}
	row := &e.rows[len(e.rows)-1]
	n := 9*e.bytes - 1
	if row.bits == nil {
		row.bits, row.marks, row.hues = make([]rune, n), make([]rune, n), make([]int8, n)
	}
	for i := range n {
		row.bits[i], row.marks[i], row.hues[i] = ' ', ' ', noHue
	}
	row.first, row.order, row.drawn, row.left, row.leftOf = first, order, false, 0, ""
	return row
}

// endRow ends the last row. It goes away when nothing in it was asked for, and the block ends when it is a screenful.
func (e *Explain) endRow() {
	if n := len(e.rows); !e.rows[n-1].drawn {
		e.rows = e.rows[:n-1]
	}
	if len(e.rows) >= blockRows || len(e.fields) >= blockFields {
		e.flush()
	}
}

// leaveOut puts a line in the place of so many bits, and returns the first bit after them.
func (e *Explain) leaveOut(bit, bits int, name []byte, wanted bool) int {
	row := &e.rows[len(e.rows)-1] // made for bit, and empty
	row.left, row.leftOf, row.drawn = bits/8, string(name), wanted
	return bit + bits
}

// cell is where a bit is in its row.
func (e *Explain) cell(row *rulerRow, bit int) int {
	at := bit - row.first
	at += at / 8
	if row.order == wire.LSB {
		return 9*e.bytes - 2 - at
	}
	return at
}

// stripe draws the bits from..to of a piece into a row.
func (e *Explain) stripe(row *rulerRow, from, to int, s *stripe, wanted bool) {
	d := &e.walk
	row.drawn = row.drawn || wanted
	for bit := from; bit < to; bit++ {
		c := '·'
		if !s.hide {
			c = '0' + rune(row.order.Load(d.trace.Payload, bit, 1))
		}
		row.bits[e.cell(row, bit)] = c
	}
	a, b, step := e.cell(row, from), e.cell(row, to-1), 1
	if row.order == wire.LSB {
		step = -1
	}
	n := (b-a)*step + 1
	at := func(i int) *rune { return &row.marks[a+i*step] }
	for i := range n {
		row.hues[a+i*step] = int8(s.hue)
		if wanted {
			*at(i) = '─'
		}
	}
	if !wanted {
		return
	}
	if s.last && n > 1 {
		*at(n - 1) = '┘'
		if step < 0 {
			*at(n - 1) = '└'
		}
	}
	key := 0
	if !s.first && n > 2 {
		key = 1 // a line before it comes from the row above
	}
	*at(key) = s.key
	if size := utf8.RuneCount(s.name); size > 0 && key+size+5 <= n {
		i := key + 2
		if step < 0 {
			i += size + 1
		}
		start := a + i*step
		row.marks[start] = ' '
		for _, c := range string(s.name) {
			start++
			row.marks[start] = c
		}
		row.marks[start+1] = ' '
	}
}

// flush writes the block: its rows, and what is said of the fields that begin in them.
func (e *Explain) flush() {
	if n := len(e.rows); n > 0 && !e.rows[n-1].drawn {
		e.rows = e.rows[:n-1]
	}
	d := &e.walk
	if len(e.rows) > 0 && e.legends > 0 {
		d.out = append(d.out, '\n')
	}
	for i := range e.rows {
		e.writeRow(&e.rows[i])
	}
	if len(e.fields) > 0 {
		e.legend()
	}
	e.rows, e.fields, e.texts = e.rows[:0], e.fields[:0], e.texts[:0]
	d.out = d.spill.over(d.out)
}

func (e *Explain) writeRow(row *rulerRow) {
	d := &e.walk
	dim := d.text.dim
	if row.left > 0 {
		b := append(pad(d.out, offsetColumn), "… "...)
		b = append(syntax.AppendCount(b, row.left, "more byte"), " of "...)
		b = append(append(b, row.leftOf...), ", bits "...)
		b = strconv.AppendInt(b, int64(row.first), 10)
		b = strconv.AppendInt(append(b, ".."...), int64(row.first+8*row.left-1), 10)
		d.out = append(b, '\n')
		return
	}
	e.direction(row.order)
	b := append(d.out, dim.On...)
	b = append(appendRight(b, int64(row.first/8), offsetColumn-1), dim.Off...)
	b = append(b, ' ')
	b = e.paint(b, row, row.bits)
	b = pad(b, offsetColumn)
	d.out = e.paint(b, row, row.marks)
	e.carets(row)
}

// paint appends a row's cells in the colours of their fields.
func (e *Explain) paint(b []byte, row *rulerRow, line []rune) []byte {
	end := len(line)
	for end > 0 && line[end-1] == ' ' {
		end--
	}
	hue := noHue
	for i, c := range line[:end] {
		if h := int(row.hues[i]); h != hue {
			b = append(b, e.hue(hue).Off...)
			b = append(b, e.hue(h).On...)
			hue = h
		}
		b = utf8.AppendRune(b, c)
	}
	return append(append(b, e.hue(hue).Off...), '\n')
}

func (e *Explain) hue(h int) table.Paint {
	switch h {
	case noHue:
		return table.Paint{}
	case dimHue:
		return e.walk.text.dim
	}
	return e.hues[h]
}

// direction says, above the first row and where it changes, which way the rows run.
func (e *Explain) direction(order wire.Order) {
	if e.headed && e.drawn == order {
		return
	}
	e.headed, e.drawn = true, order
	dim := e.walk.text.dim
	b := append(e.walk.out, dim.On...)
	b = append(appendWrapped(b, "byte "+directionTexts[order], e.opts.Width), dim.Off...)
	b = append(pad(append(b, '\n'), offsetColumn), dim.On...)
	for i := range e.bytes {
		n := i
		if order == wire.LSB {
			n = e.bytes - 1 - i
		}
		digits := strconv.Itoa(n)
		b = append(append(b, '+'), digits...)
		if order == wire.LSB {
			b = append(pad(b, 5-len(digits)), "<<"...)
		} else {
			b = append(pad(b, 5-len(digits)), ">>"...)
		}
		if i < e.bytes-1 {
			b = append(b, ' ')
		}
	}
	e.walk.out = append(append(b, dim.Off...), '\n')
}

// appendWrapped appends a text in lines of at most width cells, broken between words; it is ASCII.
func appendWrapped(b []byte, text string, width int) []byte {
	const indent = "\n     "
	for left := width; len(text) > left; left = width - len(indent[1:]) {
		at := strings.LastIndexByte(text[:left+1], ' ')
		if at < 0 {
			break
		}
		b = append(append(b, text[:at]...), indent...)
		text = text[at+1:]
	}
	return append(b, text...)
}

// directionTexts say how a ruler is to be read.
var directionTexts = [...]string{
	wire.LSB:      "lsb: read from right to left, first bit rightmost; numbers as written",
	wire.MSB:      "msb: read from left to right; numbers as written",
	wire.Bytewise: "bousk: read from left to right; a number's low 8 bits come first",
}

// carets marks the bits at which the packet was refused, where they are in this row.
func (e *Explain) carets(row *rulerRow) {
	d := &e.walk
	r := d.trace.Reject()
	if r == nil || r.HidesBit() {
		return
	}
	from := max(r.Bit, row.first)
	to := min(r.Bit+max(r.ShownWidth(), 1), row.first+8*e.bytes, 8*len(d.trace.Payload))
	if from >= to {
		return
	}
	a, b := e.cell(row, from), e.cell(row, to-1)
	out := pad(d.out, offsetColumn+min(a, b))
	out = append(out, d.failing().On...)
	for i := min(a, b); i <= max(a, b); i++ {
		if i%9 == 8 {
			out = append(out, ' ')
			continue
		}
		out = append(out, "▲"...)
	}
	d.out = append(append(out, d.failing().Off...), '\n')
}
