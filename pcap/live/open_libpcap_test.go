//go:build libpcap && linux

package live

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/pcap"
)

// What libpcap does in another way than the socket of our own. All that they have in common is tested in
// source_linux_test.go and stop_linux_test.go, with this tag as without it:
//
//	go test -tags libpcap ./pcap/live

func TestOpenRefuses(t *testing.T) {
	isolate(t)
	open(t, Options{}).Close() // or skips
	for _, row := range []struct {
		name string
		opts Options
		want string
	}{
		{"nosuch0", Options{}, `interface "nosuch0": no such interface: want `},
		{"", Options{}, `interface "": no such interface: want `},
		{"\x1b[31m", Options{}, `interface "\x1b[31m": no such interface: want `},
		{"lo", Options{SnapLen: -1}, "snap length: want 1..262144 bytes, got -1"},
		{"lo", Options{ReceiveBuffer: 1 << 30}, "receive buffer: want 1..1073741823 bytes, got 1073741824"},
	} {
		src, err := Open(row.name, row.opts)
		if src != nil || err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("open %q %+v: want %q, got %v", row.name, row.opts, row.want, err)
		}
	}
	f, err := ReadCode(strings.NewReader("1\n40 0 0 12\n")) // does not return
	if err != nil {
		t.Fatal(err)
	}
	src, err := Open("lo", Options{Filter: f})
	if want := `interface "lo": filter: libpcap refuses code of 1 instructions: `; src != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("want %q, got %v", want, err)
	}
}

// After Stop what waits is read; libpcap tells of drops, though not exactly.
func TestStopReadsWhatWaits(t *testing.T) {
	isolate(t)
	receiver, sender := sockets(t, "127.0.0.1")
	src := open(t, Options{Filter: PortFilter(receiver.LocalAddr().(*net.UDPAddr).AddrPort().Port())})
	stopAfterPatience(t, src)
	const n = 300
	for i := range n {
		send(t, sender, fmt.Sprint("datagram ", i))
	}
	for range 2 {
		if err := src.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(time.Millisecond) // clocks have steps
	send(t, sender, "after")
	nanoseconds := false
	d := pcap.NewDatagrams(src)
	for i := 0; ; i++ {
		one, err := d.Next()
		if err == io.EOF && i == n {
			break
		}
		if want := fmt.Sprint("datagram ", i); err != nil || string(one.Payload) != want {
			t.Fatalf("want %q, got %+v, %v", want, one, err)
		}
		if one.Time%1000 != 0 {
			nanoseconds = true
		}
	}
	if !nanoseconds {
		t.Error("times are in microseconds")
	}
	if stats, err := src.Stats(); err != nil || stats.Received < n || stats.Dropped != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}
