package wire

import "hash/crc32"

// Checksum is a CRC-32 with its unsent prefix (wire.md, "Checks and checksums"). The zero Checksum is zlib's, over the
// whole packet, without a prefix.
type Checksum struct {
	Castagnoli bool // CRC-32C
	OverRest   bool // only what is behind the field is covered
	Prefix     [8]byte
	PrefixLen  int // bytes: 0, 4 or 8
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// noChecksum stands in for the field's own bytes.
var noChecksum [4]byte

// Sum computes the checksum of a packet whose field is at byte at: over the prefix, then over the packet with the field's
// own four bytes as zero, or with OverRest only over what follows the field.
func (c *Checksum) Sum(packet []byte, at int) uint32 {
	table := crc32.IEEETable
	if c.Castagnoli {
		table = castagnoli
	}
	sum := crc32.Update(0, table, c.Prefix[:c.PrefixLen])
	if !c.OverRest {
		sum = crc32.Update(sum, table, packet[:at])
		sum = crc32.Update(sum, table, noChecksum[:])
	}
	return crc32.Update(sum, table, packet[at+4:])
}
