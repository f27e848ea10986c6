package main

import (
	"encoding/binary"
	"math"
)

// scratchWriter is the baseline's other half: values go through a 64-bit scratch into 32-bit words of a buffer that is
// large enough, which is not checked; ranges are.
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
	t := min(max(float32(v-lo)/delta, 0), 1)
	s.put(uint32(float32(t*float32(steps))+0.5), n)
	return true
}

// finish writes the last word and gives the packet.
func (s *scratchWriter) finish() []byte {
	binary.LittleEndian.PutUint32(s.data[s.word:], uint32(s.scratch))
	return s.data[:s.word+int(s.scratchBits+7)/8]
}
