// Package process attacks readers that are programs of their own: the targets exec:CMD and exec+persistent:CMD.
//
// A plain target is a process per packet: the packet on its stdin, and the answer is how it ends. A persistent one
// reads packet after packet and answers each; see Target. Both are killed with all that they started, at the latest by
// Close.
//
// What a target may do to us: die, of this packet or of the one before it; never answer; answer without a question;
// never read; flood stdout or stderr; fork, and leave its children; ignore signals; eat memory. Each is a finding about
// a packet or an error of one line, and none may make us wait for ever, hold a file open or leave a process behind.
// Where pktscope itself is killed (SIGKILL), Linux kills the target with it; what that had forked is then nobody's.
//
// A target implements oracle.Target; it shortens what it died of with package fuzz (ShortenSequence).
//
//	command.go    a command line as words, without a shell
//	child.go      one process: its pipes, its end, its memory
//	tail.go       what it printed on stderr, bounded
//	exchange.go   packets out, answers in, against a deadline
//	target.go     persistent: Send, SendBatch
//	diagnose.go   what it was that ended, stopped or fattened it
//	sites.go      which deaths have names in their reports
//	single.go     a process per packet
//	deadline.go   how long an answer may take
//	group_*.go    killing a process with all that it started
//	memory_*.go   how much it holds
//	starved_*.go  how long it had no processor
//	server.go     a program that is attacked from elsewhere
package process
