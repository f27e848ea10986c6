package decode

import (
	"math/bits"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/bitio"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// What a bad-string reject says was broken, in its Limit.
const (
	ruleAfterNUL = iota + 1 // char(n): text after a NUL
	ruleUTF8                // not UTF-8
)

// pad skips zero bits to a multiple of n bits. Padding that is not zero is a covert channel and a second encoding of the
// same message, so it is refused at its first set bit.
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

// zeros checks that the next width bits, which are there, are zero; with any, set ones are a note. Padding is refused at
// its first set bit, reserved bits as a whole.
func (m *machine) zeros(width int, any bool, kind reject.Kind) error {
	order := bitio.Order(m.p.Ops[m.pc].Order)
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
			return m.refuse(kind, m.firstSet(order, m.bit+at, n), 1, -1, 1, 0)
		}
		return m.refuse(kind, m.bit, width, -1, code, 0)
	}
	return nil
}

// firstSet is the first set bit of n bits of which one is.
func (m *machine) firstSet(order bitio.Order, bit, n int) int {
	code := order.Load(m.data, bit, n)
	switch order {
	case bitio.LSB:
		return bit + bits.TrailingZeros64(code)
	case bitio.MSB:
		return bit + n - bits.Len64(code)
	}
	for order.Load(m.data, bit, 1) == 0 {
		bit++
	}
	return bit
}

func (m *machine) align(op *plan.Op) error { return m.pad(int(op.A), op.Flags&plan.FlagAny != 0) }

func (m *machine) reserved(op *plan.Op) error {
	width := int(op.A)
	m.steps += width / 64
	if width > m.end-m.bit {
		return m.pastEnd(m.bit, width, -1)
	}
	if err := m.zeros(width, op.Flags&plan.FlagAny != 0, reject.ReservedNonzero); err != nil {
		return err
	}
	m.span(0, width)
	m.bit += width
	return nil
}

// blob takes raw bytes or text. The size is the attacker's until it has passed its range and been found to fit.
func (m *machine) blob(op *plan.Op) error {
	b := &m.p.Blobs[op.A]
	if op.Flags&plan.FlagPacked == 0 {
		if err := m.pad(8, false); err != nil {
			return err
		}
	}
	size := b.Max
	switch {
	case b.Rest:
		size = (m.end - m.bit) / 8
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
	if size > (m.end-m.bit)/8 {
		return m.pastEnd(m.bit, 8*size, -1)
	}
	if kind, code, limit := m.judgeBlob(b, m.bit, size, bitio.Order(op.Order)); kind != reject.None {
		return m.refuse(kind, m.bit, 8*size, -1, code, limit)
	}
	m.span(0, size)
	m.bit += 8 * size
	return nil
}

// judgeBlob applies the rules of text and constants.
func (m *machine) judgeBlob(b *plan.Blob, bit, size int, order bitio.Order) (kind reject.Kind, code, limit uint64) {
	if b.Text == 0 && b.Rule == nil {
		return reject.None, 0, 0
	}
	data := bytesAt(m.data, bit, size, order)
	if b.Text == schema.TextChar {
		if at := textAfterNUL(data); at >= 0 {
			return reject.BadString, uint64(at), ruleAfterNUL
		}
	}
	if b.Rule == nil {
		return reject.None, 0, 0
	}
	same := string(data) == string(b.Rule.Bytes)
	switch b.Rule.Kind {
	case schema.RuleUTF8:
		if at := badUTF8(data); at >= 0 {
			return reject.BadString, uint64(at), ruleUTF8
		}
	case schema.RuleEq:
		if !same {
			return reject.ConstMismatch, 0, 0
		}
	case schema.RuleNe:
		if same {
			return reject.ConstMismatch, 0, 0
		}
	}
	return reject.None, 0, 0
}

// textAfterNUL is the offset of the first byte that is not NUL behind one that is, -1 without one.
func textAfterNUL(data []byte) int {
	ended := false
	for i, c := range data {
		if c == 0 {
			ended = true
		} else if ended {
			return i
		}
	}
	return -1
}

// badUTF8 is the offset of the first byte that is not UTF-8, -1 when all is.
func badUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// bytesAt returns size bytes from a bit position, which are there: a slice of data on a byte boundary, else (order bousk
// only) a copy.
func bytesAt(data []byte, bit, size int, order bitio.Order) []byte {
	if bit%8 == 0 && order != bitio.Bousk {
		return data[bit/8 : bit/8+size : bit/8+size]
	}
	out := make([]byte, size)
	for i := range out {
		out[i] = byte(order.Load(data, bit+8*i, 8))
	}
	return out
}
