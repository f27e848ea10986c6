//go:build !libpcap

package live

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/gopacket"
	"golang.org/x/net/bpf"
)

func TestOpenAllRefuses(t *testing.T) {
	isolate(t)
	for _, row := range []struct {
		names []string
		opts  Options
		want  string
	}{
		{nil, Options{}, "want 1..32 interfaces, got 0"},
		{strings.Fields(strings.Repeat("lo ", 33)), Options{}, "want 1..32 interfaces, got 33"},
		{[]string{"lo", "lo"}, Options{}, `interface "lo" is named twice`},
		{[]string{"nosuch0", "lo", "nosuch0"}, Options{}, `interface "nosuch0" is named twice`},
		{[]string{"lo", Any}, Options{}, `interface "any" has all interfaces: name no other beside it`},
		{[]string{Any, Any}, Options{}, `interface "any" has all interfaces: name no other beside it`},
		{[]string{"\x1b[31m"}, Options{}, `interface "\x1b[31m": no such interface`},
		{[]string{"lo"}, Options{SnapLen: -1}, "snap length: want 1..262144 bytes, got -1"},
		{[]string{Any}, Options{Filter: &Filter{code: []bpf.RawInstruction{{Op: 6}}}}, `interface "any": code is of one interface`},
	} {
		src, err := OpenAll(row.names, row.opts)
		if src != nil || err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%q %+v: want %q, got %v", row.names, row.opts, row.want, err)
		}
	}
}

// What is settled depends on when the others were silent, by the clock of packets or by ours, whichever comes first.
func TestSettled(t *testing.T) {
	begin := time.Now()
	at := func(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }
	packet := func(stamp, came int) head {
		return head{data: []byte{1}, ci: gopacket.CaptureInfo{Timestamp: at(stamp).Round(0)}, came: at(came)}
	}
	for _, row := range []struct {
		name string
		next head
		then []head
		want bool
	}{
		{"no other", packet(0, 5), nil, true},
		{"one that came later", packet(0, 5), []head{packet(1, 5)}, true},
		{"one that has ended", packet(0, 5), []head{{ended: true}}, true},
		{"silent for too short", packet(0, 10), []head{{silent: at(49)}}, false},
		{"silent for long", packet(0, 10), []head{{silent: at(50)}}, true},
		{"one of two silent", packet(0, 10), []head{{silent: at(50)}, {silent: at(40)}}, false},
		{"never looked at", packet(0, 10), []head{{}}, false},
		{"the clock was set back", packet(3_600_000, 10), []head{{silent: at(59)}}, false},
		{"the clock was set back, and nothing came", packet(3_600_000, 10), []head{{silent: at(60)}}, true},
	} {
		s := &Sources{heads: append([]head{row.next}, row.then...)}
		if got := s.settled(0); got != row.want {
			t.Errorf("%s: got %v", row.name, got)
		}
	}
}

// One interface through Sources is that interface, with its account.
func TestSourcesOfOne(t *testing.T) {
	isolate(t)
	open(t, Options{}).Close() // or skips
	receiver, sender := sockets(t, "127.0.0.1")
	defer receiver.Close()
	var port uint16
	if _, err := fmt.Sscanf(sender.RemoteAddr().String(), "127.0.0.1:%d", &port); err != nil {
		t.Fatal(err)
	}
	src, err := OpenAll([]string{"lo"}, Options{Filter: PortFilter(port)})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	const n = 20
	for range n {
		send(t, sender, "x")
	}
	if err := src.Stop(); err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		_, ci, err := src.ZeroCopyReadPacketData()
		if err == io.EOF && i == n {
			break
		}
		if err != nil || ci.InterfaceIndex != 0 {
			t.Fatalf("packet %d: %v, %+v", i+1, err, ci)
		}
	}
	list, err := src.Accounts()
	if err != nil || len(list) != 1 || list[0].Name != "lo" || list[0].Received != n || Sum(list).Received != n {
		t.Errorf("%+v, %v", list, err)
	}
}
