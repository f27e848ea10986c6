package decode

import (
	"encoding/binary"

	"github.com/pktscope/pktscope/decode/bitio"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// run reads the fixed-width leaves of one op. One comparison with the end covers them all; where they do not all fit,
// those that do are read and judged first, because the first failure is the verdict.
func (m *machine) run(op *plan.Op) error {
	t := m.t
	leaves := m.p.Leaves[op.A : op.A+op.B]
	fits := len(leaves)
	if left := m.end - m.bit; int(op.C) > left {
		fits = 0
		for fits < len(leaves) && int(leaves[fits].Off)+int(leaves[fits].Width) <= left {
			fits++
		}
	}
	first := len(t.Raw)
	if cap(t.Raw)-first < fits {
		t.grow(fits)
	}
	raw := t.Raw[first : first+fits]
	done := 0
	for {
		// The hot loops stop at a code that is not accepted without a further look.
		switch bitio.Order(op.Order) {
		case bitio.LSB:
			done = readLSB(m.data, m.bit, leaves[:fits], raw, done)
		case bitio.MSB:
			done = readMSB(m.data, m.bit, leaves[:fits], raw, done)
		default:
			done = readBousk(m.data, m.bit, leaves[:fits], raw, done)
		}
		if done == fits {
			break
		}
		kind := m.judge(int(op.A)+done, &raw[done])
		if kind != reject.None {
			return m.stop(op, first, done, kind, raw[done])
		}
		done++
	}
	if fits < len(leaves) {
		l := &leaves[fits]
		t.Raw = t.Raw[:first+fits]
		m.steps += fits
		m.span(first, fits)
		m.bit += int(l.Off)
		return m.pastEnd(m.bit, int(l.Width), int(op.A)+fits)
	}
	t.Raw = t.Raw[:first+fits]
	m.steps += fits
	m.span(first, fits)
	m.bit += int(op.C)
	return nil
}

// stop refuses the run's leaf number n; those before it stay in the trace.
func (m *machine) stop(op *plan.Op, first, n int, kind reject.Kind, code uint64) error {
	l := &m.p.Leaves[int(op.A)+n]
	m.t.Raw = m.t.Raw[:first+n]
	m.steps += n + 1
	m.span(first, n)
	m.bit += int(l.Off)
	return m.refuse(kind, m.bit, int(l.Width), int(op.A)+n, code, 0)
}

// judge takes the further look at a leaf's code, which it puts into its `le`/`be` form.
func (m *machine) judge(leaf int, code *uint64) reject.Kind {
	l, info := &m.p.Leaves[leaf], &m.p.Info[leaf]
	if info.Swap {
		*code = bitio.SwapBytes(*code, int(l.Width))
	}
	kind, note := info.Judge(*code, int(l.Width))
	if kind == reject.None && note != reject.NoteNone {
		m.t.note(note, m.bit+int(l.Off), int(l.Width), m.place(leaf), *code)
	}
	return kind
}

// grow makes room for n more codes. It is only called when n codes are really there to be read.
func (t *Trace) grow(n int) {
	more := make([]uint64, len(t.Raw), 2*cap(t.Raw)+n+64)
	copy(more, t.Raw)
	t.Raw = more
}

// The hot loops. Each is bitio's load with its constants at hand: one unaligned 64-bit load while nine bytes are left,
// bitio's checked tail behind that. They read leaves from number i on and return the first that is special or whose
// code is outside its interval; its code is in raw. The caller has checked that all the leaves fit.

func readLSB(data []byte, bit int, leaves []plan.Leaf, raw []uint64, i int) int {
	raw = raw[:len(leaves)]
	for ; i < len(leaves); i++ {
		l := &leaves[i]
		at := bit + int(l.Off)
		b, s := uint(at)/8, uint(at)%8
		var code uint64
		if b+9 <= uint(len(data)) {
			code = binary.LittleEndian.Uint64(data[b:b+8]) >> s
			if uint(l.Width)+s > 64 {
				code |= uint64(data[b+8]) << (64 - s)
			}
			code &= l.Mask
		} else {
			code = bitio.LoadLSB(data, at, int(l.Width))
		}
		raw[i] = code
		if (code-l.Lo)&l.Mask > l.Span || l.Special {
			return i
		}
	}
	return i
}

func readMSB(data []byte, bit int, leaves []plan.Leaf, raw []uint64, i int) int {
	raw = raw[:len(leaves)]
	for ; i < len(leaves); i++ {
		l := &leaves[i]
		at := bit + int(l.Off)
		b, s := uint(at)/8, uint(at)%8
		var code uint64
		if b+9 <= uint(len(data)) {
			code = binary.BigEndian.Uint64(data[b:b+8]) << s
			if uint(l.Width)+s > 64 {
				code |= uint64(data[b+8]) >> (8 - s)
			}
			code = code >> ((64 - uint(l.Width)) & 63) & l.Mask
		} else {
			code = bitio.LoadMSB(data, at, int(l.Width))
		}
		raw[i] = code
		if (code-l.Lo)&l.Mask > l.Span || l.Special {
			return i
		}
	}
	return i
}

func readBousk(data []byte, bit int, leaves []plan.Leaf, raw []uint64, i int) int {
	raw = raw[:len(leaves)]
	for ; i < len(leaves); i++ {
		l := &leaves[i]
		code := bitio.LoadBousk(data, bit+int(l.Off), int(l.Width))
		raw[i] = code
		if (code-l.Lo)&l.Mask > l.Span || l.Special {
			return i
		}
	}
	return i
}
