//lint:file-ignore U1000 what a generated package uses of this is copied into it

package runtime

import (
	"encoding/binary"
	"math/bits"
)

// PacketReader decodes datagrams. It is reused: the error that it gives lies in it and is valid until the next datagram. The
// zero PacketReader is ready for use. It is not for two goroutines at once.
type PacketReader struct {
	reject PacketReject
	from   From
	bits   int
	at     [loopDepth]int
	s      [slotRoom]uint64
	tail   [tailRoom]byte
}

// Bits is how many bits the last accepted datagram had, up to seven behind its last field left out.
func (r *PacketReader) Bits() int { return r.bits }

func (r *PacketReader) refuse(kind RejectKind, bit, width int, path string) int {
	r.reject.Kind, r.reject.Bit, r.reject.Width, r.reject.path, r.reject.at = kind, bit, width, path, r.at
	return -1
}

// stop finds the first failure of a run of fields of which one does not fit or is not accepted.
func (r *PacketReader) stop(order uint8, leaves []leaf, data []byte, bit, end int) int {
	for i := range leaves {
		l := &leaves[i]
		at, n := bit+int(l.off), int(l.width)
		if n > end-at {
			return r.refuse(RejectPastEnd, at, n, l.path)
		}
		code := load(order, data, at, n)
		if l.swap {
			code = swap(code, n)
		}
		if kind := l.judge(code); kind != RejectNone {
			return r.refuse(kind, at, n, l.path)
		}
	}
	panic("pktscope: internal error: a run was stopped for nothing")
}

// The orders of bits in bytes.
const (
	lsb = iota
	msb
	bousk
)

func mask(n int) uint64 { return ^uint64(0) >> uint(64-n) }

// swap turns the n/8 bytes of v around.
func swap(v uint64, n int) uint64 { return bits.ReverseBytes64(v) >> uint(64-n) }

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// extend reads the n low bits of v as two's complement.
func extend(v uint64, n int) uint64 {
	unused := uint(64 - n)
	return uint64(int64(v<<unused) >> unused)
}

// load reads n bits that are there.
func load(order uint8, data []byte, bit, n int) uint64 {
	switch order {
	case lsb:
		return loadLSB(data, bit, n)
	case msb:
		return loadMSB(data, bit, n)
	}
	return loadBousk(data, bit, n)
}

func loadLSB(data []byte, bit, n int) uint64 {
	i, s := uint(bit)/8, uint(bit)%8
	if i+9 <= uint(len(data)) {
		d := data[i : i+9]
		return (binary.LittleEndian.Uint64(d)>>s | uint64(d[8])<<(64-s)) & mask(n)
	}
	return tailLE(data, i) >> s & mask(n)
}

func loadMSB(data []byte, bit, n int) uint64 {
	i, s := uint(bit)/8, uint(bit)%8
	if i+9 <= uint(len(data)) {
		d := data[i : i+9]
		return (binary.BigEndian.Uint64(d)<<s | uint64(d[8])>>(8-s)) >> uint(64-n)
	}
	return bits.ReverseBytes64(tailLE(data, i)) << s >> uint(64-n)
}

// loadBousk blends the words at a value's first byte and at the next: all whole groups at once; the last, shorter one is
// moved together.
func loadBousk(data []byte, bit, n int) uint64 {
	const everyByte = 0x0101010101010101
	i, s := uint(bit)/8, uint(bit)%8
	var first, next uint64
	if i+9 <= uint(len(data)) {
		d := data[i : i+9]
		first = binary.LittleEndian.Uint64(d)
		next = first>>8 | uint64(d[8])<<56
	} else {
		first = tailLE(data, i)
		next = first >> 8
	}
	low := uint64(0xFF) >> s
	v := first&(low*everyByte) | next&^(low*everyByte)
	g, whole := uint(n)%8, uint(n)&^7
	if g == 0 {
		return v & mask(n)
	}
	last := v >> whole & 0xFF
	free := 8 - s
	if g <= free {
		last = last & low >> (free - g)
	} else {
		last = last&low | last>>(8-g+free)<<free
	}
	return v&(1<<whole-1) | last<<whole
}

// tailLE is the little-endian word at byte i where fewer than nine bytes are left: those past the end are zero.
func tailLE(data []byte, i uint) uint64 {
	n := uint(len(data))
	switch {
	case i >= n:
		return 0
	case n >= 8:
		return binary.LittleEndian.Uint64(data[n-8:]) >> (8 * (i + 8 - n))
	case n-i >= 4: // what both have is the same
		return uint64(binary.LittleEndian.Uint32(data[i:])) | uint64(binary.LittleEndian.Uint32(data[n-4:]))<<(8*(n-i-4))
	}
	var w uint64
	for n > i {
		n--
		w = w<<8 | uint64(data[n])
	}
	return w
}

// wordLE is the little-endian word at a byte; past the end are zeros.
func wordLE(data []byte, i int) uint64 {
	if uint(i)+8 <= uint(len(data)) {
		return binary.LittleEndian.Uint64(data[i:])
	}
	return tailLE(data, uint(i))
}

// wordBE is the big-endian word at a byte; past the end are zeros.
func wordBE(data []byte, i int) uint64 {
	if uint(i)+8 <= uint(len(data)) {
		return binary.BigEndian.Uint64(data[i:])
	}
	return bits.ReverseBytes64(tailLE(data, uint(i)))
}

// last is the bytes at i of which fewer than a run loads are left: they are copied to where zeros may follow.
func (r *PacketReader) last(data []byte, i int) []byte {
	n := copy(r.tail[:], data[i:])
	clear(r.tail[n:])
	return r.tail[:]
}

// pad skips zero bits to a multiple of n bits.
func (r *PacketReader) pad(order uint8, data []byte, bit, end, n int, path string) int {
	width := -bit & (n - 1)
	if width > end-bit {
		return r.refuse(RejectPastEnd, bit, width, path)
	}
	return r.zeros(order, data, bit, width, RejectNonzeroPadding, path)
}

// zeros checks that bits that are there are zero. Padding is refused at its first set bit, reserved bits as a whole.
func (r *PacketReader) zeros(order uint8, data []byte, bit, width int, kind RejectKind, path string) int {
	for at := 0; at < width; at += 64 {
		if load(order, data, bit+at, min(64, width-at)) == 0 {
			continue
		}
		if kind != RejectNonzeroPadding {
			return r.refuse(kind, bit, width, path)
		}
		first := bit + at
		for load(order, data, first, 1) == 0 {
			first++
		}
		return r.refuse(kind, first, 1, path)
	}
	return bit + width
}

// keep takes bits of which any may be set; the caller has found them to be there.
func keep(order uint8, data []byte, bit, width int, words []uint64) int {
	for i := range words {
		n := max(0, min(64, width-64*i))
		words[i] = 0
		if n > 0 {
			words[i] = load(order, data, bit+64*i, n)
		}
	}
	return bit + width
}

// padAny is pad where any bit may be set.
func (r *PacketReader) padAny(order uint8, data []byte, bit, end, n int, words []uint64, path string) int {
	width := -bit & (n - 1)
	if width > end-bit {
		return r.refuse(RejectPastEnd, bit, width, path)
	}
	return keep(order, data, bit, width, words)
}

// widthOf is the bits of size units, as a width. size is the sender's: it may be 2^64-1.
func widthOf(size, unit uint64) int {
	most := min(uint64(1<<53-1), uint64(^uint(0)>>2))
	if size > most/unit {
		return int(most)
	}
	return int(size * unit)
}

// closeWindow ends a window: what is left of it is padding when it is less than a byte.
func (r *PacketReader) closeWindow(order uint8, data []byte, bit, end int, path string) int {
	if left := end - bit; left >= 8 {
		return r.refuse(RejectTrailingBytes, bit, left, path)
	}
	return r.zeros(order, data, bit, end-bit, RejectNonzeroPadding, path)
}

// next reads a bitmap's flags from slot on, up to the next that is set; the slot is most when none is.
func (r *PacketReader) next(order uint8, data []byte, bit, end, slot, most int, path string) (int, int) {
	turn := 7 // a byte's first bit is its highest
	if order == lsb {
		turn = 0
	}
	for ; slot < most; slot++ {
		if bit == end {
			return 0, r.refuse(RejectPastEnd, bit, 1, path)
		}
		set := data[bit>>3] >> ((bit ^ turn) & 7) & 1
		bit++
		if set != 0 {
			break
		}
	}
	return slot, bit
}

// grow gives a list n elements. Those that it had are kept with what they hold, so that nothing is allocated twice.
func grow[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	more := make([]T, n)
	copy(more, s[:cap(s)])
	return more
}

// more gives a list one more element, as grow does.
func more[T any](s []T) []T {
	if len(s) < cap(s) {
		return s[:len(s)+1]
	}
	var zero T
	return append(s, zero)
}
