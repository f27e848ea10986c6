package process

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup makes a command the head of a process group, which dies with us: a terminal's interrupt is for pktscope,
// which then kills the group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// kill kills a process and its group. It must not have been waited for: its number could be another's by then.
func kill(pid int) { _ = unix.Kill(-pid, unix.SIGKILL) }

// awaitEnd waits until a process has ended, and leaves it to be waited for. It reports whether it can do that.
func awaitEnd(pid int) bool {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return err == nil
		}
	}
}

// killMarked kills every process with a mark in its environment: what left its group, and its parents, too.
func killMarked(mark string) {
	const rounds = 8 // what forks faster than that is not caught
	for range rounds {
		list := marked(mark)
		if len(list) == 0 {
			return
		}
		for _, pid := range list {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// marked are the processes with a mark in their environment.
func marked(mark string) []int {
	var found []int
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range list {
		env, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(env, []byte(mark)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil && pid != os.Getpid() {
			found = append(found, pid)
		}
	}
	return found
}
