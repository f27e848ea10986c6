//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/signal"
	"syscall"
)

// ignoreSignals makes errors of Write of two conditions that would end the program in the middle: a reader that went away
// (see output.go), and a file that may not grow further (ulimit -f).
func ignoreSignals() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }

// keepOwner gives a file the owner of the one that it replaces, where we may: root must not take it away.
func keepOwner(f *os.File, old fs.FileInfo) {
	was, ok := old.Sys().(*syscall.Stat_t)
	if ok && (int(was.Uid) != os.Geteuid() || int(was.Gid) != os.Getegid()) {
		_ = f.Chown(int(was.Uid), int(was.Gid))
	}
}
