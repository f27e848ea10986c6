// Package generated attacks what `gen go` makes of a protocol: the target `generated`.
//
// The code is generated into a directory of its own beside a small program, built with the Go toolchain that is there,
// without a network, and run as a persistent target; see fuzz/process. The program says of a packet all that a
// generated reader knows: the whole reject, or the bits, every value of the Packet, and what Append makes of it again.
// So the target is held to what no other reader outside is: to be right in kind, path, bit, width and values, and to
// write back what it read.
//
// What an attacker may do: the schema can come from a stranger, and what is made of it is compiled and run here. That
// it is nothing but a reader is the generator's promise (decode/gogen); that the compiler does nothing but compile,
// Build's: no cgo, no download, no file of the user's, no environment of a module around it.
//
//	build.go      the directory, the toolchain
//	program.go.txt  the program around the generated package
//	target.go     what runs it
//	compare.go    its values against a trace
package generated
