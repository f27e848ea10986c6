// Package fuzz attacks readers of packets: it breaks what a schema says, one rule at a time, and knows what a correct
// reader must answer. The way of a finding:
//
//	valid packet ─► Mutator ─► Mutation (with its oracle.Expectation) ─► oracle.Target.Send ─► oracle.Reply
//	  ─► Judge ─► Finding ─► Minimizer ─► report (shown), fuzz/findings (kept)
//
// This package knows of readers only oracle.Target: fuzz/process, udp, generated, target and findings stand above it.
// Package report imports fuzz, never the reverse; fuzz/findings stands above both.
//
// A Mutator takes a valid packet apart through its Trace and yields Mutations: cuts, values around the ends of every
// range, flipped padding. After each the packet's checksum is made right again, because a reader that stops at the
// checksum has shown nothing. Each Mutation carries its Expectation: accept, reject with kind, path and bit, or unknown
// where the change decides what follows.
//
// An Audit enumerates (enumerate.go; rounds.go where the time is short), gives up what a target hangs on (give_up.go), and
// at its end hunts, with the decoder alone, for the ways to be refused that were not met (hunt.go).
//
// This project's own surfaces are attacked through fuzz/selffuzz, with the mutators of this package where an input is a
// packet.
//
// A Minimizer makes the packet of a finding simple, field by field, through the encoder, and finds its cause; Replay
// sends it again.
//
// A Campaign begins with the same enumeration (campaign_supply.go) and goes on where it ends: guided by what packets
// reach of the plan (fuzz/coverage), it makes packets of packets, by the same Mutations, by havoc and by splices. The way
// through its files: campaign.go (rounds), campaign_queue.go (energy), campaign_task.go (what a worker does), sample.go, havoc.go and splice.go (packets of
// packets), hazard.go (what the target is likely to die of), backlog.go (findings that wait to be minimized),
// minimizer.go and fixup.go (simple ones), checkpoint.go (what counts).
//
// Readers outside this program are Targets (fuzz/oracle), too: programs of their own (fuzz/process), for which
// fuzz/harness writes the file that turns a reader into one, what gen go makes of the protocol (fuzz/generated), and
// servers (fuzz/udp).
//
// Words: a target is what is attacked; an oracle is what knows the right answer: an Expectation, the reference decoder
// in decode/slow, or a bound that the plan has proved.
package fuzz
