package serialize_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/serialize"
	"github.com/pktscope/pktscope/decode/wire"
)

// One Stream and one value for packet after packet: nothing of an earlier packet shows in a later one.

// The bounds on a packet's work are each packet's own.
func TestBoundsBeginAnew(t *testing.T) {
	var s serialize.Stream
	idle := serializerFunc(func(s *serialize.Stream) {
		for range s.Array("nothing", 3000) {
		}
	})
	after := serializerFunc(func(s *serialize.Stream) {
		s.Require("the packet is refused", false)
		for range 700_000 {
			s.Reserved(1)
		}
	})
	sum := serializerFunc(func(s *serialize.Stream) { s.CRC32("crc", serialize.Prefix{}) })
	for range 3 {
		if err := s.Read(wire.LSB, nil, idle); err != nil {
			t.Fatal(err)
		}
		if err := s.Read(wire.LSB, nil, after); !errors.Is(err, reject.RuleBroken) {
			t.Fatal(err)
		}
		if b, err := s.Append(wire.LSB, nil, sum); err != nil || len(b) != 4 {
			t.Fatal(b, err)
		}
		// No checksum is filled in where this packet has none.
		if b, err := s.Append(wire.LSB, nil, &PacketA{-1, -1, -1}); err != nil || !bytes.Equal(b, bytes.Repeat([]byte{0xff}, 12)) {
			t.Fatal(b, err)
		}
	}
}

// A list ends before the element that was refused, and an element has nothing of one that was there before.
func TestSliceHoldsWhatWasRead(t *testing.T) {
	var s serialize.Stream
	type element struct{ read, left uint8 }
	list := []element{{1, 1}, {2, 2}, {3, 3}, {4, 4}}
	memory := &list[0]
	err := s.Read(wire.LSB, []byte{10, 20, 30}, serializerFunc(func(s *serialize.Stream) {
		for i, e := range serialize.Slice(s, "list", &list, 4) {
			if *e != (element{}) {
				t.Errorf("element %d begins as %v", i, *e)
			}
			serialize.Bits(s, "read", &e.read, 8)
		}
	}))
	if !errors.Is(err, reject.PastEnd) || err.(*reject.Reject).Path() != "list[3].read" {
		t.Error(err)
	}
	if len(list) != 3 || list[2] != (element{read: 30}) || &list[0] != memory {
		t.Errorf("got %v", list)
	}
	// A loop that is left early leaves the names right.
	err = s.Read(wire.LSB, []byte{1, 2, 3}, serializerFunc(func(s *serialize.Stream) {
		for range s.Array("left", 9) {
			break
		}
		s.Const("here", 9, 8)
	}))
	if err == nil || err.Error() != "here: const-mismatch at bit 0 (byte 0): want 9 in 8 bits, got 1" {
		t.Error(err)
	}
}

// The bound on a datagram counts first, in both directions, and 0 is none.
func TestMaxDatagram(t *testing.T) {
	for most, refused := range map[int]bool{0: false, 11: true, 12: false} {
		s := serialize.Stream{MaxDatagram: most}
		_, wrote := s.Append(wire.LSB, nil, new(PacketA))
		read := s.Read(wire.LSB, make([]byte, 12), new(PacketA))
		for _, err := range []error{wrote, read} {
			if refused != (err != nil) || refused && err.Error() != "packet: datagram-size at bit 0 (byte 0): want 11 bytes at most, got 12" {
				t.Errorf("at most %d bytes: got %v", most, err)
			}
		}
	}
}

// A refusal that was cloned stays; the Stream's own goes with the next packet.
func TestCloneOutlivesTheStream(t *testing.T) {
	var s serialize.Stream
	err := s.Read(wire.LSB, []byte{40, 0, 0, 0, 0}, new(PacketB))
	kept, want := err.(*reject.Reject).Clone(), err.Error()
	if err := s.Read(wire.LSB, make([]byte, 12), new(PacketA)); err != nil || !s.OK() {
		t.Fatal(err)
	}
	if kept.Error() != want || kept.Path() != "num_elements" {
		t.Errorf("want %q, got %q", want, kept.Error())
	}
}

// A text that comes again is not made again.
func TestTheSameTextIsKept(t *testing.T) {
	var server Server
	join := messages(t)[0]
	if n := testing.AllocsPerRun(20, func() {
		if err := server.Receive(join); err != nil {
			t.Fatal(err)
		}
	}); n != 0 || server.message.Name != "ann" {
		t.Errorf("%v allocations for the name %q", n, server.message.Name)
	}
}

// A rotation and its negation are the same rotation and the same bits.
func TestSmallestThreeSigns(t *testing.T) {
	var s serialize.Stream
	for largest := range 4 {
		q := [4]float32{0.25, -0.125, 0.5, -0.375}
		rest := 1.0
		for i, v := range q {
			if i != largest {
				rest -= float64(v) * float64(v)
			}
		}
		q[largest] = float32(math.Sqrt(rest))
		negated := [4]float32{-q[0], -q[1], -q[2], -q[3]}
		var packets [2][]byte
		for i, v := range []*[4]float32{&q, &negated} {
			var err error
			packets[i], err = s.Append(wire.MSB, nil, serializerFunc(func(s *serialize.Stream) { s.SmallestThree("q", v, 20) }))
			if err != nil {
				t.Fatal(err)
			}
		}
		var got [4]float32
		err := s.Read(wire.MSB, packets[1], serializerFunc(func(s *serialize.Stream) { s.SmallestThree("q", &got, 20) }))
		if err != nil || !bytes.Equal(packets[0], packets[1]) {
			t.Errorf("want %x, got %x %v", packets[0], packets[1], err)
		}
		for i := range got {
			if math.Abs(float64(got[i]-q[i])) > 1e-5 {
				t.Errorf("want %v, got %v", q, got)
			}
		}
	}
}

// A previous value that nothing can follow refuses every step, the ones that would wrap first.
func TestRelativeDoesNotWrap(t *testing.T) {
	var s serialize.Stream
	for previous, want := range map[uint64]reject.Kind{
		math.MaxUint64: reject.OutOfRange, math.MaxInt32: reject.OutOfRange, math.MaxInt32 - 1: reject.None,
	} {
		v := uint64(5)
		err := s.Read(wire.LSB, []byte{1}, serializerFunc(func(s *serialize.Stream) { serialize.Ladder(s, "v", &v, previous) }))
		if want == reject.None && (err != nil || v != previous+1) || want != reject.None && (!errors.Is(err, want) || v != 0) {
			t.Errorf("after %d: want %v, got %d %v", previous, want, v, err)
		}
	}
}
