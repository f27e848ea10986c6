//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// replacer is a program whose stdout is a file.
func replacer(t *testing.T) *program {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	return &program{stdout: out, out: newOutput(out)}
}

// names are the files of a directory.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

// A result that goes to the file that is stdout as well is in its place among the rest.
func TestResultIsStdout(t *testing.T) {
	p := replacer(t)
	if _, err := p.out.Write([]byte("before ")); err != nil {
		t.Fatal(err)
	}
	if err := p.writeFile(p.stdout.Name(), []byte("between"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := p.out.Write([]byte(" after")); err != nil {
		t.Fatal(err)
	}
	if err := p.out.Flush(); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(p.stdout.Name()); string(text) != "before between after" {
		t.Errorf("stdout: %q", text)
	}
}

// A file that may grow no further, as on a full disk, leaves what was there: every command that writes a result. The
// error is one line.
func TestNoRoomForResults(t *testing.T) {
	if testing.Short() {
		t.Skip("TestScripts/full_disk fills a disk, too")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	session, err := filepath.Abs("testdata/rtype-session.pcap")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args string
		flag string // what the error names
	}{
		{"stats -T json -o OUT IN", "-o"},
		{"budget -T json -o OUT IN", "-o"},
		{"report -T json -o OUT IN", "-o"},
		{"report -T html -o OUT IN", "-o"},
		{"schema doc -T html -o OUT rtype", "-o"},
		{"corpus gen -p rtype -o OUT", "-o"},
	} {
		dir := t.TempDir()
		out := filepath.Join(dir, "out")
		if err := os.WriteFile(out, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		line := "ulimit -f 1; exec pktscope -q " + strings.NewReplacer("OUT", out, "IN", session).Replace(row.args)
		var stderr strings.Builder
		cmd := exec.Command(shell, "-c", line)
		cmd.Stderr = &stderr
		_ = cmd.Run() // its code is looked at
		want := "pktscope: " + row.flag + " " + out + ": file too large\n"
		if code := cmd.ProcessState.ExitCode(); code != exitTrouble || stderr.String() != want {
			t.Errorf("%s: exit code %d, want %q, got %q", row.args, code, want, stderr.String())
		}
		if text, _ := os.ReadFile(out); string(text) != "old" || names(t, dir) != "out" {
			t.Errorf("%s: %d bytes in %s", row.args, len(text), names(t, dir))
		}
	}
}

// A signal while a result is being written removes what is beside the target.
func TestReplaceKilled(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	if err := os.WriteFile(out, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("pktscope", "corpus", "gen", "-p", "gaffer", "--random", "-n", "10000000", "-o", out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a file beside it", func() bool { return names(t, dir) != "out" })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %s", cmd.ProcessState)
	}
	if text, _ := os.ReadFile(out); string(text) != "old" || names(t, dir) != "out" {
		t.Errorf("%d bytes in %s", len(text), names(t, dir))
	}
}
