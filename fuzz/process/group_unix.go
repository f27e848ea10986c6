//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func kill(pid int) { _ = unix.Kill(-pid, unix.SIGKILL) }

// awaitEnd is not to be had here: what a process forked outlives it when it ends by itself.
func awaitEnd(int) bool { return false }

func killMarked(string) {}

func marked(string) []int { return nil }
