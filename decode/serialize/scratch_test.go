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

// scratchWriter writes into a buffer that is large enough.
type scratchWriter struct {
	data        []byte
	scratch     uint64
	scratchBits uint
	word        int
}

func (w *scratchWriter) put(v uint32, n uint) {
	w.scratch |= uint64(v) << w.scratchBits
	w.scratchBits += n
	if w.scratchBits >= 32 {
		binary.LittleEndian.PutUint32(w.data[w.word:], uint32(w.scratch))
		w.word += 4
		w.scratch >>= 32
		w.scratchBits -= 32
	}
}

func (w *scratchWriter) bits(v uint32, n uint) bool {
	w.put(v, n)
	return true
}

func (w *scratchWriter) integer(v, lo, hi int32, n uint) bool {
	if v < lo || v > hi {
		return false
	}
	w.put(uint32(v-lo), n)
	return true
}

func (w *scratchWriter) boolean(v bool) bool {
	if v {
		return w.bits(1, 1)
	}
	return w.bits(0, 1)
}

func (w *scratchWriter) bits64(v uint64) bool {
	w.put(uint32(v), 32)
	w.put(uint32(v>>32), 32)
	return true
}

func (w *scratchWriter) int64(v int64) bool     { return w.bits64(uint64(v)) }
func (w *scratchWriter) float32(v float32) bool { return w.bits(math.Float32bits(v), 32) }
func (w *scratchWriter) float64(v float64) bool { return w.bits64(math.Float64bits(v)) }

func (w *scratchWriter) quantized(v, lo, delta float32, steps uint32, n uint) bool {
	t := min(max((v-lo)/delta, 0), 1)
	w.put(uint32(float32(t*float32(steps))+0.5), n)
	return true
}

// finish writes the last word.
func (w *scratchWriter) finish() { binary.LittleEndian.PutUint32(w.data[w.word:], uint32(w.scratch)) }
