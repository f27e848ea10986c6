package udp

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// Resolve finds the address of HOST:PORT, once, and judges the address, whatever the name says: loopback, or the one
// address that the user is authorised to test. Never one that many listen on.
func Resolve(ctx context.Context, hostPort string, authorised netip.Addr) (netip.AddrPort, error) {
	host, portText, err := net.SplitHostPort(hostPort)
	if err != nil || host == "" {
		return netip.AddrPort{}, fmt.Errorf("udp:%s: want udp:HOST:PORT", hostPort)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return netip.AddrPort{}, fmt.Errorf("udp:%s: want a port, 1..65535", hostPort)
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		list, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		if err != nil || len(list) == 0 {
			return netip.AddrPort{}, fmt.Errorf("udp:%s: no address of that name", hostPort)
		}
		addr = list[0]
	}
	addr = addr.Unmap()
	if err := permitted(addr, authorised.Unmap(), broadcasts()); err != nil {
		return netip.AddrPort{}, fmt.Errorf("udp:%s: %w", hostPort, err)
	}
	return netip.AddrPortFrom(addr, uint16(port)), nil
}

// permitted says why an address may not be attacked, nil when it may.
func permitted(addr, authorised netip.Addr, broadcast []netip.Addr) error {
	if addr.IsMulticast() || addr.IsUnspecified() || addr == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
		return fmt.Errorf("%s is not the address of one host", addr)
	}
	for _, b := range broadcast {
		if addr == b {
			return fmt.Errorf("%s is a network's broadcast address", addr)
		}
	}
	if addr.IsLoopback() || addr == authorised {
		return nil
	}
	return &ElsewhereError{addr}
}

// ElsewhereError is the error of an address that is neither loopback nor the authorised one.
type ElsewhereError struct{ Addr netip.Addr }

// Error names the address.
func (e *ElsewhereError) Error() string { return e.Addr.String() + " is not loopback" }

// broadcasts are the broadcast addresses of the networks that this host is in.
func broadcasts() []netip.Addr {
	var all []netip.Addr
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		p, err := netip.ParsePrefix(a.String())
		if err != nil || !p.Addr().Is4() || p.Bits() >= 31 {
			continue
		}
		b := p.Addr().As4()
		for i := p.Bits(); i < 32; i++ {
			b[i/8] |= 0x80 >> (i % 8)
		}
		all = append(all, netip.AddrFrom4(b))
	}
	return all
}
