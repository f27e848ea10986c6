package serialize_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/serialize"
	"github.com/pktscope/pktscope/decode/wire"
)

// Message is what clients send to the server.
type Message struct {
	Sequence uint16
	Kind     MessageKind
	Name     string // Join
	Token    [16]byte
	Moves    []Move   // Moves
	Acked    [32]bool // Ack: which of the last 32 snapshots came
	Missing  []byte   // Ack: how late each of those was
	work     int      // turns of its loops: FuzzServer holds them against the size
}

type MessageKind uint8

const (
	Join MessageKind = iota
	Moves
	Ack
)

// Move is an input that the client made at a tick.
type Move struct {
	Tick    uint32
	Buttons uint8
	Aim     [2]float32
}

var turns = serialize.NewQuantized(-1, 1, 0.001)

func (m *Message) Serialize(s *serialize.Stream) {
	s.CRC32("crc", serialize.Prefix32(0x0fedcba9))
	serialize.Bits(s, "sequence", &m.Sequence, 16)
	serialize.Enum(s, "kind", &m.Kind, Join, Ack)
	switch m.Kind {
	case Join:
		s.String("name", &m.Name, 24)
		s.Bytes("token", m.Token[:])
	case Moves:
		n := len(m.Moves)
		serialize.Int(s, "count", &n, 0, 40)
		tick := uint32(0) // each later than the one before, the first than 0
		for _, v := range serialize.Slice(s, "moves", &m.Moves, n) {
			serialize.Ladder(s, "tick", &v.Tick, tick)
			tick = v.Tick
			serialize.Flags(s, "buttons", &v.Buttons, 5, 0b10111)
			s.QuantizedVector("aim", v.Aim[:], &turns)
			m.work++
		}
	case Ack:
		acked := func(i int) *bool { return &m.Acked[i] }
		for range serialize.Bitmap.Each(s, "acked", len(m.Acked), acked) {
			m.work++
		}
		n := len(m.Missing)
		serialize.Int(s, "missing", &n, 0, 32)
		s.BytesN("late", &m.Missing, n)
	}
	s.CheckLabel("end of message")
}

// Server reads datagrams from anybody.
type Server struct {
	stream  serialize.Stream
	message Message // its memory is used again
	last    uint16
}

// Receive reads one datagram. Nothing in it has been believed when it comes back with an error, and the message is not
// looked at then.
func (s *Server) Receive(datagram []byte) error {
	if err := s.stream.Read(wire.LSB, datagram, &s.message); err != nil {
		return err
	}
	s.last = s.message.Sequence
	return nil
}

// A server's loop. Every kind of wrong packet is an error with its place, and costs no more than a right one.
func Example_server() {
	var client serialize.Stream
	join, _ := client.Append(wire.LSB, nil, &Message{Sequence: 1, Kind: Join, Name: "ann"})
	moves, _ := client.Append(wire.LSB, nil, &Message{Sequence: 2, Kind: Moves, Moves: []Move{{Tick: 60, Buttons: 1}, {Tick: 61}}})
	foreign := []byte("GET / HTTP/1.1\r\n\r\n")

	var server Server
	for _, datagram := range [][]byte{join, moves, moves[:len(moves)-3], foreign, nil} {
		if err := server.Receive(datagram); err != nil {
			fmt.Println("refused:", err)
			continue
		}
		m := &server.message
		fmt.Println(m.Sequence, m.Kind, m.Name, len(m.Moves))
	}

	// Output:
	// 1 0 ann 0
	// 2 1 ann 2
	// refused: crc: crc-mismatch at bit 0 (byte 0): want 0x5b30fc83, got 0x463e24a9
	// refused: crc: crc-mismatch at bit 0 (byte 0): want 0xd9bd35ba, got 0x20544547
	// refused: crc: past-end at bit 0 (byte 0): want 32 bits, got 0 left
}
