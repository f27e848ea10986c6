package filter

// The limits of a filter. A filter can come from a stranger (a saved command, a web form), and it runs once a packet:
// everything that could make one expensive is refused when it is compiled.
const (
	maxSource  = 4096 // bytes
	maxTokens  = 512
	maxNesting = 24  // brackets open at once, and signs or `not`s in a row
	maxNodes   = 200 // operators, names and constants
	maxDepth   = 2   // closures in closures
	maxNumber  = 80  // characters of a number
	maxPattern = 128 // bytes of a regular expression
	maxRegexp  = 256 // instructions that it compiles to
	maxTypes   = 32  // that one path has in the arms of switches
	// maxSteps and maxActions bound what a filter of 4 KiB becomes over a hostile schema, in which thousands of arms
	// share a name.
	maxSteps   = 16 * maxNodes
	maxActions = 1 << 17
	// minWork is the work that any filter may do on a packet, and workPerField what it may do more on protocols whose
	// packets have more fields: a filter over a list costs a multiple of what decoding the list has cost. A unit is
	// one step of the evaluator, about 3 ns. Regular expressions are bounded apart: the bytes of text times the
	// instructions that read them, about 8 ns each, at most minText, or textPerByte times the largest datagram.
	minWork      = 3072
	workPerField = 8
	minText      = 2560
	textPerByte  = 2
)
