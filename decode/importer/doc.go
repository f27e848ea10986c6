// Package importer drafts schemas of this language from descriptions in others: the .schema files of
// mas-bandwidth/schema, and C++ headers.
//
//	File… ─scan─► tokens ─┬─ schema_parse ─► declarations ─ schema_write ─┐
//	                      └─ cpp_parse ────► structs ─ cpp_write ─────────┴─► draft ─► check ─► Draft
//
// A draft says what its source says of the wire, and nothing more. What the source leaves open, and what the language
// here cannot say, is a comment at its place and a warning with the line of the source; nothing is guessed without one.
// The text that comes out is formatted, checks, and has a plan.
//
// Sources are a stranger's: at most syntax.MaxSource bytes and schema.MaxFiles files, nested at most 64 deep, in numbers
// of at most 256 bits. The first mistake ends the reading, with its place.
package importer
