package decode

// Runs of fixed-width leaves: what to do around the hot loops of run_words.go, which take them word by word.

import (
	"math/bits"
	"slices"

	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// run reads the fixed-width leaves of one op. One comparison with the end covers them all; where they do not all fit,
// those that do are read and judged first, because the first failure is the verdict.
func (m *machine) run(op *ops.Op) error {
	if left := m.end - m.bit; int(op.C) > left {
		return m.short(op, left)
	}
	t, r := m.t, &m.program.Runs[op.Imm]
	raw := m.room(int(op.B))
	done := 0
	switch { // as words does it, whose call would be a tenth of a short packet
	case len(m.data) < 8:
	case op.Order == wire.LSB:
		done = m.readLSB(r.Words, raw, 0)
	case op.Order == wire.MSB:
		done = m.readMSB(r.Words, raw, 0)
	default:
		done = m.readBytewise(r.Words, raw, 0)
	}
	if done < len(raw) || len(r.Judged) > 0 {
		if err := m.settleRun(op, r, raw, done); err != nil {
			return err
		}
	}
	m.addRecord(len(t.Raw), int(op.B))
	t.Raw = t.Raw[:len(t.Raw)+int(op.B)]
	m.bit += int(op.C)
	m.steps += int(op.B)
	return nil
}

// short refuses a run that does not fit. A word of which only the first leaves fit is read as if it did: what is loaded
// for the others is in the datagram, or zero, and not looked at.
func (m *machine) short(op *ops.Op, left int) error {
	leaves := m.p.Leaves[op.A:][:op.B]
	r := &m.program.Runs[op.Imm]
	words, whole, codes := 0, 0, 0 // those that begin in what is left; the leaves before the last of them, and with it
	for words < len(r.Words) && int(r.Words[words].Off) < left {
		whole = codes
		codes += int(r.Words[words].N)
		words++
	}
	n := whole
	for int(leaves[n].Off)+int(leaves[n].Width) <= left { // the run's last bit is not there
		n++
	}
	if n == whole && words > 0 {
		words, codes = words-1, whole
	}
	raw := m.room(max(codes, n))
	done := m.words(op, r.Words[:words], raw[:codes])
	if err := m.settleRun(op, r, raw[:n], min(done, n)); err != nil {
		return err
	}
	m.keep(op, 0, n)
	m.bit += int(leaves[n].Off)
	return m.pastEnd(m.bit, int(leaves[n].Width), int(op.A)+n)
}

// elements reads those elements of the array just entered that fit, where one run is all there is to an element. It
// leaves the array after it, or is before the run of the element that does not fit.
func (m *machine) elements(array *ops.Op) error {
	t := m.t
	l := &t.loops[array.A]
	op := &m.program.Ops[m.pc]
	m.at = op.Point
	n := l.left + 1
	left := uint64(m.end - m.bit)
	if over, need := bits.Mul64(n, uint64(op.C)); over != 0 || need > left {
		if n = left / uint64(op.C); n == 0 {
			return nil
		}
	}
	if m.judging {
		if !m.passRun(op, int(n)) {
			return errNotAccepted
		}
		m.index += uint32(n)
	} else {
		r, raw := &m.program.Runs[op.Imm], m.room(int(n)*int(op.B))
		if err := m.settleRun(op, r, raw, m.words(op, r.Words, raw)); err != nil {
			return err
		}
		m.keep(op, int(n), -1)
	}
	if n <= l.left {
		l.left -= n
		return nil
	}
	m.parent, m.index = l.outer, l.index
	m.pc = int(array.B)
	return nil
}

// words fills raw with the codes of words, again and again, up to the first that is not accepted, and returns how many
// are.
func (m *machine) words(op *ops.Op, words []ops.Word, raw []uint64) int {
	switch {
	case len(m.data) < 8:
		return 0
	case op.Order == wire.LSB:
		return m.readLSB(words, raw, int(op.C))
	case op.Order == wire.MSB:
		return m.readMSB(words, raw, int(op.C))
	}
	return m.readBytewise(words, raw, int(op.C))
}

// settleRun judges what the hot loops leave of raw: the leaves that want it among the codes done, and all codes after
// those. It stops at the first code that it refuses, with all before it in the trace.
func (m *machine) settleRun(op *ops.Op, r *ops.Layout, raw []uint64, done int) error {
	if len(r.Judged) > 0 {
		if err := m.judge(op, r.Judged, raw[:done]); err != nil {
			return err
		}
	}
	for ; done < len(raw); done++ {
		if err := m.readSlow(op, done, &raw[done]); err != nil {
			return err
		}
	}
	return nil
}

// judge takes the further look at the leaves of a run that want one, in all the elements that raw holds.
func (m *machine) judge(op *ops.Op, leaves []uint32, raw []uint64) error {
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
func (m *machine) readSlow(op *ops.Op, i int, code *uint64) error {
	n, at := 0, i
	if i >= int(op.B) { // a division is for arrays only
		n = i / int(op.B)
		at -= n * int(op.B)
	}
	l := &m.p.Leaves[int(op.A)+at]
	*code = op.Order.Load(m.data, m.bit+n*int(op.C)+int(l.Off), int(l.Width))
	if l.Swap {
		*code = wire.SwapBytes(*code, int(l.Width))
	}
	if *code-l.Lo < l.Count {
		return nil
	}
	return m.judgeCode(op, i, *code)
}

// judgeCode decides for sure about code number i of the elements that are being read.
func (m *machine) judgeCode(op *ops.Op, i int, code uint64) error {
	n := 0
	if i >= int(op.B) {
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
func (m *machine) keep(op *ops.Op, n, part int) {
	if n > 0 {
		m.spans(n, op.B, op.C)
	}
	m.steps += n*int(op.B) + max(part, 0)
	m.t.Raw = m.t.Raw[:len(m.t.Raw)+n*int(op.B)]
	m.bit += n * int(op.C)
	m.index += uint32(n)
	if part >= 0 {
		m.addRecord(len(m.t.Raw), part)
		m.t.Raw = m.t.Raw[:len(m.t.Raw)+part]
	}
}

// spans records n elements of one run each, of so many leaves and so wide.
func (m *machine) spans(n int, leaves, width uint32) {
	t := m.t
	t.Records = slices.Grow(t.Records, n)
	more := t.Records[len(t.Records):][:n]
	at, parent := m.at, m.parent
	bit, raw, index := uint32(m.bit), uint32(len(t.Raw)), m.index
	for i := range more {
		s := &more[i]
		s.Point, s.Bit, s.Raw, s.N, s.Parent, s.Index = at, bit, raw, leaves, parent, index
		bit += width
		raw += leaves
		index++
	}
	t.Records = t.Records[:len(t.Records)+n]
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
