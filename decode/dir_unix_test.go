//go:build unix

package decode_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
)

// What is no file or directory is refused at once by Open itself: a FIFO may take a file's place after any Stat.
func TestDirRefusesPipes(t *testing.T) {
	path := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(path, "pipe.pks"), 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(filepath.Join(path, "a.pks"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	opened := make(chan error, 1)
	go func() {
		_, err := decode.Dir(path).Open("pipe.pks")
		opened <- err
	}()
	select {
	case err := <-opened:
		if at := (*fs.PathError)(nil); !errors.As(err, &at) || at.Err.Error() != "it is no plain file" {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("a FIFO is waited for")
	}
	if text, err := fs.ReadFile(decode.Dir(path), "a.pks"); string(text) != "text" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	if f, err := decode.Dir(path).Open("."); err != nil {
		t.Error(err)
	} else {
		f.Close()
	}
}
