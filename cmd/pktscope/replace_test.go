//go:build linux

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

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

// What was there stays whatever fails, and nothing is left beside it.
func TestReplaceRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o777); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"round": "round", "into": "d"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	there := write("there", "old", 0o644)
	p := replacer(t)
	for _, row := range []struct {
		name string
		mode fileMode
		want string
	}{
		{"d", 0, "is a directory"},
		{"into", 0, "is a directory"},
		{"round", 0, "too many symbolic links"},
		{"there/below", 0, "not a directory"},
		{"missing/file", 0, "no such file"},
		{"there", mustBeNew, "file already exists"},
	} {
		err := p.writeFile(filepath.Join(dir, row.name), []byte("new"), row.mode)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
	}
	r, err := p.newReplacement(there, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Write([]byte("half of")); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(there); string(text) != "old" {
		t.Errorf("while it is written it holds %q", text)
	}
	r.abandon()
	// What cannot be written any more is not put in its place.
	if r, err = p.newReplacement(there, 0); err != nil {
		t.Fatal(err)
	}
	r.file.Close()
	if err := r.commit(); err == nil {
		t.Error("a closed file was committed")
	}
	if text, _ := os.ReadFile(there); string(text) != "old" {
		t.Errorf("it holds %q", text)
	}
	if got := names(t, dir); got != "d into round there" {
		t.Errorf("left: %s", got)
	}
}

// Modes: what holds traffic is its owner's, however it was before; the rest goes by the umask and keeps what it has.
func TestReplaceModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	p := replacer(t)
	for _, row := range []struct {
		name string
		old  fs.FileMode // 0 is none
		mode fileMode
		want fs.FileMode
	}{
		{"a new report", 0, 0, 0o640},
		{"a report that was there", 0o664, 0, 0o664},
		{"a report of its owner", 0o600, 0, 0o600},
		{"new traffic", 0, ownerOnly, 0o600},
		{"traffic that was open", 0o666, ownerOnly, 0o600},
		{"new traffic of its own", 0, ownerOnly | mustBeNew, 0o600},
	} {
		path := filepath.Join(t.TempDir(), "f")
		if row.old != 0 {
			if err := os.WriteFile(path, []byte("something that is longer"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, row.old); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.writeFile(path, []byte("new"), row.mode); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := os.ReadFile(path); info.Mode() != row.want || string(text) != "new" {
			t.Errorf("%s: want mode %o, got %o with %q", row.name, row.want, info.Mode(), text)
		}
		if got := names(t, filepath.Dir(path)); got != "f" {
			t.Errorf("%s: left %s", row.name, got)
		}
	}
}

// A link stays and what it leads to is replaced, whether it is there or not; what is no regular file is written through.
func TestReplaceThrough(t *testing.T) {
	dir := t.TempDir()
	p := replacer(t)
	for link, to := range map[string]string{"link": "file", "twice": "link", "dangling": "made"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		text, _ := os.ReadFile(fifo)
		read <- string(text)
	}()
	for _, name := range []string{"twice", "dangling", "fifo"} {
		if err := p.writeFile(filepath.Join(dir, name), []byte("new"), ownerOnly); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := <-read; got != "new" {
		t.Errorf("through the pipe: %q", got)
	}
	for _, name := range []string{"file", "made"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); string(text) != "new" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if err := p.writeFile(os.DevNull, []byte("new"), ownerOnly); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode()&fs.ModeDevice == 0 {
		t.Fatalf("%s is %v, %v", os.DevNull, info.Mode(), err)
	}
	if got := names(t, dir); got != "dangling fifo file link made twice" {
		t.Errorf("left: %s", got)
	}
	// The file that is stdout as well: in its place among the rest.
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

// Of two that make the same new file one succeeds.
func TestReplaceNewOnce(t *testing.T) {
	p := replacer(t)
	path := filepath.Join(t.TempDir(), "f")
	var both [2]*replacement
	for i := range both {
		var err error
		if both[i], err = p.newReplacement(path, mustBeNew); err != nil {
			t.Fatal(err)
		}
		if _, err := both[i].Write([]byte{'a' + byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := both[1].commit(); err != nil {
		t.Error(err)
	}
	if err := both[0].commit(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the second one: %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "b" || names(t, filepath.Dir(path)) != "f" {
		t.Errorf("%q in %s", text, names(t, filepath.Dir(path)))
	}
}

// A file that may grow no further, as on a full disk, leaves what was there: every command that writes a result. The error
// is one line.
func TestNoRoomForResults(t *testing.T) {
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
