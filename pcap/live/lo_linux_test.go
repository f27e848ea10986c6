package live

import (
	"net"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/corpus/need"
)

// patience is how long a test waits for what must come; it is only reached by
// a failure.
const patience = 4 * time.Minute

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
	need.Job(t, need.Root)
	src, err := Open("lo", opts)
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
