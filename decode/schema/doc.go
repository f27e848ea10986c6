// Package schema checks protocol descriptions: it turns a .pks source into a Schema, or says what is wrong with the
// source and where.
//
//	source ─► syntax (tree) ─► Load or LoadFS ─► Schema, Diagnostics ─► decode/plan, decode/slow
//
// The check resolves names and constants and gives each expression an interval (interval.go, narrow.go). It proves that
// each count has a range, each divisor is not 0, and each expression fits int64 or uint64. It refuses a packet whose
// least size is larger than a datagram, and structs that contain each other or nest deeper than MaxNesting. Extent says
// how many bits an item can take, Positions where in a byte it can begin. language.md is the language.
//
// A schema may import others of its directory (imports.go): LoadFS reads them through the file system that it is given,
// and each is checked with the names of its own file (lend.go). Offsets count over all files, so that a place says its
// file. What counts from the first bit of a packet has to be there (first_bit.go).
//
// A schema can come from a stranger: its source, the files that it imports, its names and the number of its errors are
// bounded. What the check cannot prove is refused.
package schema
