package serialize

import (
	"encoding/binary"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// All bits go through here. peek and poke are the fast paths, for up to 56 bits in order lsb while nine bytes of room
// are left: one unaligned 64-bit load or store, small enough to be inlined into every field. (The shift counts are
// masked to 63 because Go defines larger ones and the compiler would test for them.) take and put are the rest, and the
// only place where a packet's end is met.

// peek is the next n bits in order lsb without moving; false near the end of the data and for more than 56.
func (s *Stream) peek(n int) (uint64, bool) {
	i := uint(s.bit) / 8
	if i+9 > uint(len(s.data)) || uint(n) > 56 {
		return 0, false
	}
	return binary.LittleEndian.Uint64(s.data[i:i+9]) >> (uint(s.bit) % 8) & (1<<(uint(n)&63) - 1), true
}

// peek64 is peek of 64 bits.
func (s *Stream) peek64() (uint64, bool) {
	i, at := uint(s.bit)/8, uint(s.bit)%8
	if i+9 > uint(len(s.data)) {
		return 0, false
	}
	d := s.data[i : i+9]
	return binary.LittleEndian.Uint64(d)>>at | uint64(d[8])<<1<<(63-at), true
}

// poke writes the n bits of code in order lsb; false near the end of the room and for more than 56. Where it succeeds,
// what follows up to the end of eight bytes is zero: the invariant is that no bit of the current byte is set from s.bit
// on.
func (s *Stream) poke(code uint64, n int) bool {
	i := uint(s.bit) / 8
	if i+9 > uint(len(s.data)) || uint(n) > 56 {
		return false
	}
	d := s.data[i : i+9]
	binary.LittleEndian.PutUint64(d, uint64(d[0])|code<<(uint(s.bit)%8))
	s.bit += n
	return true
}

// poke64 is poke of 64 bits.
func (s *Stream) poke64(code uint64) bool {
	i, at := uint(s.bit)/8, uint(s.bit)%8
	if i+9 > uint(len(s.data)) {
		return false
	}
	d := s.data[i : i+9]
	binary.LittleEndian.PutUint64(d, uint64(d[0])|code<<at)
	d[8] = byte(code >> 1 >> (63 - at))
	s.bit += 64
	return true
}

// take reads the next n bits of f; false after a refusal.
func (s *Stream) take(n int, f field) (uint64, bool) {
	if !s.fits(n, f) {
		return 0, false
	}
	code := s.order.Load(s.data, s.bit, n)
	s.bit += n
	return code, true
}

// fits refuses f when fewer than n bits are left.
func (s *Stream) fits(n int, f field) bool {
	if n > s.end-s.bit {
		s.refuse(reject.PastEnd, s.bit, n, f, uint64(s.end-s.bit), uint64(n))
		return false
	}
	return true
}

// put writes the n bits of code, or counts them.
func (s *Stream) put(code uint64, n int) {
	if s.dir == measuring {
		s.bit += n
		return
	}
	first, behind := (s.bit+7)/8, (s.bit+n+7)/8
	s.room(behind)
	clear(s.data[first:behind])
	s.order.Store(s.data, s.bit, n, code)
	s.bit += n
	if behind < len(s.data) {
		s.data[behind] = 0
	}
}

// room makes the packet's room at least n bytes.
func (s *Stream) room(n int) {
	if n <= len(s.data) {
		return
	}
	used := len(s.buf)
	more := make([]byte, used, 2*cap(s.buf)+n+64)
	copy(more, s.buf)
	room := more[used:cap(more)]
	copy(room, s.data[:(s.bit+7)/8])
	s.buf, s.data = more, room
}

// limits is what a number may be: base to base + span.
type limits struct {
	base, span uint64
	signed     bool
	zigzag     bool        // what lies in it is a zigzag code: half are negative
	kind       reject.Kind // of what lies outside
}

// number reads, writes or counts the n bits of code. It returns a code, and true, only when it has read one.
func (s *Stream) number(f field, code uint64, n int, l limits) (uint64, bool) {
	if s.mode == failed {
		s.waste()
		return 0, false
	}
	start := s.bit
	if s.dir == reading {
		var ok bool
		if code, ok = s.take(n, f); !ok {
			return 0, false
		}
	}
	if code > l.span {
		s.bit = start
		s.refuseRange(start, n, f, code, l)
		return 0, false
	}
	if s.dir != reading {
		s.put(code, n)
		return 0, false
	}
	return code, true
}

// align reads or writes the zeros up to a multiple of n bits for f, a power of two. Set bits are refused: padding is a
// place to hide data in, and a second encoding of the same message.
func (s *Stream) align(n int, f field) bool {
	switch s.dir {
	case measuring:
		s.bit += n - 1
		return s.mode != failed
	case writing:
		for width := -s.bit & (n - 1); width > 0; width = -s.bit & (n - 1) {
			s.put(0, min(width, 64))
		}
		return true
	}
	width := -s.bit & (n - 1)
	if !s.fits(width, f) {
		return false
	}
	if set := s.order.FirstSet(s.data, s.bit, width); set >= 0 {
		s.refuse(reject.NonzeroPadding, set, 1, f, 1, 0)
		return false
	}
	s.bit += width
	return true
}

// Align stands for 0 to n - 1 zero bits up to a multiple of n bits from the start of the packet. n is a power of two.
func (s *Stream) Align(n int) {
	if n <= 0 || n&(n-1) != 0 {
		panic("pktscope: internal error: serialize: an alignment that is no power of two")
	}
	if s.mode == failed {
		s.waste()
		return
	}
	s.align(n, field{})
}

// alignBytes is the alignment of bytes, text and labels: to a byte, and none in order bousk.
func (s *Stream) alignBytes(f field) bool {
	return s.order == wire.Bytewise || s.align(8, f)
}
