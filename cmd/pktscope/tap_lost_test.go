//go:build linux

package main

import (
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"
)

// What the kernel drops while nobody reads the relay's socket is counted: sent is handled and missed, exactly.
func TestRelayCountsWhatItMissed(t *testing.T) {
	to := netip.MustParseAddrPort("127.0.0.1:9") // nothing is sent there
	r, err := newRelay(netip.MustParseAddrPort("127.0.0.1:0"), to)
	if err != nil {
		t.Skip("no UDP on loopback here: ", err)
	}
	client, err := net.DialUDP("udp4", nil, r.listen.LocalAddr().(*net.UDPAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var handled atomic.Int64
	goOn := make(chan struct{})
	r.handle = func(_ bool, _ netip.AddrPort, _ []byte, _ func([]byte) error) error {
		<-goOn // as a stdout that nobody reads
		handled.Add(1)
		return nil
	}
	ended := make(chan error, 1)
	go func() { ended <- r.run() }()
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
	go r.close()
	r.close()
	if err := <-ended; err != nil || r.missed.Load() == 0 || r.missed.Load() != sent-handled.Load() {
		t.Errorf("%v, %d handled, %d missed, want %d in all", err, handled.Load(), r.missed.Load(), sent)
	}
}
