package wire

// BelowNumber reads a number below a limit from single bits, the lowest first: one is read only where both of its
// values would leave the number below the limit (wire.md, "Integers"). No pattern of bits stands for a number that is
// not below it.
type BelowNumber struct {
	Limit uint64 // 1..2^32
	Value uint64 // so far
	bits  int    // read
}

// More reports whether another bit is to be read: at most 32 times.
func (b *BelowNumber) More() bool { return b.Value+1<<b.bits < b.Limit }

// Add takes the next bit in.
func (b *BelowNumber) Add(bit uint64) {
	b.Value |= bit << b.bits
	b.bits++
}

// BelowBits is how many bits a value takes that is below limit.
func BelowBits(value, limit uint64) int {
	b := BelowNumber{Limit: limit}
	for b.More() {
		b.Add(value >> b.bits & 1)
	}
	return b.bits
}
