package serialize_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/serialize"
	"github.com/pktscope/pktscope/decode/wire"
)

// A list whose count is made where Writing says so is measured with its elements: a measure that took the reader's way
// would be below the packet, and a buffer of its size too small.
func TestMeasureTakesTheWritersWay(t *testing.T) {
	list := make([]uint8, 50)
	v := serializerFunc(func(s *serialize.Stream) {
		var n int
		if s.Writing() {
			n = len(list)
		}
		serialize.Int(s, "n", &n, 0, 100)
		for i := range s.Array("list", n) {
			serialize.Bits(s, "", &list[i], 8)
		}
	})
	var s serialize.Stream
	for _, o := range []wire.Order{wire.LSB, wire.MSB, wire.Bytewise} {
		packet, err := s.Append(o, nil, v)
		if err != nil {
			t.Fatal(err)
		}
		if bits, err := s.Measure(o, v); err != nil || bits != 7+8*len(list) || bits <= 8*(len(packet)-1) {
			t.Errorf("%v: %d bits for %d bytes, %v", o, bits, len(packet), err)
		}
	}
}

// A field that is called outside a packet is measured: it neither reads what is left of the last packet nor writes
// after it.
func TestFieldsOutsideAPacket(t *testing.T) {
	for _, o := range []wire.Order{wire.LSB, wire.MSB, wire.Bytewise} {
		var s serialize.Stream
		var flag bool
		v := serializerFunc(func(s *serialize.Stream) { s.Bool("flag", &flag) })
		outside := func(after string) {
			t.Helper()
			flag = true
			s.Bool("outside", &flag)
			s.CRC32("crc", serialize.Prefix32(1))
			if !flag || s.Reading() || !s.OK() || s.Bit() != 1+1+7+32 {
				t.Errorf("%v after %s: %v, bit %d, %v", o, after, flag, s.Bit(), s.Err())
			}
		}
		if err := s.Read(o, []byte{0}, v); err != nil {
			t.Fatal(err)
		}
		outside("Read")
		packet, err := s.Append(o, make([]byte, 0, 64), v)
		if err != nil || len(packet) != 1 {
			t.Fatal(packet, err)
		}
		outside("Append")
		for _, b := range packet[1:cap(packet)] {
			if b != 0 {
				t.Fatalf("%v: written after the packet: %x", o, packet[:cap(packet)])
			}
		}
		// A refusal stays, and what is read after it is the least value.
		if err := s.Read(o, nil, v); err == nil {
			t.Fatal("no refusal of an empty packet")
		}
		flag = true
		if s.Bool("outside", &flag); flag || s.Err() == nil {
			t.Errorf("%v: the refusal is gone", o)
		}
	}
}
