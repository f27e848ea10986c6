package wire

import (
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"math/bits"
)

// Sum is what a Summer has added up so far. The zero Sum is none: begin with Summer.Begin.
type Sum struct {
	A, B uint64 // a register, or two sums
	Last byte   // the first byte of a word whose other one is to come, iff Odd
	Odd  bool
}

// Adder takes the bytes under a checksum in pieces. It is safe for concurrent use and allocates nothing.
type Adder interface {
	Byte(s Sum, b byte) Sum       // one byte more
	Bytes(s Sum, data []byte) Sum // more bytes
}

// Summer computes a checksum.
type Summer interface {
	Adder
	Begin() Sum                     // of no bytes
	End(s Sum) uint64               // the checksum
	Source() string                 // the call of a function of this package that makes it
	Same(computed, got uint64) bool // some readers take one for the other
}

// TableCRC is a cyclic redundancy check of 8 to 64 bits, by a table of 256 registers.
type TableCRC struct {
	crcParameters
	mask  uint64
	table [256]uint64
}

// crcParameters are those of the catalogue of parametrised CRC algorithms, in its order.
type crcParameters struct {
	width               int
	polynomial, initial uint64
	refIn, refOut       bool
	final               uint64
}

// NewCRC makes a CRC of width bits, 8..64. With refIn the lowest bit of each byte comes first, with refOut the register
// is reversed at the end; final is xor'ed to it then.
func NewCRC(width int, polynomial, initial uint64, refIn, refOut bool, final uint64) *TableCRC {
	c := &TableCRC{crcParameters: crcParameters{width, polynomial, initial, refIn, refOut, final}, mask: Mask(width)}
	for i := range c.table {
		c.table[i] = c.entry(uint64(i))
	}
	return c
}

// entry is the register that the byte b leaves of an empty one.
func (t *TableCRC) entry(b uint64) uint64 {
	if t.refIn {
		poly := reverse(t.polynomial, t.width)
		for range 8 {
			b = b>>1 ^ poly&-(b&1)
		}
		return b
	}
	top := t.width - 1
	b <<= t.width - 8
	for range 8 {
		b = b<<1 ^ t.polynomial&-(b>>top&1)
	}
	return b & t.mask
}

// reverse is v with its width low bits the other way round.
func reverse(v uint64, width int) uint64 { return bits.Reverse64(v) >> (64 - width) }

// Begin gives the register, reversed where the lowest bits come first.
func (t *TableCRC) Begin() Sum {
	if t.refIn {
		return Sum{A: reverse(t.initial, t.width)}
	}
	return Sum{A: t.initial}
}

// Byte adds one byte.
func (t *TableCRC) Byte(s Sum, b byte) Sum {
	if t.refIn {
		s.A = t.table[byte(s.A)^b] ^ s.A>>8
	} else {
		s.A = (t.table[byte(s.A>>(t.width-8))^b] ^ s.A<<8) & t.mask
	}
	return s
}

// Bytes adds bytes.
func (t *TableCRC) Bytes(s Sum, data []byte) Sum {
	r := s.A
	if t.refIn {
		for _, b := range data {
			r = t.table[byte(r)^b] ^ r>>8
		}
		return Sum{A: r}
	}
	shift := t.width - 8
	for _, b := range data {
		r = t.table[byte(r>>shift)^b] ^ r<<8
	}
	return Sum{A: r & t.mask}
}

// End gives the checksum.
func (t *TableCRC) End(s Sum) uint64 {
	if t.refIn != t.refOut {
		s.A = reverse(s.A, t.width)
	}
	return s.A ^ t.final
}

// Source is the call of NewCRC.
func (t *TableCRC) Source() string {
	return fmt.Sprintf("NewCRC(%d, %#x, %#x, %t, %t, %#x)", t.width, t.polynomial, t.initial, t.refIn, t.refOut, t.final)
}

// Same is equality.
func (t *TableCRC) Same(computed, got uint64) bool { return computed == got }

// LibraryCRC32 is a reflected CRC of 32 bits by hash/crc32, which has the processor's instructions for two polynomials.
type LibraryCRC32 struct {
	polynomial, initial, final uint32
	table                      *crc32.Table
}

// NewCRC32 makes a LibraryCRC32. The bits of polynomial are reversed: crc32.IEEE.
func NewCRC32(polynomial, initial, final uint32) *LibraryCRC32 {
	return &LibraryCRC32{polynomial, initial, final, crc32.MakeTable(polynomial)}
}

// Begin gives the register.
func (l *LibraryCRC32) Begin() Sum { return Sum{A: uint64(bits.Reverse32(l.initial))} }

// Byte adds one byte.
func (l *LibraryCRC32) Byte(s Sum, b byte) Sum { return Sum{A: uint64(l.table[byte(s.A)^b]) ^ s.A>>8} }

// Bytes adds bytes. The library inverts the register before and after.
func (l *LibraryCRC32) Bytes(s Sum, data []byte) Sum {
	return Sum{A: uint64(^crc32.Update(^uint32(s.A), l.table, data))}
}

// End gives the checksum.
func (l *LibraryCRC32) End(s Sum) uint64 { return s.A ^ uint64(l.final) }

// Source is the call of NewCRC32.
func (l *LibraryCRC32) Source() string {
	return fmt.Sprintf("NewCRC32(%#x, %#x, %#x)", l.polynomial, l.initial, l.final)
}

// Same is equality.
func (l *LibraryCRC32) Same(computed, got uint64) bool { return computed == got }

// LibraryCRC64 is a reflected CRC of 64 bits by hash/crc64.
type LibraryCRC64 struct {
	polynomial, initial, final uint64
	table                      *crc64.Table
}

// NewCRC64 makes a LibraryCRC64. The bits of polynomial are reversed: crc64.ECMA.
func NewCRC64(polynomial, initial, final uint64) *LibraryCRC64 {
	return &LibraryCRC64{polynomial, initial, final, crc64.MakeTable(polynomial)}
}

// Begin gives the register.
func (l *LibraryCRC64) Begin() Sum { return Sum{A: bits.Reverse64(l.initial)} }

// Byte adds one byte.
func (l *LibraryCRC64) Byte(s Sum, b byte) Sum { return Sum{A: l.table[byte(s.A)^b] ^ s.A>>8} }

// Bytes adds bytes. The library inverts the register before and after.
func (l *LibraryCRC64) Bytes(s Sum, data []byte) Sum {
	return Sum{A: ^crc64.Update(^s.A, l.table, data)}
}

// End gives the checksum.
func (l *LibraryCRC64) End(s Sum) uint64 { return s.A ^ l.final }

// Source is the call of NewCRC64.
func (l *LibraryCRC64) Source() string {
	return fmt.Sprintf("NewCRC64(%#x, %#x, %#x)", l.polynomial, l.initial, l.final)
}

// Same is equality.
func (l *LibraryCRC64) Same(computed, got uint64) bool { return computed == got }

// ByteSum is the sum of the bytes.
type ByteSum struct {
	width  int
	negate bool
}

// NewByteSum makes a ByteSum modulo 2^width, width ≤ 64; with negate its two's complement.
func NewByteSum(width int, negate bool) *ByteSum { return &ByteSum{width, negate} }

// Begin gives 0.
func (bs *ByteSum) Begin() Sum { return Sum{} }

// Byte adds one byte.
func (bs *ByteSum) Byte(s Sum, b byte) Sum { return Sum{A: s.A + uint64(b)} }

// Bytes adds bytes.
func (bs *ByteSum) Bytes(s Sum, data []byte) Sum {
	for _, b := range data {
		s.A += uint64(b)
	}
	return s
}

// End gives the sum.
func (bs *ByteSum) End(s Sum) uint64 {
	if bs.negate {
		s.A = -s.A
	}
	return s.A & Mask(bs.width)
}

// Source is the call of NewByteSum.
func (bs *ByteSum) Source() string { return fmt.Sprintf("NewByteSum(%d, %t)", bs.width, bs.negate) }

// Same is equality.
func (bs *ByteSum) Same(computed, got uint64) bool { return computed == got }

// ByteXor is the exclusive or of the bytes.
type ByteXor struct{}

// NewByteXor makes a ByteXor.
func NewByteXor() *ByteXor { return &ByteXor{} }

// Begin gives 0.
func (bx *ByteXor) Begin() Sum { return Sum{} }

// Byte adds one byte.
func (bx *ByteXor) Byte(s Sum, b byte) Sum { return Sum{A: s.A ^ uint64(b)} }

// Bytes adds bytes.
func (bx *ByteXor) Bytes(s Sum, data []byte) Sum {
	for _, b := range data {
		s.A ^= uint64(b)
	}
	return s
}

// End gives it.
func (bx *ByteXor) End(s Sum) uint64 { return s.A }

// Source is the call of NewByteXor.
func (bx *ByteXor) Source() string { return "NewByteXor()" }

// Same is equality.
func (bx *ByteXor) Same(computed, got uint64) bool { return computed == got }

// Fletcher is the sum of the bytes and the sum of these sums, each modulo a number: Fletcher-16 and Adler-32.
type Fletcher struct {
	half           int // bits of each sum
	first, modulus uint64
}

// NewFletcher makes a Fletcher of two sums of half bits; the first begins with first.
func NewFletcher(half int, first, modulus uint64) *Fletcher { return &Fletcher{half, first, modulus} }

// fletcherBytes is how many bytes are added before the sums are reduced: far from 2^64.
const fletcherBytes = 1 << 12

// Begin gives the first sum.
func (f *Fletcher) Begin() Sum { return Sum{A: f.first} }

// Byte adds one byte.
func (f *Fletcher) Byte(s Sum, b byte) Sum {
	s.A = (s.A + uint64(b)) % f.modulus
	s.B = (s.B + s.A) % f.modulus
	return s
}

// Bytes adds bytes.
func (f *Fletcher) Bytes(s Sum, data []byte) Sum {
	for len(data) > 0 {
		n := min(len(data), fletcherBytes)
		for _, b := range data[:n] {
			s.A += uint64(b)
			s.B += s.A
		}
		s.A %= f.modulus
		s.B %= f.modulus
		data = data[n:]
	}
	return s
}

// End gives the second sum above the first.
func (f *Fletcher) End(s Sum) uint64 { return s.B<<f.half | s.A }

// Source is the call of NewFletcher.
func (f *Fletcher) Source() string {
	return fmt.Sprintf("NewFletcher(%d, %d, %d)", f.half, f.first, f.modulus)
}

// Same is equality.
func (f *Fletcher) Same(computed, got uint64) bool { return computed == got }

// Fletcher32 is Fletcher's sum of 32 bits over little-endian words of 16 bits, of which the last is padded with a zero.
type Fletcher32 struct{}

// NewFletcher32 makes a Fletcher32.
func NewFletcher32() *Fletcher32 { return &Fletcher32{} }

// Begin gives 0.
func (f *Fletcher32) Begin() Sum { return Sum{} }

// Byte adds one byte.
func (f *Fletcher32) Byte(s Sum, b byte) Sum {
	if !s.Odd {
		s.Odd, s.Last = true, b
		return s
	}
	s.A = (s.A + uint64(s.Last) + uint64(b)<<8) % 0xFFFF
	return Sum{A: s.A, B: (s.B + s.A) % 0xFFFF}
}

// Bytes adds bytes.
func (f *Fletcher32) Bytes(s Sum, data []byte) Sum {
	for _, b := range data {
		s = f.Byte(s, b)
	}
	return s
}

// End gives the second sum above the first.
func (f *Fletcher32) End(s Sum) uint64 {
	if s.Odd {
		s = f.Byte(s, 0)
	}
	return s.B<<16 | s.A
}

// Source is the call of NewFletcher32.
func (f *Fletcher32) Source() string { return "NewFletcher32()" }

// Same is equality.
func (f *Fletcher32) Same(computed, got uint64) bool { return computed == got }

// Internet is the checksum of RFC 1071: the one's complement of the one's complement sum of big-endian words of 16
// bits, of which the last is padded with a zero.
type Internet struct{}

// NewInternet makes an Internet.
func NewInternet() *Internet { return &Internet{} }

// Begin gives 0.
func (i *Internet) Begin() Sum { return Sum{} }

// Byte adds one byte. The carries are added at the end: 2^48 words do not overflow.
func (i *Internet) Byte(s Sum, b byte) Sum {
	if !s.Odd {
		s.Odd, s.Last = true, b
		return s
	}
	return Sum{A: s.A + uint64(s.Last)<<8 + uint64(b)}
}

// Bytes adds bytes.
func (i *Internet) Bytes(s Sum, data []byte) Sum {
	for _, b := range data {
		s = i.Byte(s, b)
	}
	return s
}

// End gives the complement.
func (i *Internet) End(s Sum) uint64 {
	if s.Odd {
		s = i.Byte(s, 0)
	}
	for s.A > 0xFFFF {
		s.A = s.A>>16 + s.A&0xFFFF
	}
	return ^s.A & 0xFFFF
}

// Source is the call of NewInternet.
func (i *Internet) Source() string { return "NewInternet()" }

// Same is equality in one's complement, in which 0 and 0xFFFF are one number.
func (i *Internet) Same(computed, got uint64) bool { return computed%0xFFFF == got%0xFFFF }
