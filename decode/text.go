package decode

import (
	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// lengthBit is the first bit of the length before a text: the last leaf of the run before it.
func (m *machine) lengthBit(b *plan.Blob) int {
	if m.judging { // which records no run
		return m.bit
	}
	s := &m.t.Records[len(m.t.Records)-1]
	l := &m.p.Leaves[m.p.LeafOf(&m.p.Operands[b.Size], b.ID)]
	return int(s.Bit + l.Off)
}

// cstring takes bytes up to a NUL. Bytes that end before it lack one more.
func (m *machine) cstring(b *plan.Blob, op *ops.Op) error {
	order := op.Order
	for size := range b.Max {
		at := m.bit + 8*size
		if m.end-at < 8 {
			return m.pastEnd(m.bit, 8*size+8, -1)
		}
		if order.Load(m.data, at, 8) != 0 {
			continue
		}
		if b.Rule != nil {
			if kind, code, limit := judgeRule(b, m.bytes(m.bit, size, order)); kind != reject.None {
				return m.refuse(kind, m.bit, 8*size+8, -1, code, limit)
			}
		}
		m.addRecord(0, size)
		m.bit = at + 8
		return nil
	}
	return m.refuse(reject.BadString, m.bit, 8*b.Max, -1, uint64(b.Max), uint64(wire.TextEnd))
}

// name takes a domain name. It may point at any byte before it in the datagram, also outside its window.
func (m *machine) name() error {
	var n wire.Name
	m.t.text, n = wire.ReadName(m.t.text[:0], m.data, m.bit/8, m.end/8)
	m.steps += n.Labels + n.Pointers
	if n.Cut {
		return m.pastEnd(m.bit, 8*n.Size, -1)
	}
	if n.Fault.Rule != 0 {
		kind, code, limit := bad(n.Fault)
		return m.refuse(kind, m.bit, 8*n.Size, -1, code, limit)
	}
	m.addRecord(0, n.Size)
	m.bit += 8 * n.Size
	return nil
}

// judgeText applies the rules of a text's type, then the one after it.
func (m *machine) judgeText(b *plan.Blob, bit, size int, order wire.Order) (kind reject.Kind, code, limit uint64) {
	if b.Text == schema.TextWString {
		return m.judgeWide(b, bit, size, order)
	}
	data, fault := m.bytes(bit, size, order), wire.TextFault{}
	switch b.Text {
	case schema.TextChar:
		data, fault = wire.CharText(data)
	case schema.TextString:
		fault = wire.StringFault(data)
	}
	if fault.Rule != 0 {
		return bad(fault)
	}
	if b.Rule == nil {
		return reject.None, 0, 0
	}
	return judgeRule(b, data)
}

// bad is a bad-string reject: its Limit is the rule, its Code the offset inside the text, with what is there in the
// upper half.
func bad(f wire.TextFault) (kind reject.Kind, code, limit uint64) {
	return reject.BadString, f.Got<<32 | uint64(f.At), uint64(f.Rule)
}

// judgeRule applies an encoding, `==` and `!=`.
func judgeRule(b *plan.Blob, data []byte) (kind reject.Kind, code, limit uint64) {
	if b.Encoding == wire.EncodingNone {
		return judgeEqual(b.Rule, data)
	}
	if fault := b.Encoding.Fault(data); fault.Rule != 0 {
		return bad(fault)
	}
	return reject.None, 0, 0
}

// judgeEqual applies `==` and `!=`.
func judgeEqual(r *schema.Rule, data []byte) (kind reject.Kind, code, limit uint64) {
	same := string(data) == string(r.Bytes)
	switch {
	case r.Kind == schema.RuleEq && !same, r.Kind == schema.RuleNe && same:
		return reject.ConstMismatch, uint64(len(data)), 0
	}
	return reject.None, 0, 0
}

// judgeWide checks the units of a wstring where they stand.
func (m *machine) judgeWide(b *plan.Blob, bit, size int, order wire.Order) (kind reject.Kind, code, limit uint64) {
	if fault := order.WideFault(m.data, bit, size); fault.Rule != 0 {
		return bad(fault)
	}
	if b.Rule == nil {
		return reject.None, 0, 0
	}
	m.t.text = order.AppendWide(m.t.text[:0], m.data, bit, size)
	kind, _, limit = judgeEqual(b.Rule, m.t.text)
	return kind, uint64(size), limit // in units, as they are in the packet
}

// bytes is the raw bytes at a bit, valid until the next call: a slice of the datagram where they lie on bytes.
func (m *machine) bytes(bit, size int, order wire.Order) []byte {
	if bit%8 == 0 {
		return m.data[bit/8 : bit/8+size]
	}
	m.t.text = order.AppendBytes(m.t.text[:0], m.data, bit, size)
	return m.t.text
}
