// Package oracle knows the right answer to a packet, and compares what a reader answered with it.
//
// Three sources say what is right. A mutation knows which rule it broke: its Expectation says accept, or reject with
// kind, path and bit. The decoder decides where a mutation cannot know. An Oracle holds the decoder itself to the
// second opinion (decode/slow), to what its plan has proved, and to the law encode(decode(b)) == b.
//
// A Target is a reader under attack, and a Reply is what it did with one packet: of two Targets NewPair makes one that
// finds where they differ. A Reply has parts, all optional but its Outcome: the Reason of a refusal (ParseReason), the
// number of bits (FieldBits) and the values it found (CompareFields). Each is compared as far as the reader says it.
// What differs is a Mismatch. No text of this package tells the value of a field with @secret.
//
// An attacker chooses the packet, and a target may be written in bad faith: values nest to a bounded depth, texts are
// clipped, and Printable refuses what a terminal would obey.
package oracle
