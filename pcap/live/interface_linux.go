package live

import (
	"fmt"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Interfaces lists the interfaces of this network namespace, by number. It
// needs no privilege.
func Interfaces() ([]Interface, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("interfaces: %w", err)
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("interfaces: %w", err)
	}
	defer unix.Close(fd)
	var list []Interface
	for i := range all {
		one := Interface{Name: all[i].Name, MTU: all[i].MTU, Up: all[i].Flags&net.FlagUp != 0}
		one.Link, one.Supported = linkName(fd, one.Name)
		addrs, _ := all[i].Addrs() // one that vanished meanwhile has none
		for _, a := range addrs {
			if p, err := netip.ParsePrefix(a.String()); err == nil {
				one.Addrs = append(one.Addrs, p)
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// linkName asks for the hardware type, through any socket.
func linkName(fd int, name string) (link string, supported bool) {
	req, err := unix.NewIfreq(name)
	if err == nil {
		err = unix.IoctlIfreq(fd, unix.SIOCGIFHWADDR, req)
	}
	if err != nil {
		return "unknown", false
	}
	switch hatype := req.Uint16(); hatype { // sa_family of the address
	case unix.ARPHRD_ETHER:
		return "ethernet", true
	case unix.ARPHRD_LOOPBACK:
		return "loopback", true
	case unix.ARPHRD_NONE, unix.ARPHRD_RAWIP:
		return "raw ip", true
	default:
		return fmt.Sprintf("arphrd %d", hatype), false
	}
}

// Permitted returns nil if Open may capture here and now, else an error that
// is fs.ErrPermission for errors.Is where CAP_NET_RAW is missing. It tries.
func Permitted() error {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("packet socket: %w", err)
	}
	return unix.Close(fd)
}
