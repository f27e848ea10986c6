// Package lsp is a language server for schemas: what an editor shows while somebody writes a .pks file. It speaks the
// Language Server Protocol 3.17 over a stream; `pktscope lsp` gives it stdin and stdout.
//
//	wire.go      messages on the stream, and their bounds
//	protocol.go  the part of the protocol that is used, as Go types
//	server.go    requests and notifications, one after the other
//	document.go  an open file: its text, and places in it as editors count them
//	analysis.go  what the checker says of it: diagnostics, and who names what
//	hover.go     what a field, a type or a name is, with the rule of the wire
//	complete.go  words that can stand at the cursor
//	rename.go    definitions, references, and new names, which the checker has to accept
//	lens.go      widths of structs, the longest packet, and what fields cost in a capture
//
// # What an attacker may do
//
// A schema can come from a stranger, with the directory around it. It is checked within the checker's bounds (1 MiB, one
// nesting of 64); what it imports is opened below its own directory, by a function that the caller gives. Texts that
// are shown are escaped as the pages of report/schemadoc are. A message has at most 16 MiB and a head at most 4 KiB; at
// most 1,000 documents are open.
package lsp
