// Package syntax reads and formats the schema language: a .pks source to a tree, and a source to its one layout.
//
//	source ─scan─► tokens ─parse─► File ─► decode/schema checks it
//	   └──────────────► Format ─► the same file, laid out
//
// A [File] is the source as written: names unresolved, constants unfolded, one node type per production of the grammar
// in decode/schema/language.md. [Parse] always gives one. Where the source is broken it has a Bad node, about which
// there is a [Diagnostic] already, so that whoever walks on stays silent there. [Format] refuses what does not parse,
// keeps every comment, and formats its own output to itself.
//
// A source is a stranger's: at most [MaxSource] bytes, nested at most 64 deep, with at most [MaxErrors] diagnostics, in
// time linear in its length. What is quoted from it into a message is escaped where it is shown ([AppendEscaped] and
// its kin), so that no terminal obeys it and no line of output is forged.
package syntax
