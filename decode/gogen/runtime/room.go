//lint:file-ignore U1000 what a generated package uses of this is copied into it

package runtime

// How much a PacketReader and a writer hold is decided for each protocol; these are the values of this package's own
// tests.
const (
	loopDepth  = 64 // loops inside loops
	slotRoom   = 64 // values that one function reads and another needs
	sumRoom    = 2  // checksums over what comes after them
	lengthRoom = 2  // lengths that a writer has room for

	MaxDatagram = 65_507 // bytes
)

// found is what a writer finds of the lengths that nobody gave, and the ways that it tries; nothing, where a protocol
// has none.
type found struct {
	lengths
	picks
}
