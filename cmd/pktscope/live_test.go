//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
)

// liveRun starts `pktscope live -i lo` and returns when it captures.
func liveRun(t *testing.T, args ...string) (cmd *exec.Cmd, stdout *bytes.Buffer, stderr *bufio.Reader) {
	t.Helper()
	need.Job(t, need.Root)
	cmd = exec.Command("pktscope", append([]string{"live", "-i", "lo"}, args...)...)
	stdout = &bytes.Buffer{}
	cmd.Stdout = stdout
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stderr = bufio.NewReader(pipe)
	line, err := stderr.ReadString('\n')
	if !strings.Contains(line, "capturing on lo") {
		_ = cmd.Wait() // its trouble is in line
		t.Fatalf("stderr begins with %q, %v", line, err)
	}
	return cmd, stdout, stderr
}

// send sends payloads to the port of rtype.
func send(t *testing.T, payloads ...string) {
	t.Helper()
	conn, err := net.Dial("udp", "127.0.0.1:4124")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, p := range payloads {
		data, err := hex.DecodeString(p)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write(data) // nobody listens: a later one may be told so
	}
}

const (
	heartBeat   = "000100010000018bcfe56800"
	unknownType = "00ff00010000018bcfe56800"
)

// Live shows what passes, and -c ends it.
func TestLive(t *testing.T) {
	cmd, stdout, stderr := liveRun(t, "-T", "json", "-c", "1", "--only", "rejects", "--fail-on", "reject")
	for range 3 {
		send(t, heartBeat)
	}
	send(t, unknownType)
	rest, err := readAll(stderr)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitFindings {
		t.Errorf("%v, want exit code 1; stderr: %s", err, rest)
	}
	var line struct {
		File    string
		Dst     string
		Case    string
		Verdict string
		Reject  struct{ Kind, Path string }
	}
	if err := json.Unmarshal(stdout.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	if line.Verdict != "reject" || line.Reject.Kind != "unknown-case" || line.Reject.Path != "type" || line.Dst != "127.0.0.1:4124" || line.File != "" {
		t.Errorf("got %s", stdout)
	}
	if !strings.Contains(rest, "1 rejected") {
		t.Errorf("no summary: %q", rest)
	}
}

// SIGINT ends it at once, while it waits for packets, with a summary and exit code 0.
func TestLiveInterrupt(t *testing.T) {
	cmd, _, stderr := liveRun(t)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := readAll(stderr)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v, want exit code 0", err)
	}
	if !strings.Contains(rest, "accepted, ") {
		t.Errorf("no summary: %q", rest)
	}
}

func readAll(r *bufio.Reader) (string, error) {
	var b bytes.Buffer
	_, err := b.ReadFrom(r)
	return b.String(), err
}

// --metrics serves what was counted while live runs, shows no packets itself, and is gone with it.
func TestLiveMetrics(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	cmd, stdout, stderr := liveRun(t, "-p", "rtype", "--metrics", addr)
	for _, packet := range []string{heartBeat, heartBeat, unknownType} {
		send(t, packet) // from a socket of its own: nobody listens, and the next write of the same one would say so
	}
	var text string
	for range 100 {
		answer, err := http.Get("http://" + addr + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if text = string(body); strings.Contains(text, `pktscope_rejects_total{protocol="rtype",kind="unknown-case"} 1`) {
			break
		}
		time.Sleep(100 * time.Millisecond) // what is asked again is counted once a second
	}
	for _, want := range []string{`pktscope_packets_total{protocol="rtype",direction="client",verdict="accept"} 2`, `pktscope_payload_bytes_total{protocol="rtype",direction="client"} 36`,
		`pktscope_case_packets_total{protocol="rtype",direction="client",case="HeartBeat"} 2`, `pktscope_rejects_total{protocol="rtype",kind="unknown-case"} 1`} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := readAll(stderr)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || stdout.Len() > 0 {
		t.Errorf("%v; stdout: %s; stderr: %s", err, stdout, rest)
	}
	if _, err := http.Get("http://" + addr + "/metrics"); err == nil {
		t.Error("metrics outlive live")
	}
}
