package decode

import (
	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Lists that find their end on the way, and windows. None is without a bound: a list has a most, and each element takes
// bits from the datagram.

// repeat starts a list whose elements are counted as they come.
func (m *machine) repeat(op *ops.Op) {
	t := m.t
	self := int32(len(t.Records))
	m.addRecord(len(t.Raw), 0)
	t.loops[op.A] = loop{span: self, left: op.Imm, outer: m.parent, index: m.index}
	m.parent, m.index = self, 0
}

// leave ends the list that op started, and goes on after it.
func (m *machine) leave(op *ops.Op) {
	l := &m.t.loops[op.A]
	m.parent, m.index = l.outer, l.index
	m.next = int(op.B)
}

// quit leaves a list that asked for it before an element.
func (m *machine) quit(list *ops.Op) {
	m.leave(list)
	if m.t.records {
		m.way(WayOut)
	}
}

// more begins another element, or leaves the list.
func (m *machine) more(op *ops.Op) error {
	list := &m.program.Ops[op.A]
	switch op.C {
	case ops.MoreRest:
		if m.end-m.bit < int(op.Imm) {
			m.quit(list)
			return nil
		}
	case ops.MoreWhile:
		if m.eval(op.B) == 0 {
			m.quit(list)
			return nil
		}
	}
	return m.nextIteration(list)
}

// another begins one more element of a list, unless it has as many as it may.
func (m *machine) nextIteration(list *ops.Op) error {
	l := &m.t.loops[list.A]
	if l.left == 0 {
		m.parent, m.index = l.outer, l.index // the list itself is refused, not an element
		return m.refuse(reject.OutOfRange, m.bit, 0, -1, list.Imm+1, list.Imm)
	}
	l.left--
	m.t.Records[l.span].N++
	if m.t.records {
		m.way(WayElement)
	}
	return nil
}

// slot reads a bitmap's flags up to the next that is set.
func (m *machine) slot(op *ops.Op) error {
	t := m.t
	list := &m.program.Ops[op.A]
	l := &t.loops[list.A]
	index, parent := m.index, m.parent
	m.parent, m.index = l.outer, l.index // a flag belongs to the list, not to an element
	for ; l.left > 0; l.left-- {
		m.steps++
		if m.bit == m.end {
			return m.pastEnd(m.bit, 1, int(op.B))
		}
		flag := m.flag(op)
		m.addRecord(len(t.Raw), 1)
		t.Raw = append(t.Raw, flag)
		m.bit++
		if flag == 0 {
			continue
		}
		m.parent, m.index = parent, index
		m.addRecord(len(t.Raw), 0)
		t.Raw = append(t.Raw, op.Imm-l.left)
		l.left--
		t.Records[l.span].N++
		return nil
	}
	m.next = int(list.B)
	return nil
}

// flag is the bit here, which there is. In all orders but lsb the first bit of a byte is its highest.
func (m *machine) flag(op *ops.Op) uint64 {
	at := uint(m.bit) % 8
	if op.Order != wire.LSB {
		at = 7 - at
	}
	return uint64(m.data[uint(m.bit)/8]) >> at & 1
}

// window narrows what can be seen. Its size is the attacker's until it has been found to fit what is around it.
func (m *machine) window(op *ops.Op) error {
	if op.Flags&ops.FlagPacked == 0 {
		if err := m.pad(8, false); err != nil {
			return err
		}
	}
	size, unit := m.eval(op.A), uint64(op.C)
	fits := uint64(m.end-m.bit) / unit
	if m.p.Operands[op.A].Signed && int64(size) < 0 {
		return m.refuse(reject.OutOfRange, m.bit, 0, -1, size, fits)
	}
	if size > fits { // before it is multiplied: a size of 2^61 bytes would have no bits
		need, most := size*unit, ^uint64(0)
		if size > most/unit {
			need = most
		}
		return m.refuse(reject.PastEnd, m.bit, reject.Width(need), -1, uint64(m.end-m.bit), need)
	}
	m.t.windows[op.B] = m.end
	bits := int(size) * int(op.C)
	m.end = m.bit + bits
	zeros := int(op.Imm)
	if op.Flags&ops.FlagAny != 0 && bits <= zeros {
		last := m.end
		for last > m.bit+8 && m.data[last/8-1] == 0 {
			last -= 8
		}
		if last < m.end {
			m.t.note(reject.NonCanonicalRaw, last, m.end-last, m.place(-1), 0)
		}
	}
	if bits < zeros {
		m.steps += zeros / 64
		m.data = m.t.startFill(m.data, m.bit, bits, zeros)
		m.end = m.bit + zeros
	}
	return nil
}

// close ends a window: what is left of it is padding when it is less than a byte.
func (m *machine) close(op *ops.Op) error {
	left := m.end - m.bit
	if m.t.filling {
		left = m.t.fills[len(m.t.fills)-1].end - m.bit
	}
	if left >= 8 {
		return m.refuse(reject.TrailingBytes, m.bit, left, -1, uint64(left), 0)
	}
	if left > 0 {
		if err := m.zeros(left, false, reject.NonzeroPadding); err != nil {
			return err
		}
	}
	if m.t.filling {
		m.end, m.data = m.t.endFill(), m.t.Payload
	}
	m.bit, m.end = m.end, m.t.windows[op.B]
	return nil
}
