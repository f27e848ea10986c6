package main

import (
	"encoding/binary"
	"math"
)

// The baseline: the articles' bitpacker in plain Go, by hand over the fields of decode/testdata/flat97.pks, storing
// into a struct. It reads 32-bit words into a 64-bit scratch, and checks the end before every read and the range after
// it.

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
