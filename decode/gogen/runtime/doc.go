// Package runtime is what generated readers and writers share: loads and stores at any bit, the numbers whose width is found
// on the way, text, checksums, and the PacketReject. Nobody imports it: gogen copies what a protocol needs of it into the
// generated package, so that the package stands alone.
//
// Everything that looks at a packet keeps 0 ≤ bit ≤ end ≤ 8*len(data), and a position of -1 says that the packet has been
// refused. Semantics are those of the interpreter in package decode, whose source says why each check is there.
package runtime
