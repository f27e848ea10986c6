//lint:file-ignore U1000 what a generated package uses of this is copied into it

package runtime

import "github.com/pktscope/pktscope/decode/wire"

// PacketReader decodes datagrams. It is reused: the error that it gives lies in it and is valid until the next
// datagram. The zero PacketReader is ready for use. It is not for two goroutines at once.
type PacketReader struct {
	reject PacketReject
	from   From
	bits   int
	at     [loopDepth]int
	s      [slotRoom]uint64
}

// Bits is how many bits the last accepted datagram had, up to seven after its last field left out.
func (p *PacketReader) Bits() int { return p.bits }

func (p *PacketReader) refuse(kind RejectKind, bit, width int, path string) int {
	p.reject.Kind, p.reject.Bit, p.reject.Width, p.reject.path, p.reject.at = kind, bit, width, path, p.at
	return -1
}

// stop finds the first failure of a run of fields of which one does not fit or is not accepted.
func (p *PacketReader) stop(order wire.Order, leaves []leaf, data []byte, bit, end int) int {
	if p.blame(order, leaves, data, bit, end) {
		return -1
	}
	panic("pktscope: internal error: a run was stopped for nothing")
}

// short finds the first failure of the elements of a list, runs of size bits of which the last do not fit.
func (p *PacketReader) short(order wire.Order, leaves []leaf, data []byte, bit, end, size, depth int) int {
	for p.at[depth] = 0; !p.blame(order, leaves, data, bit, end); p.at[depth]++ {
		bit += size
	}
	return -1
}

// blame refuses the first field of a run that does not fit or is not accepted; false where all are.
func (p *PacketReader) blame(order wire.Order, leaves []leaf, data []byte, bit, end int) bool {
	for i := range leaves {
		l := &leaves[i]
		at, n := bit+int(l.off), int(l.width)
		if n > end-at {
			p.refuse(RejectPastEnd, at, n, l.path)
			return true
		}
		code := order.Load(data, at, n)
		if l.swap {
			code = wire.SwapBytes(code, n)
		}
		if kind := l.judge(code); kind != RejectNone {
			p.refuse(kind, at, n, l.path)
			return true
		}
	}
	return false
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// extend reads the n low bits of v as two's complement.
func extend(v uint64, n int) uint64 { return uint64(wire.SignExtend(v, n)) }

// pad skips zero bits to a multiple of n bits.
func (p *PacketReader) pad(order wire.Order, data []byte, bit, end, n int, path string) int {
	width := -bit & (n - 1)
	if width > end-bit {
		return p.refuse(RejectPastEnd, bit, width, path)
	}
	return p.zeros(order, data, bit, width, RejectNonzeroPadding, path)
}

// zeros checks that bits that are there are zero. Padding is refused at its first set bit, reserved bits as a whole.
func (p *PacketReader) zeros(order wire.Order, data []byte, bit, width int, kind RejectKind, path string) int {
	first := order.FirstSet(data, bit, width)
	switch {
	case first < 0:
		return bit + width
	case kind != RejectNonzeroPadding:
		return p.refuse(kind, bit, width, path)
	}
	return p.refuse(kind, first, 1, path)
}

// keep takes bits of which any may be set; the caller has found them to be there.
func keep(order wire.Order, data []byte, bit, width int, words []uint64) int {
	for i := range words {
		n := max(0, min(64, width-64*i))
		words[i] = 0
		if n > 0 {
			words[i] = order.Load(data, bit+64*i, n)
		}
	}
	return bit + width
}

// padAny is pad where any bit may be set.
func (p *PacketReader) padAny(order wire.Order, data []byte, bit, end, n int, words []uint64, path string) int {
	width := -bit & (n - 1)
	if width > end-bit {
		return p.refuse(RejectPastEnd, bit, width, path)
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
func (p *PacketReader) closeWindow(order wire.Order, data []byte, bit, end int, path string) int {
	if left := end - bit; left >= 8 {
		return p.refuse(RejectTrailingBytes, bit, left, path)
	}
	return p.zeros(order, data, bit, end-bit, RejectNonzeroPadding, path)
}

// moved puts a refusal where it is in the datagram, whose window from bit start to end was read from a copy that is
// filled with zeros: what is after the end lies at it, and has no bits.
func (p *PacketReader) moved(start, end int) int {
	p.reject.Bit += start
	p.reject.Width = max(0, min(p.reject.Bit+p.reject.Width, end)-p.reject.Bit)
	p.reject.Bit = min(p.reject.Bit, end)
	return -1
}

// there is where in the datagram bits are that lie in such a window at bit, and how many of them: it begins at shift,
// and ends at bit ends of the copy.
func there(bit, width, shift, ends int) (at, n uint64) {
	first := min(bit, ends)
	return uint64(shift + first), uint64(max(0, min(bit+width, ends)-first))
}

// next reads a bitmap's flags from slot on, up to the next that is set; the slot is most when none is.
func (p *PacketReader) next(order wire.Order, data []byte, bit, end, slot, most int, path string) (int, int) {
	turn := 7 // a byte's first bit is its highest
	if order == wire.LSB {
		turn = 0
	}
	for ; slot < most; slot++ {
		if bit == end {
			return 0, p.refuse(RejectPastEnd, bit, 1, path)
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

// more gives a list that is full one more element, as grow does.
func more[T any](s []T) []T {
	var zero T
	return append(s, zero)
}
