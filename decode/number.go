package decode

import (
	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Numbers whose width is found on the way. Each piece is read through take, so a piece that does not fit is refused at
// its own first bit.

// take reads n bits of the number at leaf; false after a refusal, which is in m.err.
func (m *machine) take(n int, op *ops.Op) (uint64, bool) {
	if n > m.end-m.bit {
		m.err = m.pastEnd(m.bit, n, int(op.A))
		return 0, false
	}
	code := op.Order.Load(m.data, m.bit, n)
	m.bit += n
	return code, true
}

// number reads a leaf as Numbers says. The order of refusals is: does not fit, not canonical, out of its type's range,
// breaks its rule.
func (m *machine) number(op *ops.Op) error {
	n := m.p.Numbers[op.B]
	start := m.bit
	var code uint64
	var kind reject.Kind
	ok := true
	switch n.Kind {
	case plan.NumberSized:
		code, kind, ok = m.sized(n, op)
	case plan.NumberRanged:
		code, kind, ok = m.ranged(n, op)
	case plan.NumberVarint:
		code, kind, ok = m.varint(n, op)
	case plan.NumberBelow:
		code, ok = m.below(n, op)
	case plan.NumberLadder:
		code, kind, ok = m.ladder(n, op)
	case plan.NumberIndex, plan.NumberStep:
		return m.nextIndex(n, op)
	default:
		panic("pktscope: internal error: a number of an unknown kind")
	}
	if !ok {
		return m.err
	}
	return m.judgeNumber(n, op, start, code, kind)
}

// judgeNumber judges a number that has been read and records it.
func (m *machine) judgeNumber(n *plan.Number, op *ops.Op, start int, code uint64, kind reject.Kind) error {
	leaf, width := int(op.A), m.bit-start
	info := &m.p.Info[leaf]
	note := reject.NoteNone
	switch {
	case kind == reject.None:
		kind, note = info.Judge(code, width)
	case kind == reject.OutOfRange && info.Enum != nil && !info.Enum.Open && !info.Enum.Flags:
		kind = reject.UnknownCase // a closed enum knows its cases only, whatever its base type could hold
	case kind == reject.OutOfRange && info.Enum != nil && !info.Enum.Open && code&^info.Enum.Mask != 0:
		kind = reject.ReservedNonzero // and closed flags their bits
	}
	at := m.bit
	m.bit = start
	if kind != reject.None {
		return m.refuse(kind, start, width, leaf, code, 0)
	}
	if m.pending != reject.NoteNone {
		m.t.note(m.pending, start, width, m.place(leaf), code)
		m.pending = reject.NoteNone
	}
	if note != reject.NoteNone {
		m.t.note(note, start, width, m.place(leaf), code)
	}
	m.addRecord(len(m.t.Raw), width)
	m.t.Raw = append(m.t.Raw, code)
	m.bit = at
	if n.Register >= 0 {
		m.t.registers[n.Register] = info.Value(code, width)
	}
	return nil
}

// sized reads bits(e) and sbits(e). The checker bounds e by 64 from above.
func (m *machine) sized(n *plan.Number, op *ops.Op) (uint64, reject.Kind, bool) {
	size := m.eval(n.Operand)
	if size > 64 { // negative, as an int64's bits
		m.err = m.refuse(reject.OutOfRange, m.bit, 0, int(op.A), size, uint64(n.Bits))
		return 0, 0, false
	}
	code, ok := m.take(int(size), op)
	return code, reject.None, ok
}

// ranged reads int(a..e).
func (m *machine) ranged(n *plan.Number, op *ops.Op) (uint64, reject.Kind, bool) {
	hi := m.eval(n.Operand)
	if less := hi < n.Lo; n.Signed && int64(hi) < int64(n.Lo) || !n.Signed && less {
		m.err = m.refuse(reject.OutOfRange, m.bit, 0, int(op.A), hi, n.Lo)
		return 0, 0, false
	}
	span := hi - n.Lo
	code, ok := m.take(wire.BitsRequired(span), op)
	if code > span {
		return code, reject.OutOfRange, ok
	}
	return code, reject.None, ok
}

// varint reads LEB128: a last group of zeros after another is a second encoding of the same number and refused.
func (m *machine) varint(n *plan.Number, op *ops.Op) (code uint64, kind reject.Kind, ok bool) {
	var v wire.Varint
	for {
		b, ok := m.take(8, op)
		m.steps++
		if !ok {
			return 0, 0, false
		}
		if !v.Add(b, n.Bits) {
			break
		}
	}
	switch {
	case v.Overlong:
		return v.Code, reject.NonCanonical, true
	case v.Over:
		return v.Code, reject.OutOfRange, true
	}
	return v.Code, reject.None, true
}

// below reads below(e), bit by bit. The checker keeps e within 1..2^32.
func (m *machine) below(n *plan.Number, op *ops.Op) (uint64, bool) {
	b := wire.BelowNumber{Limit: m.eval(n.Operand)}
	for b.More() {
		m.steps++
		bit, ok := m.take(1, op)
		if !ok {
			return 0, false
		}
		b.Add(bit)
	}
	return b.Value, true
}

// climb reads the flags, and on any rung but the last the step.
func (m *machine) climb(ladder *[wire.Rungs]wire.Rung, op *ops.Op) (step uint64, last bool, kind reject.Kind, ok bool) {
	for i := range ladder {
		m.steps++
		flag, ok := m.take(1, op)
		if !ok {
			return 0, false, 0, false
		}
		if flag == 0 {
			continue
		}
		r := &ladder[i]
		code, ok := m.take(r.Width(), op)
		if code > r.Hi-r.Lo {
			kind = reject.OutOfRange
		}
		return code + r.Lo, false, kind, ok
	}
	return 0, true, reject.None, true
}

// ladder reads relative(field): its code is the value itself, which is larger than the earlier one. Neither may pass
// 2^31-1, so that nothing wraps in the readers that this comes from.
func (m *machine) ladder(n *plan.Number, op *ops.Op) (code uint64, kind reject.Kind, ok bool) {
	previous := m.eval(n.Operand)
	step, last, kind, ok := m.climb(&wire.RelativeLadder, op)
	if !ok {
		return 0, 0, false
	}
	code = previous + step
	if last {
		if code, ok = m.take(32, op); !ok {
			return 0, 0, false
		}
	} else if code < previous {
		return code, reject.OutOfRange, true
	}
	switch {
	case kind != reject.None:
	case code > wire.RelativeMost:
		kind = reject.OutOfRange
	case code <= previous:
		kind = reject.NotIncreasing
	case last && code-previous <= wire.RelativeLadder[wire.Rungs-1].Hi:
		// The readers that the format comes from take a small step here too; no writer makes one.
		m.pending = reject.NonCanonicalRaw
	}
	return code, kind, true
}

// nextIndex reads an index of a subset, as itself or as a step. None is above the most on any rung: a short step from a
// high index is the attack that the articles' own reader lets through.
func (m *machine) nextIndex(n *plan.Number, op *ops.Op) error {
	t, start := m.t, m.bit
	previous := t.registers[n.Previous] // -1 as a uint64 before the first
	var index uint64
	var kind reject.Kind
	ok := true
	if n.Kind == plan.NumberIndex {
		index, ok = m.take(n.Bits, op)
	} else {
		index, kind, ok = m.step(n, op)
		index += previous
	}
	if !ok {
		return m.err
	}
	width := m.bit - start
	switch {
	case kind != reject.None:
	case index > n.Most, n.Any && m.full(n, index, op):
		kind = reject.OutOfRange
	case int64(index) <= int64(previous):
		kind = reject.NotIncreasing
	}
	if kind != reject.None {
		m.bit = start
		return m.refuse(kind, start, width, int(op.A), index, 0)
	}
	if !n.Any {
		t.registers[n.Previous] = index
	}
	at := m.bit
	m.bit = start
	if n.EndLeaf >= 0 && index == n.Most {
		list := &m.program.Ops[op.C]
		t.Records[t.loops[list.A].span].N-- // it was begun as an element and is none
		m.leave(list)
	}
	m.addRecord(len(t.Raw), width)
	t.Raw = append(t.Raw, index)
	m.bit = at
	return nil
}

// full reports whether an index is of one element more than a list has that an index ends: where indexes need not rise,
// nothing else bounds it.
func (m *machine) full(n *plan.Number, index uint64, op *ops.Op) bool {
	if n.EndLeaf < 0 || index == n.Most {
		return false
	}
	return uint64(m.t.Records[m.t.loops[m.program.Ops[op.C].A].span].N) > n.Most
}

// step reads how far the next index of a subset is. The last rung has no values at all in a short list.
func (m *machine) step(n *plan.Number, op *ops.Op) (uint64, reject.Kind, bool) {
	step, last, kind, ok := m.climb(&wire.IndexLadder, op)
	if !ok || !last {
		return step, kind, ok
	}
	span, ok := wire.IndexSpan(n.Most)
	if !ok {
		return 0, reject.OutOfRange, true
	}
	code, ok := m.take(wire.BitsRequired(span), op)
	if code > span {
		kind = reject.OutOfRange
	}
	return code + wire.IndexLast, kind, ok
}

// unit checks that a smallest-three quaternion has a fourth component: an unchecked reader makes a NaN of the square
// root of what is left of 1.
func (m *machine) unit(first, bits int, order wire.Order) error {
	t := m.t
	width := 2 + 3*bits
	start := m.bit - width
	unit, canonical := wire.SmallestJudge(m.parts(first+1), bits)
	if !unit {
		return m.refuse(reject.NonUnit, start, width, -1, order.Load(m.data, start, min(width, 64)), 0)
	}
	if !canonical {
		t.note(reject.NonCanonicalRaw, start, width, m.place(-1), 0)
	}
	return nil
}

// parts are the codes of three leaves of the run before, from number first on.
func (m *machine) parts(first int) []uint64 {
	if m.judging {
		return []uint64{m.ranCode(uint32(first)), m.ranCode(uint32(first + 1)), m.ranCode(uint32(first + 2))}
	}
	s := &m.t.Records[len(m.t.Records)-1]
	return m.t.Raw[int(s.Raw)+first:][:3]
}
