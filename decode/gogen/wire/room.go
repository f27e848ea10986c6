//lint:file-ignore U1000 what a generated package uses of this is copied into it

package wire

// How much a Reader and a writer hold is decided for each protocol; these are the values of this package's own tests.
const (
	loopDepth = 64  // loops inside loops
	slotRoom  = 64  // values that one function reads and another needs
	tailRoom  = 256 // bytes that a run loads at once
)
