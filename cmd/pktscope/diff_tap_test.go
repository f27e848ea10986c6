package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/pcap"
)

// sidesSchema tells who sent a packet, so that it is read differently where the ports do not.
const sidesSchema = "protocol sides\norder msb\nport %d\npacket {\n    seq uint16 @seq\n    who uint8\n    if from(client) { keys uint8 in 0..9 }\n}\n"

// wire is what a test saw of one side of a relay, as a capture.
type wire struct {
	t    *testing.T
	file *os.File
	w    *pcap.Writer
	n    int64
}

func newWire(t *testing.T) *wire {
	t.Helper()
	file, err := os.Create(t.TempDir() + "/side.pcapng")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return &wire{t: t, file: file, w: pcap.NewWriter(file, pcap.Section{})}
}

func (w *wire) saw(src, dst net.Addr, payload []byte) {
	w.t.Helper()
	w.n++
	from, to := netip.MustParseAddrPort(src.String()), netip.MustParseAddrPort(dst.String())
	if err := w.w.WriteUDP(1767225600e9+w.n*int64(time.Millisecond), from, to, payload); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) close() string {
	w.t.Helper()
	if err := w.w.Flush(); err != nil {
		w.t.Fatal(err)
	}
	return w.file.Name()
}

// The two sides of a tap between two clients and a server have no address in common, and on the server's side not the
// schema's port either. They are compared flow by flow all the same: what the tap lost is what one side has alone, and
// nothing else. Two clients who send the same and get the same are not told apart, and diff says so.
func TestDiffOfTheTwoSidesOfATap(t *testing.T) {
	for _, alike := range []bool{false, true} {
		t.Run(fmt.Sprint("the same of both clients: ", alike), func(t *testing.T) { diffSides(t, alike) })
	}
}

func diffSides(t *testing.T, alike bool) {
	const n = 60
	p := startTap(t, "--drop-if", "seq % 7 == 3")
	loses := func(payload []byte) bool { return binary.BigEndian.Uint16(payload)%7 == 3 }
	listen := p.client.RemoteAddr()
	second, err := net.DialUDP("udp4", nil, listen.(*net.UDPAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if err := second.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	clients := []*net.UDPConn{p.client, second}
	near, far := newWire(t), newWire(t)
	lost := [2]int{} // on the way to the server, and to the client
	got := make([]byte, 100)
	for i := range n {
		for c, client := range clients {
			who := byte(c)
			if alike {
				who = 0
			}
			input := []byte{0, byte(i), who, byte(i % 10)}
			near.saw(client.LocalAddr(), listen, input)
			if _, err := client.Write(input); err != nil {
				t.Fatal(err)
			}
			if loses(input) {
				lost[0]++
				continue
			}
			size, relay, err := p.server.ReadFromUDP(got)
			if err != nil {
				t.Fatal(err)
			}
			far.saw(relay, p.server.LocalAddr(), got[:size])
			for range 1 + i%20/19 { // some answers are sent twice
				answer := []byte{1, byte(i), who}
				far.saw(p.server.LocalAddr(), relay, answer)
				if _, err := p.server.WriteToUDP(answer, relay); err != nil {
					t.Fatal(err)
				}
				if loses(answer) {
					lost[1]++
					continue
				}
				if size, err = client.Read(got); err != nil {
					t.Fatal(err)
				}
				near.saw(listen, client.LocalAddr(), got[:size])
			}
		}
	}
	a, b := near.close(), far.close()
	schema := t.TempDir() + "/sides.pks"
	if err := os.WriteFile(schema, fmt.Appendf(nil, sidesSchema, listen.(*net.UDPAddr).Port), 0o600); err != nil {
		t.Fatal(err)
	}
	diff := exec.Command("pktscope", "diff", "-p", schema, "-T", "json", a, b)
	var told strings.Builder
	diff.Stderr = &told
	out, _ := diff.Output() // something differs: exit 1
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	var sum struct {
		Kind         string
		Same, Differ int64
		OnlyA        int64 `json:"only_a"`
		OnlyB        int64 `json:"only_b"`
		Reordered    int
		Paired       int `json:"paired_flows"`
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &sum); err != nil || sum.Kind != "summary" {
		t.Fatalf("%v: %s\n%s", err, lines[len(lines)-1], told.String())
	}
	if lost[0] < 5 || lost[1] < 5 {
		t.Fatalf("%v are lost", lost)
	}
	if alike {
		if sum.Same+sum.Differ != 0 || sum.OnlyA != near.n || sum.OnlyB != far.n || strings.Count(told.String(), "not paired, others carry the same: ") != 2 {
			t.Errorf("%+v\n%s", sum, told.String())
		}
		return
	}
	same := near.n - int64(lost[0])
	if sum.Same != same || sum.Differ != 0 || sum.OnlyA != int64(lost[0]) || sum.OnlyB != int64(lost[1]) || sum.Reordered != 0 || sum.Paired != 4 || strings.Count(told.String(), "taken for one flow: ") != 4 {
		t.Errorf("%+v, want %d alike and what was lost, %v\n%s", sum, same, lost, told.String())
	}
}
