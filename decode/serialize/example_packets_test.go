package serialize_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/serialize"
	"github.com/pktscope/pktscope/decode/wire"
)

// PacketA is three whole numbers.
type PacketA struct{ X, Y, Z int32 }

func (p *PacketA) Serialize(s *serialize.Stream) {
	serialize.Bits(s, "x", &p.X, 32)
	serialize.Bits(s, "y", &p.Y, 32)
	serialize.Bits(s, "z", &p.Z, 32)
}

const MaxElements = 32

// PacketB is a list. The count takes six bits; 33 to 63 are the attack, and refused.
type PacketB struct{ Elements []int32 }

func (p *PacketB) Serialize(s *serialize.Stream) {
	n := len(p.Elements)
	serialize.Int(s, "num_elements", &n, 0, MaxElements)
	s.Check(0x12345678)
	for _, e := range serialize.Slice(s, "elements", &p.Elements, n) {
		serialize.Bits(s, "", e, 32)
	}
}

// PacketC lies on no byte.
type PacketC struct {
	X bool
	Y uint16
	Z uint32
}

func (p *PacketC) Serialize(s *serialize.Stream) {
	s.Bool("x", &p.X)
	serialize.Bits(s, "y", &p.Y, 16)
	serialize.Bits(s, "z", &p.Z, 32)
}

type PacketType uint8

const (
	TypeA PacketType = iota
	TypeB
	TypeC
)

// Packet is any of the three in its envelope: checksum and protocol id, type, and a check at the end.
type Packet struct {
	Type PacketType
	A    PacketA
	B    PacketB
	C    PacketC
}

func (p *Packet) Serialize(s *serialize.Stream) {
	s.CRC32("crc", serialize.Prefix32(0x12345678))
	serialize.Enum(s, "type", &p.Type, TypeA, TypeC)
	switch p.Type {
	case TypeA:
		s.Object("body", &p.A)
	case TypeB:
		s.Object("body", &p.B)
	case TypeC:
		s.Object("body", &p.C)
	}
	s.CheckLabel("end of packet")
}

// The example packets of "Reading and Writing Packets". One function per type reads, writes and measures.
func Example_packets() {
	var s serialize.Stream
	for _, p := range []*Packet{
		{Type: TypeA, A: PacketA{-1, 2, 3}},
		{Type: TypeB, B: PacketB{Elements: []int32{7, 8}}},
		{Type: TypeC, C: PacketC{true, 0x1234, 0xdeadbeef}},
	} {
		bound, _ := s.Measure(wire.LSB, p)
		datagram, err := s.Append(wire.LSB, nil, p)
		fmt.Printf("%d bits at most: %x %v\n", bound, datagram, err)

		var q Packet
		if err := s.Read(wire.LSB, datagram, &q); err != nil {
			fmt.Println(err)
		}
		switch q.Type {
		case TypeA:
			fmt.Println(q.A)
		case TypeB:
			fmt.Println(q.B)
		case TypeC:
			fmt.Println(q.C)
		}
	}

	// What does not fit is refused when it is written, with its path and nothing sent…
	_, err := s.Append(wire.LSB, nil, &Packet{Type: TypeB, B: PacketB{make([]int32, 33)}})
	fmt.Println(err)
	// … and when it is read: here a count of 40, without an envelope.
	fmt.Println(s.Read(wire.LSB, []byte{40, 0, 0, 0, 0}, new(PacketB)))

	// Output:
	// 176 bits at most: 03855f72fcffffff0b0000000c00000000e2ac0899 <nil>
	// {-1 2 3}
	// 182 bits at most: 3d2ed4b609785634120700000008000000e2ac0899 <nil>
	// {[7 8]}
	// 129 bits at most: a6415c5ea69178f76df506e2ac0899 <nil>
	// {true 4660 3735928559}
	// body.num_elements: out-of-range at bit 34 (byte 4+2): want 0..32 in 6 bits, got 33
	// num_elements: out-of-range at bit 0 (byte 0): want 0..32 in 6 bits, got 40
}
