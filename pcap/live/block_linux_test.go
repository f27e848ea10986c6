//go:build !libpcap

package live

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/pcap"
)

const frameMAC = 82 // where the kernel puts an Ethernet frame after its header

// blockOf is a block as the kernel writes it, with these packets.
func blockOf(packets ...string) []byte {
	b := make([]byte, blockHeader)
	put := func(off int, v int) { binary.NativeEndian.PutUint32(b[off:], uint32(v)) }
	put(blockStatus, unix.TP_STATUS_USER)
	put(blockPackets, len(packets))
	put(blockFirst, blockHeader)
	for i, p := range packets {
		at := len(b)
		size := (frameMAC + len(p) + 15) &^ 15
		b = append(b, make([]byte, size)...)
		if i < len(packets)-1 {
			put(at+packetNext, size)
		}
		put(at+packetSeconds, 1767362841+i)
		put(at+packetNanos, 123456789)
		put(at+packetSnapLen, len(p))
		put(at+packetLen, len(p)+i) // of the second one a byte was cut
		put(at+packetStatus, unix.TP_STATUS_USER)
		binary.NativeEndian.PutUint16(b[at+packetMAC:], frameMAC)
		b[at+packetKind] = unix.PACKET_OTHERHOST
		copy(b[at+frameMAC:], p)
	}
	put(blockLen, len(b))
	return b
}

func TestBlock(t *testing.T) {
	var b block
	b.load(blockOf("DDDDDDSSSSSS\x08\x00one", "DDDDDDSSSSSS\x08\x00second"))
	for i, want := range []string{"DDDDDDSSSSSS\x08\x00one", "DDDDDDSSSSSS\x08\x00second"} {
		if b.left != 2-i {
			t.Fatalf("packet %d: %d left", i+1, b.left)
		}
		p, err := b.packet(pcap.LinkEthernet, 1000)
		if err != nil || string(p.data) != want || cap(p.data) != len(want) || p.wire != len(want)+i || p.kind != unix.PACKET_OTHERHOST ||
			!p.time.Equal(time.Unix(1767362841+int64(i), 123456789)) {
			t.Errorf("packet %d: %+v, %v", i+1, p, err)
		}
	}
	if b.left != 0 {
		t.Errorf("%d left", b.left)
	}
}

// What leads out of the block is refused, and nothing is left after it.
func TestBlockRefuses(t *testing.T) {
	good := blockOf("DDDDDDSSSSSS\x08\x00one", "DDDDDDSSSSSS\x08\x00second")
	second := blockHeader + int64(binary.NativeEndian.Uint32(good[blockHeader:]))
	size := int64(len(good))
	for _, row := range []struct {
		off    int64
		width  int
		value  int64 // as far as it fits
		packet int
		want   string
	}{
		{blockFirst, 4, 0, 1, "offset 0"},
		{blockFirst, 4, blockHeader - 1, 1, fmt.Sprint("offset ", blockHeader-1)},
		{blockFirst, 4, size - packetHeader + 1, 1, fmt.Sprint("offset ", size-packetHeader+1)},
		{blockFirst, 4, 1<<31 - 1, 1, "offset 2147483647"},
		{blockHeader + packetNext, 4, 0, 1, "next offset 0"},
		{blockHeader + packetNext, 4, packetHeader - 1, 1, fmt.Sprint("next offset ", packetHeader-1)},
		{blockHeader + packetNext, 4, size - blockHeader, 2, fmt.Sprint("offset ", size)},
		{blockHeader + packetNext, 4, size - blockHeader + 1, 1, fmt.Sprint("next offset ", size-blockHeader+1)},
		{blockHeader + packetNext, 4, 1<<32 - 1, 1, "next offset 4294967295"},
		{blockHeader + packetSnapLen, 4, size, 1, fmt.Sprint("length ", size)},
		{blockHeader + packetSnapLen, 4, 1<<32 - 1, 1, "length 4294967295"},
		{second + packetSnapLen, 4, size - second - frameMAC + 1, 2, fmt.Sprint("length ", size-second-frameMAC+1)},
		{blockHeader + packetMAC, 2, 0, 1, "packet offset 0"},
		{blockHeader + packetMAC, 2, packetHeader - 1, 1, fmt.Sprint("packet offset ", packetHeader-1)},
		{second + packetMAC, 2, size - second + 1, 2, fmt.Sprint("packet offset ", size-second+1)},
	} {
		data := append([]byte(nil), good...)
		if row.width == 2 {
			binary.NativeEndian.PutUint16(data[row.off:], uint16(row.value))
		} else {
			binary.NativeEndian.PutUint32(data[row.off:], uint32(row.value))
		}
		var b block
		b.load(data)
		n, err := 0, error(nil)
		for ; b.left > 0 && err == nil; n++ {
			_, err = b.packet(pcap.LinkEthernet, 1000)
		}
		want := fmt.Sprintf("packet ring: packet %d of a block of %d bytes: %s leads out of it", row.packet, size, row.want)
		if err == nil || err.Error() != want || b.left != 0 {
			t.Errorf("byte %d, value %d: want %q, got %v with %d left", row.off, row.value, want, err, b.left)
		}
	}
}

// Of a block that is cut anywhere, or has any byte changed, packets are taken from within it or refused.
func TestBlockAnyByte(t *testing.T) {
	good := blockOf("DDDDDDSSSSSS\x08\x00one", "DDDDDDSSSSSS\x08\x00second", "")
	var b block
	read := func(data []byte, packets int) (taken int) {
		b.load(data)
		for b.left > 0 {
			p, err := b.packet(pcap.LinkEthernet, 1000)
			if err != nil {
				if b.left != 0 {
					t.Fatalf("%d left after %v", b.left, err)
				}
				return taken
			}
			if taken++; len(p.data) > p.wire || taken > len(data)/packetHeader || packets >= 0 && taken > packets {
				t.Fatalf("packet %d of %d bytes: %+v", taken, len(data), p)
			}
		}
		return taken
	}
	for n := blockHeader; n <= len(good); n++ {
		if got := read(good[:n], 3); got == 3 && n < len(good)-15 {
			t.Errorf("three packets in %d of %d bytes", n, len(good))
		}
	}
	for i := range good {
		for _, v := range []byte{0, 1, 47, 48, 67, 68, 82, 127, 128, 255} {
			data := append([]byte(nil), good...)
			data[i] = v
			read(data, -1)
		}
	}
}

// A VLAN tag is put back at every snap length around it.
func TestBlockPutsTagBack(t *testing.T) {
	const packet = "DDDDDDSSSSSS\x08\x00rest"
	for _, row := range []struct {
		tag    string
		status uint32
		tpid   uint16
	}{
		{"\x81\x00\x30\x07", unix.TP_STATUS_VLAN_VALID, 0x88a8}, // the type does not count
		{"\x88\xa8\x30\x07", unix.TP_STATUS_VLAN_VALID | unix.TP_STATUS_VLAN_TPID_VALID, 0x88a8},
		{"", unix.TP_STATUS_VLAN_TPID_VALID, 0x88a8},
	} {
		data := blockOf(packet)
		binary.NativeEndian.PutUint32(data[blockHeader+packetStatus:], row.status)
		binary.NativeEndian.PutUint32(data[blockHeader+packetVLANTCI:], 0x3007)
		binary.NativeEndian.PutUint16(data[blockHeader+packetVLANTPID:], row.tpid)
		for snap := 1; snap < 30; snap++ {
			for _, link := range []pcap.LinkType{pcap.LinkEthernet, pcap.LinkRaw} {
				var b block
				b.load(data)
				p, err := b.packet(link, snap)
				whole := packet
				if link == pcap.LinkEthernet {
					whole = packet[:macsLen] + row.tag + packet[macsLen:]
				}
				if want := whole[:min(snap, len(whole))]; err != nil || string(p.data) != want || p.wire != len(whole) || cap(p.data) != len(want) {
					t.Errorf("snap length %d, %v: want %q of %d, got %q of %d, %v", snap, link, want, len(whole), p.data, p.wire, err)
				}
			}
		}
	}
	var b block
	short := blockOf(strings.Repeat("D", macsLen-1))
	binary.NativeEndian.PutUint32(short[blockHeader+packetStatus:], unix.TP_STATUS_VLAN_VALID)
	b.load(short)
	if p, err := b.packet(pcap.LinkEthernet, 100); err != nil || len(p.data) != macsLen-1 {
		t.Errorf("a tag for a frame without room for it: %+v, %v", p, err)
	}
}

func TestRingLayout(t *testing.T) {
	page := unix.Getpagesize()
	for _, row := range []struct{ snapLen, buffer, size, blocks int }{
		{DefaultSnapLen, DefaultReceiveBuffer, 128 << 10, 128},
		{DefaultSnapLen, 1, 128 << 10, 2},
		{DefaultSnapLen, 1<<30 - 1, 128 << 10, 1<<13 - 1},
		{1 << 18, DefaultReceiveBuffer, 512 << 10, 32},
		{1, 1 << 20, 128 << 10, 8},
		{1, 1, page, 2},
		{1, 64 * page, 8 * page, 8},
		{128<<10 - packetOverhead, 1 << 20, 128 << 10, 8},
		{128<<10 - packetOverhead + 1, 1 << 20, 256 << 10, 4},
	} {
		if row.size < page || page > 8<<10 && row.snapLen == 1 {
			continue // a machine of large pages
		}
		if size, blocks := ringLayout(row.snapLen, row.buffer); size != row.size || blocks != row.blocks {
			t.Errorf("snap length %d, %d bytes: want %d blocks of %d, got %d of %d", row.snapLen, row.buffer, row.blocks, row.size, blocks, size)
		}
	}
}

// A block of 600 packets of 60 bytes: what copying it and taking them costs.
func BenchmarkBlock(b *testing.B) {
	packets := make([]string, 600)
	for i := range packets {
		packets[i] = strings.Repeat("D", 60)
	}
	data := blockOf(packets...)
	var one block
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		one.load(data)
		for one.left > 0 {
			if _, err := one.packet(pcap.LinkEthernet, DefaultSnapLen); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(packets)), "ns/packet")
}
