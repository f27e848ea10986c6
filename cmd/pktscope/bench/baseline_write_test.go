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
	t := min(max(float32(v-lo)/delta, 0), 1)
	w.put(uint32(float32(t*float32(steps))+0.5), n)
	return true
}

// finish writes the last word and gives the packet.
func (w *scratchWriter) finish() []byte {
	binary.LittleEndian.PutUint32(w.data[w.word:], uint32(w.scratch))
	return w.data[:w.word+int(w.scratchBits+7)/8]
}
