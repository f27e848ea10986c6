package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/pcap"
)

// patience is how long a test waits for what must come; it is only reached by a failure.
const patience = 4 * time.Minute

// running is a pktscope that runs beside the test.
type running struct {
	t      testing.TB
	most   time.Duration // after which it is killed; 2*patience without
	cmd    *exec.Cmd
	stdout bytes.Buffer
	stderr *bufio.Reader
}

// capture starts `pktscope live` in the test's namespace, and returns when it captures. It is killed when it hangs.
func capture(t testing.TB, args ...string) *running {
	t.Helper()
	return startCapture(t, 2*patience, args...)
}

// startCapture is capture that may take so long.
func startCapture(t testing.TB, most time.Duration, args ...string) *running {
	t.Helper()
	need.Job(t, need.Root)
	r := &running{t: t, most: most, cmd: exec.Command("pktscope", append([]string{"live"}, args...)...)}
	r.cmd.Stdout = &r.stdout
	r.begin("capturing on")
	return r
}

// begin starts it, and returns when its first line has the words.
func (r *running) begin(words string) {
	r.t.Helper()
	pipe, err := r.cmd.StderrPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	if r.most == 0 {
		r.most = 2 * patience
	}
	timer := time.AfterFunc(r.most, func() { _ = r.cmd.Process.Kill() })
	r.t.Cleanup(func() { timer.Stop(); _ = r.cmd.Process.Kill() })
	r.stderr = bufio.NewReader(pipe)
	if line, err := r.stderr.ReadString('\n'); !strings.Contains(line, words) {
		_ = r.cmd.Wait()
		r.t.Fatalf("stderr begins with %q, %v", line, err)
	}
}

// end waits for the end, and returns the rest of stderr. It fails the test if the exit code is another.
func (r *running) end(code int) string {
	r.t.Helper()
	rest, err := io.ReadAll(r.stderr)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.cmd.Wait(); r.cmd.ProcessState.ExitCode() != code {
		r.t.Fatalf("%v, want exit code %d; stderr: %s", err, code, rest)
	}
	return string(rest)
}

func (r *running) interrupt() {
	r.t.Helper()
	if !waitingIsKept {
		time.Sleep(time.Second) // libpcap hands packets over every 10 ms
	}
	r.signal(os.Interrupt)
}

// waitingIsKept: what waits at an interface when the capture ends, or the interface, is read. libpcap tells of the end
// first, and then nothing more.
var waitingIsKept = true

// interruptUntilGone interrupts it until it has ended, by itself or by the signal.
func (r *running) interruptUntilGone() {
	r.t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = r.cmd.Wait() // by a signal or not
	}()
	for end := time.Now().Add(patience); ; {
		_ = r.cmd.Process.Signal(os.Interrupt) // it may be gone
		select {
		case <-ended:
			return
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(end) {
			r.t.Fatal("it does not end")
		}
	}
}

func (r *running) signal(s os.Signal) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		r.t.Fatal(err)
	}
}

// packetsIn counts a capture's packets; it fails the test if the file is not valid to its last byte.
func packetsIn(t testing.TB, file string) int {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for n, r := 0, pcap.NewReader(f); ; n++ {
		if _, _, err := r.ZeroCopyReadPacketData(); err == io.EOF {
			return n
		} else if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
}
