package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/fuzz/udp/udptest"
)

// counterSchema is a protocol with a counter, on a port.
const counterSchema = "protocol counter\norder msb\nport %d\npacket { seq uint16 @seq, kind int(0..3) }\n"

// tapTest is a `pktscope tap` between a client and a server of the test's.
type tapTest struct {
	*running
	schema         string
	client, server *net.UDPConn
}

// startTap starts it with -p of a protocol whose port is that of --listen.
func startTap(t *testing.T, args ...string) *tapTest {
	t.Helper()
	return startTapTo(t, nil, args...)
}

// startTapTo is startTap with another stdout.
func startTapTo(t *testing.T, stdout *os.File, args ...string) *tapTest {
	t.Helper()
	server, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Skip("no UDP on loopback here: ", err)
	}
	t.Cleanup(func() { server.Close() })
	at, release, err := udptest.Port()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	listen := net.UDPAddrFromAddrPort(at)
	schema := t.TempDir() + "/counter.pks"
	if err := os.WriteFile(schema, fmt.Appendf(nil, counterSchema, listen.Port), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, cmd: exec.Command("pktscope", append([]string{"tap", "-p", schema, "--listen", listen.String(), "--to", server.LocalAddr().String()}, args...)...)}
	if r.cmd.Stdout = &r.stdout; stdout != nil {
		r.cmd.Stdout = stdout
	}
	r.begin("passing on from")
	client, err := net.DialUDP("udp4", nil, listen)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	for _, c := range []*net.UDPConn{client, server} {
		if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
	}
	return &tapTest{r, schema, client, server}
}

func counted(seq int) []byte { return append(binary.BigEndian.AppendUint16(nil, uint16(seq)), 0x40) }

// A tap that loses 5 % loses those of its seed: the server gets the others, and statistics of what passed find the
// gaps.
func TestTapDropsAreGaps(t *testing.T) {
	const n, seed = 400, 7
	lost := map[int]bool{}
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		if random.Float64() < 0.05 {
			lost[i] = true
		}
	}
	if lost[0] || lost[n-1] || len(lost) < 5 {
		t.Fatalf("a bad seed: %v", lost) // what is lost at the ends leaves no gap
	}
	file := t.TempDir() + "/out.pcapng"
	p := startTap(t, "--drop", "5%", "--seed", fmt.Sprint(seed), "-w", file, "-a", fmt.Sprintf("packets:%d", n))
	got := make([]byte, 100)
	for i := range n {
		if _, err := p.client.Write(counted(i)); err != nil {
			t.Fatal(err)
		}
		if lost[i] {
			continue
		}
		size, err := p.server.Read(got)
		if err != nil || string(got[:size]) != string(counted(i)) {
			t.Fatalf("packet %d: the server got %x, %v", i, got[:size], err)
		}
	}
	rest := p.end(exitDone)
	if want := fmt.Sprintf("passed on: %d of %d datagrams, %d dropped (--drop 5%% --seed %d)\n", n-len(lost), n, len(lost), seed); !strings.Contains(rest, want) {
		t.Errorf("no %q in %s", want, rest)
	}
	out, err := exec.Command("pktscope", "stats", "-p", p.schema, "-T", "json", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var sum struct {
		Sequences []struct {
			Direction      string
			Received, Lost int
		}
	}
	if err := json.Unmarshal(out, &sum); err != nil {
		t.Fatal(err)
	}
	if len(sum.Sequences) != 1 || sum.Sequences[0].Lost != len(lost) || sum.Sequences[0].Received != n-len(lost) || sum.Sequences[0].Direction != "client" {
		t.Errorf("%d of %d lost, statistics say %+v", len(lost), n, sum.Sequences)
	}
}

// Answers go back to the client, both ways are decoded, and --drop-if loses what it says.
func TestTapBothWays(t *testing.T) {
	p := startTap(t, "-T", "json", "--drop-if", "seq == 2", "-a", "packets:5")
	got := make([]byte, 100)
	for i := range 3 {
		if _, err := p.client.Write(counted(i)); err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			break // lost
		}
		size, from, err := p.server.ReadFromUDP(got)
		if err != nil || string(got[:size]) != string(counted(i)) {
			t.Fatalf("the server got %x, %v", got[:size], err)
		}
		if _, err := p.server.WriteToUDP(counted(100+i), from); err != nil {
			t.Fatal(err)
		}
		if size, err = p.client.Read(got); err != nil || string(got[:size]) != string(counted(100+i)) {
			t.Fatalf("the client got %x, %v", got[:size], err)
		}
	}
	rest := p.end(exitDone)
	if !strings.Contains(rest, "passed on: 4 of 5 datagrams, 1 dropped\n") {
		t.Errorf("stderr: %s", rest)
	}
	var seen []string
	for lines := bufio.NewScanner(&p.stdout); lines.Scan(); {
		var one struct {
			Direction, Src string
			Fields         struct{ Seq int }
		}
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		seen = append(seen, fmt.Sprint(one.Direction, one.Fields.Seq))
		if src := p.client.LocalAddr().String(); (one.Src == src) != (one.Direction == "client") {
			t.Errorf("a packet of %s from %s", one.Direction, one.Src)
		}
	}
	if want := "client0 server100 client1 server101"; strings.Join(seen, " ") != want {
		t.Errorf("want %s, got %v", want, seen)
	}
}

// --stats shows blocks and no packets; the last one has all that was passed on, and -w keeps it.
func TestTapStats(t *testing.T) {
	const n = 50
	file := t.TempDir() + "/a.pcapng"
	p := startTap(t, "--stats", "100ms", "--drop-if", "seq == 3 || seq == 4", "-w", file, "-a", fmt.Sprintf("packets:%d", n))
	got := make([]byte, 100)
	for i := range n {
		if _, err := p.client.Write(counted(i)); err != nil {
			t.Fatal(err)
		}
		if i == 3 || i == 4 {
			continue
		}
		if _, err := p.server.Read(got); err != nil {
			t.Fatal(err)
		}
	}
	rest := p.end(exitDone)
	blocks := strings.Split(strings.TrimSpace(p.stdout.String()), "\n\n")
	last := blocks[len(blocks)-1]
	for _, want := range []string{" UTC, after ", "; passed on: 48 of 50 datagrams\n", "\ncounter: ", "since the start 48 packets", "\nlost: C→S seq 2 (4.0%)"} {
		if !strings.Contains(last, want) {
			t.Errorf("no %q in:\n%s", want, last)
		}
	}
	if !strings.Contains(rest, "passed on: 48 of 50 datagrams, 2 dropped\n") || packetsIn(t, file) != n-2 {
		t.Errorf("%d packets in the file; stderr: %s", packetsIn(t, file), rest)
	}
}

// A server that is not there is no trouble; Ctrl-C ends it.
func TestTapWithoutServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGINT for a process")
	}
	p := startTap(t)
	p.server.Close()
	for i := range 20 {
		if _, err := p.client.Write(counted(i)); err != nil {
			t.Fatal(err)
		}
	}
	p.interrupt()
	if rest := p.end(exitDone); !strings.Contains(rest, "passed on: ") {
		t.Errorf("stderr: %s", rest)
	}
}

// Ctrl-C ends it when nobody reads its output, too: the second one at the latest.
func TestTapStuckOutput(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGINT for a process")
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	p := startTapTo(t, write, "-T", "json")
	write.Close()
	for i := range 600 { // 300 bytes of JSON each, and a pipe has 64 KiB
		if _, err := p.client.Write(counted(i)); err != nil {
			t.Fatal(err)
		}
	}
	p.interruptUntilGone()
}
