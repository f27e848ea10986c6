package plan

import (
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Pads is none.
func (b *Base) Pads() int { return 0 }

// Pads is its bits.
func (a *Align) Pads() int { return a.Bits }

// Pads is a byte, but for what lies at any bit.
func (b *Blob) Pads() int { return onByte(b.Packed) }

// Pads is a byte, but for what lies at any bit.
func (w *Window) Pads() int { return onByte(w.Packed) }

func onByte(packed bool) int {
	if packed {
		return 0
	}
	return 8
}

// Rejects is none.
func (b *Base) Rejects(*Plan) (itself, behind []reject.Kind) { return nil, nil }

// Rejects is that a leaf does not fit, each before what its code is refused for.
func (r *Run) Rejects(*Plan) (itself, behind []reject.Kind) {
	return []reject.Kind{reject.PastEnd}, nil
}

// Rejects is that it does not fit, and that it is another sum.
func (c *Checksum) Rejects(*Plan) (itself, behind []reject.Kind) {
	return []reject.Kind{reject.PastEnd, reject.CRCMismatch}, nil
}

// Rejects is that it does not fit, and bits that are set.
func (a *Align) Rejects(*Plan) (itself, behind []reject.Kind) {
	if a.Any {
		return []reject.Kind{reject.PastEnd}, nil
	}
	return []reject.Kind{reject.PastEnd, reject.NonzeroPadding}, nil
}

// Rejects is that it does not fit, and bits that are set.
func (r *Reserved) Rejects(*Plan) (itself, behind []reject.Kind) {
	if r.Any {
		return []reject.Kind{reject.PastEnd}, nil
	}
	return []reject.Kind{reject.PastEnd, reject.ReservedNonzero}, nil
}

// Rejects is that it does not fit: all else is about its leaf.
func (s *Number) Rejects(*Plan) (itself, behind []reject.Kind) {
	return []reject.Kind{reject.PastEnd}, nil
}

// Rejects is that its parts are too large for one another.
func (u *Unit) Rejects(*Plan) (itself, behind []reject.Kind) {
	return []reject.Kind{reject.NonUnit}, nil
}

// Rejects is its padding, that it does not fit, its size, and what its rule or being a text asks.
func (b *Blob) Rejects(*Plan) (itself, behind []reject.Kind) {
	itself = b.padded(b.Pads())
	if b.Rest || b.Size >= 0 {
		itself = append(itself, reject.OutOfRange)
	}
	if b.BadText() {
		itself = append(itself, reject.BadString)
	}
	if b.Rule != nil && b.Encoding == wire.EncodingNone {
		itself = append(itself, reject.ConstMismatch)
	}
	return itself, nil
}

// Rejects is its padding, its size, and what is left of it at its end.
func (w *Window) Rejects(p *Plan) (itself, behind []reject.Kind) {
	itself = w.padded(w.Pads())
	if e := p.Operands[w.Size].Expr; e != nil && e.Lo != nil && e.Lo.Sign() < 0 {
		itself = append(itself, reject.OutOfRange)
	}
	return itself, []reject.Kind{reject.TrailingBytes, reject.NonzeroPadding}
}

// padded is what the padding before something is refused for, where there can be any, and that all of it does not
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
func (l *Let) Rejects(*Plan) (itself, behind []reject.Kind) {
	if l.Judged {
		return []reject.Kind{reject.OutOfRange}, nil
	}
	return nil, nil
}

// Rejects is that it does not hold.
func (r *Require) Rejects(*Plan) (itself, behind []reject.Kind) {
	if r.Bounds {
		return []reject.Kind{reject.OutOfRange}, nil
	}
	return []reject.Kind{reject.RuleBroken}, nil
}
