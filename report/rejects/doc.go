// Package rejects counts why packets were refused: by rule, by kind and by sender. It is the only counter of refusals
// by rule: a page of a capture and one of what was saved of it read the same [Result].
//
//	scan.Packet ─► Finder (a goroutine each) ─► Batch ─► Counter (one, in order) ─► Result ─► JSON, Merge
//
// A rule has the name of its point in fuzz/coverage, which lists the ways to be refused. fuzz.StableName gives a rule
// that is named for its line a name that stays when lines move.
//
// A Finder looks at the trace: which rule it broke, and whether it is the earliest packet that did. A Counter sees all
// packets in order, so that which senders and rules are kept does not depend on how the work was cut.
//
// # What an attacker may do
//
// Packets come from as many addresses, and break as many rules, as their sender likes: both are bounded, and what is
// beyond is in the sums. What tells a secret is masked, and is counted under the rule that a view would show.
package rejects
