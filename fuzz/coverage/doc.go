// Package coverage knows what packets have reached of a plan: a Set is found from Traces alone, so it needs no
// instrumentation and serves any reader.
//
// A Set has a bit for each thing that a schema tells apart: every RejectPoint (one rule, broken in one way), every way
// at a decision, sizes, values, and pairs of decisions. A packet is new if it sets a bit that no packet set before. A
// Set is saved as bytes that name its plan, and Sets of one plan merge.
//
// Of many reject points the package proves that no packet reaches them. The proof follows every way through the plan
// (Rooms: where a step can begin, and how many bits are left) and reads sizes and conditions as sums (Terms). What is
// not proved unreachable need not be reachable. The generator of package fuzz reads the same Terms to solve conditions.
//
// An attacker chooses packets and, where schemas are strangers', the plan: all lists are bounded by the plan, and Add
// allocates nothing.
package coverage
