package plan

import "github.com/pktscope/pktscope/decode/schema"

// The fewest and most bits of a step, and of a packet. Padding depends on where it begins, so sizes are known from each
// bit of a byte to each: the longest way of a packet need not be the one that is padded most. A condition on `rest` says
// how much comes after it. What other fields say of each other is not followed: a switch takes its shortest arm for the
// fewest bits, whatever its tag may be. So sizes are bounds, and tight where no condition but on `rest` ties a size to
// another field.

// span is a least and a most number of bits; it is empty where least is satMax.
type span struct{ least, most uint64 }

// sizes are the spans from a bit of a byte to a bit of a byte, both 0..7.
type sizes [8][8]span

// noSizes is of what no packet has, and the beginning of a union.
var noSizes = func() (s sizes) {
	for i := range s {
		for j := range s[i] {
			s[i][j].least = satMax
		}
	}
	return s
}()

func (s *sizes) join(i, j int, o span) {
	if o.least < satMax {
		s[i][j] = span{min(s[i][j].least, o.least), max(s[i][j].most, o.most)}
	}
}

// least is the fewest bits, from wherever.
func (s *sizes) least() uint64 {
	least := satMax
	for i := range s {
		for j := range s[i] {
			least = min(least, s[i][j].least)
		}
	}
	return least
}

// most is the most bits, from wherever.
func (s *sizes) most() (most uint64) {
	for i := range s {
		for j := range s[i] {
			most = max(most, s[i][j].most)
		}
	}
	return most
}

// fixed is n bits.
func fixed(n uint64) sizes { return ranged(n, n, 1) }

// from is s from where something can begin.
func (s sizes) from(room schema.Places) sizes {
	for i := range s {
		if room&(schema.OnByte<<i) == 0 {
			s[i] = noSizes[i]
		}
	}
	return s
}

// whole is the whole bytes of s.
func (s sizes) whole() sizes {
	for i, end := range s {
		s[i] = noSizes[i]
		s[i][i] = end[i]
	}
	return s
}

// ranged is lo bits to hi, in steps of unit: 1 or 8.
func ranged(lo, hi, unit uint64) sizes {
	s := noSizes
	for i := range uint64(8) {
		for at := lo; at <= hi && at < lo+8; at += unit {
			s.join(int(i), int((i+at)%8), span{at, min(hi-(hi-at)%8, satMax)})
		}
	}
	return s
}

// pads is up to a multiple of n bits from where a step can begin; nothing for 0.
func (b *Base) pads(n int) sizes {
	if n == 0 {
		return fixed(0)
	}
	s, unit := noSizes, uint64(min(n, 8))
	least, most := b.Room.Padding(uint64(n))
	for i := range uint64(8) {
		pad := (unit - i%unit) % unit
		least, most := least+(pad-least)%unit, most-(most-pad)%unit
		if least <= most {
			s.join(int(i), int((i+pad)%8), span{least, most})
		}
	}
	return s
}

// then is s and o after it.
func (s *sizes) then(o *sizes) sizes {
	all := noSizes
	for i := range s {
		for j, a := range s[i] {
			for k := range o[j] {
				if b := o[j][k]; a.least < satMax && b.least < satMax {
					all.join(i, k, span{satAdd(a.least, b.least), satAdd(a.most, b.most)})
				}
			}
		}
	}
	return all
}

// or is one of several ways.
func (s *sizes) or(o *sizes) sizes {
	all := *s
	for i := range o {
		for j := range o[i] {
			all.join(i, j, o[i][j])
		}
	}
	return all
}

// times is s n times, one after the other.
func (s *sizes) times(n uint64) sizes {
	all, power := fixed(0), *s
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			all = all.then(&power)
		}
		power = power.then(&power)
	}
	return all
}

// repeated is s from lo times to hi.
func (s *sizes) repeated(lo, hi uint64) sizes {
	none := fixed(0)
	always, maybe := s.times(lo), none.or(s)
	maybe = maybe.times(hi - min(lo, hi))
	return always.then(&maybe)
}

// within is s of lo bits to hi, and what is always less or more as it is.
func (s sizes) within(lo, hi uint64) sizes {
	for i := range s {
		for j := range s[i] {
			one := &s[i][j]
			if one.least >= satMax {
				continue
			}
			if one.most > hi && one.least <= hi {
				one.most = hi - (hi-one.least)%8
			}
			if one.least < lo {
				one.least = min(one.least+(lo-one.least+7)&^7, one.most)
			}
		}
	}
	return s
}

// takesRest reports whether nothing is left of a window after a step.
func takesRest(s Step) bool {
	b, bytes := s.(*Blob)
	l, list := s.(*List)
	return bytes && b.Rest || list && l.Kind == ListRest
}

// needsRest is how many whole bytes a step says are left at least.
func (p *Plan) needsRest(s Step) uint64 {
	if r, ok := s.(*Require); ok {
		return needsRest(p.Operands[r.Cond].Expr)
	}
	return 0
}

// needsRest is how many whole bytes a condition says are left at least.
func needsRest(e *schema.TypedExpr) uint64 {
	if e == nil || e.X == nil || e.Y == nil {
		return 0
	}
	if e.Op == schema.OpLAnd {
		return max(needsRest(e.X), needsRest(e.Y))
	}
	if e.X.Op != schema.OpRest || !e.Y.IsConst() || !e.Y.Val.IsUint64() {
		return 0
	}
	n := min(e.Y.Val.Uint64(), satMax/8)
	switch e.Op {
	case schema.OpGe, schema.OpEq:
		return n
	case schema.OpGt:
		return n + 1
	default:
		return 0
	}
}
