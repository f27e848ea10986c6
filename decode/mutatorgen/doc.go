// Package mutatorgen writes a mutator of a protocol's packets as one C file: for libFuzzer, AFL++ and programs of one's own.
//
// The file is the flat program of the interpreter (decode/internal/ops) as tables, a row for each op, number, text, checksum,
// switch and instruction, and a machine that runs over them (runtime.tmpl), the same for every protocol. The machine reads: it
// judges a packet as the interpreter does, kind and bit, and keeps what it found on a tape. It also writes: along the same
// program, from a tape that was changed, and makes up what the tape lacks. So a count that does not fit its list any more, a
// length, a checksum and padding come out right, in as many passes as they depend on each other, 12 at most. What is to be
// wrong is broken in place afterwards, one rule of one field, and only checksums are made right again. All constructs of the
// language are covered; nothing is treated as opaque bytes.
//
// What an attacker may do: packets are anybody's bytes, and the schema a stranger's. All memory of the machine is static and
// sized by the schema's `max datagram`; what does not fit on a tape is mutated as plain bytes. Names become strings and one-line
// comments with their odd characters replaced.
package mutatorgen
