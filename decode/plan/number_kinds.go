package plan

import "github.com/pktscope/pktscope/decode/wire"

// NumberKind is how a leaf's width is found.
type NumberKind uint8

// The kinds of numbers.
const (
	NumberSized  NumberKind = iota // bits(e), sbits(e): Operand bits
	NumberRanged                   // int(a..e): Operand is e, Lo is a
	NumberVarint                   // varint(Bits), zigzag(Bits)
	NumberBelow                    // below(e): Operand is e
	NumberLadder                   // relative: larger than Operand
	NumberIndex                    // of a subset: int(0..Most), larger than the one before in register Previous
	NumberStep                     // of a subset: the step from the one before
)

// numberKinds is how many there are. It is no NumberKind, so no switch has to name it.
const numberKinds = int(NumberStep) + 1

// numberRow is what holds for all numbers of a kind.
type numberRow struct {
	text   string // in a line of Disassemble: of its operand, Lo, Bits, Most and Previous
	flags  uint64 // that it reads before its value
	asks   bool   // its width, or what its value begins at, is Operand
	climbs bool   // its value is above the one in register Previous
	varies bool   // its width follows from its value
}

var numberRows = [numberKinds]numberRow{
	NumberSized:  {text: "%[1]s bits", asks: true},
	NumberRanged: {text: "%[2]d..%[1]s", asks: true},
	NumberVarint: {text: "varint of at most %[3]d bits", varies: true},
	NumberBelow:  {text: "below %[1]s", asks: true, varies: true},
	NumberLadder: {text: "ladder from %[1]s", flags: 6, asks: true, varies: true},
	NumberIndex:  {text: "index 0..%[4]d above s%[5]d", climbs: true},
	NumberStep:   {text: "step to an index 0..%[4]d from s%[5]d", flags: 6, climbs: true, varies: true},
}

func (n NumberKind) row() *numberRow { return &numberRows[n] }

// bits are the fewest and the most that it takes.
func (s *Number) bits(p *Plan) (least, most uint64) {
	most = uint64(s.Bits)
	switch s.Kind {
	case NumberSized:
		if lo := p.Operands[s.Operand].Expr.Lo; lo != nil && lo.Sign() > 0 {
			least = lo.Uint64()
		}
	case NumberRanged:
		if lo := p.Operands[s.Operand].Expr.Lo; lo != nil {
			if span := wide(s.Lo, s.Signed); span.Sub(lo, span).Sign() > 0 {
				least = uint64(span.BitLen())
			}
		}
	case NumberVarint:
		least, most = 8, 8*((most+6)/7)
	case NumberBelow:
		least = uint64(p.Operands[s.Operand].Expr.Lo.BitLen() - 1)
	case NumberLadder:
		least = 1
	case NumberIndex:
		least = uint64(wire.BitsRequired(s.Most))
	case NumberStep:
		least, most = 1, max(most, 6+6) // six flags and a step of 62..125
	default:
		panic("pktscope: internal error: a number of an unknown kind")
	}
	return least, most
}
