package wire

import "encoding/binary"

// Writer appends a datagram to the caller's buffer. Position 0 is the first bit behind what the buffer held, and the
// unused bits of the last byte are zero after every call, so one message has exactly one encoding.
//
// A Writer is trusted with values: one that does not fit its width panics. The spare capacity of the buffer is the
// Writer's: it may write zeros there, up to eight bytes behind the datagram. The zero Writer appends to nil in order
// lsb.
//
// Invariant: len(buf) == base + ceil(bit/8).
type Writer struct {
	buf   []byte
	base  int
	bit   int
	order Order
}

// NewWriter returns a Writer at bit 0 of a datagram that starts at buf[len(buf)].
func NewWriter(o Order, buf []byte) Writer {
	return Writer{buf: buf, base: len(buf), order: o}
}

// Reset makes w what NewWriter(o, buf) returns.
func (w *Writer) Reset(o Order, buf []byte) { *w = NewWriter(o, buf) }

// Bits appends the n low bits of v, n in 0..64. Another n, or a v that needs more than n bits, panics.
func (w *Writer) Bits(v uint64, n int) {
	if uint(n) > 64 {
		panic(badWidth(n))
	}
	checkValue(v, n)
	i, s := w.base+w.bit/8, uint(w.bit)%8
	if i+9 > cap(w.buf) {
		w.bitsSlow(v, n)
		return
	}
	// The bits of v behind the s that are there, as eight bytes and a ninth. Past the value they are zero.
	d := w.buf[i : i+9]
	have := uint64(0)
	if s != 0 {
		have = uint64(d[0])
	}
	switch w.order {
	case LSB:
		binary.LittleEndian.PutUint64(d, have|v<<s)
		d[8] = byte(v >> (64 - s))
	case MSB:
		v <<= uint(64 - n)
		binary.BigEndian.PutUint64(d, have<<56|v>>s)
		d[8] = byte(v) << (8 - s)
	case Bousk:
		v = spreadBousk(v, s, n)
		low := uint64(0xFF) >> s * everyByte
		binary.LittleEndian.PutUint64(d, have|v&low|v&^low<<8)
		d[8] = byte(v &^ low >> 56)
	default:
		panic(badOrder(w.order))
	}
	w.bit += n
	w.buf = w.buf[:w.base+(w.bit+7)/8]
}

// bitsSlow is Bits where fewer than nine bytes of capacity are left: it takes only what it needs, so that a buffer of
// the exact size is enough.
func (w *Writer) bitsSlow(v uint64, n int) {
	bit := w.bit
	w.zeros(n)
	w.order.Store(w.buf[w.base:], bit, n, v)
}

// spreadBousk is the inverse of the last step of gatherBousk: it moves a short last group apart, so that its low
// 8-s bits (or as many as it has) are where the first byte wants them and the others where the next byte does.
func spreadBousk(v uint64, s uint, n int) uint64 {
	g, whole := uint(n)%8, uint(n)&^7
	if g == 0 {
		return v
	}
	last := v >> whole
	free := 8 - s
	if g <= free {
		last <<= free - g
	} else {
		last = last&(0xFF>>s) | last>>free<<(8-g+free)
	}
	return v&(1<<whole-1) | last<<whole
}

// zeros appends n zero bits, n ≥ 0.
func (w *Writer) zeros(n int) {
	w.bit += n
	if need := w.base + (w.bit+7)/8; need > len(w.buf) {
		w.buf = append(w.buf, make([]byte, need-len(w.buf))...)
	}
}

// Align appends zero bits up to the next multiple of n bits, a power of two, counted from the start of the datagram.
func (w *Writer) Align(n int) { w.zeros(pad(w.bit, n)) }

// Bytes appends b. The position must be on a byte boundary (align first); inside a byte it panics.
func (w *Writer) Bytes(b []byte) {
	if w.bit%8 != 0 {
		panic(badBoundary(w.bit))
	}
	w.buf = append(w.buf, b...)
	w.bit += 8 * len(b)
}

// Bit returns the position of the next bit: how many bits the datagram has so far.
func (w *Writer) Bit() int { return w.bit }

// Order returns the order in which Bits writes.
func (w *Writer) Order() Order { return w.order }

// SetOrder changes the order from here on; inside a byte it panics, as [Reader.SetOrder] does.
func (w *Writer) SetOrder(o Order) {
	if w.bit%8 != 0 {
		panic(badBoundary(w.bit))
	}
	w.order = o
}

// Data returns the caller's buffer with the datagram appended. It is valid until the next call that writes.
func (w *Writer) Data() []byte { return w.buf }

// Datagram returns the datagram alone: Data without what the buffer held before. A checksum is patched here, with the
// positions that Bit gave.
func (w *Writer) Datagram() []byte { return w.buf[w.base:] }
