package report

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema"
)

// The bit diagram of a struct: rows of 32 bits for what has a fixed place, and a labelled row for what has not. In the
// orders msb and bousk the first bit of a row is on the left, as in RFCs; in lsb it is on the right, where the lowest bit
// of a number is written, so that a field of several bytes reads as one number.

const gridWidth = 32

// docGrid is a diagram.
type docGrid struct {
	LSB  bool
	Rows []gridRow
	Keys []gridKey // of the cells whose names do not fit
}

// gridRow is a row of cells that fill 32 bits in the order they are sent, or with Label set a labelled row.
type gridRow struct {
	Label  string
	Size   string // of what the label is about
	Level  int
	Offset string // of the first bit: `32`, or `+32` behind something of variable size
	Cells  []*gridCell
}

// gridCell is a field's share of a row.
type gridCell struct {
	Bits  int
	From  int    // bit of the row
	Text  string // the name, its key; in its smaller shares `(name)` or `…`
	Blank bool   // no field
	Field int    // number of the field in the grid, the same for all its shares
}

// Bounds are the bits of the row that a cell takes, as they are drawn.
func (g *docGrid) Bounds(c *gridCell) string {
	first, last := c.From, c.From+c.Bits-1
	if g.LSB {
		first, last = last, first
	}
	return fmt.Sprintf("%d–%d", first, last)
}

// gridKey explains a key.
type gridKey struct{ Key, Name string }

// gridMaker lays out a diagram.
type gridMaker struct {
	*docWriter
	grid  docGrid
	cells []*gridCell // of the row in the making
	col   int         // bits in it
	gridPlace
	count int // fields so far
}

// gridPlace is where the next field begins.
type gridPlace struct {
	off   uint64 // bits from the start, or from the last place behind something of variable size
	plus  string // "+" where off is from such a place
	known bool   // off is from a byte boundary
}

func (w *docWriter) newGrid(s *schema.Struct) *gridMaker {
	m := &gridMaker{docWriter: w, gridPlace: gridPlace{known: s.IsPacket || s.OwnOrder || w.bytewise}}
	m.grid.LSB = s.Order == schema.LSB
	return m
}

// done is the grid, nil where nothing is in it.
func (m *gridMaker) done() *docGrid {
	m.flush()
	if len(m.grid.Rows) == 0 {
		return nil
	}
	return &m.grid
}

// fits reports whether a name can stand in a cell.
func fitsCell(name string, bits int) bool { return 2*len(name) <= 3*bits }

// field adds a field of fixed size. Its name stands in the largest of its shares.
func (m *gridMaker) field(name string, bits int) {
	m.count++
	if m.col == 0 { // behind a labelled row: blank up to the place in the row
		if lead := int(m.off % gridWidth); lead > 0 {
			m.cells = append(m.cells, &gridCell{Bits: lead, Blank: true})
			m.col = lead
		}
	}
	var best *gridCell
	var parts []*gridCell
	for bits > 0 {
		c := &gridCell{Bits: min(bits, gridWidth-m.col), From: m.col, Text: "…", Field: m.count}
		m.cells = append(m.cells, c)
		parts = append(parts, c)
		if best == nil || c.Bits > best.Bits {
			best = c
		}
		bits -= c.Bits
		m.col += c.Bits
		m.off += uint64(c.Bits)
		if m.col == gridWidth {
			m.push()
		}
	}
	best.Text = name
	if fitsCell(name, best.Bits) {
		for _, c := range parts {
			if c != best && fitsCell("("+name+")", c.Bits) {
				c.Text = "(" + name + ")"
			}
		}
		return
	}
	best.Text = "·" // the table has its name
	if n := len(m.grid.Keys); n < len(gridKeys) {
		best.Text = gridKeys[n : n+1]
		m.grid.Keys = append(m.grid.Keys, gridKey{best.Text, shortened(name, 60)})
	}
}

const gridKeys = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// push ends a full row.
func (m *gridMaker) push() {
	start := m.off - uint64(gridWidth)
	m.grid.Rows = append(m.grid.Rows, gridRow{Offset: m.plus + fmt.Sprint(start), Cells: m.cells})
	m.cells, m.col = nil, 0
}

// flush ends the row in the making, with blanks up to its end.
func (m *gridMaker) flush() {
	if m.col > 0 {
		start := m.off - uint64(m.col)
		m.cells = append(m.cells, &gridCell{Bits: gridWidth - m.col, Blank: true})
		m.grid.Rows = append(m.grid.Rows, gridRow{Offset: m.plus + fmt.Sprint(start), Cells: m.cells})
		m.cells, m.col = nil, 0
	}
}

// label adds a labelled row.
func (m *gridMaker) label(level int, text, size string) {
	m.flush()
	m.grid.Rows = append(m.grid.Rows, gridRow{Label: text, Size: size, Level: min(level, 6)})
}

// lost counts from here on anew.
func (m *gridMaker) lost() {
	m.flush()
	m.off, m.plus, m.known = 0, "+", m.bytewise
}

// align adds padding, which has a fixed size where the place is known.
func (m *gridMaker) align(bits, level int) {
	root := m.known && (m.plus == "" || bits == 8) && (bits == 8 || m.off < 1<<32)
	switch pad := (uint64(bits) - m.off%uint64(bits)) % uint64(bits); {
	case root && pad == 0:
	case root:
		m.fixed("padding", "padding", pad, level)
	default:
		m.label(level, fmt.Sprintf("align(%d)", bits), fmt.Sprintf("0..%d bits", bits-1))
		m.lost()
		m.known = true
	}
}

// fixed adds what always takes so many bits: as cells, or as one row where it would fill many.
func (m *gridMaker) fixed(name, long string, bits uint64, level int) {
	switch {
	case bits == 0:
	case bits <= 2*gridWidth:
		m.field(name, int(bits))
	default:
		m.label(level, long, countOf(int64(min(bits, 1<<40)), "bit"))
		m.off += bits
	}
}

func (m *gridMaker) value(f *schema.Field, level int) {
	if f.Switch != nil {
		lo, hi := m.waysSize(f.Ways())
		m.label(level, shortened(f.Name, 40)+"  switch "+shortened(plainText(f.Switch.Tag.Text), 40), bitsText(lo, hi)+" bits")
		if lo == hi {
			m.off += lo
		} else {
			m.lost()
		}
		return
	}
	lo, hi := m.valueSize(f.Value)
	if n, ok := constantBytes(f.Value); ok {
		m.align(8, level)
		lo, hi = n, n
	}
	long := shortened(f.Name, 40)
	if n := m.fields[f.Pos.Off]; n != nil && n.Value != nil {
		long += "  " + shortened(m.typeText(n.Value), 40)
	}
	if lo == hi {
		m.fixed(f.Name, long, lo, level)
		return
	}
	m.label(level, long, bitsText(lo, hi)+" bits")
	m.lost()
}

// way ends a side of an if, of which the next begins at start, and says where the side ended.
func (m *gridMaker) way(start gridPlace) (end gridPlace) {
	m.flush()
	end, m.gridPlace = m.gridPlace, start
	return end
}

// join goes on behind an if that began at start and whose first side ended at then.
func (m *gridMaker) join(start, then gridPlace) {
	m.flush()
	if m.gridPlace != then || m.plus != start.plus && m.plus != "" {
		m.lost()
	}
}
