package serialize

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/reject"
)

// Text is the attacker's like everything else: a NUL inside cuts it short for one reader and not for the next, and bytes
// that are no UTF-8 are read differently by everybody. It is judged where it stands in the datagram; a string is made only
// of what was accepted, and none when it is the one that was there before.

// What a bad-string refusal says was broken, in its Limit. Its Code is the offset inside the text, with what stood there
// in the upper half.
const (
	ruleAfterNUL  = iota + 1 // Char: text after a NUL
	ruleUTF8                 // not UTF-8
	ruleNoNUL                // a NUL inside
	ruleEnd                  // CString: no NUL among the bytes it may have
	ruleUnit                 // WString: a unit above 0xFFFF
	ruleSurrogate            // WString: half of a pair
	ruleNoZero               // WString: a NUL inside
)

var textRules = [...]string{
	ruleAfterNUL:  "nothing but NULs after a NUL",
	ruleUTF8:      "UTF-8",
	ruleNoNUL:     "no NUL inside",
	ruleEnd:       "a NUL",
	ruleUnit:      "a UTF-16 unit",
	ruleSurrogate: "surrogates in pairs",
	ruleNoZero:    "no NUL inside",
}

func appendTextFault(b []byte, r *reject.Reject) []byte {
	if r.Limit == ruleEnd {
		b = append(b, "none in "...)
		b = strconv.AppendUint(b, r.Code, 10)
		return append(b, " bytes"...)
	}
	b = appendHex(b, r.Code>>32, 8)
	b = append(b, " at "...)
	if r.Limit >= ruleUnit {
		b = append(b, "unit "...)
	} else {
		b = append(b, "byte "...)
	}
	return strconv.AppendUint(b, r.Code&(1<<32-1), 10)
}

// fault is how a text breaks a rule; its rule is 0 when it breaks none.
type fault struct {
	rule uint64
	at   int
	got  uint64
}

// set makes *v the text of b.
func set(v *string, b []byte) {
	if *v != string(b) { // no string is made to compare
		*v = string(b)
	}
}

// judge refuses f for a fault; start is its first bit.
func (s *Stream) judge(f field, start int, t fault) bool {
	if t.rule == 0 {
		return true
	}
	s.refuse(reject.BadString, start, s.bit-start, f, t.got<<32|uint64(t.at), t.rule)
	return false
}

// length reads or writes the int(0..n-1) in front of a text.
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
		s.judge(f, start, utf8Fault(text))
		return
	}
	if data, ok := s.takeBytes(f, size); ok && s.judge(f, start, utf8FaultBytes(data)) {
		*v = text
		set(v, data)
	}
}

func (s *Stream) putText(text string) {
	s.scratch = append(s.scratch[:0], text...)
	s.putBytes(s.scratch)
}

func utf8Fault(text string) fault {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return fault{ruleNoNUL, i, 0}
	}
	for i, r := range text {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(text[i:]); n == 1 {
				return fault{ruleUTF8, i, uint64(text[i])}
			}
		}
	}
	return fault{}
}

func utf8FaultBytes(b []byte) fault {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return fault{ruleNoNUL, i, 0}
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return fault{ruleUTF8, i, uint64(b[i])}
		}
		i += n
	}
	return fault{}
}

// Char is char(n): n bytes on a byte boundary, the text and NULs behind it. Any bytes are text, but none may follow a NUL
// (`bad-string`).
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
			s.judge(f, start, fault{ruleNoNUL, i, 0})
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
	cut := len(data)
	if i := bytes.IndexByte(data, 0); i >= 0 {
		cut = i
	}
	for i := cut; i < len(data); i++ {
		if data[i] != 0 {
			s.judge(f, start, fault{ruleAfterNUL, i, uint64(data[i])})
			return
		}
	}
	*v = text
	set(v, data[:cut])
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
			s.judge(f, start, fault{ruleNoNUL, i, 0})
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
	s.refuse(reject.BadString, start, 8*n, f, uint64(n), ruleEnd)
}

// WString is wstring(n): its length in UTF-16 units, 0 to n-1, then 32 bits a unit, aligned nowhere. *v is UTF-8. A unit
// above 0xFFFF, a zero one and half of a surrogate pair are `bad-string`; so is, writing, what is no UTF-8.
func (s *Stream) WString(name string, v *string, n int) {
	f, start, text := field{name: name}, s.bit, *v
	units := 0
	if s.dir == reading {
		*v = ""
	} else {
		for _, r := range text {
			units += max(utf16.RuneLen(r), 1)
		}
	}
	size, ok := s.length(name, units, n)
	if !ok {
		return
	}
	if s.dir != reading {
		for _, r := range text {
			if high, low := utf16.EncodeRune(r); utf16.RuneLen(r) == 2 {
				s.put(uint64(high), 32)
				s.put(uint64(low), 32)
				continue
			}
			s.put(uint64(r), 32)
		}
		s.judge(f, start, utf8Fault(text))
		return
	}
	if !s.fitAll(size, 32, f) {
		return
	}
	at := s.bit
	s.bit += 32 * size
	if !s.judge(f, start, s.wideFault(at, size)) {
		return
	}
	s.scratch = s.scratch[:0]
	for i := 0; i < size; i++ {
		r := rune(s.order.Load(s.data, at+32*i, 32))
		if utf16.IsSurrogate(r) {
			i++
			r = utf16.DecodeRune(r, rune(s.order.Load(s.data, at+32*i, 32)))
		}
		s.scratch = utf8.AppendRune(s.scratch, r)
	}
	*v = text
	set(v, s.scratch)
}

// wideFault judges the size units at a bit, which are there.
func (s *Stream) wideFault(bit, size int) fault {
	high, u := false, uint64(0)
	for i := range size {
		u = s.order.Load(s.data, bit+32*i, 32)
		low := 0xdc00 <= u && u <= 0xdfff
		switch {
		case u == 0:
			return fault{ruleNoZero, i, u}
		case u > 0xffff:
			return fault{ruleUnit, i, u}
		case low != high:
			return fault{ruleSurrogate, i, u}
		}
		high = 0xd800 <= u && u <= 0xdbff
	}
	if high {
		return fault{ruleSurrogate, size - 1, u}
	}
	return fault{}
}

// refuseLength refuses, when writing, bytes or a list of another length than the packet has said.
func (s *Stream) refuseLength(f field, got, want int) {
	s.refuseText(reject.RuleBroken, s.bit, 0, f, uint64(got), "a length of "+strconv.Itoa(want))
}
