package schema

import "github.com/pktscope/pktscope/decode/wire"

// Order is how bits fill bytes (wire.md, "The three bit orders").
type Order = wire.Order

// The bit orders.
const (
	LSB   = wire.LSB
	MSB   = wire.MSB
	Bousk = wire.Bousk
)

// Endian is the byte order said behind a type.
type Endian uint8

// The byte orders.
const (
	EndianNone Endian = iota // the bit order's own
	LittleEndian
	BigEndian
)

// String gives the word of the language, "" for EndianNone.
func (e Endian) String() string { return [...]string{"", "le", "be"}[e] }

// SubsetKind is one of the articles' four ways to send some elements of an array.
type SubsetKind uint8

// The subsets.
const (
	SubsetNone SubsetKind = iota // not one (already complained about)
	SubsetBitmap
	SubsetIndex
	SubsetSentinel
	SubsetRelative
)

// String gives the word of the language.
func (s SubsetKind) String() string {
	return [...]string{"", "bitmap", "index", "sentinel", "relative"}[s]
}

// Side is an end of the conversation.
type Side uint8

// The sides. SideNone means that none was named, or that the direction is unknown.
const (
	SideNone Side = iota
	Client
	Server
)

// String gives "client", "server" or "unknown".
func (s Side) String() string { return [...]string{"unknown", "client", "server"}[s] }
