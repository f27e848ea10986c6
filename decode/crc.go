package decode

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// checksum verifies the packet's CRC before anything behind it is believed. A wrong protocol id and a corrupt packet are
// the same reject: the id is a prefix that is never sent. (It is no protection against somebody who can compute it.)
func (m *machine) checksum(op *plan.Op) error {
	leaf := int(op.A)
	if m.end-m.bit < 32 {
		return m.pastEnd(m.bit, 32, leaf)
	}
	stored := op.Order.Load(m.data, m.bit, 32)
	if m.p.Info[leaf].Swap {
		stored = wire.SwapBytes(stored, 32)
	}
	sum := m.p.CRCs[op.B].Sum(m.data, m.bit/8)
	if uint64(sum) != stored {
		return m.refuse(reject.CRCMismatch, m.bit, 32, leaf, stored, uint64(sum))
	}
	m.span(len(m.t.Raw), 1)
	m.t.Raw = append(m.t.Raw, stored)
	m.bit += 32
	return nil
}
