package decode

import (
	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// checksum verifies a checksum before anything after it is believed. A wrong protocol id and a corrupt packet are the
// same reject: the id is a prefix that is never sent. (It is no protection against somebody who can compute it.)
func (m *machine) checksum(op *ops.Op) error {
	leaf, c := int(op.A), m.p.Checksums[op.B]
	width := c.Algorithm.Width
	if m.end-m.bit < width {
		return m.pastEnd(m.bit, width, leaf)
	}
	m.t.Seals = append(m.t.Seals, c.Seal(m.bit, m.end, m.t.registers))
	stored, seal := c.Stored(m.data, m.bit), &m.t.Seals[len(m.t.Seals)-1]
	from, to := seal.Covered(m.data)
	m.steps += (to-from)/8 + len(c.Prefix) + len(c.Suffix)
	if sum := seal.SumOver(m.data, from, to); sum != stored {
		return m.refuse(reject.CRCMismatch, m.bit, width, leaf, stored, sum)
	}
	m.addRecord(len(m.t.Raw), 1)
	m.t.Raw = append(m.t.Raw, stored)
	m.bit += width
	return nil
}

// openSum is a checksum that is written when all that it covers is there.
type openSum struct {
	seal, raw int // its places in the trace
	forced    *Override
}

// reserve leaves room for a checksum, and writes it where it covers only what is there already.
func (w *writer) reserve(s *plan.Checksum) {
	t := w.t
	open := openSum{len(t.Seals), len(t.Raw), w.forced(int(s.Leaf))}
	t.Seals = append(t.Seals, s.Seal(w.bit, w.bit, t.registers))
	t.Raw = append(t.Raw, 0)
	w.addRecord(len(t.Raw)-1, 1)
	w.put(0, s.Algorithm.Width, s.Order)
	w.sums = append(w.sums, open)
	if s.To.Kind != schema.SumAround {
		w.sealFrom(len(w.sums) - 1)
	}
}

// sealFrom writes the checksums that are open, from one on, over what is written so far; those that others cover first
// (see plan.Seals.Sort).
func (w *writer) sealFrom(first int) {
	packet := w.packet()
	for i := len(w.sums) - 1; i >= first; i-- {
		open := &w.sums[i]
		seal := &w.t.Seals[open.seal]
		seal.Close(w.bit)
		step := seal.Step
		sum := seal.Sum(packet)
		w.t.Raw[open.raw] = sum
		if open.forced != nil {
			sum = open.forced.Code & wire.Mask(step.Algorithm.Width)
		}
		step.Store(packet, seal.Bit, sum)
	}
	w.sums = w.sums[:first]
}
