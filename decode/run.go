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
	leaves := m.p.Leaves[op.A:][:op.B]
	if left := m.end - m.bit; int(op.C) > left {
		leaves = leaves[:fitting(leaves, left)]
	}
	if cap(t.Raw)-len(t.Raw) < len(leaves) {
		t.grow(len(leaves))
	}
	// The hot loops stop at a leaf that is not accepted without a further look.
	for done := 0; ; done++ {
		switch bitio.Order(op.Order) {
		case bitio.LSB:
			done += readLSB(m.data, m.bit, leaves[done:], t, done)
		case bitio.MSB:
			done += readMSB(m.data, m.bit, leaves[done:], t, done)
		default:
			done += readBousk(m.data, m.bit, leaves[done:], t, done)
		}
		if done == len(leaves) {
			break
		}
		if kind := m.judge(int(op.A)+done, &t.Raw[:cap(t.Raw)][len(t.Raw)+done]); kind != reject.None {
			return m.stop(op, done, kind)
		}
	}
	m.steps += len(leaves)
	m.span(len(t.Raw), len(leaves))
	t.Raw = t.Raw[:len(t.Raw)+len(leaves)]
	if len(leaves) < int(op.B) {
		l := &m.p.Leaves[int(op.A)+len(leaves)]
		m.bit += int(l.Off)
		return m.pastEnd(m.bit, int(l.Width), int(op.A)+len(leaves))
	}
	m.bit += int(op.C)
	return nil
}

// fitting is how many leaves of a run lie within its first left bits.
func fitting(leaves []plan.Leaf, left int) int {
	n := 0
	for n < len(leaves) && int(leaves[n].Off)+int(leaves[n].Width) <= left {
		n++
	}
	return n
}

// stop refuses the run's leaf number n; those before it stay in the trace.
func (m *machine) stop(op *plan.Op, n int, kind reject.Kind) error {
	t := m.t
	first := len(t.Raw)
	code := t.Raw[:first+n+1][first+n]
	l := &m.p.Leaves[int(op.A)+n]
	m.steps += n + 1
	m.span(first, n)
	t.Raw = t.Raw[:first+n]
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

// The hot loops. Each is bitio's load with its constants at hand: one unaligned 64-bit load while nine bytes are left, the
// datagram's last eight bytes behind that, and bitio's checked load in a datagram that has no eight. They read leaves
// into the room behind t.Raw, from number done of their run on, and return how many were accepted without a further
// look. The caller has checked that all the leaves fit the datagram, and their codes t.Raw.
//
// (The parameters fill Go's nine argument registers; a tenth would be passed in memory. Shifts are masked to 63 because
// Go defines larger ones and the compiler would test for them.)

func readLSB(data []byte, bit int, leaves []plan.Leaf, t *Trace, done int) int {
	raw := t.Raw[len(t.Raw)+done : cap(t.Raw)][:len(leaves)]
	for i := range leaves {
		l := &leaves[i]
		at := uint(bit) + uint(l.Off)
		b, s := at/8, at%8
		var code uint64
		if b+8 < uint(len(data)) {
			code = binary.LittleEndian.Uint64(data[b:b+8]) >> s
			if l.Wide {
				code |= uint64(data[b+8]) << 1 << (63 - s)
			}
			code &= l.Mask
		} else if len(data) >= 8 {
			code = binary.LittleEndian.Uint64(data[len(data)-8:]) >> (at - 8*uint(len(data)-8)) & l.Mask
		} else {
			code = bitio.LoadLSB(data, int(at), int(l.Width))
		}
		raw[i] = code
		if code-l.Lo >= l.Count {
			return i
		}
	}
	return len(leaves)
}

func readMSB(data []byte, bit int, leaves []plan.Leaf, t *Trace, done int) int {
	raw := t.Raw[len(t.Raw)+done : cap(t.Raw)][:len(leaves)]
	for i := range leaves {
		l := &leaves[i]
		at := uint(bit) + uint(l.Off)
		b, s := at/8, at%8
		var code uint64
		if b+8 < uint(len(data)) {
			code = binary.BigEndian.Uint64(data[b:b+8]) << s
			if l.Wide {
				code |= uint64(data[b+8]) >> (8 - s)
			}
			code = code >> ((64 - l.Width) & 63) & l.Mask
		} else if len(data) >= 8 {
			code = binary.BigEndian.Uint64(data[len(data)-8:]) << (at - 8*uint(len(data)-8)) >> ((64 - l.Width) & 63) & l.Mask
		} else {
			code = bitio.LoadMSB(data, int(at), int(l.Width))
		}
		raw[i] = code
		if code-l.Lo >= l.Count {
			return i
		}
	}
	return len(leaves)
}

func readBousk(data []byte, bit int, leaves []plan.Leaf, t *Trace, done int) int {
	raw := t.Raw[len(t.Raw)+done : cap(t.Raw)][:len(leaves)]
	for i := range leaves {
		l := &leaves[i]
		code := bitio.LoadBousk(data, bit+int(l.Off), int(l.Width))
		raw[i] = code
		if code-l.Lo >= l.Count {
			return i
		}
	}
	return len(leaves)
}
