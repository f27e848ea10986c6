// Package schema checks protocol descriptions: it turns a .pks source into a Schema, or says what is wrong with the
// source and where.
//
//	source ─► syntax (tree) ─► Load or CheckFile ─► Schema, Diagnostics ─► decode/plan, decode/slow
//
// The check resolves names and constants and gives each expression an interval (interval.go, narrow.go). It proves that
// each count has a range, each divisor is not 0, and each expression fits int64 or uint64. It refuses a packet whose
// least size is larger than a datagram, and structs that contain each other or nest deeper than MaxNesting. Extent says
// how many bits an item can take, Positions where in a byte it can begin. language.md is the language.
//
// A schema can come from a stranger: its source, its names and the number of its errors are bounded. What the check
// cannot prove is refused.
package schema
