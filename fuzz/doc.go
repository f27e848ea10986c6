// Package fuzz attacks readers of packets: it breaks what a schema says, one rule at a time, and knows what a correct
// reader must answer.
//
// A Mutator takes a valid packet apart through its Trace and yields Mutations: cuts, values around the ends of every
// range, flipped padding. After each the packet's checksum is made right again, because a reader that stops at the
// checksum has shown nothing. Each Mutation carries its Expectation: accept, reject with kind, path and bit, or unknown
// where the change steers what follows.
//
// An Audit enumerates, and at its end hunts, with the decoder alone, for the ways to be refused that were not met (hunt.go).
//
// The harnesses (Harnesses lists them, one for each hostile surface) are what fuzzing engines call: functions of a byte
// slice that return an error when a promise of this project is broken. The native targets in fuzz/ossfuzz, which are also
// those of libFuzzer, and, behind the build tag gofuzz, those of go-fuzz are the same functions. Where an input is a packet,
// it can choose a mutation instead (Decode), so the mutators of this package serve every engine.
//
// A Coverage is what packets have reached of a plan, found from Traces: it needs no instrumentation. Refusals lists every
// way in which a packet can be refused, and proves of some that no packet ever is.
//
// A Campaign goes on where enumeration ends: guided by what packets reach of the plan (Coverage), it makes packets of
// packets, by the same Mutations, by havoc and by splices. What it finds it minimises, field by field, through the encoder.
// The way through its files: campaign.go (rounds), campaign_queue.go (energy), campaign_task.go (what a worker does),
// sample.go, havoc.go and weave.go (packets of packets), minimize.go and heal.go (simple ones), useful.go (what counts).
//
// Readers outside this program are Targets, too: programs of their own (fuzz/process), for which fuzz/harness writes the
// file that turns a reader into one, what gen go makes of the protocol (fuzz/generated), and servers (fuzz/udp).
//
// Words: a target is what is attacked; an oracle is what knows the right answer: an Expectation, the reference decoder
// in decode/slow, or a bound that the plan has proved.
package fuzz
