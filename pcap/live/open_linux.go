//go:build !libpcap

package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/pcap"
)

// Open starts a capture on the interface called name, or on all of them, those
// to come as well, for Any.
//
// The error tells which interfaces there are when there is none of that name,
// and what to do when CAP_NET_RAW is missing (then it is fs.ErrPermission for
// errors.Is).
func Open(name string, opts Options) (*Source, error) {
	opts, err := opts.checked()
	if err != nil {
		return nil, err
	}
	if opts.Rings > 1 {
		return nil, fmt.Errorf("interface %q: want 1 ring for one Source, got %d: see OpenAll", name, opts.Rings)
	}
	return openSource(name, opts, false)
}

// openSource opens one socket with its ring. One that is muted gets no packets until listen.
func openSource(name string, opts Options, muted bool) (*Source, error) {
	var err error
	ifc, kind := &net.Interface{Name: Any}, unix.SOCK_DGRAM // headers of all kinds: the kernel gives packets from IP on
	if name == Any {
		if opts.Promiscuous {
			return nil, fmt.Errorf("interface %q: promiscuous mode is of one interface", name)
		}
		if opts.Filter != nil && opts.Filter.code != nil {
			return nil, fmt.Errorf("interface %q: code is of one interface, whose headers it knows: want terms", name)
		}
	} else if ifc, err = findInterface(name); err != nil {
		return nil, err
	} else {
		kind = unix.SOCK_RAW
	}
	// Protocol 0: nothing is delivered before bind names the interface, so
	// no packet of another one can slip in.
	fd, err := unix.Socket(unix.AF_PACKET, kind|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		if errors.Is(err, os.ErrPermission) {
			return nil, fmt.Errorf("interface %q: capturing wants CAP_NET_RAW: run as root, or once: "+
				`sudo setcap cap_net_raw+ep "$(command -v pktscope)": %w`, name, err)
		}
		return nil, fmt.Errorf("interface %q: packet socket: %w", name, err)
	}
	s, err := start(fd, ifc, opts, muted)
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	s.file = os.NewFile(uintptr(fd), "packet socket")
	// Only a descriptor in the poller takes deadlines; outside of it Close
	// would not wake a read.
	err = s.file.SetReadDeadline(time.Time{})
	if err == nil {
		s.raw, err = s.file.SyscallConn()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("interface %q: poller: %w", name, err), s.ring.unmap(), s.file.Close())
	}
	return s, nil
}

// findInterface looks name up, and lists what there is if it is missing.
// Names are quoted: the kernel allows control bytes in them.
func findInterface(name string) (*net.Interface, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("interfaces: %w", err)
	}
	var names []string
	for i := range all {
		if all[i].Name == name {
			if all[i].Flags&net.FlagUp == 0 {
				return nil, fmt.Errorf("interface %q is down", name)
			}
			return &all[i], nil
		}
		names = append(names, strconv.Quote(all[i].Name))
	}
	return nil, fmt.Errorf("interface %q: no such interface: want %s, or any for all of them", name, strings.Join(names, ", "))
}

// start sets the socket up and binds it, from when on packets arrive, unless it is muted.
func start(fd int, ifc *net.Interface, opts Options, muted bool) (*Source, error) {
	fail := func(what string, err error) (*Source, error) {
		return nil, fmt.Errorf("interface %q: %s: %w", ifc.Name, what, err)
	}
	loopback := ifc.Flags&net.FlagLoopback != 0
	if loopback {
		// Spares the buffer the copies that reading skips anyway; kernels
		// before 4.20 lack it, so its failure is no error.
		_ = unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1)
	}
	if opts.Promiscuous {
		// A membership, unlike the interface's flag, ends with the socket.
		mreq := unix.PacketMreq{Ifindex: int32(ifc.Index), Type: unix.PACKET_MR_PROMISC}
		if err := unix.SetsockoptPacketMreq(fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &mreq); err != nil {
			return fail("promiscuous mode", err)
		}
	}
	// Bound with protocol 0 the socket knows its interface but gets nothing
	// yet, so the filter is there before the first packet is.
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Ifindex: ifc.Index}); err != nil {
		return fail("bind", err)
	}
	addr, err := unix.Getsockname(fd)
	if err != nil {
		return fail("hardware type", err)
	}
	ll, ok := addr.(*unix.SockaddrLinklayer)
	if !ok {
		return fail("hardware type", unix.EAFNOSUPPORT)
	}
	link := pcap.LinkSLL2
	if ifc.Index != 0 {
		if link, err = linkType(ll.Hatype); err != nil {
			return fail("hardware type", err)
		}
	}
	var code []bpf.RawInstruction
	if opts.Filter != nil {
		if code, err = opts.Filter.assemble(link); err == nil {
			err = attach(fd, code)
		}
		if err != nil {
			return fail("filter: the kernel refuses "+opts.Filter.String(), err)
		}
	}
	if muted {
		if err := attach(fd, nothing); err != nil {
			return fail("filter", err)
		}
	}
	segmented := ifc.Index != 0 && askForSegments(fd)
	packets, err := newRing(fd, opts.SnapLen, opts.ReceiveBuffer)
	if err != nil {
		return fail("packet ring", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: networkOrder(unix.ETH_P_ALL), Ifindex: ifc.Index}); err != nil {
		return fail("bind", errors.Join(err, packets.unmap()))
	}
	s := &Source{name: ifc.Name, snapLen: opts.SnapLen, link: link, loopback: loopback, ring: packets, code: code}
	if opts.Filter != nil {
		s.filter = opts.Filter.String()
	}
	s.poll, s.block.vnet = s.take, segmented
	return s, nil
}

// nothing is a filter that lets no packet through: ret #0.
var nothing = []bpf.RawInstruction{{Op: 6}}

// attach sets the filter of a packet socket, in place of the one before.
func attach(fd int, code []bpf.RawInstruction) error {
	raw := make([]unix.SockFilter, len(code))
	for i, c := range code {
		raw[i] = unix.SockFilter{Code: c.Op, Jt: c.Jt, Jf: c.Jf, K: c.K}
	}
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(raw)), Filter: &raw[0]})
}

// linkType is what packets of an interface of the given ARPHRD type begin
// with.
func linkType(hatype uint16) (pcap.LinkType, error) {
	switch hatype {
	case unix.ARPHRD_ETHER, unix.ARPHRD_LOOPBACK: // lo has Ethernet headers, of zeros
		return pcap.LinkEthernet, nil
	case unix.ARPHRD_NONE, unix.ARPHRD_RAWIP: // tun, WireGuard, mobile modems
		return pcap.LinkRaw, nil
	}
	return 0, fmt.Errorf("want ethernet, loopback or raw ip, got arphrd %d", hatype)
}

// networkOrder is htons.
func networkOrder(v uint16) uint16 {
	return binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, v))
}
