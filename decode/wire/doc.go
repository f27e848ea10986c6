// Package wire reads and writes values of 0 to 64 bits at any bit of a datagram, in the three orders that bit-packed
// game protocols use.
//
// Positions are ints in bits and count from 0 at the start of the datagram. A [Reader] is the choke point between a
// hostile packet and everything above it: it holds
//
//	0 ≤ bit ≤ end ≤ 8*len(data)
//
// before and after every call, and an operation that wants more bits than are left refuses and moves nothing. There is
// no partial value, no zero fill and no error to allocate: the caller knows the position, the width and what is left,
// and that is the whole diagnosis.
//
// The Load functions are the same reads without the check, for a caller that has compared a whole run of fixed-width
// fields with the end once. They index only inside data, whatever they are given, so a missed check is a wrong value or
// a panic and never a foreign byte.
//
// A [Writer] appends to the caller's buffer and the Store functions overwrite bits in place. Neither judges values: a
// value wider than its field is the caller's bug, and panics, because cutting it would put another value on the wire.
//
// None of the functions allocates, but for a Writer whose buffer is full.
package wire
