package flow

import (
	"net/netip"
	"strconv"

	"github.com/pktscope/pktscope/decode"
)

// Section is what a Table knows of one kind of message.
type Section struct {
	// Remember is how many messages that were delivered are remembered in each direction, so that a piece that comes
	// again opens none. Where ids come round soon it must be less than there are: at most 64, 0 is none.
	Remember int
}

// Piece is a part of a message as a packet carries it. All of it is the sender's.
type Piece struct {
	Section int    // which of the Table's
	ID      uint64 // of the message, in its direction
	Bytes   bool   // At and Of are bytes; else pieces
	At      uint64 // its index, or its offset
	Of      uint64 // count, or total; valid iff Counted
	Counted bool
	Last    bool // the message ends with it; of a piece that is not Counted
	Data    []byte
	Record  int64 // the number of its packet
}

// Odd is what is odd about a piece: it decides nothing.
type Odd uint8

// What can be odd. Of two pieces that differ the first is kept.
const (
	DuplicateFragment   Odd = 1 << iota // its bytes are there
	ConflictingFragment                 // other bytes are there, or it lies beyond the end that another piece gave
	DuplicateMessage                    // its message was delivered
	OutOfOrder                          // of a message: its pieces did not come in their order
)

// Whole is a message of which all pieces came. The struct is valid until the Table's next Add.
type Whole struct {
	Section int
	ID      uint64
	Data    []byte                // valid until the Table's next Meet; of a message of one piece it is the piece's
	Parts   []decode.MessagePiece // in the order of the message; as long
	Odd     Odd                   // OutOfOrder or nothing
}

// Reason is why a message was given up.
type Reason uint8

// The reasons.
const (
	Missing Reason = iota // pieces did not come in time
	Evicted               // there was no room
	End                   // the capture ended
)

// Lost is a message that was given up before all its pieces came.
type Lost struct {
	Section int
	ID      uint64
	Reason  Reason
	Asked   bool // Table.Ask was called after one of its pieces
	// Src and Dst are the ends of its packets.
	Src, Dst netip.AddrPort
	Have     int // pieces, or bytes if Bytes, that came
	Want     int // of so many; -1 where no piece said
	Bytes    bool
	Parts    []decode.MessagePiece // valid until the Table's next Meet
}

// AppendText appends the reason, as people read it: `missing 2 of 5`, `evicted`, `end`.
func (l *Lost) AppendText(b []byte) []byte {
	switch l.Reason {
	case Evicted:
		return append(b, "evicted"...)
	case End:
		return append(b, "end"...)
	case Missing:
	}
	if l.Want < 0 {
		return append(b, "missing the last piece"...)
	}
	b = strconv.AppendInt(append(b, "missing "...), int64(l.Want-l.Have), 10)
	b = strconv.AppendInt(append(b, " of "...), int64(l.Want), 10)
	if l.Bytes {
		b = append(b, " bytes"...)
	}
	return b
}

// String is AppendText as a string.
func (l *Lost) String() string { return string(l.AppendText(nil)) }
