// Package target opens readers to attack by a spec, as `pktscope audit --target` takes it:
//
//	builtin               the decoder of this module
//	generated             what decode/gogen makes of the protocol, built with the Go toolchain in PATH
//	exec:CMD              a process per packet
//	exec+persistent:CMD   one process for all packets (fuzz/process has the protocol that it speaks)
//	udp:HOST:PORT         a server, alive as long as it answers a probe
//
// Open checks the spec and its Options and returns a Reader. The Reader makes any number of oracle.Targets, which
// fuzz.Audit, fuzz.Campaign and fuzz.Minimizer ask for as they need them. It says, too, what they have to know of the
// reader: whether only one of it can run, whether it can be started again, and whether it is this module's own code.
//
// A target runs with the rights and the environment of the program that opens it. A spec is as trusted as a command
// that its user types: take it from nowhere else. Only udp: reaches another host, and only the one address that
// Options.Server.Authorized names; all other addresses must be loopback.
package target
