// Package stats counts decoded packets: who sent how much of what, how regularly, what was lost on the way, who was
// silent, who was refused. It keeps counts and sketches only, never a packet.
//
//	Sampler  one for each goroutine that decodes: takes from a Trace what is counted, into a Batch
//	Stats    takes Batches in the order of the capture; merges with what was counted of the packets that come next
//	Segments what was counted of which pieces of captures; Union adds them up in any order
//	Summary  what there is to say: the struct that every view of it reads, and its JSON
//
// Messages that packets bring are counted as if each section were a protocol; a Context has what is known of them beside
// those that were read: pieces, and messages that are incomplete or sealed. A capture begins and ends by itself: nothing
// is put together across two files or pieces.
//
// What follows from the order of packets (gaps, silences, intervals, latencies) is exact although packets are decoded
// on all cores, because only the small records of a Batch go through one goroutine, in order. It stays exact when the
// capture is counted in pieces: a part keeps how each flow began and ended (see sequence, stretch and answers), its
// percentiles are those of sketches that do not depend on order (see Sketch), and which cases are told apart follows
// from the set of tags. So what is saved of the pieces, put together, is byte for byte what is saved of the whole, as
// long as no bound is reached; a bound that was reached is reported ("about", "unsettled").
//
// # What an attacker may do
//
// Everything that is counted is the sender's: addresses, tags, counters, and through the capture the times. So the
// cases, the peers, the silences, the values taken from one packet, the buckets of time and of a sketch are bounded,
// and what is beyond a bound is still in the sums, under "others" or "more". 100,000 invented peers take no more memory
// than 1,536, and do not drive out one that was there (see peers). A counter that jumps is a stray and no loss until it
// goes on from there. A saved part is read through bounds that are checked before anything is sized by them (see
// coder).
//
// A field that is @secret is not counted; a packet's case is not told where its tag is a secret.
package stats
