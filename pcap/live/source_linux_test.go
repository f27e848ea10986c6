package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/pcap"
)

var _ pcap.PacketSource = (*Source)(nil)

// patience is how long a test waits for what must come; it is only reached by
// a failure.
const patience = 20 * time.Second

// isolate moves the test's goroutine into a network namespace of its own with
// lo up, so that nobody else's packets are seen. Without the right to do so the
// test goes on with the host's lo, where the tests tell their packets by port.
func isolate(t testing.TB) {
	t.Helper()
	runtime.LockOSThread() // never unlocked: the thread dies with the test
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return
	}
	setFlags(t, unix.IFF_UP)
}

// open opens lo, or skips the test.
func open(t testing.TB, opts Options) *Source {
	t.Helper()
	src, err := Open("lo", opts)
	if errors.Is(err, fs.ErrPermission) {
		t.Skipf("live capture is not permitted here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

// sockets returns a receiver on a random port of host and a sender to it.
func sockets(t testing.TB, host string) (receiver *net.UDPConn, sender net.Conn) {
	t.Helper()
	receiver, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.ParseIP(host)})
	if err != nil {
		t.Skipf("no UDP on %s here: %v", host, err)
	}
	t.Cleanup(func() { receiver.Close() })
	sender, err = net.Dial("udp", receiver.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sender.Close() })
	return receiver, sender
}

func send(t testing.TB, c net.Conn, payload string) {
	t.Helper()
	if _, err := c.Write([]byte(payload)); err != nil {
		t.Fatal(err)
	}
}

// stopAfterPatience closes src when the test hangs, so that reads return.
func stopAfterPatience(t testing.TB, src *Source) {
	timer := time.AfterFunc(patience, func() { src.Close() })
	t.Cleanup(func() { timer.Stop() })
}

func TestOpenRefuses(t *testing.T) {
	isolate(t)
	for _, row := range []struct {
		name string
		opts Options
		want string
	}{
		{"nosuch0", Options{}, `interface "nosuch0": none of that name, there are "lo"`},
		{"", Options{}, `interface "": none of that name, there are "lo"`},
		{"\x1b[31m", Options{}, `interface "\x1b[31m": none of that name, there are "lo"`},
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
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skipf("no network namespace here: %v", err)
	}
	if _, err := Open("lo", Options{}); err == nil || err.Error() != `interface "lo" is down` {
		t.Errorf("got %v", err)
	}
}

// TestOpenWithoutCapability takes the right away from this thread.
func TestOpenWithoutCapability(t *testing.T) {
	runtime.LockOSThread()
	var none [2]unix.CapUserData // version 3 takes two
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		t.Skipf("capabilities cannot be dropped here: %v", err)
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

// TestEachDatagramOnce sends datagrams and then one that ends the test.
func TestEachDatagramOnce(t *testing.T) {
	isolate(t)
	for _, host := range []string{"127.0.0.1", "::1"} {
		src := open(t, Options{})
		stopAfterPatience(t, src)
		receiver, sender := sockets(t, host)
		before := time.Now()
		const n = 100
		for i := range n {
			send(t, sender, fmt.Sprint("datagram ", i))
		}
		send(t, sender, "end")
		from, to := sender.LocalAddr().(*net.UDPAddr).AddrPort(), receiver.LocalAddr().(*net.UDPAddr).AddrPort()
		d := pcap.NewDatagrams(src)
		var got []string
		for {
			dg, err := d.Next()
			if err != nil {
				t.Fatalf("%s: after %d datagrams: %v", host, len(got), err)
			}
			if dg.Src != from || dg.Dst != to {
				continue
			}
			if string(dg.Payload) == "end" {
				break
			}
			if dg.Cut || dg.LengthMismatch || dg.Interface != 0 {
				t.Errorf("%s: got %+v", host, dg)
			}
			if age := dg.Time - before.UnixNano(); age < -int64(time.Second) || age > int64(patience) {
				t.Errorf("%s: time is %v from now", host, time.Duration(age))
			}
			got = append(got, string(dg.Payload))
		}
		for i := range n {
			if i >= len(got) || got[i] != fmt.Sprint("datagram ", i) {
				t.Fatalf("%s: want %d datagrams once and in order, got %q", host, n, got)
			}
		}
		src.Close()
	}
}

// TestSnapLen keeps the headers and four bytes.
func TestSnapLen(t *testing.T) {
	isolate(t)
	src := open(t, Options{SnapLen: 14 + 20 + 8 + 4, Promiscuous: true})
	stopAfterPatience(t, src)
	receiver, sender := sockets(t, "127.0.0.1")
	send(t, sender, "more than four")
	to := receiver.LocalAddr().(*net.UDPAddr).AddrPort()
	for d := pcap.NewDatagrams(src); ; {
		dg, err := d.Next()
		if err != nil {
			t.Fatal(err)
		}
		if dg.Dst != to {
			continue
		}
		if string(dg.Payload) != "more" || !dg.Cut || dg.WireLen != 14+20+8+14 {
			t.Errorf("got %+v", dg)
		}
		return
	}
}

// TestTagIsPutBack sends a frame with a VLAN tag; the kernel takes the tag out
// before we are given the frame.
func TestTagIsPutBack(t *testing.T) {
	isolate(t)
	src := open(t, Options{})
	stopAfterPatience(t, src)
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	lo, err := net.InterfaceByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	for _, types := range [][]uint16{{0x8100, 5<<13 | 42, 0x0800}, {0x88a8, 7, 0x8100, 9, 0x0800}} {
		frame := make([]byte, macsLen)
		for _, v := range types {
			frame = binary.BigEndian.AppendUint16(frame, v)
		}
		frame = append(frame, 0x45, 0, 0, 20+8+3, 0, 0, 0, 0, 64, 17, 0, 0, 10, 9, 8, 7, 10, 9, 8, 6)
		frame = append(frame, 0x12, 0x34, 0x56, 0x78, 0, 8+3, 0, 0, 't', 'a', 'g')
		if err := unix.Sendto(fd, frame, 0, &unix.SockaddrLinklayer{Protocol: networkOrder(types[0]), Ifindex: lo.Index}); err != nil {
			t.Fatal(err)
		}
		for {
			data, ci, err := src.ReadPacketData()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(string(data), "tag") {
				continue
			}
			if string(data) != string(frame) || ci.Length != len(frame) || ci.CaptureLength != len(frame) {
				t.Errorf("want %x, got %x, %+v", frame, data, ci)
			}
			break
		}
	}
}

// TestCloseWakesRead closes at various moments of a read that gets nothing.
func TestCloseWakesRead(t *testing.T) {
	isolate(t)
	for i := range 20 {
		src := open(t, Options{})
		done := make(chan error)
		go func() {
			for {
				if _, _, err := src.ZeroCopyReadPacketData(); err != nil {
					done <- err
					return
				}
			}
		}()
		time.Sleep(time.Duration(i%4) * 5 * time.Millisecond)
		closed := make(chan error)
		for range 2 {
			go func() { closed <- src.Close() }()
		}
		for range 3 {
			select {
			case err := <-done:
				if err != io.EOF {
					t.Fatalf("read: want io.EOF, got %v", err)
				}
			case err := <-closed:
				if err != nil {
					t.Fatalf("close: %v", err)
				}
			case <-time.After(patience):
				t.Fatal("a blocked read did not return after Close")
			}
		}
		if _, _, err := src.ReadPacketData(); err != io.EOF {
			t.Errorf("read after Close: want io.EOF, got %v", err)
		}
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

func openDescriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(list)
}

// TestNothingLeaks opens and closes 60 times, reading in between.
func TestNothingLeaks(t *testing.T) {
	isolate(t)
	open(t, Options{}).Close() // the poller's own descriptors come now
	fds, goroutines := openDescriptors(t), runtime.NumGoroutine()
	for range 60 {
		src, err := Open("lo", Options{SnapLen: 100})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				if _, _, err := src.ZeroCopyReadPacketData(); err != nil {
					return
				}
			}
		}()
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
		<-done
		if _, err := Open("nosuch0", Options{}); err == nil {
			t.Fatal("opened what is not there")
		}
	}
	if got := openDescriptors(t); got > fds {
		t.Errorf("descriptors: %d before, %d after", fds, got)
	}
	// A goroutine may be counted for a moment after it closed done.
	for end := time.Now().Add(patience); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("goroutines: %d before, %d after", goroutines, runtime.NumGoroutine())
		}
	}
}

// TestInterfaceGoesDown: the error says so behind what arrived before, and Close still works.
func TestInterfaceGoesDown(t *testing.T) {
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skipf("no network namespace here: %v", err)
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

// TestReadsDoNotAllocate sends and reads one datagram at a time.
func TestReadsDoNotAllocate(t *testing.T) {
	isolate(t)
	src := open(t, Options{})
	stopAfterPatience(t, src)
	receiver, sender := sockets(t, "127.0.0.1")
	to := receiver.LocalAddr().(*net.UDPAddr).AddrPort()
	d := pcap.NewDatagrams(src)
	payload := []byte("payload")
	n := testing.AllocsPerRun(50, func() {
		if _, err := sender.Write(payload); err != nil {
			t.Fatal(err)
		}
		for {
			dg, err := d.Next()
			if err != nil {
				t.Fatal(err)
			}
			if dg.Dst == to {
				return
			}
		}
	})
	if n != 0 {
		t.Errorf("want 0 allocations per packet, got %v", n)
	}
}

// setFlags sets the flags of lo.
func setFlags(t testing.TB, flags uint16) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	req.SetUint16(flags)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req); err != nil {
		t.Fatal(err)
	}
}
