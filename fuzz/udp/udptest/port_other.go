//go:build !unix

package udptest

import (
	"net"
	"net/netip"
)

// bound binds a UDP socket to a port and closes it.
func bound(at netip.AddrPort) error {
	s, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
	if err != nil {
		return err
	}
	return s.Close()
}
