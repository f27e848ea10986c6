package relay

import (
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"
)

// patience is how long a test waits for what must come; it is only reached by a failure.
const patience = 20 * time.Second

// A relay serves MaxClients clients and no more; each gets its own answers.
func TestClientsAreBounded(t *testing.T) {
	server, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Skip("no UDP on loopback here: ", err)
	}
	defer server.Close()
	go func() { // an echo; ends when server closes
		b := make([]byte, 100)
		for {
			n, from, err := server.ReadFromUDP(b)
			if err != nil {
				return
			}
			_, _ = server.WriteToUDP(b[:n], from)
		}
	}()
	r, err := Listen(netip.MustParseAddrPort("127.0.0.1:0"), server.LocalAddr().(*net.UDPAddr).AddrPort(), func(p *Packet) error {
		return p.Forward(p.Data)
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- r.Run() }()
	ask := func(c *net.UDPConn, i int) error {
		want := fmt.Sprint("client ", i)
		if _, err := c.Write([]byte(want)); err != nil {
			return err
		}
		b := make([]byte, 100)
		n, err := c.Read(b)
		if err == nil && string(b[:n]) != want {
			err = fmt.Errorf("got %q", b[:n])
		}
		return err
	}
	for i := range MaxClients + 1 {
		c, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(r.Addr()))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		wait := patience
		if i == MaxClients {
			wait = 50 * time.Millisecond // there is no answer
		}
		_ = c.SetDeadline(time.Now().Add(wait))
		if err := ask(c, i); (err == nil) != (i < MaxClients) {
			t.Fatalf("client %d: %v", i, err)
		}
	}
	r.Close()
	r.Close()
	if err := <-ended; err != nil || r.Crowded() != 1 || len(r.clients) != 0 {
		t.Errorf("%v, %d crowded, %d clients left", err, r.Crowded(), len(r.clients))
	}
}

// A rate is of each second.
func TestRate(t *testing.T) {
	r, now, beyond := rate{most: 10}, time.Unix(1, 0), 0
	for range 30 { // a packet each 50 ms: 20 in a second
		if r.exceeds(now) {
			beyond++
		}
		now = now.Add(50 * time.Millisecond)
	}
	if beyond != 10 {
		t.Errorf("%d beyond the rate, want 10", beyond)
	}
}
