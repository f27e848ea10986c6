// Package wire has the rules of the wire (wire.md), each once: how values of 0 to 64 bits lie at any bit of a datagram
// in the three orders that bit-packed game protocols use, varints and ladders, quantized floats and quaternions, text,
// checksums.
//
// Positions are ints in bits and count from 0 at the start of the datagram. Whether a value is inside it is the
// caller's to check, once for a whole run of fixed-width fields: the interpreter in package decode and the Stream of
// package serialize hold
//
//	0 ≤ bit ≤ end ≤ 8*len(data)
//
// between their fields. The Load functions index only inside data, whatever they are given, so a missed check is a
// wrong value or a panic and never a foreign byte.
//
// The Store functions overwrite bits in place and do not judge values: a value wider than its field is the caller's
// bug, and panics, because cutting it would put another value on the wire.
//
// None of the functions allocates but for an append to a full buffer.
package wire
