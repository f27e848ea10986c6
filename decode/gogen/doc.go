// Package gogen writes the Go of a protocol: plain structs, a PacketReader that refuses whatever the plan refuses, and a writer.
//
// It works from the plan and not from the schema, so the meaning of every op is the interpreter's; a test compiles what it
// writes and holds it against the interpreter and the reference. The way: block.go turns the plan's jumps back into
// structured code, types.go lays out the Go types, bounds.go says what fits them, read.go and write.go have a statement or a
// few for every op, run_read.go and run_write.go the runs of fixed-width fields, which are the hot part, support.go adds of
// package wire what is used, testfile.go a fuzz target and a benchmark.
//
// What an attacker may do: the schema can come from a stranger, and the generated code runs on somebody's server. Names
// become identifiers letter by letter, comments are one line each, strings are quoted; see names.go. The datagrams are
// hostile anyway: the generated reader owes what wire.md says every reader owes.
//
// What a writer takes: everything from the fields, but where a field follows from others and is zero; see derive.go. A switch
// writes the arm that its tag chooses.
//
// What is called how: a schema's names come first. A package's own are Packet, PacketReader, PacketReject, PacketRelative
// (a `relative` number), RejectKind and its constants (RejectPastEnd …), From and its constants (FromUnknown, FromClient,
// FromServer), MaxBits, MaxDatagram, FuzzDecode and BenchmarkDecode. A type of a schema that is called so gets a number behind
// its name, and Package.Mangled says so.
//
// To add an op: 1 its step in block.go, where it brackets others, and its phase; 2 its case in read.go; 3 its case in
// write.go; 4 its support in package runtime, where it is more than a line.
package gogen
