package live

import (
	"fmt"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/corpus/need"
)

// A new namespace has lo alone, which is down at first.
func TestInterfaces(t *testing.T) {
	need.Job(t, need.Root)
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		need.Skip(t, need.Root, fmt.Sprint("no network namespace: ", err))
	}
	for _, up := range []bool{false, true} {
		if up {
			setFlags(t, unix.IFF_UP)
		}
		list, err := Interfaces()
		if err != nil {
			t.Fatal(err)
		}
		var lo *Interface
		for i := range list { // some kernels make tunnels in every namespace
			if list[i].Name == "lo" {
				lo = &list[i]
			}
		}
		if lo == nil || lo.Link != "loopback" || !lo.Supported || lo.Up != up || lo.MTU < 1500 || (len(lo.Addrs) > 0) != up {
			t.Errorf("up %v: got %+v", up, list)
		}
		if up && lo != nil && lo.Addrs[0].String() != "127.0.0.1/8" {
			t.Errorf("got %v", lo.Addrs)
		}
	}
}

// Permitted says what Open does.
func TestPermitted(t *testing.T) {
	isolate(t)
	permitted := Permitted()
	src, err := Open("lo", Options{})
	if (err == nil) != (permitted == nil) {
		t.Errorf("permitted: %v, open: %v", permitted, err)
	}
	if err == nil {
		src.Close()
	}
}
