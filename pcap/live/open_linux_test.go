//go:build !libpcap

package live

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/pcap"
)

func TestOpenRefuses(t *testing.T) {
	isolate(t)
	for _, row := range []struct {
		name string
		opts Options
		want string
	}{
		{"nosuch0", Options{}, `interface "nosuch0": no such interface: want "lo", or any for all of them`},
		{"", Options{}, `interface "": no such interface: want "lo", or any for all of them`},
		{"\x1b[31m", Options{}, `interface "\x1b[31m": no such interface: want "lo", or any for all of them`},
		{Any, Options{Promiscuous: true}, `interface "any": promiscuous mode is of one interface`},
		{Any, Options{Filter: &Filter{code: []bpf.RawInstruction{{Op: 6}}}}, `interface "any": code is of one interface`},
		{"lo", Options{SnapLen: -1}, "snap length: want 1..262144 bytes, got -1"},
		{"lo", Options{SnapLen: pcap.MaxPacket + 1}, "snap length: want 1..262144 bytes, got 262145"},
		{"lo", Options{ReceiveBuffer: -1}, "receive buffer: want 1..1073741823 bytes, got -1"},
		{"lo", Options{ReceiveBuffer: 1 << 30}, "receive buffer: want 1..1073741823 bytes, got 1073741824"},
	} {
		src, err := Open(row.name, row.opts)
		if src != nil || err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("open %q %+v: want %q, got %v", row.name, row.opts, row.want, err)
		}
	}
}

func TestOpenRefusesInterfaceThatIsDown(t *testing.T) {
	need.Job(t, need.Root)
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		need.Skip(t, need.Root, fmt.Sprint("no network namespace: ", err))
	}
	if _, err := Open("lo", Options{}); err == nil || err.Error() != `interface "lo" is down` {
		t.Errorf("got %v", err)
	}
}

// TestOpenWithoutCapability takes the right away from this thread.
func TestOpenWithoutCapability(t *testing.T) {
	need.Job(t, need.Root)
	runtime.LockOSThread()
	var none [2]unix.CapUserData // version 3 takes two
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		need.Skip(t, need.Root, fmt.Sprint("capabilities cannot be dropped: ", err))
	}
	_, err := Open("lo", Options{})
	want := `interface "lo": capturing wants CAP_NET_RAW: run as root, or once: sudo setcap cap_net_raw+ep "$(command -v pktscope)": operation not permitted`
	if !errors.Is(err, fs.ErrPermission) || err.Error() != want {
		t.Errorf("want %q, got %v", want, err)
	}
}

func TestLinkTypes(t *testing.T) {
	for hatype, want := range map[uint16]pcap.LinkType{
		unix.ARPHRD_ETHER: pcap.LinkEthernet, unix.ARPHRD_LOOPBACK: pcap.LinkEthernet,
		unix.ARPHRD_NONE: pcap.LinkRaw, unix.ARPHRD_RAWIP: pcap.LinkRaw,
	} {
		if got, err := linkType(hatype); err != nil || got != want {
			t.Errorf("arphrd %d: want %v, got %v, %v", hatype, want, got, err)
		}
	}
	if _, err := linkType(unix.ARPHRD_IEEE80211_RADIOTAP); err == nil || err.Error() != "want ethernet, loopback or raw ip, got arphrd 803" {
		t.Errorf("radiotap: got %v", err)
	}
}

// TestDropsAreCounted overflows a small buffer without reading; the counts
// survive being read, and Close.
func TestDropsAreCounted(t *testing.T) {
	isolate(t)
	src := open(t, Options{ReceiveBuffer: 1, SnapLen: 2000}) // 8 kB
	_, sender := sockets(t, "127.0.0.1")
	const n = 500
	for i := range n {
		send(t, sender, strings.Repeat("x", 1000))
		if i%100 == 0 {
			if _, err := src.Stats(); err != nil {
				t.Fatal(err)
			}
		}
	}
	stats, err := src.Stats()
	if err != nil || stats.Received < n || stats.Dropped == 0 || stats.Dropped > stats.Received {
		t.Errorf("want %d packets received, most of them dropped, got %+v, %v", n, stats, err)
	}
	if err := src.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := src.Stats()
	if err != nil || after.Received < stats.Received || after.Dropped < stats.Dropped {
		t.Errorf("after Close: want at least %+v, got %+v, %v", stats, after, err)
	}
}

// TestInterfaceGoesDown: the error says so after what arrived before, and Close still works.
func TestInterfaceGoesDown(t *testing.T) {
	need.Job(t, need.Root)
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		need.Skip(t, need.Root, fmt.Sprint("no network namespace: ", err))
	}
	setFlags(t, unix.IFF_UP)
	receiver, sender := sockets(t, "127.0.0.1")
	src := open(t, Options{Filter: PortFilter(receiver.LocalAddr().(*net.UDPAddr).AddrPort().Port())})
	stopAfterPatience(t, src)
	for range 5 {
		send(t, sender, "before")
	}
	setFlags(t, 0)
	for n := 0; ; n++ {
		_, _, err := src.ReadPacketData()
		if err == nil {
			continue
		}
		if n != 5 {
			t.Errorf("want the 5 packets from before, got %d", n)
		}
		if want := `interface "lo" went down: network is down`; err.Error() != want {
			t.Errorf("want %q, got %v", want, err)
		}
		break
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
}

// Code that the kernel does not take is an error of Open.
func TestFilterThatTheKernelRefuses(t *testing.T) {
	isolate(t)
	open(t, Options{}).Close()
	f, err := ReadCode(strings.NewReader("1\n40 0 0 12\n")) // does not return
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open("lo", Options{Filter: f})
	if want := `interface "lo": filter: the kernel refuses code of 1 instructions: invalid argument`; err == nil || err.Error() != want {
		t.Errorf("want %q, got %v", want, err)
	}
}

// After Stop what waits is read, and then every packet is accounted for: sent = read + dropped.
func TestStopLosesNothing(t *testing.T) {
	isolate(t)
	for _, buffer := range []int{0, 1} { // one that holds all, one that holds little
		receiver, sender := sockets(t, "127.0.0.1")
		src := open(t, Options{ReceiveBuffer: buffer, SnapLen: 2000, Filter: PortFilter(receiver.LocalAddr().(*net.UDPAddr).AddrPort().Port())})
		const n = 300
		for range n {
			send(t, sender, strings.Repeat("x", 500))
		}
		for range 2 {
			if err := src.Stop(); err != nil {
				t.Fatal(err)
			}
		}
		send(t, sender, "after")
		read := uint64(0)
		for {
			data, _, err := src.ZeroCopyReadPacketData()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(data) != 14+20+8+500 {
				t.Errorf("read a packet of %d bytes", len(data))
			}
			read++
		}
		stats, err := src.Stats()
		if err != nil || read+stats.Dropped != n || stats.Received != n || read == 0 || (stats.Dropped > 0) != (buffer == 1) {
			t.Errorf("buffer %d: sent %d, read %d, %+v, %v", buffer, n, read, stats, err)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
		if err := src.Stop(); err != nil {
			t.Errorf("stop after Close: %v", err)
		}
	}
}
