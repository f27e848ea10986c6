package live

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/pcap"
)

// What another goroutine sends all the while is not read through a filter for one port: neither what came before the
// filter was set nor what comes after.
func TestFilterFromTheFirstPacketOn(t *testing.T) {
	isolate(t)
	_, other := sockets(t, "127.0.0.1")
	wanted, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer wanted.Close()
	port := uint16(wanted.LocalAddr().(*net.UDPAddr).Port)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for end := time.Now().Add(patience); time.Now().Before(end); {
			select {
			case <-done:
				return
			default:
				_, _ = other.Write([]byte("not this"))
				time.Sleep(50 * time.Microsecond)
			}
		}
	}()
	defer func() { close(done); <-ended }()
	for range 10 {
		src := open(t, Options{Filter: PortFilter(port)})
		stopAfterPatience(t, src)
		conn, err := net.DialUDP("udp", nil, wanted.LocalAddr().(*net.UDPAddr))
		if err != nil {
			t.Fatal(err)
		}
		send(t, conn, "this")
		conn.Close()
		d, err := pcap.NewDatagrams(src).Next()
		if err != nil {
			t.Fatal(err)
		}
		if string(d.Payload) != "this" || d.N != 1 {
			t.Errorf("packet %d is %q", d.N, d.Payload)
		}
		src.Close()
	}
}

// A filter that keeps 60 bytes cuts the packet, which still has its length.
func TestFilterThatCuts(t *testing.T) {
	isolate(t)
	f, err := ReadCode(strings.NewReader("1\n6 0 0 46\n"))
	if err != nil {
		t.Fatal(err)
	}
	src := open(t, Options{Filter: f})
	stopAfterPatience(t, src)
	receiver, sender := sockets(t, "127.0.0.1")
	send(t, sender, "more than four")
	for d := pcap.NewDatagrams(src); ; {
		dg, err := d.Next()
		if err != nil {
			t.Fatal(err)
		}
		if dg.Dst != receiver.LocalAddr().(*net.UDPAddr).AddrPort() {
			continue
		}
		if string(dg.Payload) != "more" || !dg.Cut || dg.Size != 14 || dg.WireLen != 14+20+8+14 {
			t.Errorf("got %+v", dg)
		}
		return
	}
}

// Stop wakes a read that waits.
func TestStopWakesRead(t *testing.T) {
	isolate(t)
	for i := range 12 {
		src := open(t, Options{Filter: PortFilter(1)})
		done := make(chan error, 1)
		go func() {
			_, _, err := src.ZeroCopyReadPacketData()
			done <- err
		}()
		time.Sleep(time.Duration(i%4) * time.Millisecond)
		if err := src.Stop(); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-done:
			if err != io.EOF {
				t.Fatalf("want io.EOF, got %v", err)
			}
		case <-time.After(patience):
			t.Fatal("a blocked read did not return after Stop")
		}
		src.Close()
	}
}
