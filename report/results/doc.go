// Package results collects what was saved: the JSON of `pktscope stats`, `budget`, `audit` and `fuzz`, the files of
// findings, and the rejects that a report has counted by rule. SARIF, JUnit, Markdown and annotations are made from a
// Set. A page is, too, and can show packets of captures besides.
//
//	Read      one file, or part of one, becomes a Set
//	Set       Add moves another Set's results in, and adds up those of one kind, protocol, target and schema;
//	          Merge adds up statistics and puts every list in its order
//	Rejects   why packets were refused, by rule: counted from Traces while captures are read
//
// Merge adds counts, which is exact: ten parts have the counts of the whole. What is known of single runs only, such as
// the corpus of a campaign, documents what it is for several.
//
// # What an attacker may do
//
// Saved results are a stranger's, as captures are. Nothing in them is executed: the command of a finding is text to
// show. A file is bounded in bytes, in objects and in values before it is decoded (see Limits and splitter), names are
// as long as they are and are cut where they are shown, numbers are no counts unless they are within 0..2^53. Every
// text is to be escaped by whoever shows it. An error is one line with the file and the line.
package results
