//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreSignals makes errors of Write of two conditions that would end the program in the middle: a reader that went
// away (see output.go), and a file that may not grow further (ulimit -f).
func ignoreSignals() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }
