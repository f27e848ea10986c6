//go:build libpcap && !linux

package live

import (
	"fmt"
	"net"
	"net/netip"

	libpcap "github.com/google/gopacket/pcap"
)

// Interfaces lists the interfaces as libpcap does.
func Interfaces() ([]Interface, error) {
	all, err := libpcap.FindAllDevs()
	if err != nil {
		return nil, fmt.Errorf("interfaces: %w", err)
	}
	const loopback, up = 1, 2 // PCAP_IF_LOOPBACK, PCAP_IF_UP
	var list []Interface
	for _, one := range all {
		i := Interface{Name: one.Name, Link: "unknown", Supported: true, Up: one.Flags&up != 0}
		if one.Flags&loopback != 0 {
			i.Link = "loopback"
		}
		if known, err := net.InterfaceByName(one.Name); err == nil {
			i.MTU, i.Up = known.MTU, known.Flags&net.FlagUp != 0
		}
		for _, a := range one.Addresses {
			addr, ok := netip.AddrFromSlice(a.IP)
			if ones, bits := a.Netmask.Size(); ok && bits == addr.BitLen() {
				i.Addrs = append(i.Addrs, netip.PrefixFrom(addr, ones))
			}
		}
		list = append(list, i)
	}
	return list, nil
}

// Permitted returns nil if Open may capture here and now, else an error that
// is fs.ErrPermission for errors.Is where the right is missing. It tries the
// first interface that is up.
func Permitted() error {
	list, err := Interfaces()
	if err != nil {
		return err
	}
	opts, err := Options{}.checked()
	if err != nil {
		return err
	}
	for _, one := range list {
		if !one.Up {
			continue
		}
		handle, err := activate(one.Name, opts)
		if err != nil {
			return err
		}
		handle.Close()
		return nil
	}
	return fmt.Errorf("no interface is up")
}
