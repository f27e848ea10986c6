package wire

import "hash/crc32"

// Algorithm is a cyclic redundancy check that takes the lowest bit of each byte first (wire.md, "Checks and checksums").
// The zero Algorithm is none: use one of Algorithms.
type Algorithm struct {
	Name       string // the word of the language
	Width      int    // bits of the checksum: 16 or 32
	Polynomial uint32 // its bits reversed, without the highest power
	Initial    uint32 // what the register begins with
	Final      uint32 // xor'ed to the register at the end

	table *crc32.Table
}

// Algorithms are the checksums of the language, a row each.
var Algorithms = [...]Algorithm{
	{Name: "crc32", Width: 32, Polynomial: crc32.IEEE, Initial: 1<<32 - 1, Final: 1<<32 - 1},
	{Name: "crc32c", Width: 32, Polynomial: crc32.Castagnoli, Initial: 1<<32 - 1, Final: 1<<32 - 1},
	{Name: "crc16_modbus", Width: 16, Polynomial: 0xA001, Initial: 1<<16 - 1}, // x^16 + x^15 + x^2 + 1
}

func init() {
	for i := range Algorithms {
		a := &Algorithms[i]
		a.table = crc32.MakeTable(a.Polynomial) // of bytes, whatever the width; those of the library are its own
	}
}

// AlgorithmNamed returns the checksum of a word of the language, nil for another word.
func AlgorithmNamed(word string) *Algorithm {
	for i := range Algorithms {
		if Algorithms[i].Name == word {
			return &Algorithms[i]
		}
	}
	return nil
}

// Empty is the checksum of no bytes.
func (a *Algorithm) Empty() uint32 { return a.Initial ^ a.Final }

// Update returns the checksum of some bytes followed by data, where sum is the checksum of those bytes.
func (a *Algorithm) Update(sum uint32, data []byte) uint32 {
	return update(a.table, a.Final, sum, data)
}

func update(table *crc32.Table, final, sum uint32, data []byte) uint32 {
	if final == 1<<32-1 {
		return crc32.Update(sum, table, data) // with the processor's instructions, where it has them
	}
	sum ^= final
	for _, b := range data {
		sum = table[byte(sum)^b] ^ sum>>8
	}
	return sum ^ final
}

// Checksum is an algorithm with its unsent prefix.
type Checksum struct {
	Algorithm *Algorithm
	OverRest  bool // only what is behind the field is covered
	Prefix    [8]byte
	PrefixLen int // bytes: 0, 4 or 8
}

// noChecksum stands in for the field's own bytes.
var noChecksum [4]byte

// Start is the checksum of the prefix alone.
func (c *Checksum) Start() uint32 {
	return c.Algorithm.Update(c.Algorithm.Empty(), c.Prefix[:c.PrefixLen])
}

// Sum computes the checksum of a packet whose field is at byte at: over the prefix, then over the packet with the field's
// own bytes as zero, or with OverRest only over what follows the field.
func (c *Checksum) Sum(packet []byte, at int) uint32 {
	a := c.Algorithm
	return SumFrom(a.table, c.Start(), a.Final, a.Width/8, c.OverRest, packet, at)
}

// SumFrom is Sum with an algorithm of size bytes taken apart. It starts with the sum of the prefix.
func SumFrom(table *crc32.Table, sum, final uint32, size int, overRest bool, packet []byte, at int) uint32 {
	if !overRest {
		sum = update(table, final, sum, packet[:at])
		sum = update(table, final, sum, noChecksum[:size])
	}
	return update(table, final, sum, packet[at+size:])
}
