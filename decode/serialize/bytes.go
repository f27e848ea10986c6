package serialize

import (
	"math"

	"github.com/pktscope/pktscope/decode/reject"
)

// Raw bytes (wire.md, "Alignment, bytes, strings"): they align to a byte first, also when there are none, but not in
// order bousk. A size from the packet is the attacker's: nothing is allocated before that many bytes are there.

// Bytes is bytes(len(b)) in the caller's memory.
func (s *Stream) Bytes(name string, b []byte) {
	f := field{name: name}
	if !s.alignField(f) {
		if s.dir == reading {
			clear(b)
		}
		return
	}
	if s.dir != reading {
		s.putBytes(b)
		return
	}
	data, ok := s.takeBytes(f, len(b))
	if !ok {
		clear(b)
		return
	}
	copy(b, data)
}

// BytesN is bytes(n): reading, *b is set to n bytes in its own memory, which grows only when they are there, and to
// none after a refusal; writing, len(*b) must be n or it is `rule-broken`. n is checked: an Int that s has read, or a
// constant; a negative one panics.
func (s *Stream) BytesN(name string, b *[]byte, n int) {
	if n < 0 {
		panic("pktscope: internal error: serialize: a negative number of bytes")
	}
	f := field{name: name}
	if s.dir == reading {
		*b = (*b)[:0]
	} else if s.mode != failed && len(*b) != n {
		s.refuseLength(f, len(*b), n)
		return
	}
	if !s.alignField(f) {
		return
	}
	if s.dir != reading {
		s.putBytes(*b)
		return
	}
	if data, ok := s.takeBytes(f, n); ok {
		*b = append(*b, data...)
	}
}

// alignField is alignBytes that knows of a refusal before it.
func (s *Stream) alignField(f field) bool {
	if s.mode == failed {
		s.waste()
		return false
	}
	return s.alignBytes(f)
}

// takeBytes is the next n bytes, valid until the next call: a slice of the datagram where they lie on bytes. The size
// has not been believed before.
func (s *Stream) takeBytes(f field, n int) ([]byte, bool) {
	if !s.fitAll(n, 8, f) {
		return nil, false
	}
	at := s.bit
	s.bit += 8 * n
	if at%8 == 0 {
		return s.data[at/8 : at/8+n : at/8+n], true
	}
	s.scratch = s.scratch[:0]
	for i := range n {
		s.scratch = append(s.scratch, byte(s.order.Load(s.data, at+8*i, 8)))
	}
	return s.scratch, true
}

// fitAll refuses f when fewer than n units of so many bits are left. It divides, because n is the attacker's and the
// product could wrap to a small number.
func (s *Stream) fitAll(n, unit int, f field) bool {
	if left := s.end - s.bit; n > left/unit {
		need := unit * min(n, math.MaxInt/unit)
		s.refuse(reject.PastEnd, s.bit, need, f, uint64(left), uint64(need))
		return false
	}
	return true
}

func (s *Stream) putBytes(b []byte) {
	if s.dir == measuring {
		s.bit += 8 * len(b)
		return
	}
	if s.bit%8 != 0 {
		for _, c := range b {
			s.put(uint64(c), 8)
		}
		return
	}
	at, behind := s.bit/8, s.bit/8+len(b)
	s.room(behind)
	copy(s.data[at:], b)
	s.bit += 8 * len(b)
	if behind < len(s.data) {
		s.data[behind] = 0
	}
}
