//go:build linux

package saved

import (
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// replace puts text in a file's place.
func replace(name, text string, mode Mode) error {
	f, err := Replace(name, mode)
	if err != nil {
		return err
	}
	return f.WriteAll([]byte(text))
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
	for _, row := range []struct {
		name string
		mode Mode
		want string
	}{
		{"d", 0, "is a directory"},
		{"into", 0, "is a directory"},
		{"round", 0, "too many symbolic links"},
		{"there/below", 0, "not a directory"},
		{"missing/file", 0, "no such file"},
		{"there", MustBeNew, "file already exists"},
	} {
		err := replace(filepath.Join(dir, row.name), "new", row.mode)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
	}
	r, err := Replace(there, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Write([]byte("half of")); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(there); string(text) != "old" {
		t.Errorf("while it is written it holds %q", text)
	}
	r.Abandon()
	// What cannot be written any more is not put in its place.
	if r, err = Replace(there, 0); err != nil {
		t.Fatal(err)
	}
	r.file.Close()
	if err := r.Commit(); err == nil {
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
	for _, row := range []struct {
		name string
		old  fs.FileMode // 0 is none
		mode Mode
		want fs.FileMode
	}{
		{"a new report", 0, 0, 0o640},
		{"a report that was there", 0o664, 0, 0o664},
		{"a report of its owner", 0o600, 0, 0o600},
		{"new traffic", 0, OwnerOnly, 0o600},
		{"traffic that was open", 0o666, OwnerOnly, 0o600},
		{"new traffic of its own", 0, OwnerOnly | MustBeNew, 0o600},
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
		if err := replace(path, "new", row.mode); err != nil {
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

// A link stays and what it leads to is replaced, whether it is there or not; what is no regular file is written
// through.
func TestReplaceThrough(t *testing.T) {
	dir := t.TempDir()
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
		if err := replace(filepath.Join(dir, name), "new", OwnerOnly); err != nil {
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
	if err := replace(os.DevNull, "new", OwnerOnly); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode()&fs.ModeDevice == 0 {
		t.Fatalf("%s is %v, %v", os.DevNull, info.Mode(), err)
	}
	if got := names(t, dir); got != "dangling fifo file link made twice" {
		t.Errorf("left: %s", got)
	}
}

// Of two that make the same new file one succeeds.
func TestReplaceNewOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	var both [2]*File
	for i := range both {
		var err error
		if both[i], err = Replace(path, MustBeNew); err != nil {
			t.Fatal(err)
		}
		if _, err := both[i].Write([]byte{'a' + byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := both[1].Commit(); err != nil {
		t.Error(err)
	}
	if err := both[0].Commit(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the second one: %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "b" || names(t, filepath.Dir(path)) != "f" {
		t.Errorf("%q in %s", text, names(t, filepath.Dir(path)))
	}
}

// Where a process cannot signal itself, a signal makes Commit and Write return an error: the target stays, nothing is
// left beside it, and the program goes on to report that.
func TestReplaceAfterSignal(t *testing.T) {
	raised := make(chan os.Signal)
	defer func(f func(os.Signal) error) { signalSelf = f }(signalSelf)
	signalSelf = func(s os.Signal) error { raised <- s; return errors.ErrUnsupported }
	others := make(chan os.Signal, 1)
	for _, row := range []struct {
		name string
		end  func(*File) error
	}{
		{"commit", (*File).Commit},
		{"write", func(f *File) error {
			<-f.gone
			_, err := f.Write([]byte("more"))
			f.Abandon()
			return err
		}},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "there")
		if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := Replace(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if s := <-raised; s != syscall.SIGTERM {
			t.Errorf("%s: want %s raised, got %s", row.name, syscall.SIGTERM, s)
		}
		signal.Notify(others, syscall.SIGTERM) // the file's watch is reset: no later signal may end the test
		if err := row.end(f); err == nil || err.Error() != "stopped by a signal: terminated" {
			t.Errorf("%s: want an error that names the signal, got %v", row.name, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "old" || names(t, dir) != "there" {
			t.Errorf("%s: want the old file alone, got %q of %s: %v", row.name, text, names(t, dir), err)
		}
	}
	signal.Stop(others)
}
