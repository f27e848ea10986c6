package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/shards"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
	"github.com/pktscope/pktscope/report/stats"
)

// program is this command, built once.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "beam")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "beam")
	if text, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, text)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// session is a capture of 5 peers with losses, silences and hostile packets.
const session = "../testdata/rtype-session.pcap"

// planOf writes a plan of captures, and says how many shards it has.
func planOf(t *testing.T, size int64, captures ...string) (path string, n int) {
	t.Helper()
	var b shards.Builder
	for _, name := range captures {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := b.Add(name, f, size); err != nil {
			t.Fatal(err)
		}
	}
	path = filepath.Join(t.TempDir(), "plan.jsonl")
	if err := os.WriteFile(path, b.AppendJSON(nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, b.Shards()
}

// count runs the program, and returns what it wrote.
func count(t *testing.T, args ...string) (out []byte, said string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.json")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append([]string{"-o", path}, args...)...)
	cmd.WaitDelay = time.Second
	text, err := cmd.CombinedOutput()
	out, missing := os.ReadFile(path)
	if err == nil && missing != nil {
		t.Fatalf("%v\n%s", missing, text)
	}
	return out, string(text), err
}

// whole is what one run says of captures, through one merge.
func whole(t *testing.T, protocol string, captures ...string) []byte {
	t.Helper()
	d, err := decoders(protocol)
	if err != nil {
		t.Fatal(err)
	}
	counter, refused := stats.NewCounter(d), rejects.NewScan(d, version)
	counter.KeepTime()
	var origin pcap.Origin
	for _, name := range captures {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r := pcap.NewReader(bytes.NewReader(text))
		if _, err := scan.Run(scan.From(r), scan.Options{File: name, Decoders: d, Workers: 1}, scan.Join(counter.Stage(), refused.Stage())); err != nil {
			t.Fatal(err)
		}
		origin.Add(name, int64(len(text)), text[:min(len(text), pcap.HeadBytes)])
	}
	part, err := results.AppendCounted(nil, counter.Met(saved.Whole(origin.Stream())), refused.Results())
	if err != nil {
		t.Fatal(err)
	}
	set, err := results.Read(bytes.NewReader(part), "whole", results.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	set.Merge()
	out, err := set.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The shards of a capture, counted by an engine, are what one run says of it: the same bytes.
func TestEqual(t *testing.T) {
	plan, n := planOf(t, 30_000, session)
	if n < 12 {
		t.Fatalf("%d shards: too few to tell anything", n)
	}
	for _, protocol := range []string{"", "rtype"} {
		want := whole(t, protocol, session)
		args := []string{"--plan", plan}
		if protocol != "" {
			args = append(args, "-p", protocol)
		}
		got, said, err := count(t, args...)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("-p %q: %v: %d bytes, want %d\n%s", protocol, err, len(got), len(want), tail(said))
		}
	}
}

// A shard that is counted twice, as an engine that tries again could, fails the job, and no file is written.
func TestTwice(t *testing.T) {
	plan, _ := planOf(t, 30_000, session)
	text, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	j := job{plan: plan}
	pieces, err := j.pieces()
	if err != nil {
		t.Fatal(err)
	}
	var u united
	c := countFn{}
	if err := c.Setup(); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{3, 4, 3} {
		if err := c.ProcessElement(pieces[i], func(_ int, part []byte) {
			if err == nil {
				u, err = new(uniteFn).AddInput(u, part)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err == nil || !strings.Contains(err.Error(), "counted twice") {
		t.Errorf("got %v", err)
	}
	// A plan that has a line twice is none.
	lines := bytes.SplitAfter(text, []byte("\n"))
	if err := os.WriteFile(plan, bytes.Join(append(lines[:4:4], lines[3:]...), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, said, err := count(t, "--plan", plan); err == nil || out != nil || !strings.Contains(said, "line 5: want shard 3, got 2") {
		t.Errorf("a plan with a line twice: %v: %s", err, tail(said))
	}
}

// A shard that cannot be read fails the job with the file and where in it, and no file is written.
func TestBroken(t *testing.T) {
	text, err := os.ReadFile(session)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "x.pcap")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	plan, _ := planOf(t, 30_000, name)
	binary.LittleEndian.PutUint32(text[100_000:], 0xffffffff)
	copy(text[100_004:], bytes.Repeat([]byte{0xff}, 40_000))
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, said, err := count(t, "--plan", plan)
	if err == nil || out != nil || !strings.Contains(said, "x.pcap: shard 3, bytes ") {
		t.Errorf("%v: %s", err, tail(said))
	}
	if err := os.Truncate(name, 200_000); err != nil {
		t.Fatal(err)
	}
	out, said, err = count(t, "--plan", plan)
	if err == nil || out != nil || !strings.Contains(said, "is not what the plan was made of") {
		t.Errorf("a file that has changed: %v: %s", err, tail(said))
	}
}

const counted = `protocol counted
order msb
port 7000
packet {
    seq  uint16 @seq
    kind uint8 in 0..3
}
`

// Every peer is counted, however many there are: 3,000 of them, of which each seventh loses a packet, and each fifth
// gets two in the other order.
func TestByPeer(t *testing.T) {
	dir := t.TempDir()
	protocol, name := filepath.Join(dir, "counted.pks"), filepath.Join(dir, "peers.pcapng")
	if err := os.WriteFile(protocol, []byte(counted), 0o600); err != nil {
		t.Fatal(err)
	}
	const peers, each = 3000, 12
	var lost, reordered, received uint64
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := pcap.NewWriter(f, pcap.Section{})
	server := netip.MustParseAddrPort("10.0.0.1:7000")
	at := time.Unix(1_700_000_000, 0)
	for round := range each {
		for i := range peers {
			value := round
			switch {
			case i%7 == 0 && round == 5:
				lost++
				continue
			case i%5 == 1 && (round == 8 || round == 9):
				value = 17 - round
				reordered += uint64(round - 8)
			}
			received++
			src := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}), 4000)
			at = at.Add(time.Millisecond)
			payload := []byte{byte(value >> 8), byte(value), byte(i % 4)}
			if err := w.WriteUDP(at.UnixNano(), src, server, payload); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	plan, n := planOf(t, 150_000, name)
	if n < 8 {
		t.Fatalf("%d shards", n)
	}
	out, said, err := count(t, "--plan", plan, "-p", protocol, "--by-peer")
	if err != nil {
		t.Fatalf("%v: %s", err, tail(said))
	}
	var got sums
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if got.Peers != peers || len(got.Sequences) != 1 || got.Total.Accepted.Packets != received || len(got.Listed) != maxListed {
		t.Fatalf("%d peers, %d sequences, %d packets of %d, %d listed", got.Peers, len(got.Sequences), got.Total.Accepted.Packets, received, len(got.Listed))
	}
	if s := got.Sequences[0]; s.Received != received || s.Lost != lost || s.Reordered != reordered {
		t.Errorf("%+v: want received %d, lost %d, reordered %d", s, received, lost, reordered)
	}
	for _, one := range got.Listed {
		if i := int(one.Peer.Addr().As4()[2])<<8 | int(one.Peer.Addr().As4()[3]); i%7 != 0 || lostOf(one) != 1 {
			t.Errorf("peer %v is listed with %d lost", one.Peer, lostOf(one))
		}
	}
}

func lostOf(p stats.PeerRow) uint64 { return lost(&p) }

// jobServer starts a job server of Prism in a process of its own, on loopback.
func jobServer(t *testing.T) (endpoint string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prism")
	if text, err := exec.Command("go", "build", "-o", path, "github.com/apache/beam/sdks/v2/go/cmd/prism").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	cmd := exec.Command(path, "-job_port", strconv.Itoa(port), "-serve_http=false", "-log_level=error")
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	endpoint = "localhost:" + strconv.Itoa(port)
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if c, err := net.Dial("tcp", endpoint); err == nil {
			c.Close()
			return endpoint
		}
	}
	t.Fatal("the job server does not listen")
	return ""
}

// boot is what a runner starts as a worker: an image would have it as its entry. Prism says who the worker is, in quotes,
// and one endpoint for everything.
const boot = `#!/bin/sh
for arg; do
	case $arg in
	--id=*) id=$(echo "${arg#--id=}" | tr -d "\"'") ;;
	--provision_endpoint=*) endpoint=${arg#--provision_endpoint=} ;;
	esac
done
exec "@PROGRAM@" --worker --id="$id" --control_endpoint="$endpoint" --logging_endpoint="$endpoint"
`

// Through the job API, which Flink's and Spark's job servers have as well: the work in the submitter's process, then in
// a worker's that the server starts.
func TestJobServer(t *testing.T) {
	endpoint := jobServer(t)
	plan, _ := planOf(t, 30_000, session)
	want := whole(t, "rtype", session)
	script := filepath.Join(t.TempDir(), "boot.sh")
	if err := os.WriteFile(script, []byte(strings.ReplaceAll(boot, "@PROGRAM@", program)), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, environment := range [][]string{
		{"--environment_type=LOOPBACK"},
		{"--environment_type=PROCESS", `--environment_config={"command":"` + script + `"}`, "--worker_binary=" + program},
	} {
		got, said, err := count(t, append([]string{"--plan", plan, "-p", "rtype", "--runner=universal", "--endpoint=" + endpoint}, environment...)...)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: %v: %d bytes, want %d\n%s", environment, err, len(got), len(want), tail(said))
		}
	}
}

// What is asked for wrongly is said in one line.
func TestUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"want --plan with a file":   {},
		"unexpected argument \"x\"": {"--plan", "p", "x"},
		"--by-peer wants -p":        {"--plan", "p", "--by-peer"},
		"no such file":              {"--plan", "none.jsonl"},
		"line 1: want a plan":       {"--plan", session},
		`"none" is no built-in`:     {"--plan", "@", "-p", "none"},
	} {
		for i, arg := range args {
			if arg == "@" {
				args[i], _ = planOf(t, 1<<20, session)
			}
		}
		if out, said, err := count(t, args...); err == nil || out != nil || !strings.Contains(said, want) || strings.Count(said, "\n") != 1 {
			t.Errorf("%v: %v, want %q:\n%s", args, err, want, tail(said))
		}
	}
}

// tail is the end of what a program said.
func tail(text string) string { return text[max(0, len(text)-2000):] }
