package udptest_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/fuzz/udp/udptest"
)

// A server can listen on the port, die and listen on it again.
func ExamplePort() {
	at, release, err := udptest.Port()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer release()
	for range 2 {
		server, err := net.ListenPacket("udp", at.String())
		if err != nil {
			fmt.Println(err)
			return
		}
		server.Close()
	}
	fmt.Println(at.Addr())
	// Output: 127.0.0.1
}

// No two callers have one port at a time.
func TestPortIsOneCallers(t *testing.T) {
	seen := map[uint16]bool{}
	for range 300 {
		at, release, err := udptest.Port()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(release)
		if seen[at.Port()] {
			t.Fatalf("port %d twice", at.Port())
		}
		seen[at.Port()] = true
	}
}

// A server can listen on the port at once, also while other programs are started.
func TestPortIsFree(t *testing.T) {
	start := func() {
		if err := exec.Command(os.Args[0], "-test.run", "^$").Run(); err != nil {
			t.Error(err)
		}
	}
	start() // the first start of a process looks by another start what the kernel can do
	by := time.Now().Add(need.Rounds(time.Second, 200*time.Millisecond))
	var starting sync.WaitGroup
	for range 4 {
		starting.Go(func() {
			for time.Now().Before(by) {
				start()
			}
		})
	}
	for time.Now().Before(by) {
		at, release, err := udptest.Port()
		if err != nil {
			t.Error(err)
			break
		}
		server, err := net.ListenPacket("udp", at.String())
		release()
		if err != nil {
			t.Error(err)
			break
		}
		server.Close()
	}
	starting.Wait()
}
