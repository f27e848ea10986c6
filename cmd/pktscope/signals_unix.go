//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// ignoreSignals makes errors of Write of two conditions that would end the program in the middle: a reader that went
// away (see output.go), and a file that may not grow further (ulimit -f).
func ignoreSignals() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }

// suspend stops the processes of this job until the shell continues them. The stop comes some time after the signal is
// sent, and not at all where no shell could continue them.
var suspend = func() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if syscall.Kill(0, syscall.SIGTSTP) != nil {
		return
	}
	select {
	case <-continued:
	case <-time.After(time.Second):
	}
}
