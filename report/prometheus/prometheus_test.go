package prometheus_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/live"
	"github.com/pktscope/pktscope/report/prometheus"
	"github.com/pktscope/pktscope/report/scan"
	"github.com/pktscope/pktscope/report/stats"
)

// counted is what a capture of a session has.
func counted(t *testing.T) []*stats.Summary {
	t.Helper()
	data, err := os.ReadFile("../../corpus/rtype.pcap")
	if err != nil {
		t.Fatal(err)
	}
	d, err := protocols.Load("rtype")
	if err != nil {
		t.Fatal(err)
	}
	shared := stats.NewShared(scan.Always(d))
	if _, err := scan.Run(scan.From(pcap.NewReader(bytes.NewReader(data))), scan.Options{Decoders: scan.Always(d)}, shared.Stage()); err != nil {
		t.Fatal(err)
	}
	return shared.Summaries(time.Now().UnixNano())
}

// values are the samples of an exposition.
func values(t *testing.T, text []byte) map[string]string {
	t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		name := line[:max(at, 0)]
		if _, twice := all[name]; twice || at < 0 {
			t.Errorf("%q comes twice, or is none", line)
		}
		all[name] = strings.TrimSpace(line[at+1:])
	}
	return all
}

// What is served is what was counted, of all of which promtool has nothing to say.
func TestAppend(t *testing.T) {
	all := counted(t)
	text := prometheus.Append(nil, &prometheus.Capture{Began: time.Unix(1_700_000_000, 500e6), Version: "v1", Interfaces: []live.Account{
		{Name: "v0", Stats: live.Stats{Received: 12, Dropped: 3}}, {Name: `v"1`, Stats: live.Stats{Received: 5}},
	}}, append(all, nil))
	got := values(t, text)
	s := all[0]
	want := map[string]uint64{
		`pktscope_kernel_packets_total{interface="v0"}`:           12,
		`pktscope_kernel_packets_total{interface="v\"1"}`:         5,
		`pktscope_kernel_dropped_packets_total{interface="v0"}`:   3,
		`pktscope_kernel_dropped_packets_total{interface="v\"1"}`: 0,
		`pktscope_peers{protocol="rtype"}`:                        s.Peers.N,
	}
	for _, d := range s.Directions {
		want[fmt.Sprintf(`pktscope_packets_total{protocol="rtype",direction="%s",verdict="accept"}`, d.Direction)] = d.Accepted.Packets
		want[fmt.Sprintf(`pktscope_packets_total{protocol="rtype",direction="%s",verdict="reject"}`, d.Direction)] = d.Rejected.Packets
		want[fmt.Sprintf(`pktscope_payload_bytes_total{protocol="rtype",direction="%s"}`, d.Direction)] = d.PayloadBits() / 8
	}
	for _, c := range s.Cases {
		want[fmt.Sprintf(`pktscope_case_packets_total{protocol="rtype",direction="%s",case="%s"}`, c.Direction, c.Case)] = c.Packets()
	}
	for _, q := range s.Sequences {
		want[fmt.Sprintf(`pktscope_sequence_lost{protocol="rtype",field="%s",direction="%s"}`, q.Field, q.Direction)] = q.Lost
	}
	for name, v := range want {
		if got[name] != fmt.Sprint(v) {
			t.Errorf("%s is %q, want %d", name, got[name], v)
		}
	}
	if len(want) < 12 || got["pktscope_start_time_seconds"] != "1.7000000005e+09" {
		t.Errorf("%d values are held; %q", len(want), got["pktscope_start_time_seconds"])
	}
	check(t, text)
}

// Whatever a schema calls its fields and cases, an exposition is one.
func TestHostileNames(t *testing.T) {
	s := &stats.Summary{Cases: []stats.CaseRow{{Case: "a\"b\\c\nd\xff} 1", Direction: "client"}, {Others: true}}, Silences: &stats.SilenceList{N: 1 << 60}}
	s.Protocol = "x"
	text := prometheus.Append(nil, &prometheus.Capture{}, []*stats.Summary{s})
	if want := "pktscope_case_packets_total{protocol=\"x\",direction=\"client\",case=\"a\\\"b\\\\c\\nd\uFFFD} 1\"} 0\n"; !strings.Contains(string(text), want) {
		t.Errorf("%q lacks %q", text, want)
	}
	check(t, text)
}

func check(t *testing.T, text []byte) {
	t.Helper()
	program := need.Program(t, need.Promtool, "promtool")
	cmd := exec.Command(program, "check", "metrics")
	cmd.Stdin = bytes.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool: %v: %s\n%s", err, out, text)
	}
}

// serve serves something that counts how often it was asked, and gives the address.
func serve(t *testing.T) (addr string, asked *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := netip.MustParseAddrPort(l.Addr().String())
	l.Close()
	asked = &atomic.Int64{}
	server, err := prometheus.Listen(at, "gameserver", prometheus.New(func(int64) []*stats.Summary { asked.Add(1); return nil }, func() prometheus.Capture { return prometheus.Capture{Version: "1"} }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	if _, err := prometheus.Listen(at, "", nil); err == nil || !strings.Contains(err.Error(), at.String()) || strings.Contains(err.Error(), "\n") {
		t.Errorf("listening twice: %v", err)
	}
	return at.String(), asked
}

// Nothing but GET and HEAD of one page is answered, and what is asked again and again is counted once a second.
func TestServe(t *testing.T) {
	addr, asked := serve(t)
	for _, row := range []struct {
		method, path string
		status       int
		has          string
	}{{"GET", "/metrics", 200, `pktscope_build_info{version="1"} 1`}, {"HEAD", "/metrics", 200, ""}, {"POST", "/metrics", 405, "want GET"}, {"DELETE", "/", 405, "want GET"}, {"GET", "/", 404, "want /metrics"}, {"GET", "/../metrics", 404, ""}} {
		req, err := http.NewRequest(row.method, "http://"+addr+row.path, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != row.status || !strings.Contains(string(body), row.has) || row.method == "HEAD" && len(body) > 0 {
			t.Errorf("%s %s: %d %q", row.method, row.path, answer.StatusCode, body)
		}
	}
	began := time.Now()
	for range 50 {
		answer, err := http.Get("http://" + addr + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	if n := asked.Load(); n > 3+int64(time.Since(began)/time.Second) {
		t.Errorf("counted %d times for 52 scrapes", n)
	}
}

// A client that says too much is let go, and many that are slow or idle keep nobody out.
func TestHostileClients(t *testing.T) {
	addr, _ := serve(t)
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		return conn
	}
	long := dial()
	_, _ = fmt.Fprintf(long, "GET /metrics HTTP/1.1\r\nHost: x\r\nX: %s\r\n\r\n", strings.Repeat("x", 64<<10))
	if line, err := bufio.NewReader(long).ReadString('\n'); err == nil && !strings.Contains(line, "431") {
		t.Errorf("a header of 64 KiB: %q, %v", line, err)
	}
	long.Close()
	for said, want := range map[string]string{
		"GET /metrics\r\n\r\n": "505", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n": "505", "\r\n\nGET http://x/metrics?a=b HTTP/1.1\nHost: 127.0.0.1\n\n": "200",
		"GET /%6detrics HTTP/1.0\r\n\r\n": "200", "GET /metrics/ HTTP/1.1\r\n\r\n": "404", "GET  HTTP/1.1\r\n\r\n": "404", "\x16\x03\x01\r\n\r\n": "505",
		"GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n": "421", "GET /metrics HTTP/1.1\r\nhost:127.0.0.2:80\r\n\r\n": "421",
		"GET /metrics HTTP/1.1\r\nHost: " + addr + "\r\nHost: evil.example\r\n\r\n": "421", "GET /metrics HTTP/1.1\r\nHost: [::1]\r\n\r\n": "421",
		"GET /metrics HTTP/1.1\r\nHOST: LOCALHOST:1\r\n\r\n": "200", "GET /metrics HTTP/1.1\r\nHost: GameServer:9190\r\n\r\n": "200", "GET /metrics HTTP/1.1\r\nHost: " + addr + "\r\n\r\n": "200",
	} {
		one := dial()
		_, _ = io.WriteString(one, said)
		answer, err := http.ReadResponse(bufio.NewReader(one), nil)
		if err != nil || answer.Status[:3] != want || !answer.Close {
			t.Errorf("%q: %+v, %v, want %s", said, answer, err, want)
		}
	}
	const more = 40 // than it serves at a time
	for _, said := range []string{"", "GET /metrics HTTP/1.1\r\nHost", "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"} {
		var held []net.Conn
		for range more {
			conn := dial()
			held = append(held, conn)
			_, _ = io.WriteString(conn, said)
		}
		one := dial()
		_, _ = io.WriteString(one, "GET /metrics HTTP/1.0\r\n\r\n")
		if line, err := bufio.NewReader(one).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Errorf("after %d clients that say %q: %q, %v", more, said, line, err)
		}
		if _, err := io.ReadAll(held[0]); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the oldest of %d clients that say %q is kept", more, said)
		}
	}
}

// An address is one: no name, no port that the system chooses; without an address it is of loopback.
func TestAddress(t *testing.T) {
	for text, want := range map[string]string{"127.0.0.1:9190": "127.0.0.1:9190", ":9190": "127.0.0.1:9190", "[::1]:1": "[::1]:1", "0.0.0.0:80": "0.0.0.0:80",
		"localhost:9190": "", "": "", "9190": "", ":0": "", "127.0.0.1": "", "1.2.3.4:99999": ""} {
		got, err := prometheus.Address(text)
		if err != nil && want != "" || err == nil && got.String() != want {
			t.Errorf("%q: %s, %v, want %q", text, got, err, want)
		}
	}
}
