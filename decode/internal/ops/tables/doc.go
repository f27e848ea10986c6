// Package tables writes the flat program of a plan as tables in another language: a row for each op, node, leaf,
// operand, number, blob, switch, checksum and requirement, with members that are named alike in every language. A machine
// in that language runs over them, op for op as the interpreter does (decode/luagen, decode/tsgen).
//
// A member that is not there is 0, false or empty. A word of 64 bits is two numbers, its upper and its lower half: the
// languages that have doubles alone hold both. What one language needs beside that, it adds to a row by itself.
package tables
