// Package gogen writes the Go of a protocol: plain structs, a PacketReader that refuses whatever the plan refuses, and
// a writer.
//
// It works from the plan and not from the schema, so the meaning of every step is the interpreter's; a test compiles
// what it writes and holds it against the interpreter and the reference. The way: types.go lays out the Go types,
// leaf.go has a row for each kind of leaf, bounds.go says what fits the fields, read.go and write.go have a statement
// or a few for every step, run_read.go and run_write.go the runs of fixed-width fields, which are the hot part,
// run_window.go lays out the words that these are read through, support.go copies what is used of package wire
// (wire.Source) and of the files in runtime, which are embedded, testfile.go adds a fuzz target and a benchmark.
//
// What an attacker may do: the schema can come from a stranger, and the generated code runs on somebody's server. Names
// become identifiers letter by letter, comments are one line each, strings are quoted; see names.go. The datagrams are
// hostile anyway: the generated reader owes what wire.md says every reader owes.
//
// What a writer takes: everything from the fields, but where a field follows from others and is zero; see derive.go. A
// switch writes the arm that its tag chooses.
//
// What is called how: a schema's names come first. A package's own are Packet, PacketReader, PacketReject,
// PacketRelative (a `relative` number), RejectKind and its constants (RejectPastEnd …), From and its constants
// (FromUnknown, FromClient, FromServer), MaxBits, MaxDatagram, FuzzDecode and BenchmarkDecode. A type of a schema that
// is called so gets a number after its name, and Package.Mangled says so.
//
// A new kind of leaf is a row of leafRows. A new step or kind of number is a case in read.go and one in write.go, and
// its rule is in package wire.
package gogen
