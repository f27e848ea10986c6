package decode

import (
	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/reject"
)

// checksum verifies the packet's CRC before anything behind it is believed. A wrong protocol id and a corrupt packet
// are the same reject: the id is a prefix that is never sent. (It is no protection against somebody who can compute
// it.)
func (m *machine) checksum(op *ops.Op) error {
	leaf, c := int(op.A), m.p.Checksum()
	width := c.Algorithm.Width
	if m.end-m.bit < width {
		return m.pastEnd(m.bit, width, leaf)
	}
	stored, seal := c.Stored(m.data, m.bit), c.Seal(m.bit, m.t.slots)
	if sum := seal.Sum(m.data); sum != stored {
		return m.refuse(reject.CRCMismatch, m.bit, width, leaf, stored, sum)
	}
	m.addRecord(len(m.t.Raw), 1)
	m.t.Raw = append(m.t.Raw, stored)
	m.bit += width
	return nil
}
