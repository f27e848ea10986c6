// Package sarif writes results in the Static Analysis Results Interchange Format, SARIF 2.1.0 (OASIS Standard with
// Errata 01), which code scanning services read.
//
// The artifact that results are in is the schema: a finding is in the line of the rule that the reader does not keep, a
// reject in the line of the rule that the packet broke. Captures, reproducers and the reader's own line, where the
// report of a crash names it, are related locations; its calls are a stack. Each protocol and each target is a run
// with a category of its own. A result is known again by its partial fingerprint pktscope/v1, which is made of
// protocol, target, kind and rule, so that it stays the same when lines move.
//
// Texts come from readers, schemas, packets and file names. Control and bidi characters are shown as `\x1b`, what SARIF
// would read as a link or a placeholder is broken or escaped (sections 3.11.5 and 3.11.6), and URIs are
// percent-encoded.
package sarif
