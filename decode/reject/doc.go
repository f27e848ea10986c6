// Package reject says why a datagram was refused, and what was odd about one that was not.
//
// A Reject is the verdict on a refused packet: the first failure, at its first bit, in the words of the schema. A Note
// never decides. Both are made without allocating (most hostile traffic is rejects): they hold numbers, and what a
// person reads (the path, what was wanted, what was there) is built on demand by the Describer, which is the trace that
// the reject happened in. A Reject is therefore valid until that trace is used again; Clone makes one that stays.
//
// The kinds and their names are the words of all readers: the decoder, the reference, targets, the zoo and all reports.
//
// The table of kinds, and what bit, width, want and got mean for each, is wire.md's "What a reject says".
package reject
