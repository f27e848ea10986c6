package report

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/saved"
)

// piece draws the bits from..to as one thing, and before it what nobody has drawn as padding. say appends the thing's
// path, code and value, and returns where path and code end.
func (d *Dump) piece(from, to int, hide bool, say func([]byte) ([]byte, int, int)) {
	ev := d.ev
	d.ev = nil
	if d.at < from {
		d.draw(d.at, from, false, func(b []byte) ([]byte, int, int) {
			b = append(b, padding...)
			return b, len(b), len(b)
		})
		d.at = from
	}
	if from = max(from, d.at); from < to {
		d.ev = ev
		d.draw(from, to, hide, say)
		d.at, d.ev = to, nil
	}
}

// padding is what bits are called that the schema has no item for.
const padding = "padding"

// stretch fills rows with the bits from..to. Of a long one the rows after its first 64 bytes are left out, except its
// last.
func (d *Dump) stretch(from, to int, hide bool, say func([]byte) ([]byte, int, int)) {
	d.begin(from / dumpBits)
	r := &d.row
	line := dumpLine{key: dumpKeys[r.keys%len(dumpKeys)], bit: from, width: to - from, start: len(r.texts)}
	r.keys++
	var path, code int
	r.texts, path, code = say(r.texts)
	line.path, line.code, line.value = path, code, len(r.texts)
	r.lines = append(r.lines, line)
	d.name = append(d.name[:0], r.texts[line.start:line.path]...)

	skip := (from + dumpKeep + dumpBits - 1) / dumpBits // the first row that may be left out
	last := (to - 1) / dumpBits
	for bit := from; bit < to; {
		number := bit / dumpBits
		if number == skip && number < last {
			d.flush()
			d.leaveOut(8 * (last - number))
			bit = last * dumpBits
			number = last
		}
		d.begin(number)
		end := min(to, (number+1)*dumpBits)
		d.cells(bit, end, hide)
		d.ruler(bit, end, bit == from, end == to, line.key)
		bit = end
	}
}

// unplaced adds the line of a field whose bits are not drawn by themselves.
func (d *Dump) unplaced(bit, width int, _ bool, say func([]byte) ([]byte, int, int)) {
	r := &d.row
	if len(r.lines) >= dumpBits {
		d.flush()
	}
	line := dumpLine{key: ' ', bit: bit, width: width, start: len(r.texts)}
	r.texts, line.path, line.code = say(r.texts)
	line.value = len(r.texts)
	r.lines = append(r.lines, line)
}

// begin makes row number the one that is filled.
func (d *Dump) begin(number int) {
	if d.row.number == number {
		return
	}
	d.flush()
	r := &d.row
	r.number, r.keys = number, 0
	for i := range r.bits {
		r.bits[i], r.marks[i], r.isKey[i] = ' ', ' ', false
	}
	for i := range r.orders {
		r.orders[i] = d.order
	}
}

// cellOf is where a bit is in its row.
func cellOf(bit int) int { return bit%dumpBits + bit%dumpBits/8 }

func (d *Dump) cells(from, to int, hide bool) {
	r := &d.row
	for i := (from%dumpBits + 7) / 8; i < len(r.orders); i++ { // those that begin here or later
		r.orders[i] = d.order
	}
	for bit := from; bit < to; bit++ {
		c := '·'
		if !hide {
			c = '0' + rune(r.orders[bit%dumpBits/8].Load(d.trace.Payload, bit, 1))
		}
		r.bits[cellOf(bit)] = c
	}
}

// ruler draws the line under the bits: the key at the first, the last name of the path where it fits, and the end.
func (d *Dump) ruler(from, to int, first, last bool, key byte) {
	r := &d.row
	a, b := cellOf(from), cellOf(to-1)
	for i := a; i <= b; i++ {
		r.marks[i] = '─'
	}
	if last && b > a {
		r.marks[b] = '┘'
	}
	if first {
		r.marks[a], r.isKey[a] = rune(key), true
	}
	name := d.name
	for i, c := range name {
		if c == '.' {
			name = d.name[i+1:]
		}
	}
	if n := utf8.RuneCount(name); n > 0 && n+5 <= b-a+1 {
		at := a + 2
		r.marks[at] = ' '
		for _, c := range string(name) {
			at++
			r.marks[at] = c
		}
		r.marks[at+1] = ' '
	}
}

// flush writes the row, with its lines below.
func (d *Dump) flush() {
	r := &d.row
	if r.number < 0 {
		d.lines() // of fields whose bits are in rows above
		return
	}
	x := d.text
	d.numbering()
	b := append(d.out, x.dim.On...)
	b = append(appendRight(b, int64(r.number)*dumpBits/8, bitColumn), x.dim.Off...)
	b = append(b, "  "...)
	for _, c := range r.bits {
		b = utf8.AppendRune(b, c)
	}
	b = append(trimRight(b), '\n')
	b = pad(b, bitColumn+2)
	for i, c := range r.marks {
		switch {
		case r.isKey[i]:
			b = append(b, x.style.name.On...)
			b = append(utf8.AppendRune(b, c), x.style.name.Off...)
		default:
			b = utf8.AppendRune(b, c)
		}
	}
	d.out = append(trimRight(b), '\n')
	d.carets()
	d.lines()
	r.number = -1
	d.out = d.spill.over(d.out)
}

// numbering writes the numbers of the bits above a row, where they are not those above the row before.
func (d *Dump) numbering() {
	r := &d.row
	if d.ruled && r.orders == d.drawn {
		return
	}
	b, x := d.out, d.text
	for i, o := range r.orders {
		if i > 0 && r.orders[i-1] == o || d.ruled && i == 0 && o == d.drawn[7] {
			continue
		}
		b = append(append(b, x.dim.On...), "  byte  "...)
		if i > 0 {
			b = append(strconv.AppendInt(append(b, "from byte "...), int64(r.number)*dumpBits/8+int64(i), 10), ", "...)
		}
		b = append(append(b, orderTexts[o]...), x.dim.Off...)
		b = append(b, '\n')
	}
	b = append(pad(b, bitColumn+2), x.dim.On...)
	for i, o := range r.orders {
		if i > 0 {
			b = append(b, ' ')
		}
		if o == wire.LSB {
			b = append(b, "01234567"...)
		} else {
			b = append(b, "76543210"...)
		}
	}
	d.out = append(append(b, x.dim.Off...), '\n')
	d.drawn, d.ruled = r.orders, true
}

// orderTexts say which end of bytes and of numbers is first.
var orderTexts = [...]string{
	wire.LSB:      "lsb: bit 0 of each byte is first, and so is the lowest bit of a number",
	wire.MSB:      "msb: bit 7 of each byte is first, and so is the highest bit of a number",
	wire.Bytewise: "bousk: bit 7 of each byte is first, and of a number its lowest 8 bits",
}

// carets marks the bits at which the packet was refused, where they are in this row.
func (d *Dump) carets() {
	rej := d.trace.Reject()
	if rej == nil || rej.HidesBit() {
		return
	}
	first := d.row.number * dumpBits
	from := max(rej.Bit, first)
	to := min(rej.Bit+max(rej.ShownWidth(), 1), first+dumpBits, 8*len(d.trace.Payload))
	if from >= to {
		return
	}
	b := pad(d.out, bitColumn+2+cellOf(from))
	b = append(b, d.failing().On...)
	for bit := from; bit < to; bit++ {
		if bit > from && bit%8 == 0 {
			b = append(b, ' ')
		}
		b = append(b, "▲"...)
	}
	d.out = append(append(b, d.failing().Off...), '\n')
	d.pending = !d.marked
}

func (d *Dump) failing() table.Paint {
	if d.packet.Verdict() == decode.Cut {
		return d.text.note
	}
	return d.text.refused
}

// mark writes the refused field's line.
func (d *Dump) mark() {
	d.marked, d.pending = true, false
	x, r := d.text, d.trace.Reject()
	b := pad(d.out, bitColumn-1)
	b = append(d.failing().Append(b, "▲"), ' ')
	b = x.position(b, int(saved.ShownBit(r)), int(saved.ShownWidth(r)))
	b = append(x.path(b, r), ": "...)
	if d.packet.Verdict() == decode.Cut {
		b = append(x.note.Append(b, "cut"), " by the capture, which kept "...)
		b = syntax.AppendCount(b, len(d.trace.Payload), "byte")
	} else {
		b = x.refused.Append(b, r.Kind.String())
		b = append(b, " at bit "...)
		b = append(r.AppendPlace(b), ": "...)
		b = x.message(b, r)
	}
	d.out = append(b, '\n')
}

// lines writes what is said of the pieces that begin in the row, in columns.
func (d *Dump) lines() {
	r, x := &d.row, d.text
	path, code := 0, 0
	for i := range r.lines {
		l := &r.lines[i]
		path = max(path, utf8.RuneCount(r.texts[l.start:l.path]))
		code = max(code, l.code-l.path)
	}
	path = min(path, maxPathColumn)
	for i := range r.lines {
		l := &r.lines[i]
		if d.pending && l.bit != decode.Hidden && l.bit >= d.trace.Reject().Bit {
			d.mark()
		}
		b := pad(d.out, bitColumn-1)
		b = append(append(b, x.style.name.On...), l.key)
		b = append(append(b, x.style.name.Off...), ' ')
		b = x.position(b, l.bit, l.width)
		b = append(b, r.texts[l.start:l.path]...)
		at := dumpIndent + utf8.RuneCount(r.texts[l.start:l.path])
		valueAt := dumpIndent + path + 2
		b, at = place(b, r.texts[l.path:l.code], at, valueAt, dumpLineEnd, dumpIndent)
		if code > 0 {
			valueAt += code + 2
		}
		b, _ = place(b, r.texts[l.code:l.value], at, valueAt, dumpLineEnd, dumpIndent)
		d.out = append(b, '\n')
	}
	if d.pending {
		d.mark()
	}
	r.lines, r.texts = r.lines[:0], r.texts[:0]
}

// place appends text to a line of at cells: in the column that is its place, else two cells after what is there, else
// below, after indent, whichever it fits first. No line is longer than end where text can be broken. It returns the
// line's cells.
func place(b, text []byte, at, column, end, indent int) ([]byte, int) {
	if len(text) == 0 {
		return b, at
	}
	column = max(column, at+2)
	cells := utf8.RuneCount(text)
	if column+cells > end {
		column = at + 2
	}
	if column+cells > end {
		b, at, column = append(b, '\n'), 0, indent
	}
	b, at = pad(b, column-at), column
	for at+cells > end {
		part := bytes.IndexByte(text, '|') + 1 // a flag; more than one where they fit
		for part > 0 {
			next := bytes.IndexByte(text[part:], '|') + 1
			if next == 0 || at+part+next > end {
				break
			}
			part += next
		}
		if part == 0 {
			break
		}
		b = append(append(b, text[:part]...), '\n')
		b = pad(b, indent)
		text, cells, at = text[part:], cells-part, indent
	}
	return append(b, text...), at + cells
}

// leaveOut says how many bytes are not drawn.
func (d *Dump) leaveOut(n int) {
	b := append(pad(d.out, bitColumn+2), "… "...)
	b = syntax.AppendCount(b, n, "more byte")
	if len(d.name) > 0 {
		b = append(append(b, " of "...), d.name...)
	}
	d.out = append(b, '\n')
}
