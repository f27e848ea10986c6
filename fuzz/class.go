package fuzz

// Class is a way to break a packet.
type Class uint8

// The classes, in the order of the enumeration.
const (
	classCut      Class = iota // the datagram ends early
	classEdge                  // a code that the field may hold, at an end of what it may hold
	ClassCode                  // a code that the field may not hold
	classCount                 // a count, a length or a window's size: one more or less than there is
	classVarint                // longer than it need be, without end, too wide
	classLadder                // a step beyond its rung, beyond the end, a value that does not rise
	classIndex                 // an index that repeats, falls or overshoots
	classUnit                  // a quaternion longer than one
	classText                  // bytes that are no text
	classPadding               // a padding bit set
	classReserved              // a reserved bit set
	classCheck                 // a bit of a check flipped
	ClassChecksum              // a bit of the checksum flipped
	classTail                  // bits or bytes after the end
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
	classCut:      {"cut", 3},
	classEdge:     {"edge", 14},
	ClassCode:     {"unused-code", 12},
	classCount:    {"count", 10},
	classVarint:   {"varint", 4},
	classLadder:   {"ladder", 6},
	classIndex:    {"index", 6},
	classUnit:     {"non-unit", 2},
	classText:     {"text", 6},
	classPadding:  {"padding", 3},
	classReserved: {"reserved", 3},
	classCheck:    {"check", 1},
	ClassChecksum: {"checksum", 1},
	classTail:     {"tail", 2},
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
