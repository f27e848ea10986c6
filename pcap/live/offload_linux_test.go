//go:build !libpcap

package live

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/pcap"
)

// TestSegments sends datagrams that the kernel handles as one, and expects each of them as it was sent. GRO puts none
// together on lo.
func TestSegments(t *testing.T) {
	isolate(t)
	for _, host := range []string{"127.0.0.1", "::1"} {
		src := open(t, Options{})
		stopAfterPatience(t, src)
		if !src.block.vnet {
			t.Skip("this kernel does not tell how long the datagrams are that it handles as one")
		}
		receiver, sender := sockets(t, host)
		raw, err := sender.(*net.UDPConn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		segment := func(size int) {
			t.Helper()
			if e := raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_SEGMENT, size) }); e != nil || err != nil {
				t.Skip("no UDP_SEGMENT here: ", e, err)
			}
		}
		var sent []string
		for _, row := range []struct{ size, all int }{{29, 290}, {29, 300}, {1000, 20_001}, {1472, 1472}, {8, 64 * 8}} {
			segment(row.size)
			payload := make([]byte, row.all)
			for i := range payload {
				payload[i] = byte(rand.Uint32())
			}
			send(t, sender, string(payload))
			for at := 0; at < row.all; at += row.size {
				sent = append(sent, string(payload[at:min(at+row.size, row.all)]))
			}
		}
		segment(0)
		send(t, sender, "end")
		buf := make([]byte, 1<<16)
		for i := range sent {
			if n, err := receiver.Read(buf); err != nil || string(buf[:n]) != sent[i] {
				t.Fatalf("%s: the receiver got %d bytes as datagram %d, %v", host, n, i, err)
			}
		}
		from := sender.LocalAddr().(*net.UDPAddr).AddrPort()
		for d := pcap.NewDatagrams(src); ; {
			dg, err := d.Next()
			if err != nil {
				t.Fatal(err)
			}
			if dg.Src != from {
				continue
			}
			if string(dg.Payload) == "end" {
				break
			}
			if len(sent) == 0 || string(dg.Payload) != sent[0] || dg.Cut || dg.LengthMismatch {
				t.Fatalf("%s: %d datagrams left, got %d bytes, %+v", host, len(sent), len(dg.Payload), dg.Cut)
			}
			sent = sent[1:]
		}
		if len(sent) > 0 {
			t.Errorf("%s: %d datagrams did not come", host, len(sent))
		}
		src.Close()
	}
}

// merged is a block with a frame of merged datagrams, and what the kernel says of them.
func merged(frame []byte, kind byte, size, checksum int) []byte {
	const net = frameMAC + 14
	b := blockOf(string(frame))
	at := blockHeader
	binary.NativeEndian.PutUint16(b[at+packetNet:], net)
	vnet := b[at+frameMAC-vnetLen:]
	vnet[1] = kind
	binary.NativeEndian.PutUint16(vnet[4:], uint16(size))
	if checksum > 0 {
		vnet[0] = needsChecksum
		binary.NativeEndian.PutUint16(vnet[6:], uint16(checksum))
	}
	return b
}

// TestSegmentsOfBlock: what comes of a merged packet, by what the kernel says of it; and what is no such packet stays.
func TestSegmentsOfBlock(t *testing.T) {
	frame := func(src, dst string, payload string) []byte {
		b, err := pcap.AppendUDP(nil, netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst), []byte(payload))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	v4, v6 := frame("10.0.0.1:1", "10.0.0.2:2", "aaabbbc"), frame("[fd00::1]:1", "[fd00::2]:2", "aaabbbc")
	other := func(f func(b []byte)) []byte {
		b := append([]byte(nil), v4...)
		f(b)
		return b
	}
	const whole = "[aaabbbc]"
	for _, row := range []struct {
		name     string
		frame    []byte
		kind     byte
		size     int
		checksum int
		tag      bool
		snap     int
		want     string
	}{
		{"ipv4", v4, kindUDP, 3, 0, false, 1000, "[aaa bbb c]"},
		{"ipv6", v6, kindUDP, 3, 0, false, 1000, "[aaa bbb c]"},
		{"with a tag", v4, kindUDP, 3, 14 + 20, true, 1000, "[aaa bbb c]"},
		{"with ECN", v6, kindUDP | kindECN, 4, 14 + 40, false, 1000, "[aaab bbc]"},
		{"the snap length", v4, kindUDP, 3, 0, false, 14 + 20 + 8 + 2, "[aa~ bb~ c]"},
		{"one", v4, kindUDP, 7, 0, false, 1000, whole},
		{"no size", v4, kindUDP, 0, 0, false, 1000, whole},
		{"tcp's", v4, 1, 3, 0, false, 1000, whole},
		{"none", v4, 0, 3, 0, false, 1000, whole},
		{"a tunnel's", v4, kindUDP, 3, 14 + 20 + 28, false, 1000, whole},
		{"a fragment", other(func(b []byte) { b[14+7] = 1 }), kindUDP, 3, 0, false, 1000, "[]"},
		{"no ip", other(func(b []byte) { b[14] = 0 }), kindUDP, 3, 0, false, 1000, "[]"},
		{"a short header", other(func(b []byte) { b[14] = 0x41 }), kindUDP, 3, 0, false, 1000, "[]"},
		{"options beyond the packet", other(func(b []byte) { b[14] = 0x4f }), kindUDP, 3, 0, false, 1000, "[]"},
		{"no udp", other(func(b []byte) { b[14+9] = 6 }), kindUDP, 3, 0, false, 1000, "[]"},
	} {
		data := merged(row.frame, row.kind, row.size, row.checksum)
		if row.tag {
			binary.NativeEndian.PutUint32(data[blockHeader+packetStatus:], unix.TP_STATUS_VLAN_VALID)
			binary.NativeEndian.PutUint32(data[blockHeader+packetVLANTCI:], 7)
		}
		s := &Source{link: pcap.LinkEthernet, snapLen: row.snap}
		s.block.vnet = true
		s.block.load(data)
		d := pcap.NewDatagrams(ended{s})
		got := []string{}
		for n := int64(1); ; n++ {
			dg, err := d.Next()
			if err != nil {
				break
			}
			text := string(dg.Payload)
			if dg.Cut {
				text += "~"
			}
			if got = append(got, text); dg.LengthMismatch || dg.N != n {
				t.Errorf("%s: %+v", row.name, dg)
			}
		}
		if fmt.Sprint(got) != row.want {
			t.Errorf("%s: want %s, got %s", row.name, row.want, got)
		}
	}
	s := &Source{link: pcap.LinkEthernet, snapLen: 1000}
	s.block.vnet = true
	s.block.load(merged(v4, kindUDP, 3, 0))
	for i := range 3 {
		data, _, err := s.next()
		if err != nil || data == nil {
			t.Fatal(err)
		}
		sum := uint32(0)
		for at := 14; at < 34; at += 2 {
			sum += uint32(binary.BigEndian.Uint16(data[at:]))
		}
		if sum = sum>>16 + sum&0xffff; sum != 0xffff || data[14+5] != byte(i) {
			t.Errorf("datagram %d: sum %#x, header %x", i, sum, data[14:34])
		}
	}
}

// ended is a Source that has what its block has.
type ended struct{ *Source }

func (e ended) ZeroCopyReadPacketData() (data []byte, ci gopacket.CaptureInfo, err error) {
	if data, ci, err = e.next(); data == nil && err == nil {
		err = fmt.Errorf("the block has no more")
	}
	return data, ci, err
}

// Whatever the kernel says of a packet, or a sender writes into it, the datagrams are within it, and there is an end.
func TestSegmentsAnyByte(t *testing.T) {
	b, err := pcap.AppendUDP(nil, netip.MustParseAddrPort("10.0.0.1:1"), netip.MustParseAddrPort("10.0.0.2:2"), []byte(strings.Repeat("x", 100)))
	if err != nil {
		t.Fatal(err)
	}
	good := merged(b, kindUDP, 10, 0)
	for at := range good {
		for _, v := range []byte{0, 1, 0x7f, 0xff, good[at] + 1} {
			data := append([]byte(nil), good...)
			data[at] = v
			s := &Source{link: pcap.LinkEthernet, snapLen: 1 << 16, name: "x"}
			s.block.vnet = true
			s.block.load(data)
			for n := 0; ; n++ {
				got, ci, err := s.next()
				if got == nil || err != nil {
					break
				}
				if len(got) > ci.Length || n > maxIP {
					t.Fatalf("byte %d = %d: %d bytes of %d, %d packets", at, v, len(got), ci.Length, n)
				}
			}
		}
	}
}
