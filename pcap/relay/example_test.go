package relay_test

import (
	"fmt"
	"log"
	"net"
	"net/netip"

	"github.com/pktscope/pktscope/pcap/relay"
)

// A relay shows what a client and its server say to each other.
func Example() {
	server, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	go func() { // it answers with what it was sent
		b := make([]byte, 1500)
		for n, from, err := server.ReadFromUDP(b); err == nil; n, from, err = server.ReadFromUDP(b) {
			_, _ = server.WriteToUDP(b[:n], from)
		}
	}()

	anyPort := netip.MustParseAddrPort("127.0.0.1:0")
	r, err := relay.Listen(anyPort, server.LocalAddr().(*net.UDPAddr).AddrPort(), func(p *relay.Packet) error {
		fmt.Printf("from the client %t: %s\n", p.FromClient, p.Data)
		return p.Forward(p.Data)
	})
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- r.Run() }()

	client, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(r.Addr()))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Write([]byte("hello")); err != nil {
		log.Fatal(err)
	}
	if _, err := client.Read(make([]byte, 1500)); err != nil {
		log.Fatal(err)
	}
	r.Close()
	fmt.Println(<-ended)
	// Output:
	// from the client true: hello
	// from the client false: hello
	// <nil>
}
