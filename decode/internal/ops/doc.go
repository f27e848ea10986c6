// Package ops has the flat form of a plan, for the interpreter alone: nobody but decode may import it.
//
// Lower makes it of the tree of steps. Arrays become loops and branches forward jumps. Runs of fixed-width leaves are
// one op, checked against the end of the packet once and laid out in words of 64 bits, each loaded once (word.go).
// Values that expressions need are saved to registers; everything else stays in the trace. Verify proves what the
// interpreter relies on: every jump is forward or closes its own loop, every loop is bounded, every register is written
// before it is read, every expression fits its stack.
//
// To add an op: 1 a Code in op.go with its operands in the comment; 2 its row in op_rows.go; 3 what lowers to it in
// lower.go, and how many ops that step then has in plan's op_count.go; 4 its case in decode's interpreter.
package ops
