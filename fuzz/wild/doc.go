// Command wild runs audit and fuzz against packet readers that nobody here wrote: the ground truth that no one tuned.
//
// It is a module of its own, so that none of the readers reaches users of pktscope. It imports nothing of pktscope, either:
// it builds the program and calls it as people do. `make wild` runs it:
//
//	go run . [-seconds 60] [-audit 120] [-only coap,osc] [-kept DIR] [-v]
//
// A reader is a directory below readers, and a row in readers.go:
//
//	NAME.pks   its protocol, written from the specification; none where the protocol is a built-in
//	read.go    readPacket: the one function that a user of `pktscope gen harness` fills in; read.c for a reader in C
//	known.tsv  its mistakes, as far as they are known
//
// The rest of a harness is what gen harness writes at that moment. go.mod pins the readers' versions; a reader in C is
// Debian's.
//
// # Mistakes
//
// A row of known.tsv has five columns, separated by tabs:
//
//	id     one mistake: all rows of an id are ways in which it shows
//	class  mistake: the specification is broken, to the reader's harm or to that of those who rely on it
//	       policy: the reader is laxer or stricter than the schema for a reason, or the specification leaves it open
//	by     audit, where audit finds it; fuzz, where only fuzz does; source, where nothing found it but a look at the source
//	shows  the findings that it explains: a regular expression for the whole of "KIND CAUSE", or of "KIND RULE REJECT"
//	       where a finding has no cause; - of what nothing finds
//	what   the mistake, in words
//
// No table here has a mistake by which a stranger's packet ends a reader, holds it or takes its memory. The run counts such
// findings and says nothing of them. REPORTING.md says how they are kept and told; -kept reads their rows.
//
// The run fails when audit does not find what it is known to find, when a finding is explained by no row (a new mistake,
// or a false alarm of pktscope: read the reader's source, and add a row or mend pktscope), and when pktscope itself fails.
package main
