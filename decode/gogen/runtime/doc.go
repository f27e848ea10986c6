// Package runtime is what generated readers and writers have of their own: their state, the PacketReject, how lists
// grow, how a packet is written, and how the rules of package wire become refusals. Nobody imports it: gogen copies
// what a protocol needs of it and of wire into the generated package, so that the package stands alone.
//
// Everything that looks at a packet keeps 0 ≤ bit ≤ end ≤ 8*len(data), and a position of -1 says that the packet has
// been refused. Semantics are those of the interpreter in package decode, whose source says why each check is there.
package runtime
