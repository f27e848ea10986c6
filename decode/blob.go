package decode

import (
	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// pad skips zero bits to a multiple of n bits. Padding that is not zero is a covert channel and a second encoding of
// the same message, so it is refused at its first set bit.
func (m *machine) pad(n int, any bool) error {
	width := -m.bit & (n - 1)
	if width == 0 {
		return nil
	}
	if width > m.end-m.bit {
		return m.pastEnd(m.bit, width, -1)
	}
	if err := m.zeros(width, any, reject.NonzeroPadding); err != nil {
		return err
	}
	m.bit += width
	return nil
}

// zeros checks that the next width bits, which are there, are zero; with any, set ones are a note. Padding is refused
// at its first set bit, reserved bits as a whole.
func (m *machine) zeros(width int, any bool, kind reject.Kind) error {
	order := m.program.Ops[m.pc].Order
	for at := 0; at < width; at += 64 {
		n := min(64, width-at)
		code := order.Load(m.data, m.bit+at, n)
		if code == 0 {
			continue
		}
		if any {
			m.t.note(reject.IgnoredBits, m.bit, width, m.place(-1), code)
			return nil
		}
		if kind == reject.NonzeroPadding {
			return m.refuse(kind, order.FirstSet(m.data, m.bit+at, n), 1, -1, 1, 0)
		}
		return m.refuse(kind, m.bit, width, -1, code, 0)
	}
	return nil
}

func (m *machine) align(op *ops.Op) error { return m.pad(int(op.A), op.Flags&ops.FlagAny != 0) }

func (m *machine) reserved(op *ops.Op) error {
	width := int(op.A)
	m.steps += width / 64
	if width > m.end-m.bit {
		return m.pastEnd(m.bit, width, -1)
	}
	if err := m.zeros(width, op.Flags&ops.FlagAny != 0, reject.ReservedNonzero); err != nil {
		return err
	}
	m.addRecord(0, width)
	m.bit += width
	return nil
}

// blob takes raw bytes or text. The size is the attacker's until it has passed its range and been found to fit.
func (m *machine) blob(op *ops.Op) error {
	b := m.p.Blobs[op.A]
	start := m.bit
	if b.Text == schema.TextString || b.Text == schema.TextWString {
		start = m.lengthBit(b) // a text that breaks a rule is refused from its length on
	}
	if op.Flags&ops.FlagPacked == 0 {
		if err := m.pad(8, false); err != nil {
			return err
		}
	}
	if b.Text == schema.TextCString {
		return m.cstring(b, op)
	}
	if b.Text == schema.TextName {
		return m.name()
	}
	if b.Text == 0 || b.Text == schema.TextChar {
		start = m.bit
	}
	size := b.Max
	switch {
	case b.Rest:
		size = (m.end - m.bit) / 8
		if m.t.filling {
			size = max(0, m.t.fills[len(m.t.fills)-1].end-m.bit) / 8
		}
	case b.Size >= 0:
		n := m.eval(uint32(b.Size))
		if n > uint64(b.Max) { // also a negative size, as an int64's bits
			return m.refuse(reject.OutOfRange, m.bit, 0, -1, n, uint64(b.Max))
		}
		size = int(n)
	}
	if size > b.Max {
		return m.refuse(reject.OutOfRange, m.bit, 0, -1, uint64(size), uint64(b.Max))
	}
	unit := b.Unit()
	if size > (m.end-m.bit)/unit {
		return m.pastEnd(m.bit, unit*size, -1)
	}
	if b.Text != 0 || b.Rule != nil {
		if kind, code, limit := m.judgeText(b, m.bit, size, op.Order); kind != reject.None {
			return m.refuse(kind, start, m.bit+unit*size-start, -1, code, limit)
		}
	}
	m.addRecord(0, size)
	m.bit += unit * size
	if b.Fragment != nil {
		m.fragment(b.Fragment)
	}
	return nil
}
