package decode

import (
	"encoding/binary"
	"errors"

	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// errNotAccepted ends Accepts. What is wrong with the packet is for Read to say.
var errNotAccepted = errors.New("pktscope: internal error: the reject of a packet that was only judged")

// Accepts reports whether Read would accept p without a note, in a fraction of its time: it reads the fields that a rule
// or another field needs, and of all others only that they fit. Of a packet that the flow's registers steer it knows
// what Read does, which has none of them.
//
// t is memory to work in, and holds nothing of the packet afterwards. False is not always a reject or a note: of a Trace
// that records its path it is always false.
func (d *Decoder) Accepts(p *Packet, t *Trace) bool {
	if max(p.Size, len(p.Data)) > d.plan.Schema.MaxDatagram || t.records {
		return false
	}
	t.reset(d.plan, p.Data, len(p.Data), p.From)
	var m machine
	m.t, m.p, m.program, m.data, m.seen = t, d.plan, d.program, p.Data, p.Data
	m.end, m.parent, m.next, m.judging = 8*len(p.Data), -1, -1, true
	return m.execute(d.program.Ops) == nil && len(t.Notes) == 0
}

// passRun goes over n elements that are one run each, and reports whether they fit and all their codes pass.
func (m *machine) passRun(op *ops.Op, n int) bool {
	r := &m.program.Runs[op.Imm]
	bits := n * int(op.C)
	if bits > m.end-m.bit {
		return false
	}
	if len(r.Guards) > 0 && !m.passGuards(op, r.Guards, n) {
		return false
	}
	if len(r.Judged) > 0 && !m.passJudged(op, r.Judged, n) {
		return false
	}
	m.ran, m.ranFrom = op, m.bit+bits-int(op.C)
	m.bit += bits
	m.steps += n * int(op.B)
	return true
}

// passGuards reports whether the codes of the words pass in all of n elements.
func (m *machine) passGuards(op *ops.Op, words []ops.Word, n int) bool {
	data := m.data
	if len(data) < 8 || op.Order == wire.Bytewise {
		return m.passSlowly(op, n)
	}
	msb := op.Order == wire.MSB
	last := 8 * uint(len(data)-8) // where the last load begins
	for bit := uint(m.bit); n > 0; n-- {
		for i := range words {
			w := &words[i]
			from := bit + uint(w.Off)
			b, s := from/8, from%8
			near := b+8 < uint(len(data))
			var word uint64
			switch {
			case near && msb:
				word = binary.BigEndian.Uint64(data[b:b+8]) << s
				if w.Flags != 0 {
					word = w.Turn(word | uint64(data[b+8])>>(8-s))
				}
			case near:
				word = binary.LittleEndian.Uint64(data[b:b+8]) >> s
				if w.Flags != 0 {
					word = w.Turn(word | uint64(data[b+8])<<1<<(63-s))
				}
			case msb:
				word = w.Turn(binary.BigEndian.Uint64(data[len(data)-8:]) << ((from - last) & 63))
			default:
				word = w.Turn(binary.LittleEndian.Uint64(data[len(data)-8:]) >> ((from - last) & 63))
			}
			if !w.Passes(word) {
				return false
			}
		}
		bit += uint(op.C)
	}
	return true
}

// passSlowly is passGuards for what has no words: short datagrams, and the order in which a value is no stretch of one.
func (m *machine) passSlowly(op *ops.Op, n int) bool {
	leaves := m.p.Leaves[op.A:][:op.B]
	for e := range n {
		for i := range leaves {
			l := &leaves[i]
			if l.Count > 0 && !m.p.Info[int(op.A)+i].Any && !m.passes(op, i, m.bit+e*int(op.C)) {
				return false
			}
		}
	}
	return true
}

// passJudged reports whether these leaves of a run pass, in all of n elements.
func (m *machine) passJudged(op *ops.Op, leaves []uint32, n int) bool {
	for e := range n {
		for _, i := range leaves {
			if !m.passes(op, int(i), m.bit+e*int(op.C)) {
				return false
			}
		}
	}
	return true
}

// passes reports whether leaf i of a run that begins at a bit is accepted without a note.
func (m *machine) passes(op *ops.Op, i, start int) bool {
	leaf := int(op.A) + i
	kind, note := m.p.Info[leaf].Judge(m.code(op, i, start), int(m.p.Leaves[leaf].Width))
	return kind == reject.None && note == reject.NoteNone
}

// ranCode is the code of leaf n of the run read last.
func (m *machine) ranCode(n uint32) uint64 { return m.code(m.ran, int(n), m.ranFrom) }

// code is the code of leaf i of a run that begins at a bit and fits.
func (m *machine) code(op *ops.Op, i, start int) uint64 {
	l := &m.p.Leaves[int(op.A)+i]
	from := uint(start) + uint(l.Off)
	if b, s := from/8, from%8; b+8 <= uint(len(m.data)) && s+uint(l.Width) <= 64 && !l.Swap {
		switch op.Order { // as Load does it, whose calls take longer than what is in them
		case wire.MSB:
			return binary.BigEndian.Uint64(m.data[b:b+8]) >> ((64 - s - uint(l.Width)) & 63) & l.Mask
		case wire.LSB:
			return binary.LittleEndian.Uint64(m.data[b:b+8]) >> s & l.Mask
		case wire.Bytewise: // no stretch of a word
		}
	}
	code := op.Order.Load(m.data, start+int(l.Off), int(l.Width))
	if l.Swap {
		code = wire.SwapBytes(code, int(l.Width))
	}
	return code
}
