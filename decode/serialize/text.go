package serialize

import (
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Text is the attacker's like everything else: a NUL inside cuts it short for one reader and not for the next, and
// bytes that are no UTF-8 are read differently by everybody. It is judged where it is in the datagram; a string is
// made only of what was accepted, and none when it is the one that was there before.

func appendTextFault(b []byte, r *reject.Reject) []byte {
	if wire.TextRule(r.Limit) == wire.TextEnd {
		b = append(b, "none in "...)
		b = strconv.AppendUint(b, r.Code, 10)
		return append(b, " bytes"...)
	}
	b = appendHex(b, r.Code>>32, 8)
	b = append(b, " at "...)
	if wire.TextRule(r.Limit).Wide() {
		b = append(b, "unit "...)
	} else {
		b = append(b, "byte "...)
	}
	return strconv.AppendUint(b, r.Code&(1<<32-1), 10)
}

// set makes *v the text of b.
func set(v *string, b []byte) {
	if *v != string(b) { // no string is made to compare
		*v = string(b)
	}
}

// judge refuses f for a fault; start is its first bit. The refusal's Limit is the rule, its Code the offset inside the
// text, with what is there in the upper half.
func (s *Stream) judge(f field, start int, t wire.TextFault) bool {
	if t.Rule == 0 {
		return true
	}
	s.refuse(reject.BadString, start, s.bit-start, f, t.Got<<32|uint64(t.At), uint64(t.Rule))
	return false
}

// length reads or writes the int(0..n-1) before a text.
func (s *Stream) length(name string, size, n int) (int, bool) {
	if n < 1 {
		panic("pktscope: internal error: serialize: text without room for its terminator")
	}
	code, ok := s.number(field{name, "length"}, uint64(size), bitsFor(n-1), limits{span: uint64(n - 1), kind: reject.OutOfRange})
	if s.dir == reading {
		size = int(code)
	}
	return size, s.mode != failed && (ok || s.dir != reading)
}

// String is string(n): its length in bytes, 0 to n-1, then that many bytes on a byte boundary: UTF-8 without a NUL, or
// `bad-string`. n counts a terminator that is not sent, and is above 0.
func (s *Stream) String(name string, v *string, n int) {
	f, start, text := field{name: name}, s.bit, *v
	if s.dir == reading {
		*v = ""
	}
	size, ok := s.length(name, len(text), n)
	if !ok || !s.alignBytes(f) {
		return
	}
	if s.dir != reading {
		s.putText(text)
		s.judge(f, start, wire.StringFault(s.scratch))
		return
	}
	if data, ok := s.takeBytes(f, size); ok && s.judge(f, start, wire.StringFault(data)) {
		*v = text
		set(v, data)
	}
}

func (s *Stream) putText(text string) {
	s.scratch = append(s.scratch[:0], text...)
	s.putBytes(s.scratch)
}

// Char is char(n): n bytes on a byte boundary, the text and NULs after it. Any bytes are text, but none may follow a
// NUL (`bad-string`).
func (s *Stream) Char(name string, v *string, n int) {
	if n < 0 {
		panic("pktscope: internal error: serialize: a negative number of bytes")
	}
	f, text := field{name: name}, *v
	if s.dir == reading {
		*v = ""
	}
	if !s.alignField(f) {
		return
	}
	start := s.bit
	if s.dir != reading {
		if len(text) > n {
			s.refuseText(reject.RuleBroken, s.bit, 0, f, uint64(len(text)), "a length of "+strconv.Itoa(n)+" at most")
			return
		}
		s.putText(text)
		if i := strings.IndexByte(text, 0); i >= 0 {
			s.judge(f, start, wire.TextFault{Rule: wire.TextNoNUL, At: i})
			return
		}
		for range n - len(text) {
			s.put(0, 8)
		}
		return
	}
	data, ok := s.takeBytes(f, n)
	if !ok {
		return
	}
	data, bad := wire.CharText(data)
	if !s.judge(f, start, bad) {
		return
	}
	*v = text
	set(v, data)
}

// CString is cstring(n): bytes on a byte boundary up to a NUL, at most n with it, n above 0. None among them is
// `bad-string`.
func (s *Stream) CString(name string, v *string, n int) {
	if n < 1 {
		panic("pktscope: internal error: serialize: text without room for its terminator")
	}
	f, text := field{name: name}, *v
	if s.dir == reading {
		*v = ""
	}
	if !s.alignField(f) {
		return
	}
	start := s.bit
	if s.dir != reading {
		if len(text) >= n {
			s.refuseText(reject.RuleBroken, s.bit, 0, f, uint64(len(text)), "a length of "+strconv.Itoa(n-1)+" at most")
			return
		}
		s.putText(text)
		if i := strings.IndexByte(text, 0); i >= 0 {
			s.judge(f, start, wire.TextFault{Rule: wire.TextNoNUL, At: i})
			return
		}
		s.put(0, 8)
		return
	}
	for size := range n {
		if s.end-s.bit < 8 {
			s.bit = start
			s.refuse(reject.PastEnd, start, 8*size+8, f, uint64(s.end-start), uint64(8*size+8))
			return
		}
		if c, _ := s.take(8, f); c == 0 {
			s.bit = start
			data, _ := s.takeBytes(f, size)
			s.bit += 8
			*v = text
			set(v, data)
			return
		}
	}
	s.refuse(reject.BadString, start, 8*n, f, uint64(n), uint64(wire.TextEnd))
}

// WString is wstring(n): its length in UTF-16 units, 0 to n-1, then 32 bits a unit, aligned nowhere. *v is UTF-8. A
// unit above 0xFFFF, a zero one and half of a surrogate pair are `bad-string`; so is, writing, what is no UTF-8.
func (s *Stream) WString(name string, v *string, n int) {
	f, start, text := field{name: name}, s.bit, *v
	units := 0
	if s.dir == reading {
		*v = ""
	} else {
		s.scratch = append(s.scratch[:0], text...)
		units = wire.WideSize(s.scratch)
	}
	size, ok := s.length(name, units, n)
	if !ok {
		return
	}
	if s.dir != reading {
		for left := s.scratch; len(left) > 0; {
			unit, low, size := wire.WideUnit(left)
			s.put(uint64(unit), 32)
			if low != 0 {
				s.put(uint64(low), 32)
			}
			left = left[size:]
		}
		s.judge(f, start, wire.StringFault(s.scratch))
		return
	}
	if !s.fitAll(size, 32, f) {
		return
	}
	at := s.bit
	s.bit += 32 * size
	if !s.judge(f, start, s.order.WideFault(s.data, at, size)) {
		return
	}
	s.scratch = s.order.AppendWide(s.scratch[:0], s.data, at, size)
	*v = text
	set(v, s.scratch)
}

// refuseLength refuses, when writing, bytes or a list of another length than the packet has said.
func (s *Stream) refuseLength(f field, got, want int) {
	s.refuseText(reject.RuleBroken, s.bit, 0, f, uint64(got), "a length of "+strconv.Itoa(want))
}
