package filter

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// ParsePeer reads whom Follow follows: an address with a port, 10.0.0.7:4124 or [fd00::7]:4124, or an address with all its
// ports, whose Port is 0.
func ParsePeer(text string) (netip.AddrPort, error) {
	peer, err := netip.ParseAddrPort(text)
	if err != nil {
		var addr netip.Addr
		addr, err = netip.ParseAddr(text)
		peer = netip.AddrPortFrom(addr, 0)
	} else if peer.Port() == 0 {
		err = errors.New("port 0")
	}
	if err != nil || peer.Addr().Zone() != "" {
		return netip.AddrPort{}, errors.New("want an address, or one with its port, such as 10.0.0.7 or 10.0.0.7:4124 or [fd00::7]:4124")
	}
	return peer, nil
}

// Follow is a filter of the packets that a peer sent or was sent, of those that the filter before lets through; "" is all.
// Before has to compile by itself.
func Follow(peer netip.AddrPort, before string) string {
	text := fmt.Sprintf("(pkt.src == %q || pkt.dst == %[1]q)", peer)
	if peer.Port() == 0 {
		text = fmt.Sprintf("(pkt.src_ip == %q || pkt.dst_ip == %[1]q)", peer.Addr())
	}
	if before == "" {
		return text
	}
	end := ")"
	if strings.Contains(before, "//") { // its comment ends with the line
		end = "\n)"
	}
	return "(" + before + end + " && " + text
}
