//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/corpus/need"
)

// How a capture ends: always with a file that is valid.

// SIGKILL leaves what was flushed, complete to its last block.
func TestLiveKilled(t *testing.T) {
	vethPair(t)
	in := newInjector(t, "v0")
	file := t.TempDir() + "/a.pcapng"
	r := capture(t, "-i", "v1", "-w", file)
	frames := sessionFrames(t, 64, false)
	sent := 0
	eventually(t, "three flushes", func() bool {
		for _, frame := range frames {
			if err := in.send(frame); err != nil {
				t.Fatal(err)
			}
		}
		sent += len(frames)
		info, err := os.Stat(file)
		return err == nil && info.Size() > 200<<10
	})
	// Linux cuts a write that a kill interrupts after any page. Once all threads are stopped no write is under way.
	r.signal(unix.SIGSTOP)
	var status unix.WaitStatus
	if _, err := unix.Wait4(r.cmd.Process.Pid, &status, unix.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("it is not stopped: %v, %v", status, err)
	}
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = r.cmd.Wait() // killed
	n := packetsIn(t, file)
	if n < 100 || n > sent {
		t.Errorf("%d packets of %d sent", n, sent)
	}
	need.Program(t, need.Tshark, "tshark")
	out, err := exec.Command("tshark", "-n", "-r", file, "-T", "fields", "-e", "frame.number").Output()
	if err != nil || bytes.Count(out, []byte("\n")) != n {
		t.Errorf("tshark: %v, %d lines of %d: %.300s", err, bytes.Count(out, []byte("\n")), n, out)
	}
}

// SIGINT while nothing comes ends it; how fast is in the log.
func TestLiveInterruptIdle(t *testing.T) {
	vethPair(t)
	for _, args := range [][]string{nil, {"--stats", "10s"}, {"-w", t.TempDir() + "/a.pcapng"}} {
		r := capture(t, append([]string{"-i", "v1"}, args...)...)
		start := time.Now()
		r.interrupt()
		rest := r.end(exitDone)
		t.Logf("%v: ended after %v", args, time.Since(start).Round(time.Millisecond))
		if !strings.Contains(rest, "0 packets: 0 accepted, 0 rejected") {
			t.Errorf("no summary: %q", rest)
		}
		if len(args) == 2 && args[0] == "-w" && packetsIn(t, args[1]) != 0 {
			t.Error("packets from nowhere")
		}
	}
}

// -a stops by time and by size, and says how many were written.
func TestLiveStops(t *testing.T) {
	vethPair(t)
	in := newInjector(t, "v0")
	r := capture(t, "-i", "v1", "-a", "duration:100ms")
	if rest := r.end(exitDone); !strings.Contains(rest, "0 packets") {
		t.Errorf("stderr: %s", rest)
	}
	file := t.TempDir() + "/a.pcapng"
	r = capture(t, "-i", "v1", "-w", file, "-a", "filesize:10")
	for _, frame := range sessionFrames(t, 300, false) {
		if err := in.send(frame); err != nil {
			t.Fatal(err)
		}
	}
	r.end(exitDone)
	info, err := os.Stat(file)
	if err != nil || info.Size() < 10e3 || info.Size() > 11e3 {
		t.Errorf("%v, %v", info, err)
	}
	packetsIn(t, file)
}

// A ring keeps the newest files; each is a capture, and together they have the last packets.
func TestLiveRing(t *testing.T) {
	vethPair(t)
	in := newInjector(t, "v0")
	dir := t.TempDir()
	const n = 600
	r := capture(t, "-i", "v1", "-B", "16", "-w", dir+"/a.pcapng", "-b", "filesize:10", "-b", "files:3", "-a", "packets:600")
	for _, frame := range sessionFrames(t, n, false) {
		if err := in.send(frame); err != nil {
			t.Fatal(err)
		}
	}
	rest := r.end(exitDone)
	if !strings.Contains(rest, "600 packets written to") {
		t.Errorf("stderr: %s", rest)
	}
	files, err := filepath.Glob(dir + "/*")
	if err != nil || len(files) != 3 {
		t.Fatalf("%q, %v", files, err)
	}
	slices.Sort(files)
	total := 0
	for i, f := range files {
		info, err := os.Stat(f)
		if err != nil || info.Mode().Perm() != 0o600 || info.Size() > 11e3 || i < 2 && info.Size() < 10e3 {
			t.Errorf("%v, %v", info, err)
		}
		total += packetsIn(t, f)
	}
	if total < 100 || total >= n {
		t.Errorf("%d packets in %d files", total, len(files))
	}
	if name := filepath.Base(files[0]); !strings.HasPrefix(name, "a_000") || !strings.HasSuffix(name, ".pcapng") {
		t.Errorf("named %s", name)
	}
}

// The ring turns by time as well, while no packet comes.
func TestLiveRingTurnsWhileIdle(t *testing.T) {
	vethPair(t)
	in := newInjector(t, "v0")
	dir := t.TempDir()
	r := capture(t, "-i", "v1", "-w", dir+"/a.pcapng", "-b", "duration:100ms")
	if err := in.send(sessionFrames(t, 1, false)[0]); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a second file", func() bool {
		files, _ := filepath.Glob(dir + "/*")
		return len(files) >= 2
	})
	r.interrupt()
	r.end(exitDone)
	files, _ := filepath.Glob(dir + "/*")
	total := 0
	for _, f := range files {
		total += packetsIn(t, f)
	}
	if total != 1 {
		t.Errorf("%d packets in %q", total, files)
	}
}

// A full disk ends it with a message that says how far the file goes; the file ends with a whole block.
func TestLiveDiskFull(t *testing.T) {
	vethPair(t)
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		need.Skip(t, need.Root, fmt.Sprint("no mount namespace: ", err))
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		need.Skip(t, need.Root, fmt.Sprint("no private mounts: ", err))
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=100k"); err != nil {
		need.Skip(t, need.Root, fmt.Sprint("no tmpfs: ", err))
	}
	defer func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }()
	in := newInjector(t, "v0")
	r := capture(t, "-i", "v1", "-w", dir+"/a.pcapng")
	frames := sessionFrames(t, 64, false)
	ended := make(chan string, 1)
	go func() {
		rest, _ := io.ReadAll(r.stderr)
		ended <- string(rest)
	}()
	rest := ""
	eventually(t, "the end", func() bool {
		for _, frame := range frames {
			if err := in.send(frame); err != nil {
				t.Fatal(err)
			}
		}
		select {
		case rest = <-ended:
			return true
		default:
			return false
		}
	})
	_ = r.cmd.Wait()
	if code := r.cmd.ProcessState.ExitCode(); code != exitTrouble || !strings.Contains(rest, "/a.pcapng: capture ends at byte ") ||
		!strings.Contains(rest, "no space left on device") || strings.Count(rest, "\n") != 1 {
		t.Errorf("exit code %d, stderr: %s", code, rest)
	}
	// It is read from here: only this thread's namespace has the mount.
	if n := packetsIn(t, dir+"/a.pcapng"); n < 100 {
		t.Errorf("the file has %d packets", n)
	}
}

// When the reader of stdout goes away it ends quietly, and the file is whole.
func TestLiveClosedPipe(t *testing.T) {
	vethPair(t)
	in := newInjector(t, "v0")
	file := t.TempDir() + "/a.pcapng"
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, cmd: exec.Command("pktscope", "live", "-i", "v1", "-w", file, "-T", "json")}
	r.cmd.Stdout = write
	r.begin("capturing on")
	write.Close()
	read.Close()
	frames := sessionFrames(t, 64, false)
	ended := make(chan string, 1)
	go func() {
		rest, _ := io.ReadAll(r.stderr)
		ended <- string(rest)
	}()
	rest := ""
	eventually(t, "the end", func() bool {
		if err := in.send(frames[0]); err != nil {
			t.Fatal(err)
		}
		select {
		case rest = <-ended:
			return true
		default:
			return false
		}
	})
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("%v, stderr: %s", err, rest)
	}
	if n := packetsIn(t, file); n < 1 || !strings.Contains(rest, " written to ") {
		t.Errorf("%d packets; stderr: %s", n, rest)
	}
}

// --stats shows blocks, the last one at the end, with what was counted until then.
func TestLiveStats(t *testing.T) {
	vethPair(t)
	in := newInjector(t, "v0")
	r := capture(t, "-i", "v1", "-B", "16", "--stats", "100ms", "-a", "packets:200")
	for _, frame := range sessionFrames(t, 200, false) {
		if err := in.send(frame); err != nil {
			t.Fatal(err)
		}
	}
	r.end(exitDone)
	blocks := strings.Split(strings.TrimSpace(r.stdout.String()), "\n\n")
	last := blocks[len(blocks)-1]
	for _, want := range []string{" UTC, after ", "; dropped by the kernel: 0 of ", "\nrtype: ", "since the start 200 packets", "C→S  PlayerInput", "\nlost: ", "\nsilent over "} {
		if !strings.Contains(last, want) {
			t.Errorf("no %q in:\n%s", want, last)
		}
	}
	if strings.Contains(r.stdout.String(), "\x1b") {
		t.Error("escapes in what is no terminal")
	}
}

// --user gives root away before files are made: they are that user's, and a directory of root's is closed to it.
func TestLiveUser(t *testing.T) {
	vethPair(t)
	in := newInjector(t, "v0")
	dir, err := os.MkdirTemp("/tmp", "pktscope-user")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	frame := sessionFrames(t, 1, false)[0]
	for _, row := range []struct {
		mode os.FileMode
		code int
		want string
	}{{0o700, exitTrouble, "permission denied"}, {0o777, exitDone, "1 packet written"}} {
		if err := os.Chmod(dir, row.mode); err != nil {
			t.Fatal(err)
		}
		r := capture(t, "-i", "v1", "--user", "nobody", "-w", dir+"/a.pcapng", "-a", "packets:1")
		if err := in.send(frame); err != nil {
			t.Fatal(err)
		}
		if rest := r.end(row.code); !strings.Contains(rest, row.want) {
			t.Errorf("mode %o: %s", row.mode, rest)
		}
	}
	var stat unix.Stat_t
	if err := unix.Stat(dir+"/a.pcapng", &stat); err != nil || stat.Uid == 0 || stat.Gid == 0 || stat.Mode&0o777 != 0o600 {
		t.Errorf("%+v, %v", stat, err)
	}
}
