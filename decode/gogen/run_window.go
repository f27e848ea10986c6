package gogen

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// A run of fixed-width fields is read through windows: 64-bit words of which each gives as many fields as lie in it,
// with constant shifts. Where the run begins inside a byte that is only known on the way, the word is shifted once, by
// a variable, and has 57 bits of use.

const (
	aligned   = 64 // bits of use, where the run's phase is known
	unaligned = 57
)

// piece is bits of a leaf that lie in one window.
type piece struct {
	leaf  int
	off   int // bits from the start of the run's first byte, or of the run where its phase is unknown
	width int
	first bool // first half of a leaf that is loaded in two: halfBits of it
	more  bool // second half
}

// halfBits is how many bits the first half of a leaf has.
const halfBits = 32

// window is a load of eight bytes.
type window struct {
	from   int  // where it begins, as a piece's off
	own    bool // on no byte that the run's phase gives: it ends where the run ends, whose last bytes it loads
	pieces []piece
}

// lookout lays out the windows of a run.
type lookout struct {
	phase, bits int // of the run; -1 where the phase is unknown
	usable      int
	last        int // the highest byte that a window with the run's phase begins with
	bytes       int // of the array that these are loaded from; 0 where each load looks whether it passes the data's end
}

func newLookout(phase, bits int) lookout {
	l := lookout{phase: phase, bits: bits, usable: unaligned}
	switch {
	case phase >= 0:
		l.usable, l.bytes = aligned, (phase+bits+7)/8
		l.last = max(0, l.bytes-8)
	case bits < 64:
		l.last = bits / 8
	default: // as many as there are, wherever the run begins
		l.bytes = bits / 8
		l.last = l.bytes - 8
	}
	return l
}

// begin is where the window of a piece begins, and whether that is a window of its own phase; false when the piece lies
// in no window as a whole.
func (l *lookout) begin(off, width int) (from int, own, whole bool) {
	from = 8 * min(off/8, l.last)
	if off+width <= from+l.usable {
		return from, false, true
	}
	from = l.bits - l.usable
	return from, true, l.phase < 0 && off >= from
}

// windows lays the leaves of a run out.
func (l *lookout) windows(leaves []plan.Leaf, needed func(int) bool) []window {
	var pieces []piece
	for i := range leaves {
		off, width := max(l.phase, 0)+int(leaves[i].Off), int(leaves[i].Width)
		if width == 0 || !needed(i) {
			continue
		}
		if _, _, whole := l.begin(off, width); whole {
			pieces = append(pieces, piece{leaf: i, off: off, width: width})
			continue
		}
		pieces = append(pieces, piece{leaf: i, off: off, width: halfBits, first: true},
			piece{leaf: i, off: off + halfBits, width: width - halfBits, more: true})
	}
	var all []window
	for len(pieces) > 0 {
		p := pieces[0]
		from, own, whole := l.begin(p.off, p.width)
		if !whole {
			panic("pktscope: internal error: half a field in no window")
		}
		n := 1
		for n < len(pieces) && pieces[n].off+pieces[n].width <= from+l.usable {
			n++
		}
		all = append(all, window{from, own, pieces[:n]})
		pieces = pieces[n:]
	}
	return all
}

// take is the bits of a word from bit at on, counted as the order does: a leaf of width bits, and what is above it.
func take(word string, at, width int, order wire.Order) string {
	if order == wire.MSB {
		return shifted(word, at+width-64)
	}
	return shifted(word, -at)
}

// takeBoth is a leaf of width bits, and what is above it, whose halves lie in two words, each from a bit on. The words
// agree on what both have of the leaf, so neither is masked.
func takeBoth(first string, at int, second string, then, width int, order wire.Order) string {
	if order == wire.MSB {
		whole := shifted(first, at) + " | " + shifted(second, then-halfBits)
		return shifted("("+whole+")", width-64)
	}
	return "(" + shifted(first, -at) + " | " + shifted(second, halfBits-then) + ")"
}
