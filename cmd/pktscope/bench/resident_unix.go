//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// resident is the most that a process which has ended had in memory, in bytes. On Linux it is not below what this
// program had when it started it, which is why this one stays small until everything is measured.
func resident(p *os.ProcessState) int64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss) // bytes there, KiB elsewhere
	}
	return int64(u.Maxrss) << 10
}
