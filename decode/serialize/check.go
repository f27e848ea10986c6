package serialize

import (
	"encoding/binary"
	"strconv"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Checks and checksums (wire.md, of that name). A check finds readers and writers that have lost step; a CRC finds
// damage and foreign protocols. Neither stops somebody who can compute it.

// Check is 32 known bits here, without alignment; others are `check-mismatch` at the object it is in.
func (s *Stream) Check(want uint32) { s.check(want, "") }

// CheckLabel is the check of a label: its hash, on a byte boundary (in order bousk where it is). The label is in
// the message.
func (s *Stream) CheckLabel(label string) {
	if s.alignField(field{}) {
		s.check(wire.LabelHash(label), label)
	}
}

func (s *Stream) check(want uint32, label string) {
	at := s.bit
	code, ok := s.number(field{}, uint64(want), 32, limits{span: 1<<32 - 1})
	if ok && code != uint64(want) {
		s.refuseText(reject.CheckMismatch, at, 32, field{}, code, label)
		s.refusal.Limit = uint64(want)
	}
}

// Prefix is a protocol id: both ends know it and it is never sent, but the checksum begins with it, so that a packet of
// another protocol or version is a corrupt one. The zero Prefix is empty.
type Prefix struct {
	bytes [8]byte
	size  int
}

// Prefix32 is an id of 32 bits, as in the articles' older text.
func Prefix32(id uint32) (p Prefix) {
	binary.LittleEndian.PutUint32(p.bytes[:], id)
	p.size = 4
	return p
}

// Prefix64 is an id of 64 bits, as in the newer.
func Prefix64(id uint64) (p Prefix) {
	binary.LittleEndian.PutUint64(p.bytes[:], id)
	p.size = 8
	return p
}

// sum is a checksum and its field's first bit.
type sum struct {
	bit int
	of  wire.Checksum
}

// CRC32 is crc32(prefix): the CRC-32 of zlib over the prefix in little-endian and the whole packet, with the checksum's
// own bytes as zero. Reading, it is verified here, before anything after it is believed: `crc-mismatch`. A packet has
// one at most; a second is `over-budget`, because each costs a look at the whole packet. It is on a byte boundary,
// and is aligned to one where the program has not.
func (s *Stream) CRC32(name string, p Prefix) { s.Checksum(name, "crc32", p) }

// CRC32Rest is CRC32 over the prefix and only the bytes after the checksum.
func (s *Stream) CRC32Rest(name string, p Prefix) { s.ChecksumRest(name, "crc32", p) }

// Checksum is CRC32 with another algorithm, by its word in the language: one of [wire.Algorithms]. Another word panics.
func (s *Stream) Checksum(name, algorithm string, p Prefix) { s.checksum(name, algorithm, p, false) }

// ChecksumRest is Checksum over the prefix and only the bytes after the checksum.
func (s *Stream) ChecksumRest(name, algorithm string, p Prefix) { s.checksum(name, algorithm, p, true) }

func (s *Stream) checksum(name, algorithm string, p Prefix, rest bool) {
	a := wire.AlgorithmNamed(algorithm)
	if a == nil {
		panic("serialize: no checksum is called " + strconv.Quote(algorithm))
	}
	f := field{name: name}
	if s.mode == failed {
		s.waste()
		return
	}
	if s.crc {
		s.refuse(reject.OverBudget, s.bit, a.Width, f, 2, 1)
		return
	}
	s.crc = true
	if !s.align(8, f) {
		return
	}
	at := s.bit
	s.sum = sum{at, wire.Checksum{Algorithm: a, OverRest: rest, Prefix: p.bytes, PrefixLen: p.size}}
	stored, ok := s.number(f, 0, a.Width, limits{span: wire.Mask(a.Width)})
	if !ok {
		return
	}
	if want := s.sum.of.Sum(s.data, at/8); want != stored {
		s.refuse(reject.CRCMismatch, at, a.Width, f, stored, want)
	}
}

// Sum is a checksum over the bytes from a bit on (Bit, before they are read or written) up to here, as `over a..` has
// it in the language: of an element, or of a message in a packet of several. It is verified here: `crc-mismatch`.
// Algorithm is as in Checksum. Both ends are on byte boundaries: the field is aligned to one, and from stands for the
// next one. A from after this place, or before the packet's Checksum, which is computed later, panics. It costs a
// look at what it covers.
func (s *Stream) Sum(name, algorithm string, from int) {
	a := wire.AlgorithmNamed(algorithm)
	if a == nil {
		panic("serialize: no checksum is called " + strconv.Quote(algorithm))
	}
	f := field{name: name}
	if s.mode == failed {
		s.waste()
		return
	}
	if from < 0 || from > s.bit || s.crc && from <= s.sum.bit {
		panic("serialize: a sum begins before its field, and after the packet's checksum")
	}
	if !s.align(8, f) {
		return
	}
	at, sum := s.bit, a.Summer()
	want := uint64(0)
	if s.dir != measuring {
		want = sum.End(sum.Bytes(sum.Begin(), s.data[(from+7)/8:at/8]))
	}
	stored, ok := s.number(f, want, a.Width, limits{span: wire.Mask(a.Width)})
	if ok && want != stored {
		s.refuse(reject.CRCMismatch, at, a.Width, f, stored, want)
	}
}

// fillSum writes the checksum over the finished packet, if it has one.
func (s *Stream) fillSum() {
	if s.crc {
		packet := s.data[:(s.bit+7)/8]
		s.order.Store(packet, s.sum.bit, s.sum.of.Algorithm.Width, s.sum.of.Sum(packet, s.sum.bit/8))
	}
}
