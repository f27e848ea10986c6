// Package lsp is a language server for schemas: what an editor shows while somebody writes a .pks file. It speaks the
// Language Server Protocol 3.17 over a stream; `pktscope lsp` gives it stdin and stdout.
//
//	wire.go      messages on the stream, and their bounds
//	queue.go     those that wait: the end, and what is cancelled, do not
//	protocol.go  the part of the protocol that is used, as Go types
//	server.go    requests and notifications, one after the other
//	document.go  an open file: its text, and places in it as editors count them
//	analysis.go  what the checker says of it: diagnostics, the format, and the files beside it
//	actions.go   what mends a mistake
//	hover.go     what a field, a type or a name is, with the rule of the wire
//	complete.go  words that can be at the cursor, from sketch.go: what is before it, whether it parses or not
//	rename.go    definitions, references, and new names, which the checker has to accept
//	lens.go      widths of structs, the longest packet, and what fields cost in a capture
//	symbols.go   the outline
//
// Who names what is the checker's own knowledge (schema.Inspect). A new name is given only if each schema of the directory
// that names the thing checks afterwards, each name in it names what it did, and the plans are of one form.
//
// # What an attacker may do
//
// A schema can come from a stranger, with the directory around it. It is checked within the checker's bounds (1 MiB with
// its imports, one nesting of 64). Files are opened in the directory of a document that is open, by a function that the
// caller gives, and only regular ones: imports, of at most 1,024 names those that end in .pks, 4 MiB in all, and a budget
// of 8 MiB. Texts that are shown are escaped, as Markdown too. A message has at most 16 MiB and its head 4 KiB; 32 MiB of
// messages wait, each counted with 256 bytes more than its body; and 1,000 documents are open, of 4 MiB each and 64 MiB in
// all: the client learns that one more is not checked. A change costs a check of the document and of those in its
// directory that import something. A reply waits for diagnostics of 1 MiB and one document more; names are looked for in
// 4 MiB of schemas, imports included. A reply about 1 MiB of the worst text that we know takes seconds; `shutdown` waits
// for one second at most, whatever is asked before it.
package lsp
