package serialize_test

import (
	"encoding/binary"
	"math"
)

// The baseline: the articles' bitpacker in plain Go, as somebody would write it for this one packet. It moves 32-bit
// words through a 64-bit scratch, checks the end before every read and the range after it, and trusts the writer.

type scratchReader struct {
	data        []byte
	scratch     uint64
	scratchBits uint
	word        int
	left        int // bits
}

func newScratchReader(data []byte) scratchReader {
	return scratchReader{data: data, left: 8 * len(data)}
}

// take reads n bits, 1 to 32, which are there.
func (s *scratchReader) take(n uint) uint32 {
	s.left -= int(n)
	if s.scratchBits < n {
		s.scratch |= uint64(binary.LittleEndian.Uint32(s.data[s.word:])) << s.scratchBits
		s.scratchBits += 32
		s.word += 4
	}
	v := uint32(s.scratch & (1<<n - 1))
	s.scratch >>= n
	s.scratchBits -= n
	return v
}

func (s *scratchReader) bits(v *uint32, n uint) bool {
	if int(n) > s.left {
		return false
	}
	*v = s.take(n)
	return true
}

func (s *scratchReader) integer(v *int32, lo, hi int32, n uint) bool {
	if int(n) > s.left {
		return false
	}
	code := s.take(n)
	if code > uint32(hi-lo) {
		return false
	}
	*v = int32(code) + lo
	return true
}

func (s *scratchReader) boolean(v *bool) bool {
	if s.left < 1 {
		return false
	}
	*v = s.take(1) != 0
	return true
}

func (s *scratchReader) bits64(v *uint64) bool {
	if s.left < 64 {
		return false
	}
	lo := s.take(32)
	*v = uint64(s.take(32))<<32 | uint64(lo)
	return true
}

func (s *scratchReader) int64(v *int64) bool {
	var u uint64
	ok := s.bits64(&u)
	*v = int64(u)
	return ok
}

func (s *scratchReader) float32(v *float32) bool {
	var u uint32
	ok := s.bits(&u, 32)
	*v = math.Float32frombits(u)
	return ok
}

func (s *scratchReader) float64(v *float64) bool {
	var u uint64
	ok := s.bits64(&u)
	*v = math.Float64frombits(u)
	return ok
}

func (s *scratchReader) quantized(v *float32, lo, delta float32, steps uint32, n uint) bool {
	if int(n) > s.left {
		return false
	}
	code := s.take(n)
	if code > steps {
		return false
	}
	*v = float32(float32(code)/float32(steps))*delta + lo
	return true
}

// scratchWriter writes into a buffer that is large enough.
type scratchWriter struct {
	data        []byte
	scratch     uint64
	scratchBits uint
	word        int
}

func (s *scratchWriter) put(v uint32, n uint) {
	s.scratch |= uint64(v) << s.scratchBits
	s.scratchBits += n
	if s.scratchBits >= 32 {
		binary.LittleEndian.PutUint32(s.data[s.word:], uint32(s.scratch))
		s.word += 4
		s.scratch >>= 32
		s.scratchBits -= 32
	}
}

func (s *scratchWriter) bits(v uint32, n uint) bool {
	s.put(v, n)
	return true
}

func (s *scratchWriter) integer(v, lo, hi int32, n uint) bool {
	if v < lo || v > hi {
		return false
	}
	s.put(uint32(v-lo), n)
	return true
}

func (s *scratchWriter) boolean(v bool) bool {
	if v {
		return s.bits(1, 1)
	}
	return s.bits(0, 1)
}

func (s *scratchWriter) bits64(v uint64) bool {
	s.put(uint32(v), 32)
	s.put(uint32(v>>32), 32)
	return true
}

func (s *scratchWriter) int64(v int64) bool     { return s.bits64(uint64(v)) }
func (s *scratchWriter) float32(v float32) bool { return s.bits(math.Float32bits(v), 32) }
func (s *scratchWriter) float64(v float64) bool { return s.bits64(math.Float64bits(v)) }

func (s *scratchWriter) quantized(v, lo, delta float32, steps uint32, n uint) bool {
	t := min(max((v-lo)/delta, 0), 1)
	s.put(uint32(float32(t*float32(steps))+0.5), n)
	return true
}

// finish writes the last word.
func (s *scratchWriter) finish() { binary.LittleEndian.PutUint32(s.data[s.word:], uint32(s.scratch)) }
