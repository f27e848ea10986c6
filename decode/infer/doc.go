// Package infer drafts a schema from packets of a protocol that nobody described.
//
// The way of the data:
//
//	packets ──► Sample ──► checksum ► end check ► bit order ► shape ──► draft ──► prove ──► schema, evidence
//	            at most                                       │           ▲         │
//	            20,000                 cut ► choice ► list ◄──┘           └─ mend ◄─┘ our own decoder, over all packets
//
// All of shape is one question: which layout needs the fewest bits to write the packets down? A field's values cost what
// the cheapest of some models takes for them (a range, few values, small steps from the packet before of the same flow …),
// and a field costs something by itself. So boundaries (segment.go), a tag (shape.go) and a count (list.go) are there
// where they save bits, and how many they save is the evidence for them. Checksums are found by algebra (checksum.go).
//
// Packets that a server relays are compared with those of the same origin (key.go), if a field that says so saves bits.
//
// What a search finds whose work ran out counts for nothing: few rows fit anything. Nor does a draft of few packets, or
// one that understood hardly any of them: each byte is a field then (opaque.go), which is what a draft has to beat. Floats
// (float.go) and clocks (clock.go) are named where nothing else explains their values as well.
//
// What is claimed is proved: the draft is compiled by package decode and run over all packets. A constant that is none
// becomes a plain field, a layout that does not fit a packet stands after a condition of its length, or becomes bytes. In
// the end each packet is accepted, or is an Outlier with the reason; what deserves to be refused stays so: a wrong checksum.
//
// What an attacker may do: hand in any capture. The sample, the rows that are priced (maxWork) and the depth of layouts
// are bounded, and names never come from packets.
package infer
