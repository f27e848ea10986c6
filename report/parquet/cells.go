package parquet

import (
	"encoding/binary"
	"unicode/utf8"
)

// cells are values of one column, with the levels that say which row and which element of which list each is of, and
// how much of the way to it is there (Dremel, 2010). Where less is there than the whole way, there is no value.
type cells struct {
	runs []run
	nums []uint64 // numbers, the bits of floats, 0 and 1
	room []byte   // texts and bytes: each after its length in 32 bits, as in a file
}

// run is how many cells in a row have the same levels.
type run struct {
	n        uint32
	def, rep uint8
}

// level adds n cells of some levels. A value of each, if there is one, is added by who calls.
func (c *cells) level(n int, def, rep uint8) {
	if last := len(c.runs) - 1; last >= 0 && c.runs[last].def == def && c.runs[last].rep == rep {
		c.runs[last].n += uint32(n)
		return
	}
	c.runs = append(c.runs, run{uint32(n), def, rep})
}

// bytes adds bytes as they are.
func (c *cells) bytes(b []byte) {
	c.room = append(binary.LittleEndian.AppendUint32(c.room, uint32(len(b))), b...)
}

// text adds a text, with U+FFFD for each byte that is no UTF-8, as in JSON: engines refuse a file with others.
func (c *cells) text(b []byte) {
	if utf8.Valid(b) {
		c.bytes(b)
		return
	}
	start := len(c.room)
	c.room = append(c.room, 0, 0, 0, 0)
	for len(b) > 0 {
		char, size := utf8.DecodeRune(b)
		c.room, b = utf8.AppendRune(c.room, char), b[size:]
	}
	binary.LittleEndian.PutUint32(c.room[start:], uint32(len(c.room)-start-4))
}

// keptCells is how much room a column keeps when it is emptied.
const keptCells = 8 << 10

// reset forgets all cells.
func (c *cells) reset() {
	if cap(c.runs) > keptCells {
		c.runs = nil
	}
	if cap(c.nums) > keptCells {
		c.nums = nil
	}
	if cap(c.room) > 8*keptCells {
		c.room = nil
	}
	c.empty()
}

func (c *cells) empty() { c.runs, c.nums, c.room = c.runs[:0], c.nums[:0], c.room[:0] }

// held is how many bytes are taken.
func (c *cells) held() int { return 8*cap(c.runs) + 8*cap(c.nums) + cap(c.room) }
