// Package plan turns a checked schema into data that can be run: a tree of steps, the leaves they read, and the static
// tree of nodes that gives every leaf its path.
//
// Structs are expanded at each use, so there are no calls. Fixed-width leaves that follow each other are one Run.
// Values that expressions need are saved to registers. From the tree Compile proves the longest packet, the most fields
// and the most steps. The interpreter runs a flat form of it, which decode/internal/ops lowers from the steps and
// verifies; nobody else knows that form, and here is only how many ops it has.
//
// What an attacker may do: a schema can come from a stranger. Expansion is counted while it goes on, and stops where a
// limit is passed (nested two-arm switches double), so a schema of one page cannot ask for a plan of gigabytes.
//
// To add a step: 1 its type in step.go and what coverage counts of it in cover.go; 2 its emission in compile_*.go; 3
// its bound in bound.go, how many ops it has in op_count.go, what a secret in it leaks in secret_flow.go; 4 its ops in
// decode/internal/ops, lower.go; 5 what it refuses in rejects.go, and in fuzz/coverage the proofs that it never does
// (reject_point.go) and the room after it (flow.go); 6 its words in decode's describe.go.
package plan
