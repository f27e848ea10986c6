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
func (r *scratchReader) take(n uint) uint32 {
	r.left -= int(n)
	if r.scratchBits < n {
		r.scratch |= uint64(binary.LittleEndian.Uint32(r.data[r.word:])) << r.scratchBits
		r.scratchBits += 32
		r.word += 4
	}
	v := uint32(r.scratch & (1<<n - 1))
	r.scratch >>= n
	r.scratchBits -= n
	return v
}

func (r *scratchReader) bits(v *uint32, n uint) bool {
	if int(n) > r.left {
		return false
	}
	*v = r.take(n)
	return true
}

func (r *scratchReader) integer(v *int32, lo, hi int32, n uint) bool {
	if int(n) > r.left {
		return false
	}
	code := r.take(n)
	if code > uint32(hi-lo) {
		return false
	}
	*v = int32(code) + lo
	return true
}

func (r *scratchReader) boolean(v *bool) bool {
	if r.left < 1 {
		return false
	}
	*v = r.take(1) != 0
	return true
}

func (r *scratchReader) bits64(v *uint64) bool {
	if r.left < 64 {
		return false
	}
	lo := r.take(32)
	*v = uint64(r.take(32))<<32 | uint64(lo)
	return true
}

func (r *scratchReader) int64(v *int64) bool {
	var u uint64
	ok := r.bits64(&u)
	*v = int64(u)
	return ok
}

func (r *scratchReader) float32(v *float32) bool {
	var u uint32
	ok := r.bits(&u, 32)
	*v = math.Float32frombits(u)
	return ok
}

func (r *scratchReader) float64(v *float64) bool {
	var u uint64
	ok := r.bits64(&u)
	*v = math.Float64frombits(u)
	return ok
}

func (r *scratchReader) quantized(v *float32, lo, delta float32, steps uint32, n uint) bool {
	if int(n) > r.left {
		return false
	}
	code := r.take(n)
	if code > steps {
		return false
	}
	*v = float32(float32(code)/float32(steps))*delta + lo
	return true
}
