// Package udptest is for tests that start servers.
package udptest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
)

// Ports of Port lie below those that Linux, macOS and Windows give to sockets that ask for none, from 32768.
const (
	firstPort = 10000
	ports     = 20000
	tries     = 100
)

// Port is a port of 127.0.0.1 that a server under test can listen on, die, and listen on again until release: no socket
// that asks for any port is given it, and no other caller of Port, of whatever process, since Port listens on the same
// port of TCP.
func Port() (at netip.AddrPort, release func(), err error) {
	for range tries {
		at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(firstPort+rand.IntN(ports)))
		mark, listenErr := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at))
		if err = listenErr; err != nil {
			continue
		}
		if err = bound(at); err != nil {
			err = errors.Join(err, mark.Close())
			continue
		}
		return at, func() { _ = mark.Close() }, nil
	}
	return at, nil, fmt.Errorf("no port of %d tried is free: %w", tries, err)
}
