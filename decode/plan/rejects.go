package plan

import (
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Pads is none.
func (b *Base) Pads() int { return 0 }

// Pads is its bits.
func (s *Align) Pads() int { return s.Bits }

// Pads is a byte, but for what lies at any bit.
func (s *Blob) Pads() int { return onByte(s.Packed) }

// Pads is a byte, but for what lies at any bit.
func (s *Window) Pads() int { return onByte(s.Packed) }

func onByte(packed bool) int {
	if packed {
		return 0
	}
	return 8
}

// Rejects is none.
func (b *Base) Rejects(*Plan) (itself, behind []reject.Kind) { return nil, nil }

// Rejects is that a leaf does not fit, each in front of what its code is refused for.
func (s *Run) Rejects(*Plan) (itself, behind []reject.Kind) {
	return []reject.Kind{reject.PastEnd}, nil
}

// Rejects is that it does not fit, and that it is another sum.
func (s *Checksum) Rejects(*Plan) (itself, behind []reject.Kind) {
	return []reject.Kind{reject.PastEnd, reject.CRCMismatch}, nil
}

// Rejects is that it does not fit, and bits that are set.
func (s *Align) Rejects(*Plan) (itself, behind []reject.Kind) {
	if s.Any {
		return []reject.Kind{reject.PastEnd}, nil
	}
	return []reject.Kind{reject.PastEnd, reject.NonzeroPadding}, nil
}

// Rejects is that it does not fit, and bits that are set.
func (s *Reserved) Rejects(*Plan) (itself, behind []reject.Kind) {
	if s.Any {
		return []reject.Kind{reject.PastEnd}, nil
	}
	return []reject.Kind{reject.PastEnd, reject.ReservedNonzero}, nil
}

// Rejects is that it does not fit: all else is about its leaf.
func (s *Number) Rejects(*Plan) (itself, behind []reject.Kind) {
	return []reject.Kind{reject.PastEnd}, nil
}

// Rejects is that its parts are too large for one another.
func (s *Unit) Rejects(*Plan) (itself, behind []reject.Kind) {
	return []reject.Kind{reject.NonUnit}, nil
}

// Rejects is its padding, that it does not fit, its size, and what its rule or being a text asks.
func (s *Blob) Rejects(*Plan) (itself, behind []reject.Kind) {
	itself = s.padded(s.Pads())
	if s.Rest || s.Size >= 0 {
		itself = append(itself, reject.OutOfRange)
	}
	if s.BadText() {
		itself = append(itself, reject.BadString)
	}
	if s.Rule != nil && s.Encoding == wire.EncodingNone {
		itself = append(itself, reject.ConstMismatch)
	}
	return itself, nil
}

// Rejects is its padding, its size, and what is left of it at its end.
func (s *Window) Rejects(p *Plan) (itself, behind []reject.Kind) {
	itself = s.padded(s.Pads())
	if e := p.Operands[s.Size].Expr; e != nil && e.Lo != nil && e.Lo.Sign() < 0 {
		itself = append(itself, reject.OutOfRange)
	}
	return itself, []reject.Kind{reject.TrailingBytes, reject.NonzeroPadding}
}

// padded is what the padding in front of something is refused for, where there can be any, and that all of it does not
// fit.
func (b *Base) padded(n int) []reject.Kind {
	if _, most := b.Room.Padding(uint64(n)); n == 0 || most == 0 {
		return []reject.Kind{reject.PastEnd}
	}
	return []reject.Kind{reject.NonzeroPadding, reject.PastEnd}
}

// Rejects is too many elements.
func (s *List) Rejects(*Plan) (itself, behind []reject.Kind) {
	return []reject.Kind{reject.OutOfRange}, nil
}

// Rejects is too many elements, of a bitmap that its flags do not fit.
func (s *Subset) Rejects(*Plan) (itself, behind []reject.Kind) {
	if s.Kind == schema.SubsetBitmap {
		return []reject.Kind{reject.PastEnd}, nil
	}
	return []reject.Kind{reject.OutOfRange}, nil
}

// Rejects is a tag without an arm.
func (s *Switch) Rejects(*Plan) (itself, behind []reject.Kind) {
	return []reject.Kind{reject.UnknownCase}, nil
}

// Rejects is a value out of its range.
func (s *Let) Rejects(*Plan) (itself, behind []reject.Kind) {
	if s.Judged {
		return []reject.Kind{reject.OutOfRange}, nil
	}
	return nil, nil
}

// Rejects is that it does not hold.
func (s *Require) Rejects(*Plan) (itself, behind []reject.Kind) {
	if s.Bounds {
		return []reject.Kind{reject.OutOfRange}, nil
	}
	return []reject.Kind{reject.RuleBroken}, nil
}
