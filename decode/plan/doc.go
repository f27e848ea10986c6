// Package plan turns a checked schema into data that can be run: a tree of steps, the flat ops that are lowered from it, the
// leaves they read, and the static tree of nodes that gives every leaf its path.
//
// Structs are expanded at each use, so there are no calls. In the ops arrays are loops and branches are forward jumps. Runs of
// fixed-width leaves are one op, checked against the end of the packet once and laid out in words of 64 bits, each loaded
// once (word.go). Values that expressions need are saved to slots; everything else stays in the trace. Verify then proves
// what the interpreter relies on: every jump is forward or closes its own loop, every loop is bounded, every slot is written
// before it is read, every expression fits its stack; and from the tree the longest packet, the most fields and the most steps.
//
// What an attacker may do: a schema can come from a stranger. Expansion is counted while it goes on, and stops where a limit is
// passed (nested two-arm switches double), so a schema of one page cannot ask for a plan of gigabytes.
//
// To add a step: 1 its type in step.go and what coverage counts of it in cover.go; 2 its emission in compile_*.go; 3 its ops in
// lower.go, its bound in bound.go, what a secret in it leaks in secret_flow.go, and in fuzz what it refuses (refusal.go) and the
// room behind it (refusal_flow.go); for a new op 4 a Code in op.go with its operands in the comment and its row in op_rows.go, its
// case in decode's interpreter and its words in decode's describe.go.
package plan
