package main

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
)

// The example packets of "Reading and Writing Packets": bits from the low end of each byte, a checksum in front that
// starts from a protocol id.

const (
	protocolID  = 0x12345678
	middleCheck = 0x12345678
	endCheck    = 0x9908ACE2 // what `check "end of packet"` stands for
	maxElements = 32
	typeA       = 0
	typeB       = 1
	typeC       = 2
	atBody      = 32 + 2
)

// bitWriter appends values from the low end of each byte, one bit at a time.
type bitWriter struct {
	b   []byte
	bit int
}

func (b *bitWriter) put(v uint64, n int) {
	for i := range n {
		if b.bit%8 == 0 {
			b.b = append(b.b, 0)
		}
		b.b[b.bit/8] |= byte(v>>i&1) << (b.bit % 8)
		b.bit++
	}
}

func (b *bitWriter) align() { b.put(0, -b.bit&7) }

// seal writes the end check and then the checksum of the whole, which starts from id.
func (b *bitWriter) seal(end uint32, id uint32) []byte {
	b.align()
	b.put(uint64(end), 32)
	return checksum(b.b, id)
}

// checksum puts the right checksum into a packet whose first four bytes are for it.
func checksum(b []byte, id uint32) []byte {
	le := binary.LittleEndian
	le.PutUint32(b, 0)
	sum := crc32.ChecksumIEEE(le.AppendUint32(nil, id))
	le.PutUint32(b, crc32.Update(sum, crc32.IEEETable, b))
	return b
}

// begin appends to b the place of the checksum and the type.
func begin(b []byte, kind uint64) *bitWriter {
	w := &bitWriter{b: b[:0]}
	w.put(0, 32)
	w.put(kind, 2)
	return w
}

func packetA(b []byte, x, y, z int32) []byte {
	w := begin(b, typeA)
	for _, v := range [...]int32{x, y, z} {
		w.put(uint64(uint32(v)), 32)
	}
	return w.seal(endCheck, protocolID)
}

// packetB writes count, which need not be the number of elements.
func packetB(b []byte, count uint64, check uint32, elements []int32) []byte {
	w := begin(b, typeB)
	w.put(count, 6)
	w.put(uint64(check), 32)
	for _, v := range elements {
		w.put(uint64(uint32(v)), 32)
	}
	return w.seal(endCheck, protocolID)
}

func packetC(b []byte, x bool, y uint16, z uint32) []byte {
	w := begin(b, typeC)
	w.put(bitOf(x), 1)
	w.put(uint64(y), 16)
	w.put(uint64(z), 32)
	return w.seal(endCheck, protocolID)
}

func bitOf(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

func ramp(n int, from, by int32) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = from + by*int32(i)
	}
	return out
}

// playPackets is a client and a server that send each other random packets, 20 a second, and a stranger in between.
func playPackets(seed uint64, out *sink) {
	rng := rand.New(rand.NewPCG(seed, 0x504B))
	server := endpoint{[6]byte{2, 0, 0, 0, 8, 1}, []byte{10, 8, 0, 1}, 4000}
	client := endpoint{[6]byte{2, 0, 0, 0, 8, 10}, []byte{10, 8, 0, 10}, 51000}
	stranger := endpoint{[6]byte{2, 0, 0, 0, 8, 66}, []byte{10, 8, 0, 66}, 6666}
	var buf []byte
	number := func() int32 { return int32(rng.Uint32()) >> rng.IntN(32) }
	for n := 0; !out.done(); n++ {
		p := packet{at: int64(n)*25_000 + rng.Int64N(9_000), from: &client, to: &server}
		switch rng.IntN(3) {
		case typeA:
			buf = packetA(buf, number(), number(), number())
		case typeB:
			elements := make([]int32, rng.IntN(maxElements+1))
			for i := range elements {
				elements[i] = number()
			}
			buf = packetB(buf, uint64(len(elements)), middleCheck, elements)
		case typeC:
			buf = packetC(buf, rng.IntN(2) == 0, uint16(rng.Uint32()), rng.Uint32())
		}
		if n%2 == 1 {
			p.from, p.to = p.to, p.from
		}
		if n%9 == 8 {
			forged := forgeries[n/9%len(forgeries)]
			buf = forged.make(buf)
			p.from, p.to, p.want = &stranger, &server, verdict{forged.want, forged.path, forged.bit, forged.note}
		}
		p.payload = buf
		out.send(&p)
	}
}

// forgery makes a hostile packet, with a right checksum unless that is the point.
type forgery struct {
	make func(b []byte) []byte
	want string
	path string
	bit  int
	note string
}

// flipped is a whole packet with bit flipped and the checksum set right again.
func flipped(whole []byte, bit int) []byte {
	whole[bit/8] ^= 1 << (bit % 8)
	return checksum(whole, protocolID)
}

var forgeries = []forgery{
	{func(b []byte) []byte { return b[:0] }, "past-end", "crc", 0, ""},
	{func(b []byte) []byte { return packetA(b, 1, 2, 3)[:3] }, "past-end", "crc", 0, ""},
	{func(b []byte) []byte { return checksum(packetA(b, 1, 2, 3), protocolID+1) }, "crc-mismatch", "crc", 0, ""},
	{func(b []byte) []byte { return packetA(b, 1, 2, 3)[:12] }, "crc-mismatch", "crc", 0, ""},
	{func(b []byte) []byte { return checksum(packetA(b, 1, 2, 3)[:12], protocolID) }, "past-end", "body.y", atBody + 32, ""},
	{func(b []byte) []byte { return begin(b, 3).seal(endCheck, protocolID) }, "unknown-case", "type", 32, ""},
	{func(b []byte) []byte { return packetB(b, maxElements+1, middleCheck, nil) }, "out-of-range", "body.num_elements", atBody, ""},
	{func(b []byte) []byte { return packetB(b, 63, middleCheck, ramp(40, 0, 1)) }, "out-of-range", "body.num_elements", atBody, ""},
	{func(b []byte) []byte { return packetB(b, 1, ^uint32(middleCheck), ramp(1, 7, 1)) }, "check-mismatch", "body", atBody + 6, ""},
	{func(b []byte) []byte { return packetB(b, 3, middleCheck, ramp(1, 7, 1)) }, "past-end", "body.elements[2]", atBody + 6 + 32 + 64, ""},
	{func(b []byte) []byte { return packetB(b, 1, middleCheck, ramp(2, 7, 1)) }, "check-mismatch", "", atBody + 6 + 32 + 32, ""},
	{func(b []byte) []byte { return begin(b, typeA).seal(endCheck, protocolID) }, "past-end", "body.y", atBody + 32, ""},
	{func(b []byte) []byte { return flipped(packetC(b, true, 1, 2), atBody+1+16+32) }, "nonzero-padding", "", atBody + 1 + 16 + 32, ""},
	{func(b []byte) []byte { return checksum(append(packetC(b, true, 1, 2), 0), protocolID) }, "trailing-bytes", "", 88 + 32, ""},
	{func(b []byte) []byte { return packetB(b, maxElements, middleCheck, ramp(90, 0, 1)) }, "datagram-size", "", 0, ""},
}
