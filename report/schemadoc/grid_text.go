package schemadoc

import (
	"strings"

	"github.com/pktscope/pktscope/report/internal/table"
)

// grid writes a diagram as RFCs draw it. Each line with text of the schema's author begins with the margin, so that
// none can be the fence that ends the block.
func (m *markdown) grid(g *bitGrid) {
	m.line("\n```text")
	if g.LSB {
		m.line("Bit 0 is on the right: a number reads from its highest bit; a long one goes on below with its higher bits.")
	}
	m.b.WriteString(g.text())
	m.line("```")
}

// gridMargin is the room for the offsets on the left.
const gridMargin = 7

// text draws the grid: two characters for each bit.
func (bg *bitGrid) text() string {
	var b strings.Builder
	write := func(line string) { b.WriteString(strings.TrimRight(line, " ") + "\n") }
	if bg.hasCells() {
		var tens, ones strings.Builder
		for i := range gridWidth {
			bit := bg.at(i)
			if bit%10 == 0 {
				tens.WriteString(" " + string(rune('0'+bit/10)))
			} else {
				tens.WriteString("  ")
			}
			ones.WriteString(" " + string(rune('0'+bit%10)))
		}
		write(strings.Repeat(" ", gridMargin) + tens.String())
		write(strings.Repeat(" ", gridMargin) + ones.String())
	}
	for i := range bg.Rows {
		var above *gridRow
		if i > 0 {
			above = &bg.Rows[i-1]
		}
		write(strings.Repeat(" ", gridMargin) + bg.border(above, &bg.Rows[i]))
		write(bg.row(&bg.Rows[i]))
	}
	write(strings.Repeat(" ", gridMargin) + bg.border(&bg.Rows[len(bg.Rows)-1], nil))
	for i, k := range bg.Keys {
		if i == 0 {
			b.WriteByte('\n')
		}
		write(strings.Repeat(" ", gridMargin) + k.Key + " = " + k.Name)
	}
	return b.String()
}

func (bg *bitGrid) hasCells() bool {
	for i := range bg.Rows {
		if bg.Rows[i].Cells != nil {
			return true
		}
	}
	return false
}

// at is the bit at column i.
func (bg *bitGrid) at(i int) int {
	if bg.LSB {
		return gridWidth - 1 - i
	}
	return i
}

// columns gives the field at each column of a row, 0 where there is none, and -1 for a labelled row.
func (bg *bitGrid) columns(r *gridRow) (list [gridWidth]int) {
	bit := 0
	if r == nil {
		return list
	}
	if r.Cells == nil {
		for i := range list {
			list[i] = -1
		}
		return list
	}
	for _, c := range r.Cells {
		for range c.Bits {
			if !c.Blank {
				list[bg.at(bit)] = c.Field
			}
			bit++
		}
	}
	return list
}

// border draws the line between two rows, open where a field goes on.
func (bg *bitGrid) border(above, below *gridRow) string {
	up, down := bg.columns(above), bg.columns(below)
	line := func(i int) bool {
		return i >= 0 && i < gridWidth && (up[i] != 0 || down[i] != 0) && !(up[i] > 0 && up[i] == down[i])
	}
	open := func(i int) bool { return i >= 0 && i < gridWidth && up[i] > 0 && up[i] == down[i] }
	var b strings.Builder
	for i := range gridWidth + 1 {
		switch {
		case line(i-1) || line(i):
			b.WriteByte('+')
		case open(i-1) != open(i):
			b.WriteByte('|')
		default:
			b.WriteByte(' ')
		}
		if i == gridWidth {
			break
		}
		if line(i) {
			b.WriteByte('-')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// row draws a row's cells or its label.
func (bg *bitGrid) row(r *gridRow) string {
	if r.Cells == nil {
		size := r.Size
		if size != "" {
			size = ", " + size
		}
		indent := strings.Repeat("  ", r.Level)
		s := indent + table.Fit(r.Label, max(8, 2*gridWidth-3-len(indent)-len(size))) + size
		return strings.Repeat(" ", gridMargin) + "/ " + s + strings.Repeat(" ", max(0, 2*gridWidth-3-len([]rune(s)))) + " /"
	}
	var parts []string
	for _, c := range r.Cells {
		parts = append(parts, centred(c.Text, 2*c.Bits-1))
	}
	bars := make([]bool, len(r.Cells)+1)
	for i, c := range r.Cells {
		if !c.Blank {
			bars[i], bars[i+1] = true, true
		}
	}
	var b strings.Builder
	b.WriteString(rightAligned(r.Offset, gridMargin-1) + " ")
	for k := range parts {
		i, bar := k, k
		if bg.LSB {
			i = len(parts) - 1 - k
			bar = i + 1
		}
		b.WriteByte(barOf(bars[bar]))
		b.WriteString(parts[i])
	}
	if bg.LSB {
		b.WriteByte(barOf(bars[0]))
	} else {
		b.WriteByte(barOf(bars[len(parts)]))
	}
	return b.String()
}

func barOf(there bool) byte {
	if there {
		return '|'
	}
	return ' '
}

// centred puts text into the middle of n columns.
func centred(s string, n int) string {
	room := n - len([]rune(s))
	if room <= 0 {
		return s
	}
	return strings.Repeat(" ", room/2) + s + strings.Repeat(" ", room-room/2)
}

// rightAligned puts text at the end of n columns.
func rightAligned(s string, n int) string { return strings.Repeat(" ", max(0, n-len(s))) + s }
