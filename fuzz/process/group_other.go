//go:build !unix

package process

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

// kill kills the process alone: there are no process groups here.
func kill(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func awaitEnd(int) bool { return false }

func killMarked(string) {}

func marked(string) []int { return nil }
