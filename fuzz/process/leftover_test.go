//go:build unix

package process_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
)

// What a target leaves behind: no process, no open file.

// orphans fails when a process with a nasty word is left. One that was killed may still be there until it runs again,
// which under load takes a while.
func orphans(t *testing.T, word string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	var left []string
	for range 600 {
		if left = survivors(word); len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("processes survived: %v", left)
}

func survivors(word string) (left []string) {
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range list {
		env, err := os.ReadFile(name)
		has := func(entry string) bool { return bytes.Contains(env, []byte(entry)) }
		if err == nil && has(nastyWord+"="+word+"\x00") && has("PKTSCOPE_TARGET=") && has(runWord+"="+strconv.Itoa(os.Getpid())+"\x00") {
			status, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "status"))
			if !bytes.Contains(status, []byte("State:\tZ")) {
				left = append(left, name)
			}
		}
	}
	return left
}

// What a target forks dies with it, also what has left its process group.
func TestNoOrphans(t *testing.T) {
	target := persistent(t, "fork")
	batch(t, target, packetBad, packetBad, "good")
	target.Close()
	orphans(t, "never-read")
	orphans(t, "fork")
}

// What forks without end is stopped, and none of it is left.
func TestForksWithoutEnd(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nobody counts processes here")
	}
	o := options(t, "fork-children")
	target, err := process.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	for end := time.Now().Add(time.Minute); err == nil && time.Now().Before(end); {
		_, err = target.Send([]byte(packetBad), decode.FromUnknown)
	}
	if err == nil || !strings.Contains(err.Error(), "processes, and may have 256: its reader starts what does not end") {
		t.Errorf("got %v", err)
	}
	target.Close()
	orphans(t, "fork-children")
}

// Thousands of restarts leave no file open: half of a process per packet, half of one that dies of each.
func TestRestarts(t *testing.T) {
	for _, program := range []string{"true", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("no program that ends at once")
		}
	}
	o := process.Options{Args: []string{"true"}, Patience: 5 * time.Second}
	single, err := process.NewSingle(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Args = []string{"sh", "-c", "kill -KILL $$"}
	persistent, err := process.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name   string
		target oracle.Target
		want   oracle.Outcome
	}{{"single", single, oracle.Accepted}, {"persistent", persistent, oracle.Crashed}} {
		t.Run(row.name, func(t *testing.T) {
			times := need.RoundsIn(t, need.Long, 5000, 1000, 110)
			defer row.target.Close()
			files, routines := openFiles(t), 0
			for i := range times {
				if r, err := row.target.Send([]byte("packet"), decode.FromUnknown); err != nil || r.Outcome != row.want {
					t.Fatalf("start %d: %v, %v", i, r.Outcome, err)
				}
				if i == 100 {
					files, routines = openFiles(t), runtime.NumGoroutine()
				}
			}
			// The watcher of the last process may have a tick to go.
			if n := openFiles(t); n > files+2 {
				t.Errorf("%d files are open, %d were after a hundred starts", n, files)
			}
			if n := runtime.NumGoroutine(); n > routines+4 {
				t.Errorf("%d goroutines, %d after a hundred starts", n, routines)
			}
		})
	}
}

func openFiles(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc")
	}
	return len(list)
}
