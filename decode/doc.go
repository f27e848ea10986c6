// Package decode runs checked protocol descriptions over datagrams and says, for every bit, what it is, or why the
// packet was refused.
//
// This is the way of the data and the map of the house:
//
//	schema   a .pks source becomes a tree (schema/syntax), then a checked schema: every count has a range, every loop a bound
//	plan     the schema becomes a tree of steps, of which is known how long a packet can be and how long it can take
//	decode   a Decoder lowers the plan to flat ops (internal/ops), which are verified: they end. It runs them over one payload and
//	         fills a Trace, up to the end or to the Reject
//	report   everything that people and machines read (text, JSON, CSV, dumps) is made from Traces
//
// A program that wants a packet's fields ranges over Trace.Fields; each has a path, its bits and a Value (see the
// Example).
//
// Beside that way: wire reads and writes the bits, reject has the words of a refusal, filter selects packets and
// fields by expressions, message turns edited packets and JSON back into packets, batch moves work over all cores in
// order, flow puts messages together that several packets bring, protocols holds the built-in descriptions, and slow is the reference: a second decoder that reads bit by bit
// straight from the checked schema, against which this one is held.
// What must be faster than a Decoder is generated: gogen writes a plan as Go, held against both.
// Programs that have no schema read and write the same wire with serialize: one function per type.
//
// Words: a datagram is the UDP payload; a packet is a datagram that the schema describes; a field is what a path names;
// a leaf is a field of at most 64 bits; a step is a part of the plan, and an op an instruction that it is lowered to; a
// trace is what was read; a reject is why it was refused; a note is something odd that decides nothing.
//
// What an attacker may do: send any bytes. What that can cause is a Reject: no panic, no read outside the payload, no
// allocation from a declared count, no more steps than the plan has proved.
package decode
