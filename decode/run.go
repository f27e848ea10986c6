package decode

// Runs of fixed-width leaves: what to do around the hot loops of run_words.go, which take them word by word.

import (
	"math/bits"
	"slices"

	"github.com/pktscope/pktscope/decode/bitio"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// run reads the fixed-width leaves of one op. One comparison with the end covers them all; where they do not all fit,
// those that do are read and judged first, because the first failure is the verdict.
func (m *machine) run(op *plan.Op) error {
	if left := m.end - m.bit; int(op.C) > left {
		return m.short(op, left)
	}
	t := m.t
	if err := m.read(op, &m.p.Runs[op.Imm], m.room(int(op.B))); err != nil {
		return err
	}
	m.span(len(t.Raw), int(op.B))
	t.Raw = t.Raw[:len(t.Raw)+int(op.B)]
	m.bit += int(op.C)
	m.steps += int(op.B)
	return nil
}

// short refuses a run that does not fit. Behind the last word that does, its leaves are read one by one.
func (m *machine) short(op *plan.Op, left int) error {
	leaves := m.p.Leaves[op.A:][:op.B]
	n := fitting(leaves, left)
	raw := m.room(n)
	r := m.p.Runs[op.Imm]
	whole := 0
	for i := range r.Words {
		if whole+int(r.Words[i].N) > n {
			r.Words = r.Words[:i]
			break
		}
		whole += int(r.Words[i].N)
	}
	if err := m.read(op, &r, raw[:whole]); err != nil {
		return err
	}
	for i := whole; i < n; i++ {
		if err := m.careful(op, i, &raw[i]); err != nil {
			return err
		}
	}
	m.keep(op, 0, n)
	m.bit += int(leaves[n].Off)
	return m.pastEnd(m.bit, int(leaves[n].Width), int(op.A)+n)
}

// fitting is how many leaves of a run lie within its first left bits.
func fitting(leaves []plan.Leaf, left int) int {
	n := 0
	for n < len(leaves) && int(leaves[n].Off)+int(leaves[n].Width) <= left {
		n++
	}
	return n
}

// elements reads those elements of the array just entered that fit, where one run is all there is to an element. It
// leaves the array behind it, or stands before the run of the element that does not fit.
func (m *machine) elements(array *plan.Op) error {
	t := m.t
	l := &t.loops[array.A]
	op := &m.p.Ops[m.pc]
	n := l.left + 1
	left := uint64(m.end - m.bit)
	if over, need := bits.Mul64(n, uint64(op.C)); over != 0 || need > left {
		if n = left / uint64(op.C); n == 0 {
			return nil
		}
	}
	if err := m.read(op, &m.p.Runs[op.Imm], m.room(int(n)*int(op.B))); err != nil {
		return err
	}
	m.keep(op, int(n), -1)
	if n <= l.left {
		l.left -= n
		return nil
	}
	m.parent, m.index = l.outer, l.index
	m.pc = int(array.B)
	return nil
}

// read reads a run into raw, again and again, one element behind the other from here on, until raw is full; the caller has
// found that they fit. It stops at the first code that it refuses, with all before it in the trace.
func (m *machine) read(op *plan.Op, r *plan.Run, raw []uint64) error {
	done := 0
	if len(m.data) >= 8 {
		switch bitio.Order(op.Order) {
		case bitio.LSB:
			done = m.readLSB(r.Words, raw, int(op.C))
		case bitio.MSB:
			done = m.readMSB(r.Words, raw, int(op.C))
		default:
			done = m.readBousk(r.Words, raw, int(op.C))
		}
	}
	if len(r.Judged) > 0 {
		if err := m.judge(op, r.Judged, raw[:done]); err != nil {
			return err
		}
	}
	for ; done < len(raw); done++ {
		if err := m.careful(op, done, &raw[done]); err != nil {
			return err
		}
	}
	return nil
}

// judge takes the further look at the leaves of a run that want one, in all the elements that raw holds.
func (m *machine) judge(op *plan.Op, leaves []uint32, raw []uint64) error {
	for first := 0; first < len(raw); first += int(op.B) {
		for _, l := range leaves {
			i := first + int(l)
			if i >= len(raw) {
				return nil
			}
			if err := m.judgeCode(op, i, raw[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// careful reads and judges code number i of the elements that are being read.
func (m *machine) careful(op *plan.Op, i int, code *uint64) error {
	n := i / int(op.B)
	l := &m.p.Leaves[int(op.A)+i-n*int(op.B)]
	*code = bitio.Order(op.Order).Load(m.data, m.bit+n*int(op.C)+int(l.Off), int(l.Width))
	if l.Swap {
		*code = bitio.SwapBytes(*code, int(l.Width))
	}
	if *code-l.Lo < l.Count {
		return nil
	}
	return m.judgeCode(op, i, *code)
}

// judgeCode decides for sure about code number i of the elements that are being read.
func (m *machine) judgeCode(op *plan.Op, i int, code uint64) error {
	n := 0
	if i >= int(op.B) { // a division is for arrays only
		n = i / int(op.B)
		i -= n * int(op.B)
	}
	leaf := int(op.A) + i
	l, info := &m.p.Leaves[leaf], &m.p.Info[leaf]
	kind, note := info.Judge(code, int(l.Width))
	if kind == reject.None && note == reject.NoteNone {
		return nil
	}
	bit := m.bit + n*int(op.C) + int(l.Off)
	if kind != reject.None {
		m.keep(op, n, i)
		m.steps++
		m.bit = bit
		return m.refuse(kind, bit, int(l.Width), leaf, code, 0)
	}
	at := m.place(leaf)
	at.Index += uint32(n)
	m.t.note(note, bit, int(l.Width), at, code)
	return nil
}

// keep puts n elements that have been read into the trace, and unless part is -1 the first part leaves of another one.
func (m *machine) keep(op *plan.Op, n, part int) {
	m.spans(op, n)
	m.steps += n*int(op.B) + max(part, 0)
	m.t.Raw = m.t.Raw[:len(m.t.Raw)+n*int(op.B)]
	m.bit += n * int(op.C)
	m.index += uint32(n)
	if part >= 0 {
		m.span(len(m.t.Raw), part)
		m.t.Raw = m.t.Raw[:len(m.t.Raw)+part]
	}
}

// spans records n elements that are one run each.
func (m *machine) spans(op *plan.Op, n int) {
	t := m.t
	t.Spans = slices.Grow(t.Spans, n)
	more := t.Spans[len(t.Spans):][:n]
	pc, parent := uint32(m.pc), m.parent
	bit, raw, index := uint32(m.bit), uint32(len(t.Raw)), m.index
	for i := range more {
		s := &more[i]
		s.Op, s.Bit, s.Raw, s.N, s.Parent, s.Index = pc, bit, raw, op.B, parent, index
		bit += op.C
		raw += op.B
		index++
	}
	t.Spans = t.Spans[:len(t.Spans)+n]
}

// room is where the next n codes go. It is only called when n codes are really there to be read.
func (m *machine) room(n int) []uint64 {
	t := m.t
	if cap(t.Raw)-len(t.Raw) < n {
		more := make([]uint64, len(t.Raw), max(2*cap(t.Raw), len(t.Raw)+n)+64)
		copy(more, t.Raw)
		t.Raw = more
	}
	return t.Raw[len(t.Raw):][:n]
}
