package wire

import "strconv"

// Order is the way in which values fill the bits of bytes (wire.md, "The three bit orders").
type Order uint8

const (
	// LSB fills each byte from its least significant bit; the first bit of a value is its lowest. A byte-aligned
	// integer of whole bytes comes out little-endian.
	LSB Order = iota
	// MSB fills each byte from its most significant bit; the first bit of a value is its highest. A byte-aligned
	// integer of whole bytes comes out big-endian.
	MSB
	// Bytewise counts positions as MSB does, but a value leaves in groups of 8 of its bits, the lowest group first. A
	// group that does not fit into the f free bits of a byte leaves its low f bits there, and its high bits open the next
	// byte from the left. It is the order of the C++ course's serializer.
	Bytewise
)

var orderNames = [...]string{LSB: "lsb", MSB: "msb", Bytewise: "bousk"}

// String returns the order's word in a schema: "lsb", "msb" or "bousk".
func (o Order) String() string {
	if int(o) < len(orderNames) {
		return orderNames[o]
	}
	return "order(" + strconv.Itoa(int(o)) + ")"
}

// ParseOrder is the inverse of String. It knows the three lower-case words and nothing else.
func ParseOrder(word string) (Order, bool) {
	for o, name := range orderNames {
		if word == name {
			return Order(o), true
		}
	}
	return 0, false
}

// Load reads the n bits at position bit; see [LoadLSB] for what the caller owes.
func (o Order) Load(data []byte, bit, n int) uint64 {
	switch o {
	case LSB:
		return LoadLSB(data, bit, n)
	case MSB:
		return LoadMSB(data, bit, n)
	case Bytewise:
		return LoadBytewise(data, bit, n)
	}
	panic(badOrder(o))
}

// Store overwrites the n bits at position bit with v; see [StoreLSB] for what the caller owes.
func (o Order) Store(data []byte, bit, n int, v uint64) {
	switch o {
	case LSB:
		StoreLSB(data, bit, n, v)
	case MSB:
		StoreMSB(data, bit, n, v)
	case Bytewise:
		StoreBytewise(data, bit, n, v)
	default:
		panic(badOrder(o))
	}
}

//go:noinline
func badOrder(o Order) string {
	return "pktscope: internal error: wire: unknown order(" + strconv.Itoa(int(o)) + ")"
}
