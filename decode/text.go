package decode

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/bitio"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// Text is the attacker's like everything else: a NUL inside cuts it short for one reader and not for the next, and bytes
// that are no UTF-8 are read differently by everybody.

// What a bad-string reject says was broken, in its Limit. Its Code is the offset inside the text, with what stood there in
// the upper half.
const (
	ruleAfterNUL  = iota + 1 // char(n): text after a NUL
	ruleUTF8                 // not UTF-8
	ruleNoNUL                // a NUL inside
	ruleEnd                  // cstring: no NUL among the bytes it may have
	ruleUnit                 // wstring: a unit above 0xFFFF
	ruleSurrogate            // wstring: half of a pair
)

// lengthBit is the first bit of the length in front of a text: the last leaf of the run before it.
func (m *machine) lengthBit(b *plan.Blob) int {
	s := &m.t.Spans[len(m.t.Spans)-1]
	l := &m.p.Leaves[m.p.Ops[s.Op].A+m.p.Operands[b.Size].Slot]
	return int(s.Bit + l.Off)
}

// cstring takes bytes up to a NUL. Bytes that end before it lack one more.
func (m *machine) cstring(b *plan.Blob, op *plan.Op) error {
	order := bitio.Order(op.Order)
	for size := range b.Max {
		at := m.bit + 8*size
		if m.end-at < 8 {
			return m.pastEnd(m.bit, 8*size+8, -1)
		}
		if order.Load(m.data, at, 8) != 0 {
			continue
		}
		if b.Rule != nil {
			if kind, code, limit := judgeRule(b.Rule, m.bytes(m.bit, size, order)); kind != reject.None {
				return m.refuse(kind, m.bit, 8*size+8, -1, code, limit)
			}
		}
		m.span(0, size)
		m.bit = at + 8
		return nil
	}
	return m.refuse(reject.BadString, m.bit, 8*b.Max, -1, uint64(b.Max), ruleEnd)
}

// judgeText applies the rules of a text's type, then the one behind it.
func (m *machine) judgeText(b *plan.Blob, bit, size int, order bitio.Order) (kind reject.Kind, code, limit uint64) {
	if b.Text == schema.TextWString {
		return m.judgeWide(b, bit, size, order)
	}
	data := m.bytes(bit, size, order)
	switch b.Text {
	case schema.TextChar:
		text := len(data)
		for i, c := range data {
			if c == 0 && i < text {
				text = i
			} else if c != 0 && i > text {
				return bad(ruleAfterNUL, i, uint64(c))
			}
		}
		data = data[:text]
	case schema.TextString:
		for i, c := range data {
			if c == 0 {
				return bad(ruleNoNUL, i, 0)
			}
		}
		if i := badUTF8(data); i >= 0 {
			return bad(ruleUTF8, i, uint64(data[i]))
		}
	}
	if b.Rule == nil {
		return reject.None, 0, 0
	}
	return judgeRule(b.Rule, data)
}

func bad(rule uint64, at int, got uint64) (reject.Kind, uint64, uint64) {
	return reject.BadString, got<<32 | uint64(at), rule
}

// judgeRule applies `utf8`, `==` and `!=`.
func judgeRule(r *schema.Rule, data []byte) (kind reject.Kind, code, limit uint64) {
	same := string(data) == string(r.Bytes)
	switch {
	case r.Kind == schema.RuleUTF8:
		if i := badUTF8(data); i >= 0 {
			return bad(ruleUTF8, i, uint64(data[i]))
		}
	case r.Kind == schema.RuleEq && !same, r.Kind == schema.RuleNe && same:
		return reject.ConstMismatch, uint64(len(data)), 0
	}
	return reject.None, 0, 0
}

// judgeWide checks the units of a wstring where they stand.
func (m *machine) judgeWide(b *plan.Blob, bit, size int, order bitio.Order) (kind reject.Kind, code, limit uint64) {
	high := false
	for i := range size {
		u := order.Load(m.data, bit+32*i, 32)
		low := 0xdc00 <= u && u <= 0xdfff
		switch {
		case u == 0:
			return bad(ruleNoNUL, i, u)
		case u > 0xffff:
			return bad(ruleUnit, i, u)
		case low != high:
			return bad(ruleSurrogate, i, u)
		}
		high = 0xd800 <= u && u <= 0xdbff
	}
	if high {
		return bad(ruleSurrogate, size-1, order.Load(m.data, bit+32*(size-1), 32))
	}
	if b.Rule == nil {
		return reject.None, 0, 0
	}
	m.t.text = appendWide(m.t.text[:0], m.data, bit, size, order)
	kind, _, limit = judgeRule(b.Rule, m.t.text)
	return kind, uint64(size), limit // in units, as they stand in the packet
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

// bytes is the raw bytes at a bit, valid until the next call: a slice of the datagram where they lie on bytes.
func (m *machine) bytes(bit, size int, order bitio.Order) []byte {
	if bit%8 == 0 {
		return m.data[bit/8 : bit/8+size]
	}
	m.t.text = appendBytesAt(m.t.text[:0], m.data, bit, size, order)
	return m.t.text
}

// appendBytesAt appends bytes that lie at any bit (order bousk).
func appendBytesAt(b, data []byte, bit, size int, order bitio.Order) []byte {
	for i := range size {
		b = append(b, byte(order.Load(data, bit+8*i, 8)))
	}
	return b
}

// appendWide appends the units of a wstring as UTF-8. They have been judged, or are shown as they are.
func appendWide(b, data []byte, bit, size int, order bitio.Order) []byte {
	for i := 0; i < size; i++ {
		r := rune(order.Load(data, bit+32*i, 32))
		if utf16.IsSurrogate(r) && i+1 < size {
			i++
			r = utf16.DecodeRune(r, rune(order.Load(data, bit+32*i, 32)))
		}
		b = utf8.AppendRune(b, r)
	}
	return b
}
