package plan

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Checksum verifies a checksum.
type Checksum struct {
	Base
	Leaf           uint32
	Index          uint32 // in Plan.Checksums
	Swap           bool   // its bytes run the other way than the order's
	Algorithm      *wire.Algorithm
	Xor            uint64 // comes last of all
	Prefix, Suffix []SumPart
	From, To       SumEnd // what is covered
	Windowed       bool   // it is in a window, of which SumAround is about
}

// SumEnd is where what a checksum covers begins, or ends.
type SumEnd struct {
	Kind     schema.SumEndKind
	Register int32 // that has the bit; -1 where that is the first of the datagram, the last of what is around, or the checksum's own
}

// SumPart is a value that is never sent: Size bytes before or after what a checksum covers.
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

// Seal is where the checksum is in a packet, what it covers and what its values are there. end is where the innermost
// window ends. registers may be nil where there are none.
func (c *Checksum) Seal(bit, end int, registers []uint64) Seal {
	seal := Seal{Step: c, Bit: bit, to: bit / 8}
	switch {
	case c.From.Register >= 0:
		seal.from = int(registers[c.From.Register]) / 8
	case c.From.Kind == schema.SumOwn:
		seal.from = seal.End()
	}
	switch {
	case c.To.Register >= 0:
		seal.to = int(registers[c.To.Register]) / 8
	case c.To.Kind == schema.SumAround && c.Windowed:
		seal.to = end / 8
	case c.To.Kind == schema.SumAround:
		seal.to = toTheEnd
	}
	for i, v := range c.Prefix {
		seal.values[i] = v.in(registers)
	}
	for i, v := range c.Suffix {
		seal.values[behind(i)] = v.in(registers)
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
	Step     *Checksum
	Bit      int // its first bit
	from, to int // bytes that it covers; toTheEnd for all of the datagram
	// The prefixes are the first values, the suffixes the last ones, in reverse: without some the others stay.
	values [schema.MaxSumValues]uint64
}

const toTheEnd = -1

// behind is where a suffix is among the values.
func behind(i int) int { return schema.MaxSumValues - 1 - i }

// Seals finds those of a plan's checksums whose place and whose values are the same in every packet: all that precedes
// one has one size, and nothing about it is computed.
func (p *Plan) Seals() Seals {
	var all Seals
	for _, s := range p.Checksums {
		computed := s.From.Register >= 0 || s.To.Register >= 0 || s.Windowed
		for i := range len(s.Prefix) + len(s.Suffix) {
			computed = computed || s.Part(i).Register >= 0
		}
		if bit := bitOf(p, p.Root, s.ID, 0); bit >= 0 && !computed {
			all = append(all, s.Seal(bit, 0, nil))
		}
	}
	return all.Sort()
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

// Covered is the first byte of a packet that the checksum covers, and the first after what it covers.
func (s *Seal) Covered(packet []byte) (from, to int) {
	to = len(packet)
	if s.to >= 0 {
		to = min(s.to, to)
	}
	return min(s.from, to), to
}

// Sum computes the checksum of a packet, in which the bytes of the field itself count as zeros.
func (s *Seal) Sum(packet []byte) uint64 {
	from, to := s.Covered(packet)
	return s.SumOver(packet, from, to)
}

// SumOver is Sum over other bytes than are covered.
func (s *Seal) SumOver(packet []byte, from, to int) uint64 { return s.SumAs(s.Step, packet, from, to) }

// SumAs is SumOver, computed as another checksum has it, with the same values.
func (s *Seal) SumAs(as *Checksum, packet []byte, from, to int) uint64 {
	c := as.Algorithm.Summer()
	sum := c.Begin()
	for i, v := range as.Prefix {
		sum = wire.SumValue(c, sum, s.values[i], v.Size, v.BigEndian)
	}
	sum = wire.SumCovered(c, sum, packet, from, to, s.Bit/8, as.Algorithm.Width/8)
	for i, v := range as.Suffix {
		sum = wire.SumValue(c, sum, s.values[behind(i)], v.Size, v.BigEndian)
	}
	return c.End(sum) ^ as.Xor
}

// Close says where the innermost window ends, of a checksum that covers what is there up to its end.
func (s *Seal) Close(end int) {
	if s.Step.To.Kind == schema.SumAround && s.Step.Windowed {
		s.to = end / 8
	}
}

// Holds reports whether a packet has the right checksum, which lies in it.
func (s *Seal) Holds(packet []byte) bool { return s.Sum(packet) == s.Step.Stored(packet, s.Bit) }

// Seals are checksums of one packet.
type Seals []Seal

// Sort puts those first that others cover, and gives the Seals. A checksum over what is read before it can be computed
// as soon as that is there; one that covers up to the end of a window, when that is: of several, the last one first. No
// other covers it then, or they would cover each other.
func (s Seals) Sort() Seals {
	slices.SortStableFunc(s, func(a, b Seal) int { return cmp.Or(cmp.Compare(a.due(), b.due()), cmp.Compare(b.Bit, a.Bit)) })
	return s
}

// due is the byte after all that has to be there before the checksum is computed.
func (s *Seal) due() int {
	if s.to == toTheEnd {
		return math.MaxInt
	}
	return max(s.End(), s.to)
}

// Find is the index of the checksum at a bit, -1 for none.
func (s Seals) Find(bit int) int {
	return slices.IndexFunc(s, func(s Seal) bool { return s.Bit == bit })
}

// Repair writes the right checksums into data, those that it holds; but not the one at a bit, which may be -1. It
// reports whether there was one.
func (s Seals) Repair(data []byte, but int) (any bool) {
	for i := range s {
		if s := &s[i]; s.Bit != but && s.End() <= len(data) {
			s.Step.Store(data, s.Bit, s.Sum(data))
			any = true
		}
	}
	return any
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

// Part is a prefix, or after those a suffix.
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

// RepairChecksum writes the right checksums into a packet, whatever else is wrong with it: those whose place and values
// are the same in every packet. It reports false, and changes nothing, where there is none, or the packet ends before
// it.
func (p *Plan) RepairChecksum(data []byte) bool { return p.Seals().Repair(data, -1) }

// Covers is what is covered, in words.
func (c *Checksum) Covers() string {
	around := "the datagram"
	if c.Windowed {
		around = "the window"
	}
	if c.To.Kind == schema.SumAround {
		if c.From.Kind == schema.SumOwn {
			around = "what follows"
		}
		return c.PartsText(around)
	}
	from, to := "the start", "here"
	if c.From.Register >= 0 {
		from = fmt.Sprintf("c%d", c.From.Register)
	}
	if c.To.Register >= 0 {
		to = fmt.Sprintf("c%d", c.To.Register)
	}
	return c.PartsText(from + " to " + to)
}
