package plan

import (
	"fmt"
	"iter"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Checksum verifies a checksum. A plan has at most one: the checker wants it directly in the packet.
type Checksum struct {
	Base
	Leaf           uint32
	Swap           bool // its bytes run the other way than the order's
	Algorithm      *wire.Algorithm
	Xor            uint64 // comes last of all
	Prefix, Suffix []SumPart
	OverRest       bool // only what is behind the field is covered
}

// SumPart is a value that is never sent: Size bytes in front of or behind what a checksum covers.
type SumPart struct {
	Register  int32 // that has the value; -1 where it is Value
	Value     uint64
	Size      int
	BigEndian bool
}

// Leaves gives the sum.
func (c *Checksum) Leaves() iter.Seq[int] { return leaves(int(c.Leaf)) }

// Extent is the bits of the sum.
func (c *Checksum) Extent(*Plan, int) int { return c.Algorithm.Width }

// Records its code.
func (c *Checksum) Records() (shape Shape, leaf int) { return ShapeCodes, int(c.Leaf) }

// BigEndian reports whether the highest byte comes first.
func (c *Checksum) BigEndian() bool { return (c.Order == wire.MSB) != c.Swap }

// Stored is the checksum in a packet, whose first bit is at bit.
func (c *Checksum) Stored(packet []byte, bit int) uint64 {
	code := c.Order.Load(packet, bit, c.Algorithm.Width)
	if c.Swap {
		code = wire.SwapBytes(code, c.Algorithm.Width)
	}
	return code
}

// Store writes a checksum into a packet.
func (c *Checksum) Store(packet []byte, bit int, sum uint64) {
	if c.Swap {
		sum = wire.SwapBytes(sum, c.Algorithm.Width)
	}
	c.Order.Store(packet, bit, c.Algorithm.Width, sum)
}

// Seal is where the checksum is in a packet, and what its values are there. registers may be nil where there are none.
func (c *Checksum) Seal(bit int, registers []uint64) Seal {
	seal := Seal{Step: c, Bit: bit}
	for i, v := range c.Prefix {
		seal.values[i] = v.in(registers)
	}
	for i, v := range c.Suffix {
		seal.values[len(c.Prefix)+i] = v.in(registers)
	}
	return seal
}

func (s *SumPart) in(registers []uint64) uint64 {
	if s.Register >= 0 {
		return registers[s.Register]
	}
	return s.Value
}

// Seal is a checksum in a packet.
type Seal struct {
	Step   *Checksum // nil without one
	Bit    int       // its first bit; -1 when that depends on the packet
	values [schema.MaxSumValues]uint64
}

// Seal finds the checksum of a plan's packets. Its bit is known where all that precedes it has one size, and no prefix or
// suffix is computed.
func (p *Plan) Seal() Seal {
	s := p.Checksum()
	if s == nil {
		return Seal{}
	}
	for _, part := range append(s.Prefix[:len(s.Prefix):len(s.Prefix)], s.Suffix...) {
		if part.Register >= 0 {
			return Seal{Step: s, Bit: -1}
		}
	}
	return s.Seal(bitOf(p, p.Root, s.ID, 0), nil)
}

// bitOf is the first bit of a step inside a block that begins at bit `at`; -1 where that depends on the packet.
func bitOf(p *Plan, steps []Step, id StepID, at int) int {
	for _, s := range steps {
		b := s.At()
		if id == b.ID {
			return at
		}
		if group, ok := s.(*Group); ok && id < b.End {
			return bitOf(p, group.Body, id, at)
		}
		if align, ok := s.(*Align); ok {
			at += -at & (align.Bits - 1)
			continue
		}
		least, most := p.Bits(s)
		if least != most || id < b.End {
			return -1
		}
		at += int(most)
	}
	return -1
}

// End is the first byte after the checksum.
func (s *Seal) End() int { return (s.Bit + s.Step.Algorithm.Width) / 8 }

// Covered is the first byte that the checksum covers, and the first behind what it covers.
func (s *Seal) Covered(packet []byte) (from, to int) {
	if s.Step.OverRest {
		from = s.End()
	}
	return from, len(packet)
}

// Sum computes the checksum of a packet, in which the bytes of the field itself count as zeros.
func (s *Seal) Sum(packet []byte) uint64 {
	from, to := s.Covered(packet)
	return s.SumOver(packet, from, to)
}

// SumOver is Sum over other bytes than are covered.
func (s *Seal) SumOver(packet []byte, from, to int) uint64 {
	c := s.Step.Algorithm.Summer()
	sum := s.add(c, c.Begin(), s.Step.Prefix, 0)
	sum = wire.SumCovered(c, sum, packet, from, to, s.Bit/8, s.Step.Algorithm.Width/8)
	return c.End(s.add(c, sum, s.Step.Suffix, len(s.Step.Prefix))) ^ s.Step.Xor
}

func (s *Seal) add(c wire.Summer, sum wire.Sum, parts []SumPart, first int) wire.Sum {
	for i, v := range parts {
		sum = wire.SumValue(c, sum, s.values[first+i], v.Size, v.BigEndian)
	}
	return sum
}

// PartsText is what is covered, in words, between the prefixes and the suffixes.
func (c *Checksum) PartsText(covered string) string {
	text := ""
	for _, v := range c.Prefix {
		text += v.text() + ", "
	}
	text += covered
	for _, v := range c.Suffix {
		text += ", " + v.text()
	}
	if c.Xor != 0 {
		text += fmt.Sprintf(", xor %#x", c.Xor)
	}
	return text
}

// Part is a prefix, or behind those a suffix.
func (c *Checksum) Part(i int) *SumPart {
	if i < len(c.Prefix) {
		return &c.Prefix[i]
	}
	return &c.Suffix[i-len(c.Prefix)]
}

// text is the value, in the hex digits that it is added in, or its register.
func (s *SumPart) text() string {
	end := map[bool]string{true: " be"}[s.BigEndian && s.Size > 1]
	if s.Register >= 0 {
		return fmt.Sprintf("s%d in %d bytes%s", s.Register, s.Size, end)
	}
	return fmt.Sprintf("%#0*x%s", 2*s.Size, s.Value, end)
}

// Same reports whether some readers take a stored checksum for the computed one, as two zeros of one's complement.
func (c *Checksum) Same(computed, stored uint64) bool {
	return c.Algorithm.Summer().Same(computed^c.Xor, stored^c.Xor)
}

// Repair writes the right checksum into data. It reports false, and changes nothing, when there is none, when data ends
// before it does, or when its place is not known.
func (s Seal) Repair(data []byte) bool {
	if s.Step == nil || s.Bit < 0 || s.End() > len(data) {
		return false
	}
	s.Step.Store(data, s.Bit, s.Sum(data))
	return true
}

// RepairChecksum writes the right checksum into a packet, whatever else is wrong with it. It reports false, and changes
// nothing, when the protocol has no checksum, when the packet ends before it, or when what precedes it has no constant
// size.
func (p *Plan) RepairChecksum(data []byte) bool { return p.Seal().Repair(data) }
