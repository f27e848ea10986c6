// Package fuzz attacks readers of packets: it breaks what a schema says, one rule at a time, and knows what a correct
// reader must answer.
//
// A Mutator takes a valid packet apart through its Trace and yields Mutations: cuts, values around the ends of every
// range, flipped padding. After each the packet's checksum is made right again, because a reader that stops at the
// checksum has shown nothing. Each Mutation carries its Expectation: accept, reject with kind, path and bit, or unknown
// where the change steers what follows.
//
// The harness (Bitio, Schema, Capture, Decode) is what fuzzing engines call: functions of a byte slice that return an
// error when a promise of this project is broken. The Fuzz targets of `go test` and, behind the build tag gofuzz, those
// of go-fuzz are the same functions.
//
// A Coverage is what packets have reached of a plan, found from Traces: it needs no instrumentation. Refusals lists every
// way in which a packet can be refused, and proves of some that no packet ever is.
//
// Words: a target is what is attacked; an oracle is what knows the right answer: an Expectation, the reference decoder
// in decode/slow, or a bound that the plan has proved.
package fuzz
