package process

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
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
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err == nil && pid != os.Getpid() && bytes.Contains(environ(name), []byte(mark)) {
			found = append(found, pid)
		}
	}
	return found
}

// environ is the environment of a process, nothing where it cannot be read. Close asks for that of each process of the
// machine, so that a packet of a target that runs once for each would cost more here than there: os.ReadFile makes
// twice as many system calls.
func environ(pid string) (env []byte) {
	fd, err := unix.Open("/proc/"+pid+"/environ", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	for {
		env = slices.Grow(env, 4<<10)
		n, err := unix.Read(fd, env[len(env):cap(env)])
		if err == unix.EINTR {
			continue
		}
		if n <= 0 || err != nil {
			return env
		}
		env = env[:len(env)+n]
	}
}
