package fuzz_test

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
)

// Whatever computes a size and whatever limits it, some packet announces one unit more than the limit and has it, so that a
// reader that looks only whether all is there copies too much.
func TestAnnouncesTooMuchAndKeepsIt(t *testing.T) {
	for _, row := range []struct {
		name, items, packet string
		size                func(p []byte) int // bytes that the packet announces
	}{
		{"bytes", "length uint16 in 0..64\n data bytes(length)", "0200 aabb", func(p []byte) int { return int(binary.LittleEndian.Uint16(p)) }},
		{"bits", "length uint16 in 0..512\n data bytes(length / 8, max 64)", "1000 aabb", func(p []byte) int { return int(binary.LittleEndian.Uint16(p)) / 8 }},
		{"bits, rounded up", "length uint16 in 0..512\n data bytes((length + 7) / 8, max 64)", "0c00 aabb", func(p []byte) int { return (int(binary.LittleEndian.Uint16(p)) + 7) / 8 }},
		{"a let", "length uint16 in 0..512\n let n = (length + 7) / 8\n let size = n\n data bytes(size, max 64)", "1000 aabb", func(p []byte) int { return (int(binary.LittleEndian.Uint16(p)) + 7) / 8 }},
		{"a window", "length uint16 in 0..64\n within(length) { data [rest, max 64]uint8 }", "0200 aabb", func(p []byte) int { return int(binary.LittleEndian.Uint16(p)) }},
		{"a window of bits", "length uint16 in 0..512\n within(length bits) { data [rest, max 64]uint8 }", "1000 aabb", func(p []byte) int { return int(binary.LittleEndian.Uint16(p)) / 8 }},
		{"a requirement", "length uint16\n require length <= 64\n data bytes(length, max 500)", "0200 aabb", func(p []byte) int { return int(binary.LittleEndian.Uint16(p)) }},
		{"a maximum", "length uint16\n data bytes(length, max 64)", "0200 aabb", func(p []byte) int { return int(binary.LittleEndian.Uint16(p)) }},
		{"a header that counts", "length uint8 in 3..67\n data bytes(length - 3)", "05 aabb", func(p []byte) int { return int(p[0]) - 3 }},
		{"words of a list", "count uint8 in 0..16\n list [count]uint32", "01 aabbccdd", func(p []byte) int { return 4 * int(p[0]) }},
		{"a list of half as many", "count uint8 in 0..32\n list [count / 2, max 16]uint32", "02 aabbccdd", func(p []byte) int { return int(p[0]) / 2 * 4 }},
		{"a tail behind it", "length uint16 in 0..64\n data bytes(length)\n tail uint32", "0200 aabb 01020304", func(p []byte) int { return int(binary.LittleEndian.Uint16(p)) + 4 }},
		{"behind a checksum", "sum crc32\n length uint16 in 0..512\n data bytes(length / 8, max 64)", "00000000 1000 aabb", func(p []byte) int { return int(binary.LittleEndian.Uint16(p[4:])) / 8 }},
		{"in a window", "total uint16\n within(total) { length uint16 in 0..64\n data bytes(length) }", "0400 0200 aabb", func(p []byte) int { return int(binary.LittleEndian.Uint16(p[2:])) }},
		{"in two windows", "total uint16\n within(total + 2) { a uint8, b uint8, more uint8, within(more) { length uint8 in 0..64\n data bytes(length) } }", "0400 0102 03 02 aabb", func(p []byte) int { return int(p[5]) }},
		{"in an element", "list [rest, max 4]{ total uint16, within(total) { length uint16 in 0..64\n data bytes(length) } }", "0400 0200 aabb", func(p []byte) int { return int(binary.LittleEndian.Uint16(p[2:])) }},
		{"a length of all that is left", "total uint16\n require total == rest\n length uint16 in 0..64\n data bytes(length)", "0400 0200 aabb", func(p []byte) int { return int(binary.LittleEndian.Uint16(p[2:])) }},
		{"a varint", "length varint(16) in 0..64\n data bytes(length)", "02 aabb", varint},
		{"a varint of one byte more", "length varint(16) in 0..64\n data bytes(length * 2, max 128)", "20 " + strings.Repeat("aa", 64), func(p []byte) int { return varint(p) }},
		{"a scaled varint", "length varint(16)\n require length / 8 <= 64\n data bytes(length / 8, max 500)", "10 aabb", func(p []byte) int { return varint(p) / 8 }},
		{"a varint in a window", "total varint(16)\n within(total) { length uint16 in 0..64\n data bytes(length) }", "04 0200 aabb", func(p []byte) int { return int(p[1]) }},
		{"big endian", "length uint16 be in 0..64\n data bytes(length)", "0002 aabb", func(p []byte) int { return int(binary.BigEndian.Uint16(p)) }},
		{"in the other branch", "length uint8 in 0..32\n k uint8 in 0..1\n if k == 1 { data [length]uint16 } else { pos uint16 }", "01 01 aabb", func(p []byte) int { return int(p[0]) * 2 }},
		{"branches", "a uint8\n if a < 64 { let n = a } else { b uint8 in 0..1, let n = a + b - 1 }\n data bytes(n, max 64)", "40 01 " + strings.Repeat("aa", 64), func(p []byte) int { return int(p[0]) + int(p[1]) - 1 }},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := compile(t, "protocol v\norder lsb\nmax datagram 600\npacket {\n "+row.items+"\n}\n")
			packet, err := hex.DecodeString(strings.ReplaceAll(row.packet, " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			d.Plan().RepairChecksum(packet)
			head, limit, most := len(packet)-row.size(packet), 64, 0
			if strings.Contains(row.items, "tail") {
				limit += 4
			}
			seen, m := fuzz.Dedup{}, fuzz.NewMutator(d)
			if strings.Contains(row.items, "else { pos") { // it was met without what it counts
				for range m.Enumerate([]byte{1, 0, 1, 2}, decode.FromUnknown, seen) {
				}
			}
			for m := range m.Enumerate(packet, decode.FromUnknown, seen) {
				if len(m.Data) < head {
					continue
				}
				if n := row.size(m.Data); n > limit && n <= len(m.Data)-head && (most == 0 || n < most) {
					most = n
				}
			}
			if most == 0 || most > limit+4 {
				t.Errorf("want a packet that announces little more than %d and keeps it, got %d", limit, most)
			}
		})
	}
}

// A window is filled up to the last size that it may have, with content that is right.
func TestLargestWindowIsRight(t *testing.T) {
	d := compile(t, "protocol w\norder msb\nmax datagram 600\nstruct Option { kind uint16, flags uint8, words bits(5), reserved(3), data bytes(words * 4, max 124) }\n"+
		"packet {\n reserved(2)\n words bits(6)\n within(words * 4) { options [rest, max 63]Option }\n payload bytes(rest, max 300)\n}\n")
	packet := []byte{3, 0, 1, 0, 8, 1, 2, 3, 4, 0, 2, 0, 0, 9}
	largest := byte(0)
	for m := range fuzz.NewMutator(d).Enumerate(packet, decode.FromUnknown, fuzz.Dedup{}) {
		var trace decode.Trace
		if d.Decode(m.Data, decode.FromUnknown, &trace) == nil {
			largest = max(largest, m.Data[0])
		}
	}
	if largest != 63 {
		t.Errorf("want a packet that is right with words = 63, got %d at most", largest)
	}
}

// A selector that is refused comes with every body that a reader could take for its own.
func TestRefusedSelectorsHaveBodies(t *testing.T) {
	for _, row := range []struct {
		name, src, packet string
		code              func(p []byte) bool // refused
		head              int
		least, most       int // bodies, in bytes
	}{
		{"a number of one byte or more", "struct V { a uint8 in 0..251\n if a <= 240 { let value = a } else if a <= 248 { b uint8, let value = a + b } else if a == 249 { c uint16, let value = c } else { e uint32, let value = e } }\n" +
			"packet { x V, y uint8 }", "05 07", func(p []byte) bool { return p[0] > 251 }, 2, 0, 8},
		{"a tag", "packet { kind uint8 in 0..3\n body switch kind { 0: uint8, 1: uint16, 2: uint32, 3: { a bytes(20) } } }", "00 07", func(p []byte) bool { return p[0] > 3 }, 1, 0, 20},
		{"a flag that nobody has", "flags F : uint8 { A = 1, B = 2 }\npacket { f F\n if f.A { x uint8 }\n if f.B { y uint8 } }", "03 01 02", func(p []byte) bool { return p[0]&^3 != 0 && p[0]&3 == 3 }, 3, 1, 8},
	} {
		d := compile(t, "protocol s\norder lsb\nmax datagram 64\n"+row.src+"\n")
		packet, err := hex.DecodeString(strings.ReplaceAll(row.packet, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		sizes := map[int]bool{}
		for m := range fuzz.NewMutator(d).Enumerate(packet, decode.FromUnknown, fuzz.Dedup{}) {
			if len(m.Data) > 0 && row.code(m.Data) {
				sizes[len(m.Data)-row.head] = true
			}
		}
		for _, n := range []int{row.least, 2, 5, 8, row.most} {
			if !sizes[n] {
				t.Errorf("%s: no packet has a refused selector and %d bytes: %v", row.name, n, sizes)
			}
		}
	}
}

// varint is the LEB128 number that a packet begins with.
func varint(p []byte) int {
	n, _ := binary.Uvarint(p)
	return int(n)
}
