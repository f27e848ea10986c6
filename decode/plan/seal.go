package plan

// Seal is the checksum of a packet: the step that reads it, and where it is.
type Seal struct {
	Step *Checksum // nil without one
	Bit  int       // its first bit; -1 when that depends on the packet
}

// Seal finds the checksum of a plan's packets. Its bit is known where all that precedes it has one size.
func (p *Plan) Seal() Seal {
	s := p.Checksum()
	if s == nil {
		return Seal{}
	}
	return Seal{s, bitOf(p, p.Root, s.ID, 0)}
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
func (s Seal) End() int { return (s.Bit + s.Step.Algorithm.Width) / 8 }

// Repair writes the right checksum into data. It reports false, and changes nothing, when there is none, when data ends
// before it does, or when its place is not known.
func (s Seal) Repair(data []byte) bool {
	if s.Step == nil || s.Bit < 0 || s.End() > len(data) {
		return false
	}
	s.Step.Store(data, s.Bit, s.Step.Sum(data, s.Bit/8))
	return true
}

// RepairChecksum writes the right checksum into a packet, whatever else is wrong with it. It reports false, and changes
// nothing, when the protocol has no checksum, when the packet ends before it, or when what precedes it has no constant
// size.
func (p *Plan) RepairChecksum(data []byte) bool { return p.Seal().Repair(data) }
