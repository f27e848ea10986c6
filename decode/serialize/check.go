package serialize

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/pktscope/pktscope/decode/bitio"
	"github.com/pktscope/pktscope/decode/reject"
)

// Checks and checksums (wire.md, of that name). A check finds readers and writers that have lost step; a CRC finds damage and
// foreign protocols. Neither stops somebody who can compute it.

// Check is 32 known bits here, without alignment; others are `check-mismatch` at the object it stands in.
func (s *Stream) Check(want uint32) { s.check(want, "") }

// CheckLabel is the check of a label: its hash, on a byte boundary (in order bousk where it stands). The label is in the
// message.
func (s *Stream) CheckLabel(label string) {
	if s.alignField(field{}) {
		s.check(bitio.LabelHash(label), label)
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
	id   uint64
	size int
}

// Prefix32 is an id of 32 bits, as in the articles' older text.
func Prefix32(id uint32) Prefix { return Prefix{uint64(id), 4} }

// Prefix64 is an id of 64 bits, as in the newer.
func Prefix64(id uint64) Prefix { return Prefix{id, 8} }

// sum is a checksum that is to be filled in.
type sum struct {
	bit    int
	prefix Prefix
	rest   bool
}

// CRC32 is crc32(prefix): the CRC-32 of zlib over the prefix in little-endian and the whole packet, with the checksum's own
// bytes as zero. Reading, it is verified here, before anything behind it is believed: `crc-mismatch`. A packet has one at
// most; a second is `over-budget`, because each costs a look at the whole packet. It stands on a byte boundary, and is
// aligned to one where the program has not.
func (s *Stream) CRC32(name string, p Prefix) { s.crc32(name, p, false) }

// CRC32Rest is CRC32 over the prefix and only the bytes behind the checksum.
func (s *Stream) CRC32Rest(name string, p Prefix) { s.crc32(name, p, true) }

func (s *Stream) crc32(name string, p Prefix, rest bool) {
	f := field{name: name}
	if s.mode == failed {
		s.waste()
		return
	}
	if s.crc {
		s.refuse(reject.OverBudget, s.bit, 32, f, 2, 1)
		return
	}
	s.crc = true
	if !s.align(8, f) {
		return
	}
	at := s.bit
	if s.dir == writing {
		s.sums = append(s.sums, sum{at, p, rest})
	}
	stored, ok := s.number(f, 0, 32, limits{span: 1<<32 - 1})
	if !ok {
		return
	}
	if want := s.checksum(s.data, sum{at, p, rest}); uint64(want) != stored {
		s.refuse(reject.CRCMismatch, at, 32, f, stored, uint64(want))
	}
}

// noCRC stands in for the checksum's own bytes.
var noCRC [4]byte

func (s *Stream) checksum(data []byte, c sum) uint32 {
	binary.LittleEndian.PutUint64(s.prefix[:], c.prefix.id)
	v := crc32.Update(0, crc32.IEEETable, s.prefix[:c.prefix.size])
	at := c.bit / 8
	if !c.rest {
		v = crc32.Update(v, crc32.IEEETable, data[:at])
		v = crc32.Update(v, crc32.IEEETable, noCRC[:])
	}
	return crc32.Update(v, crc32.IEEETable, data[at+4:])
}

// fillSums writes the checksum over the finished packet.
func (s *Stream) fillSums() {
	packet := s.data[:(s.bit+7)/8]
	for _, c := range s.sums {
		s.order.Store(packet, c.bit, 32, uint64(s.checksum(packet, c)))
	}
}
