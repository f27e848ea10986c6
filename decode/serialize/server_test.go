package serialize_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/serialize"
	"github.com/pktscope/pktscope/decode/wire"
)

// messages are some that the example's clients send.
func messages(tb testing.TB) (all [][]byte) {
	tb.Helper()
	many := &Message{Sequence: 9, Kind: Moves}
	for i := range 40 {
		many.Moves = append(many.Moves, Move{Tick: uint32(1 + i*i*i*7), Buttons: uint8(i & 0b10111), Aim: [2]float32{float32(i) / 40, -0.25}})
	}
	late := &Message{Sequence: 3, Kind: Ack, Missing: []byte{7, 0, 255}}
	for i := range late.Acked {
		late.Acked[i] = i%3 == 0
	}
	var s serialize.Stream
	for _, m := range []*Message{{Kind: Join, Name: "ann", Token: [16]byte{1, 2, 3}}, {Kind: Moves}, many, {Kind: Ack}, late} {
		b, err := s.Append(wire.LSB, nil, m)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// resealed is a datagram with its checksum made right: what somebody sends who can compute it.
func resealed(datagram []byte) []byte {
	datagram = bytes.Clone(datagram)
	reseal(&plan.Checksum{From: plan.SumEnd{Register: -1}, To: plan.SumEnd{Register: -1}, Algorithm: wire.AlgorithmNamed("crc32"), Prefix: []plan.SumPart{{Register: -1, Value: 0x0fedcba9, Size: 4}}}, datagram)
	return datagram
}

// hostile receives a datagram and checks what a server owes: an answer after work that the datagram's size bounds,
// values in their ranges, and one encoding for what was accepted.
func hostile(tb testing.TB, server *Server, datagram []byte) bool {
	tb.Helper()
	m := &server.message
	m.work = 0
	err := server.Receive(datagram)
	if most := 8*len(datagram) + 1; m.work > most || len(m.Moves) > 40 || cap(m.Moves) > 64 || cap(m.Missing) > 64 {
		tb.Fatalf("%d bytes caused %d turns, %d and %d elements", len(datagram), m.work, cap(m.Moves), cap(m.Missing))
	}
	for i := range m.Moves {
		v := &m.Moves[i]
		if m.Kind == Moves && err == nil && (v.Tick == 0 || v.Tick > 1<<31-1 || i > 0 && v.Tick <= m.Moves[i-1].Tick || v.Buttons&^0b10111 != 0 ||
			!(v.Aim[0] >= -1 && v.Aim[0] <= 1 && v.Aim[1] >= -1 && v.Aim[1] <= 1)) {
			tb.Fatalf("move %d is %+v", i, v)
		}
	}
	if err != nil {
		if err.Error() == "" || server.stream.OK() {
			tb.Fatal("a refusal without words")
		}
		return false
	}
	again, err := server.stream.Append(wire.LSB, nil, m)
	if err != nil {
		tb.Fatalf("%x cannot be written back: %v", datagram, err)
	}
	if len(again) > len(datagram) {
		tb.Fatalf("%x is written as %x", datagram, again)
	}
	return true
}

func TestServer(t *testing.T) {
	var server Server
	r := rand.New(rand.NewPCG(1, 2))
	for _, packet := range messages(t) {
		if !hostile(t, &server, packet) {
			t.Fatalf("%x is refused", packet)
		}
		for n := range packet {
			if hostile(t, &server, resealed(packet[:n])) {
				t.Errorf("the first %d bytes of %x are accepted", n, packet)
			}
		}
		for bit := range 8 * len(packet) {
			packet[bit/8] ^= 1 << (bit % 8)
			if hostile(t, &server, packet) {
				t.Errorf("accepted with bit %d changed", bit)
			}
			hostile(t, &server, resealed(packet))
			packet[bit/8] ^= 1 << (bit % 8)
		}
	}
	for range 2000 {
		noise := make([]byte, r.IntN(80))
		for i := range noise {
			noise[i] = byte(r.Uint32())
		}
		hostile(t, &server, resealed(noise))
	}
}

// Once its memory has grown, a server allocates for no packet, right or wrong. (A Join's name is a string: a new one is
// made when it is another than the last.)
func TestServerAllocatesNothing(t *testing.T) {
	var server Server
	packets := messages(t)[1:]
	for _, p := range packets {
		packets = append(packets, resealed(p[:len(p)/2]))
	}
	if n := testing.AllocsPerRun(50, func() {
		for _, p := range packets {
			_ = server.Receive(p)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzServer is the example's server under fire, its checksum repaired so that what is after it is reached.
func FuzzServer(f *testing.F) {
	for _, m := range messages(f) {
		f.Add(m)
	}
	var server Server
	f.Fuzz(func(t *testing.T, datagram []byte) {
		hostile(t, &server, datagram)
		hostile(t, &server, resealed(datagram))
	})
}
