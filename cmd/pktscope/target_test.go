package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// An interrupt ends the audit at once, and the target with all that it forked.
func TestInterruptLeavesNoOrphan(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	dir := t.TempDir()
	mark := filepath.Join(dir, "started")
	script := filepath.Join(dir, "reader.sh")
	if err := os.WriteFile(script, []byte("sleep 3600 &\ntouch "+mark+"\nsleep 3600\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("pktscope", "audit", "-p", "rtype", "--timeout", "1m", "-j", "1", "--target", "exec+persistent:sh "+script)
	cmd.Env = append(os.Environ(), "PKTSCOPE_ORPHAN="+mark)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(mark); err == nil {
			break
		}
		if time.Since(begun) > time.Minute {
			_ = cmd.Process.Kill()
			t.Fatal("the target does not start")
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != exitTrouble {
		t.Errorf("got %v", err)
	}
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range list {
		env, err := os.ReadFile(name)
		if err == nil && strings.Contains(string(env), "PKTSCOPE_ORPHAN="+mark) {
			t.Errorf("a process survived: %s", name)
		}
	}
}
