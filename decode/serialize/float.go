package serialize

import (
	"math"
	"strconv"

	"github.com/pktscope/pktscope/decode/reject"
)

// Floats (wire.md, "Floats") carry the IEEE bits in the packet's order, and every pattern comes back exactly: NaN
// payloads and -0 too. A program that computes with what it reads wants the In forms: a NaN from a packet spreads.

// Float32 is float32.
func (s *Stream) Float32(name string, v *float32) {
	switch s.mode {
	case readLSB:
		if code, ok := s.peek(32); ok {
			s.bit += 32
			*v = math.Float32frombits(uint32(code))
			return
		}
	case writeLSB:
		if s.poke(uint64(math.Float32bits(*v)), 32) {
			return
		}
	}
	code, _ := s.number(field{name: name}, uint64(math.Float32bits(*v)), 32, limits{span: math.MaxUint32})
	if s.dir == reading {
		*v = math.Float32frombits(uint32(code))
	}
}

// Float64 is float64.
func (s *Stream) Float64(name string, v *float64) {
	switch s.mode {
	case readLSB:
		if code, ok := s.peek64(); ok {
			s.bit += 64
			*v = math.Float64frombits(code)
			return
		}
	case writeLSB:
		if s.poke64(math.Float64bits(*v)) {
			return
		}
	}
	code, _ := s.number(field{name: name}, math.Float64bits(*v), 64, limits{span: math.MaxUint64})
	if s.dir == reading {
		*v = math.Float64frombits(code)
	}
}

// Float32In is Float32 whose value is in lo..hi: NaN and the infinities are `not-finite`, others outside
// `out-of-range`. It reads as lo after a refusal. With -math.MaxFloat32 and math.MaxFloat32 it is the schema's rule
// `finite`.
func (s *Stream) Float32In(name string, v *float32, lo, hi float32) {
	if s.dir == reading {
		s.Float32(name, v)
	}
	s.judgeFloat(name, float64(*v), float64(lo), float64(hi), 32, uint64(math.Float32bits(*v)))
	if s.dir != reading {
		s.Float32(name, v)
	} else if s.mode == failed {
		*v = lo
	}
}

// Float64In is [Stream.Float32In] for Float64.
func (s *Stream) Float64In(name string, v *float64, lo, hi float64) {
	if s.dir == reading {
		s.Float64(name, v)
	}
	s.judgeFloat(name, *v, lo, hi, 64, math.Float64bits(*v))
	if s.dir != reading {
		s.Float64(name, v)
	} else if s.mode == failed {
		*v = lo
	}
}

func (s *Stream) judgeFloat(name string, v, lo, hi float64, n int, code uint64) {
	if s.mode == failed || lo <= v && v <= hi && !math.IsInf(v, 0) {
		return
	}
	at := s.bit
	if s.dir == reading {
		at -= n
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		s.refuse(reject.NotFinite, at, n, field{name: name}, code, 0)
		return
	}
	s.refuse(reject.OutOfRange, at, n, field{name: name}, code, 0)
	s.want.float = [2]float64{lo, hi}
	s.want.floatBits = n
}

func appendFloat(b []byte, v float64, n int) []byte { return strconv.AppendFloat(b, v, 'g', -1, n) }
