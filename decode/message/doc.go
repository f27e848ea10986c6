// Package message is the content of a packet as a tree that can be edited, and the decode.Source that gives the tree to
// a decode.Encoder.
//
// The tree comes from a Trace (FromTrace: raw codes, nothing is lost but the bits that `align … any` skips) or from the
// JSON that `pktscope decode -T json` prints (FromJSON). It nests as paths do: an object has its members by their
// names, a list its elements. A program edits it by inserting, deleting, moving and changing values.
//
//	message.FromTrace ─┐
//	                   ├─► Message ─► edits ─► Source ─► decode.Encoder ─► packet
//	message.FromJSON ──┘
//
// The Encoder asks for one leaf after the other in wire order, and the source finds each by its node and the elements
// around it. What the packet says of itself need not be given: the count of a list, the length of a text, the flag of
// an optional, the flags and ends of subsets follow from what is there. A plain field that sizes something may be
// given; then it is held against what is there.
//
// A line of JSON that is encoded at once need not become a tree (FromLine). Where its fields come in the order in which
// the Encoder asks for them, as -T json prints them, each answer is the text that comes next. Any other line becomes the
// tree, which has every rule and every error.
//
// Nothing of JSON is trusted: depth, size and number of values are bounded, a key that comes twice is refused, and
// every value is judged against its field as exactly as a reader of the packet would.
package message
