// Package mutatorgen writes a mutator of a protocol's packets as one C file: for libFuzzer, AFL++ and programs of one's
// own.
//
// The file is the flat program of the interpreter (decode/internal/ops) as tables, a row for each op, number, text,
// checksum, switch and instruction, and a machine that runs over them (the files in runtime), the same for every
// protocol. The machine reads: it judges a packet as the interpreter does, kind and bit, and keeps what it found on a
// tape. It also writes: along the same program, from a tape that was changed, and makes up what the tape lacks. So a
// count that does not fit its list any more, a length, a checksum and padding come out right, in as many passes as they
// depend on each other, 12 at most. What is to be wrong is broken in place afterwards, one rule of one field, and only
// checksums are made right again; or a count, length or tag gets a wrong value that what depends on it follows.
//
// All constructs of the language are covered; nothing is treated as opaque bytes. What an expression makes of bits that
// are not written yet (rest, peek, tail) is, to the writer, what it was on the tape. Where that makes a packet that is
// refused, another change is tried, and at last none. So each packet that is made of a valid one and not broken is
// valid; of noise, the writer makes no valid packet where such an expression bounds it (NTP, RTCP, QUIC: some of them).
//
// What an attacker may do: packets are anybody's bytes, and the schema a stranger's. All memory of the machine is
// static and sized by the schema's `max datagram`; what does not fit on a tape is mutated as plain bytes. Names become
// strings and one-line comments with their odd characters replaced.
package mutatorgen
