package plan

import "github.com/pktscope/pktscope/decode/schema"

// The fewest and most bits of a packet (Bound.MinBits, Bound.MaxBits). Padding depends on where it begins, so sizes are
// known from each bit of a byte to each: the longest way of a packet need not be the one that is padded most. A condition
// on `rest` says how much comes after it. What other fields say of each other is not followed: a switch takes its shortest
// arm for the fewest bits, whatever its tag may be. So sizes are bounds, and tight where no condition but on `rest` ties a
// size to another field.

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
		return ranged(0, 0, 1)
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
	all, power := ranged(0, 0, 1), *s
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
	none := ranged(0, 0, 1)
	always, maybe := s.times(lo), none.or(s)
	maybe = maybe.times(hi - min(lo, hi))
	return always.then(&maybe)
}

// atLeast is s without what is less than so many bits.
func (s sizes) atLeast(n uint64) sizes {
	for i := range s {
		for j := range s[i] {
			if one := &s[i][j]; one.least < n {
				if one.least += (n - one.least + 7) &^ 7; one.least > one.most {
					one.least = satMax
				}
			}
		}
	}
	return s
}

// sizes adds up a block. last says that it is the last of its window.
func (p *Plan) sizes(steps []Step, last bool) sizes {
	all := ranged(0, 0, 1)
	for i, s := range steps {
		after := steps[i+1:]
		if r, ok := s.(*Require); ok && len(after) > 0 && (last || takesRest(after)) {
			if need := needsRest(p.Operands[r.Cond].Expr); need > 0 {
				one := p.sizesOf(after[0], last && len(after) == 1, 1)
				rest := p.sizes(after[1:], last)
				rest = one.then(&rest)
				rest = rest.atLeast(8 * need)
				return all.then(&rest)
			}
		}
		one := p.sizesOf(s, last && len(after) == 0, 0)
		all = all.then(&one)
	}
	return all
}

// takesRest reports whether nothing is left of a window after steps.
func takesRest(steps []Step) bool {
	for _, s := range steps {
		b, bytes := s.(*Blob)
		l, list := s.(*List)
		if bytes && b.Rest || list && l.Kind == ListRest {
			return true
		}
	}
	return false
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

// sizesOf is a step with its blocks. A list of the rest has so many elements at least.
func (p *Plan) sizesOf(s Step, last bool, elements uint64) sizes {
	b := s.At()
	start := b.pads(s.Pads())
	switch s := s.(type) {
	case *Checksum, *Group, *If, *Let, *Number, *Open, *Require, *Reserved, *Run, *Subset, *Switch, *Unit:
	case *Align:
		return start
	case *Blob:
		least := s.MinBits
		if s.Size >= 0 {
			least = max(least, satMul(uint64(s.Unit()), p.leastOf(uint32(s.Size))))
		}
		most := satMul(uint64(s.Unit()), uint64(s.Max))
		data := ranged(min(least, most), most, 8)
		return start.then(&data)
	case *Window:
		body := p.sizes(s.Body, true)
		if s.Fill > 0 { // none of the body need be there
			body = ranged(8*p.leastOf(s.Size), s.work(p).maxBits, 1)
		}
		left := ranged(0, 7, 1)
		body = body.then(&left)
		if s.Unit == 8 { // whole bytes: it ends where it began in a byte
			for i := range body {
				for j := range body[i] {
					if i != j {
						body[i][j] = noSizes[i][j]
					}
				}
			}
		}
		return start.then(&body)
	case *List:
		body, lo := p.sizes(s.Body, false), elements
		switch s.Kind {
		case ListCount:
			lo = p.leastOf(s.Size)
			if o := &p.Operands[s.Size]; o.Kind == OperandConst {
				return body.times(min(s.Max, o.Const))
			}
		case ListUntil:
			lo = 1
		case ListWhile:
			lo = 0
		case ListRest:
		}
		return body.repeated(min(lo, s.Max), s.Max)
	}
	blocks := s.Blocks()
	if s.Flow() == Repeat || len(blocks) == 0 {
		least, most := p.Bits(s)
		unit := uint64(1)
		if number, ok := s.(*Number); ok && number.Kind == NumberVarint {
			unit = 8
		}
		return ranged(least, most, unit)
	}
	all := noSizes
	for _, way := range blocks {
		one := p.sizes(way.Steps, last)
		all = all.or(&one)
	}
	return all
}
