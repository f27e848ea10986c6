// Package cuts compares where two schemas cut the same packets into fields: a schema that is known to be right against
// a draft, or a format before and after a change.
//
//	packet ─┬─ decoder A ─► Trace ─► the bits where its fields begin ─┐
//	        └─ decoder B ─► Trace ─► the bits where its fields begin ─┴─► Comparison ─► Score
//
// A boundary is a bit, above 0, where a field begins. Each packet that A accepts is compared bit for bit, and its counts
// are added to its type: its case in A. Of a type, precision is the share of B's boundaries that A has as well, recall
// the share of A's that B has, and exact the share of A's fields that begin and end as some field of B does. The score is
// the mean over the types, each with the same weight; a type of less than 0.5 % of the packets, or of fewer than three,
// does not count. What B refuses is compared up to there, with the place that it refuses.
//
// Fields are all that takes bits: padding, checks, counts and flags as well. A field whose place would tell a secret is
// left out, and what is secret is one field. Messages that packets bring are not looked into.
//
// Packets are a stranger's, and so may both schemas be. Memory is that of one packet's fields and of MaxTypes types.
package cuts
