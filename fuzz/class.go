package fuzz

// Class is a way to break a packet.
type Class uint8

// The classes, in the order of the enumeration.
const (
	ClassCut      Class = iota // the datagram ends early
	ClassEdge                  // a code that the field may hold, at an end of what it may hold
	ClassCode                  // a code that the field may not hold
	ClassCount                 // a count, a length or a window's size: one more or less than there is
	ClassVarint                // longer than it need be, without end, too wide
	ClassLadder                // a step beyond its rung, beyond the end, a value that does not rise
	ClassIndex                 // an index that repeats, falls or overshoots
	ClassUnit                  // a quaternion longer than one
	ClassText                  // bytes that are no text
	ClassPadding               // a padding bit set
	ClassReserved              // a reserved bit set
	ClassCheck                 // a bit of a check flipped
	ClassChecksum              // a bit of the checksum flipped
	ClassTail                  // bits or bytes behind the end
	ClassHavoc                 // several things at once
	ClassSplice                // the head of one packet and the tail of another

	classes
)

// classTable is the one place where classes have names and weights. Weights are how often the campaign takes a class,
// compared with the others; the enumeration takes each in full.
var classTable = [classes]struct {
	word   string
	weight int
}{
	ClassCut:      {"cut", 3},
	ClassEdge:     {"edge", 14},
	ClassCode:     {"unused-code", 12},
	ClassCount:    {"count", 10},
	ClassVarint:   {"varint", 4},
	ClassLadder:   {"ladder", 6},
	ClassIndex:    {"index", 6},
	ClassUnit:     {"non-unit", 2},
	ClassText:     {"text", 6},
	ClassPadding:  {"padding", 3},
	ClassReserved: {"reserved", 3},
	ClassCheck:    {"check", 1},
	ClassChecksum: {"checksum", 1},
	ClassTail:     {"tail", 2},
	ClassHavoc:    {"havoc", 20},
	ClassSplice:   {"splice", 7},
}

// String gives the word.
func (c Class) String() string { return classTable[c].word }

// Classes lists all classes in order.
func Classes() []Class {
	var all []Class
	for c := range classes {
		all = append(all, c)
	}
	return all
}
