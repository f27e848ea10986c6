//go:build unix

package udptest

import (
	"errors"
	"net/netip"
	"syscall"
)

// bound binds a UDP socket to a port and closes it. No program is started meanwhile: until it has begun it has the sockets
// of who starts it, too, and holds the port.
func bound(at netip.AddrPort) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	s, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	err = syscall.Bind(s, &syscall.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()})
	return errors.Join(err, syscall.Close(s))
}
