// Package anyschema makes schemas that nobody has thought of: each is valid by construction, and together they use the
// whole language. Checker, plan, decoder, encoder and reference are all held against what comes out
// of it. Tests import it, and so does fuzz/selffuzz, which is in the program: report.FuzzEntry and `corpus export` need
// selffuzz. anyschema knows the rules of the language on its own and imports none of what it tests, so a schema that is
// refused is a mistake in one of the two.
//
// What is drawn decides everything: one byte, one decision. A byte of zero is the simplest choice at every place, and
// so is every byte after the last one, so a fuzzing engine can mutate the structure of a schema, and every source
// ends.
//
// The way of the work: Source draws the declarations (declare.go), the structs and the packet, each a body of items
// (items.go) with values (value.go, leaf.go, list.go, rule.go), annotations (note.go) and expressions (expression.go)
// over the variables in scope. Three things are tracked as the checker tracks them, or more carefully: the interval of
// every number (interval.go), so that counts, sizes, divisors and labels are what the language asks for; the least and
// the most bits of every value; and where in its byte an item begins (place.go).
//
// Where the checker may know more than this package, because of a comparison around the place, a variable is marked
// loose, and what would be refused if less were left of its interval is not made of it.
package anyschema
