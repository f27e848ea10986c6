package schema

import (
	"fmt"
	"math"
)

// Counts and sizes that no datagram has room for. That one is too large is known where it is declared. How many fit is
// known when the whole model is: padding in the elements and what is read before them take room, too.

// crowd is a list or a blob that can be longer than any datagram.
type crowd struct {
	at            Span
	what          string // is wrong
	unit          uint64 // bits of an element at least, padding not counted
	padded, front fewest // bits of an element with its padding, bits before the first
}

// fewest is the least of some numbers of bits, as far as any was found.
type fewest struct {
	bits  uint64
	found bool
}

func (f *fewest) see(bits uint64) {
	if !f.found || bits < f.bits {
		f.bits, f.found = bits, true
	}
}

// crowd notes a list or a blob of at most n units of so many bits, if no datagram has as many.
func (c *checker) crowd(t Type, at Span, n, unit uint64, what string) {
	if satMul(unit, n) > c.roomBits() {
		x := &crowd{at: at, unit: unit, what: fmt.Sprintf("%s a datagram has %d bytes", what, c.room)}
		c.crowds, c.crowdOf[t] = append(c.crowds, x), x
	}
}

// crowdedBytes notes bytes of a size that no datagram has. Where the file does not say `max datagram` a size of 16 bits
// is fair: it is only a few bytes above the default.
func (c *checker) crowdedBytes(t *BlobType, at Span, most uint64) {
	if _, said := c.said["max datagram"]; said || most > math.MaxUint16 {
		c.crowd(t, at, most, 8, fmt.Sprintf("a size of %d can never be reached:", most))
	}
}

func (c *checker) roomBits() uint64 { return uint64(c.room) * 8 }

// stride tells what an element of t takes at least, with the padding in it and after it.
func (c *checker) stride(t Type, least uint64) {
	if x := c.crowdOf[t]; x != nil {
		x.padded.see(least)
	}
}

// inFront tells how many bits are read at least before the first element of t.
func (c *checker) inFront(t Type, used uint64) {
	if x := c.crowdOf[t]; x != nil {
		x.front.see(used)
	}
}

// crowded warns of them all.
func (c *checker) crowded() {
	for _, x := range c.crowds {
		fit := (c.roomBits() - min(c.roomBits(), x.front.bits)) / max(x.unit, x.padded.bits)
		c.warnf(x.at, fmt.Sprintf("at most %d fit", fit), "%s", listing(x.what))
	}
}
