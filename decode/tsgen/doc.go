// Package tsgen writes a reader of a protocol in TypeScript, as one file for browsers and Node, which needs nothing but
// ES2020: Uint8Array, DataView and, for numbers above 53 bits, BigInt.
//
// The file is types of the packet and its messages, the flat program of the interpreter as tables (decode/internal/ops/
// tables), and a machine that runs over them (the files in runtime), the same for every protocol. So whatever a schema can
// say the reader can read, and what Decode refuses it refuses with the same kind, path and bit, and in the same words.
//
// A struct is an interface, a list an array, a switch the union of its arms; what is not in every packet is optional. A
// number is a bigint where its type needs more than 53 bits, which the schema decides and no value does. An enum is the
// names of its cases, flags are a number with constants beside it. Values of @secret fields are there, as in Go; what a
// refusal says tells none.
//
// What an attacker may do: packets are anybody's bytes, and the schema a stranger's. decode ends as the plan's proof says,
// with a count of steps after it; nothing is sized by what a packet says; nothing is thrown. A field may be called
// __proto__ or constructor, and is then a member as any other. Names and texts of the schema become quoted strings,
// comments lose what could end them.
package tsgen
