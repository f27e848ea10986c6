//go:build linux

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// A signal ends what reads captures, with what was counted until then and how much that was: of every command that
// reads a capture to its end. Stdin is a pipe that nobody closes.
func TestInterruptedInput(t *testing.T) {
	for i, row := range []struct{ name, args, stdout, stderr string }{
		{"stats", "stats -p rtype --by direction -", `rtype: N packets in [^\n]*\n`, `-: interrupted after [0-9]+ bytes, N packets`},
		{"rows of stats", "stats -p rtype -T csv --by direction -", `^protocol,direction,packets,[^\n]*\nrtype,client,[0-9]+,`, `-: interrupted after [0-9]+ bytes, N packets\n`},
		{"stats over time", "stats -p rtype --interval 1s -T csv -", `^start,protocol,packets,[^\n]*\n0,rtype,[0-9]+,`, `-: interrupted after [0-9]+ bytes, N packets\n`},
		{"stats of a FIFO", "stats -p rtype --by direction FIFO", `rtype: N packets in [^\n]*\n`, `FIFO: interrupted after [0-9]+ bytes, N packets`},
		{"decode of a FIFO", "decode -p rtype FIFO", `(?m)^ +N .*\n\z`, `FIFO: interrupted after [0-9]+ bytes, N packets\nN packets: `},
		{"columns of decode", "decode -p rtype -T csv -e pkt.n -", `^pkt.n\n1\n(.*\n)*N\n\z`, `-: interrupted after [0-9]+ bytes, N packets\nN packets: `},
		{"report of a FIFO", "report -p rtype -T markdown FIFO", `interrupted after [0-9]+ bytes, N packets`, `FIFO: interrupted after [0-9]+ bytes, N packets\n$`},
		{"page of a FIFO", "report -p rtype -T html FIFO", `interrupted after [0-9]+ bytes, N packets`, `FIFO: interrupted after [0-9]+ bytes, N packets\n$`},
		{"stats of several", "stats -p rtype - a.pcap b.pcap", `rtype: N packets in [^\n]*\n`, `-: interrupted after [0-9]+ bytes, N packets\npktscope: 2 files more not read`},
		{"budget", "budget -p rtype -", `rtype: [0-9,]+ packets, [0-9,]+ bytes`, `-: interrupted after [0-9]+ bytes, N packets\nN packets: `},
		{"saved stats", "stats -p rtype -T json -", `"incomplete":\["-: interrupted after [0-9]+ bytes, N packets"\]`, `-: interrupted after [0-9]+ bytes, N packets`},
		{"saved budget", "budget -p rtype -T json -", `"incomplete":\["-: interrupted after [0-9]+ bytes, N packets"\]`, `-: interrupted after [0-9]+ bytes, N packets`},
		{"saved report of several", "report -p rtype -T json - a.pcap", `"incomplete":\["-: interrupted after [0-9]+ bytes, N packets","1 input more not read"\]`, `-: interrupted after [0-9]+ bytes, N packets`},
		{"decode", "decode -p rtype --only notes -", `with note|`, `-: interrupted after [0-9]+ bytes, N packets\nN packets: `},
		{"decode -w", "decode -p rtype -w OUT -", ``, `-: interrupted after [0-9]+ bytes, N packets\npktscope: N packets written to [^\n]*\nN packets: `},
		{"report", "report -p rtype -T markdown -", `interrupted after [0-9]+ bytes, N packets`, `-: interrupted after [0-9]+ bytes, N packets\n$`},
		{"explain", "explain -p rtype -r - -n 1000000", `^$`, `-: interrupted after [0-9]+ bytes, N packets\n$`},
		{"corpus add", "corpus add OUT -p rtype -", `^$`, `-: interrupted after [0-9]+ bytes, N packets\npktscope: [0-9]+ packets added to `},
	} {
		t.Run(row.name, func(t *testing.T) {
			if i%need.Rounds(1, 4) > 0 {
				t.Skip("-short interrupts each fourth command")
			}
			session, err := filepath.Abs("testdata/rtype-session.pcap")
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "out")
			args := strings.Fields(strings.NewReplacer("OUT", out, "IN", session).Replace(row.args))
			stdout, stderr, status := interruptedRun(t, args, session, syscall.SIGINT)
			if status.ExitStatus() != exitTrouble {
				t.Errorf("it ended with %v", status)
			}
			found := regexp.MustCompile(`, ([0-9]+) packets`).FindStringSubmatch(stderr)
			if found == nil || found[1] == "0" {
				t.Fatalf("it does not say how much was read: %s", stderr)
			}
			for what, text := range map[string][2]string{"stdout": {row.stdout, stdout}, "stderr": {row.stderr, stderr}} {
				if !regexp.MustCompile(strings.ReplaceAll(text[0], "N", found[1])).MatchString(text[1]) {
					t.Errorf("want %s like %q, got\n%s", what, text[0], text[1])
				}
			}
		})
	}
}

// A Parquet file that was not ended is not there, and neither is what was written of it: the one before stays.
func TestInterruptedParquet(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		dir := t.TempDir()
		out := filepath.Join(dir, "out.parquet")
		if err := os.WriteFile(out, []byte("before"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, stderr, status := interruptedRun(t, strings.Fields("decode -p rtype -T parquet -o "+out+" -"), "testdata/rtype-session.pcap", signal)
		if status.ExitStatus() != exitTrouble && status.Signal() != signal {
			t.Errorf("%v: it ended with %v: %s", signal, status, stderr)
		}
		list, err := os.ReadDir(dir)
		if text, _ := os.ReadFile(out); err != nil || len(list) != 1 || string(text) != "before" {
			t.Errorf("%v: %v, %v, %.20q", signal, err, list, text)
		}
	}
}

// interruptedRun runs pktscope with a file on stdin that has no end, and sends it a signal when it has read most of it.
func interruptedRun(t *testing.T, args []string, file string, s os.Signal) (stdout, stderr string, status syscall.WaitStatus) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("pktscope", args...)
	cmd.Env = append(os.Environ(), "COLUMNS=200")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	var in io.WriteCloser
	if slices.Contains(args, "FIFO") {
		cmd.Dir = t.TempDir()
		if err := syscall.Mkfifo(cmd.Dir+"/FIFO", 0o600); err != nil {
			t.Fatal(err)
		}
		if in, err = os.OpenFile(cmd.Dir+"/FIFO", os.O_RDWR, 0); err != nil { // does not wait for the reader
			t.Fatal(err)
		}
	} else if in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(data[:min(len(data), 4<<16)]); err != nil { // returns when all but what a pipe holds was read
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its status is looked at
	in.Close()
	return out.String(), errs.String(), cmd.ProcessState.Sys().(syscall.WaitStatus)
}

// diff reads files alone, and each of them twice: what it read of one is of no use.
func TestInterruptedDiff(t *testing.T) {
	p := replacer(t)
	p.stderr = p.stdout
	stopped := make(chan struct{})
	close(stopped)
	p.interrupted = stopped
	root := newRoot(p)
	root.SetArgs([]string{"diff", "-p", "rtype", "testdata/rtype-session.pcap", "testdata/rtype-session.pcap"})
	if err := root.Execute(); err == nil || err.Error() != "testdata/rtype-session.pcap: not read: interrupted; nothing was compared" {
		t.Errorf("got %v", err)
	}
}

// What asks for objects ends as well.
func TestInterruptedEncode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "objects")
	object := `{"fields":{"type":"PlayerInput","sequence_num":7,"timestamp":0,"body":{"keys":["Up"],"sequence_num":7}}}` + "\n"
	if err := os.WriteFile(file, []byte(strings.Repeat(object, 2000)), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := interruptedRun(t, []string{"encode", "-p", "rtype"}, file, syscall.SIGTERM)
	if status.ExitStatus() != exitTrouble || !regexp.MustCompile(`^pktscope: -: interrupted after [0-9]+ bytes\n$`).MatchString(stderr) ||
		!strings.HasPrefix(stdout, "0061") {
		t.Errorf("it ended with %v, stderr %q, stdout %.100q", status, stderr, stdout)
	}
}

// Where the end waits for somebody who does not read, the second signal ends the program.
func TestInterruptedTwice(t *testing.T) {
	session, err := filepath.Abs("testdata/rtype-session.pcap")
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd := exec.Command("pktscope", "decode", "-V", session)
	cmd.Stdout = write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	if _, err := io.ReadFull(read, make([]byte, 1)); err != nil { // it has begun
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its status is looked at
		close(ended)
	}()
	eventually(t, "its end", func() bool {
		_ = cmd.Process.Signal(os.Interrupt) // which may have ended already
		select {
		case <-ended:
			return true
		default:
			return false
		}
	})
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("it ended with %s", cmd.ProcessState)
	}
}
