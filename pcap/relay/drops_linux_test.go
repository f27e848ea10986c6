package relay

import (
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"
)

// What the kernel drops while nobody reads the relay's socket is counted: sent is handled and missed, exactly.
func TestCountsWhatItMissed(t *testing.T) {
	var handled atomic.Int64
	goOn := make(chan struct{})
	to := netip.MustParseAddrPort("127.0.0.1:9") // nothing is sent there
	r, err := Listen(netip.MustParseAddrPort("127.0.0.1:0"), to, func(*Packet) error {
		<-goOn // as a stdout that nobody reads
		handled.Add(1)
		return nil
	})
	if err != nil {
		t.Skip("no UDP on loopback here: ", err)
	}
	client, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(r.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ended := make(chan error, 1)
	go func() { ended <- r.Run() }()
	const sent = 5000 // of more than a kilobyte: 11 MiB for a buffer of one or two
	for range sent {
		if _, err := client.Write(make([]byte, 1200)); err != nil {
			t.Fatal(err)
		}
	}
	close(goOn)
	for begun := time.Now(); handled.Load()+socketDrops(r.listen) != sent; time.Sleep(time.Millisecond) {
		if time.Since(begun) > patience {
			t.Fatalf("%d handled, %d missed, want %d in all", handled.Load(), socketDrops(r.listen), sent)
		}
	}
	go r.Close()
	r.Close()
	if err := <-ended; err != nil || r.Missed() == 0 || r.Missed() != sent-handled.Load() {
		t.Errorf("%v, %d handled, %d missed, want %d in all", err, handled.Load(), r.Missed(), sent)
	}
}
