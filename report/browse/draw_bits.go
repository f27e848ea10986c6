package browse

import (
	"fmt"

	"github.com/gdamore/tcell/v3"

	"github.com/pktscope/pktscope/decode/wire"
)

// rulerBytes is how many bytes a row of the ruler has.
func rulerBytes(width int) int {
	n := 4
	for offsetCells+9*2*n-1 <= width {
		n *= 2
	}
	return n
}

const offsetCells = 7

func (a *app) rulerRows() []rulerRow {
	if a.packet == nil || len(a.packet.parts) == 0 {
		return nil
	}
	width, _ := a.screen.Size()
	return a.packet.ruler(a.field().part, rulerBytes(width))
}

// direction is the way to a bit on the right.
func (r *rulerRow) direction() int {
	if r.order == wire.LSB {
		return -1
	}
	return 1
}

// cell is where a bit is drawn in its row of so many bytes.
func (r *rulerRow) cell(bit, size int) int {
	at := bit - r.first
	at += at / 8
	if r.order == wire.LSB {
		at = 9*size - 2 - at
	}
	return at
}

func (a *app) drawBits(f *frame) {
	fl := a.field()
	text := "bits"
	if a.packet != nil && !fl.words && fl.width >= 0 && fl.bit >= 0 && fl.kind != "let" {
		text = fmt.Sprintf("%s: bits %d+%d", fl.path, fl.bit, fl.width)
		if fl.path == "" {
			text = fl.name + text[1:]
		}
		if fl.code != "" {
			text += ", " + fl.code
		}
		if fl.allowed != "" {
			text += ", allowed: " + fl.allowed
		}
	}
	a.head(f.bitsAt-1, f.width, inBits, text)
	rows := a.rulerRows()
	at := 0
	for i, r := range rows {
		if r.first <= a.bit {
			at = i
		}
	}
	lines := f.bits / 2
	first := max(min(at-(lines-1)/2, len(rows)-lines), 0)
	for i := range min(lines, len(rows)-first) {
		a.drawRow(f.bitsAt+2*i, f.width, &rows[first+i])
	}
}

// drawRow draws bits, and under them whose they are.
func (a *app) drawRow(y, width int, r *rulerRow) {
	size := rulerBytes(width)
	fl := a.field()
	a.put(0, y, offsetCells, fmt.Sprintf("%6d", r.first/8), tcell.StyleDefault.Dim(true))
	payload := a.packet.parts[fl.part].payload
	for bit := r.first; bit < r.end; {
		i := a.packet.at(fl.part, bit)
		if i < 0 {
			bit++
			continue
		}
		one := &a.packet.fields[i]
		end := min(one.bit+one.width, r.end)
		lit := fl.bit >= 0 && one.bit >= fl.bit && one.bit < fl.bit+max(fl.width, 0) && !fl.words || i == a.at
		refused := fl.kind == "refused"
		style := a.stripe(i)
		for at := bit; at < end; at++ {
			digit := "·"
			if !one.hidden && at < 8*len(payload) {
				digit = string('0' + rune(r.order.Load(payload, at, 1)))
			}
			here := style
			if lit || refused && at >= fl.bit && at < fl.bit+max(fl.width, 1) {
				here = here.Reverse(true)
			}
			x := offsetCells + r.cell(at, size)
			a.screen.Put(x, y, digit, here)
			if a.pane == inBits && at == a.bit {
				a.screen.Put(x, y, digit, here.Reverse(true).Underline(true))
				a.screen.ShowCursor(x, y)
			}
		}
		a.drawLabel(y+1, offsetCells+min(r.cell(bit, size), r.cell(end-1, size)), offsetCells+max(r.cell(bit, size), r.cell(end-1, size)), one, lit, style)
		bit = end
	}
}

// stripe is the style of a field's bits: neighbours differ.
func (a *app) stripe(i int) tcell.Style {
	if fl := &a.packet.fields[i]; fl.kind == "refused" {
		return a.hue(red)
	} else if fl.hidden || fl.kind == "padding" || fl.kind == "not-read" {
		return tcell.StyleDefault.Dim(true)
	}
	if i%2 == 0 {
		return a.hue(green)
	}
	return a.hue(cyan)
}

// drawLabel draws a line under bits in the cells from..to, with a name where there is room.
func (a *app) drawLabel(y, from, to int, fl *field, lit bool, style tcell.Style) {
	if lit {
		style = style.Bold(true)
	}
	n := to - from + 1
	name := fl.name
	switch {
	case n == 1:
		a.screen.Put(from, y, "╵", style)
		return
	case len(name)+2 > n:
		name = ""
	}
	a.screen.Put(from, y, "└", style)
	for x := from + 1; x < to; x++ {
		a.screen.Put(x, y, "─", style)
	}
	a.screen.Put(to, y, "┘", style)
	if name != "" {
		a.put(from+1, y, to, name, style)
	}
}
