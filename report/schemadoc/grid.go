package schemadoc

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/internal/table"
)

// The bit diagram of a struct: rows of 32 bits for what has a fixed place, and a labelled row for what has not. In the
// orders msb and bousk the first bit of a row is on the left, as in RFCs; in lsb it is on the right, where the lowest
// bit of a number is written, so that a field of several bytes reads as one number.

const gridWidth = 32

// bitGrid is a diagram.
type bitGrid struct {
	LSB  bool
	Rows []gridRow
	Keys []gridKey // of the cells whose names do not fit
}

// gridRow is a row of cells that fill 32 bits in the order they are sent, or with Label set a labelled row.
type gridRow struct {
	Label  string
	Size   string // of what the label is about
	Level  int
	Offset string // of the first bit: `32`, or `+32` after something of variable size
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
func (bg *bitGrid) Bounds(c *gridCell) string {
	first, last := c.From, c.From+c.Bits-1
	if bg.LSB {
		first, last = last, first
	}
	return fmt.Sprintf("%d–%d", first, last)
}

// gridKey explains a key.
type gridKey struct{ Key, Name string }

// gridMaker lays out a diagram.
type gridMaker struct {
	*maker
	grid  bitGrid
	cells []*gridCell // of the row in the making
	col   int         // bits in it
	gridPlace
	count int // fields so far
}

// gridPlace is where the next field begins.
type gridPlace struct {
	off   uint64 // bits from the start, or from the last place after something of variable size
	plus  string // "+" where off is from such a place
	known bool   // off is from a byte boundary
}

func (w *maker) newGrid(s *schema.Struct) *gridMaker {
	m := &gridMaker{maker: w, gridPlace: gridPlace{known: s.IsPacket || s.OwnOrder || w.bytewise}}
	m.grid.LSB = s.Order == schema.LSB
	return m
}

// done is the grid, nil where nothing is in it.
func (g *gridMaker) done() *bitGrid {
	g.flush()
	if len(g.grid.Rows) == 0 {
		return nil
	}
	return &g.grid
}

// fits reports whether a name can be in a cell.
func fitsCell(name string, bits int) bool { return 2*len(name) <= 3*bits }

// field adds a field of fixed size. Its name is in the largest of its shares.
func (g *gridMaker) field(name string, bits int) {
	g.count++
	if g.col == 0 { // after a labelled row: blank up to the place in the row
		if lead := int(g.off % gridWidth); lead > 0 {
			g.cells = append(g.cells, &gridCell{Bits: lead, Blank: true})
			g.col = lead
		}
	}
	var best *gridCell
	var parts []*gridCell
	for bits > 0 {
		c := &gridCell{Bits: min(bits, gridWidth-g.col), From: g.col, Text: "…", Field: g.count}
		g.cells = append(g.cells, c)
		parts = append(parts, c)
		if best == nil || c.Bits > best.Bits {
			best = c
		}
		bits -= c.Bits
		g.col += c.Bits
		g.off += uint64(c.Bits)
		if g.col == gridWidth {
			g.push()
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
	if n := len(g.grid.Keys); n < len(gridKeys) {
		best.Text = gridKeys[n : n+1]
		g.grid.Keys = append(g.grid.Keys, gridKey{best.Text, table.Fit(name, 60)})
	}
}

const gridKeys = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// push ends a full row.
func (g *gridMaker) push() {
	start := g.off - uint64(gridWidth)
	g.grid.Rows = append(g.grid.Rows, gridRow{Offset: g.plus + fmt.Sprint(start), Cells: g.cells})
	g.cells, g.col = nil, 0
}

// flush ends the row in the making, with blanks up to its end.
func (g *gridMaker) flush() {
	if g.col > 0 {
		start := g.off - uint64(g.col)
		g.cells = append(g.cells, &gridCell{Bits: gridWidth - g.col, Blank: true})
		g.grid.Rows = append(g.grid.Rows, gridRow{Offset: g.plus + fmt.Sprint(start), Cells: g.cells})
		g.cells, g.col = nil, 0
	}
}

// label adds a labelled row.
func (g *gridMaker) label(level int, text, size string) {
	g.flush()
	g.grid.Rows = append(g.grid.Rows, gridRow{Label: text, Size: size, Level: min(level, 6)})
}

// lost counts from here on anew.
func (g *gridMaker) lost() {
	g.flush()
	g.off, g.plus, g.known = 0, "+", g.bytewise
}

// align adds padding, which has a fixed size where the place is known.
func (g *gridMaker) align(bits, level int) {
	root := g.known && (g.plus == "" || bits == 8) && (bits == 8 || g.off < 1<<32)
	switch pad := (uint64(bits) - g.off%uint64(bits)) % uint64(bits); {
	case root && pad == 0:
	case root:
		g.fixed("padding", "padding", pad, level)
	default:
		g.label(level, fmt.Sprintf("align(%d)", bits), fmt.Sprintf("0..%d bits", bits-1))
		g.lost()
		g.known = true
	}
}

// fixed adds what always takes so many bits: as cells, or as one row where it would fill many.
func (g *gridMaker) fixed(name, long string, bits uint64, level int) {
	switch {
	case bits == 0:
	case bits <= 2*gridWidth:
		g.field(name, int(bits))
	default:
		g.label(level, long, syntax.Count(int64(min(bits, 1<<40)), "bit"))
		g.off += bits
	}
}

func (g *gridMaker) value(f *schema.Field, level int) {
	if f.Switch != nil {
		lo, hi := g.waysSize(f.Ways())
		g.label(level, table.Fit(f.Name, 40)+"  switch "+table.Fit(plainText(f.Switch.Tag.Text), 40), bitsText(lo, hi)+" bits")
		if lo == hi {
			g.off += lo
		} else {
			g.lost()
		}
		return
	}
	lo, hi := g.valueSize(f.Value)
	if n, ok := constantBytes(f.Value); ok {
		g.align(8, level)
		lo, hi = n, n
	}
	long := table.Fit(f.Name, 40)
	if n := g.fields[f.Pos.Off]; n != nil && n.Value != nil {
		long += "  " + table.Fit(g.typeText(n.Value), 40)
	}
	if lo == hi {
		g.fixed(f.Name, long, lo, level)
		return
	}
	g.label(level, long, bitsText(lo, hi)+" bits")
	g.lost()
}

// way ends a side of an if, of which the next begins at start, and says where the side ended.
func (g *gridMaker) way(start gridPlace) (end gridPlace) {
	g.flush()
	end, g.gridPlace = g.gridPlace, start
	return end
}

// join goes on after an if that began at start and whose first side ended at then.
func (g *gridMaker) join(start, then gridPlace) {
	g.flush()
	if g.gridPlace != then || g.plus != start.plus && g.plus != "" {
		g.lost()
	}
}
