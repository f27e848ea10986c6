package decode

import (
	"hash/crc32"

	"github.com/pktscope/pktscope/decode/bitio"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// noCRC stands in for the checksum's own bytes.
var noCRC [4]byte

// checksum verifies the packet's CRC before anything behind it is believed. A wrong protocol id and a corrupt packet are
// the same reject: the id is a prefix that is never sent. (It is no protection against somebody who can compute it.)
func (m *machine) checksum(op *plan.Op) error {
	leaf := int(op.A)
	if m.end-m.bit < 32 {
		return m.pastEnd(m.bit, 32, leaf)
	}
	stored := bitio.Order(op.Order).Load(m.data, m.bit, 32)
	if m.p.Info[leaf].Swap {
		stored = bitio.SwapBytes(stored, 32)
	}
	sum := Checksum(&m.p.CRCs[op.B], m.data, m.bit/8)
	if uint64(sum) != stored {
		return m.refuse(reject.CRCMismatch, m.bit, 32, leaf, stored, uint64(sum))
	}
	m.span(len(m.t.Raw), 1)
	m.t.Raw = append(m.t.Raw, stored)
	m.bit += 32
	return nil
}

// Checksum computes a packet's checksum whose field is at byte at: the prefix, then the datagram with the field's own
// four bytes as zero, or with `over rest` only what follows the field (wire.md, "Checks and checksums").
func Checksum(c *plan.CRC, data []byte, at int) uint32 {
	table := crc32.IEEETable
	if c.Castagnoli {
		table = castagnoli
	}
	sum := crc32.Update(0, table, c.Prefix[:c.PrefixLen])
	if !c.OverRest {
		sum = crc32.Update(sum, table, data[:at])
		sum = crc32.Update(sum, table, noCRC[:])
	}
	return crc32.Update(sum, table, data[at+4:])
}
