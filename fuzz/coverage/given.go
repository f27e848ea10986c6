package coverage

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// What a condition says, when it is true or when it is not.

// settle is the room with the sums that its bits are taken at their word.
func (a *atoms) settle(r room) room {
	for _, f := range r.known.forms() {
		if r = r.holding(a.sumOf(f, &r)); r.at == 0 {
			break
		}
		r = a.among(r, f, r.bits(), false)
	}
	return r
}

// among is the room when a sum is among some numbers. wide says that what follows for the bits left is to be followed,
// too.
func (a *atoms) among(r room, f form, n numbers, wide bool) room {
	for round := 0; round < 2 && r.at != 0; round++ {
		for i, x := range f.sum {
			// x.k times the atom is n without the others.
			others := fromTo(f.lo, f.hi)
			for j, y := range f.sum {
				if j != i {
					others = others.plus(a.numbersOf(y.At, &r).times(y.K))
				}
			}
			what, ok := n.plus(others.times(-1)).over(x.K)
			if !ok {
				return room{}
			}
			if x.At == atomRest {
				lo, hi := r.odd()
				if what.lo > 0 || what.hi < unbounded || what.step != 1 {
					bits := what.times(8).plus(fromTo(lo, hi))
					if r = r.holding(bits); r.at == 0 {
						return r
					}
				}
				continue
			}
			was := a.numbersOf(x.At, &r)
			now, ok := was.meet(what)
			if !ok {
				return room{}
			}
			if now != was {
				r.known = r.known.with(x.At, now)
			}
		}
		if len(f.sum) == 0 {
			if _, ok := fromTo(f.lo, f.hi).meet(n); !ok {
				return room{}
			}
		}
		if len(f.sum) == 1 {
			break
		}
	}
	if wide && r.at != 0 {
		r = a.settle(r)
	}
	return r
}

// given is the room when a condition is true or, with holds false, when it is not; empty when that cannot be.
func (a *atoms) given(r room, t *Term, holds bool) room {
	if r.at == 0 || t == nil {
		return r
	}
	what, _, _ := a.value(t, &r, false, MaxLets)
	if !what.in(truth(!holds, holds).lo) {
		return room{}
	}
	word := t.Word()
	switch word {
	case "not":
		return a.given(r, t.X, !holds)
	case "and", "or":
		if holds == (word == "and") {
			return a.given(a.given(r, t.X, holds), t.Y, holds)
		}
		return a.given(r, t.X, holds).meet(a.given(r, t.Y, holds))
	case "register":
		if operand, ok := a.alias(t.Inst.A); ok {
			r = a.given(r, a.terms.Of(operand), holds)
		}
		return a.among(r, form{sum: []Factor{{int(t.Inst.A), 1}}}, truth(!holds, holds), true)
	case "eq", "lt", "le":
		return a.compared(r, t, holds)
	case "in":
		_, f, ok := a.value(t.X, &r, t.Inst.SX, MaxLets)
		if !ok {
			return r
		}
		out, n := room{}, 0
		for lo, hi := range a.ranges(t.Inst) {
			if n++; n > mostRanges {
				return r
			}
			if holds {
				out = out.meet(a.among(r, f, fromTo(lo, hi), true))
			} else {
				r = a.notAmong(r, f, lo, hi)
			}
		}
		if holds {
			return out
		}
	}
	return r
}

// mostRanges is as many intervals of a set as are followed.
const mostRanges = 64

// notAmong is the room when a sum is not from lo to hi.
func (a *atoms) notAmong(r room, f form, lo, hi int64) room {
	if !near(lo) || !near(hi) {
		return r
	}
	n, ok := a.sumOf(f, &r).without(lo, hi)
	if !ok {
		return room{}
	}
	return a.among(r, f, n, true)
}

// compared is given of a comparison.
func (a *atoms) compared(r room, t *Term, holds bool) room {
	word := t.Word()
	if r = a.sees(r, t, holds); word == "eq" {
		r = a.residue(r, t.X, t.Y, t.Inst.SY, holds)
		r = a.residue(r, t.Y, t.X, t.Inst.SX, holds)
	}
	_, x, ok1 := a.value(t.X, &r, t.Inst.SX, MaxLets)
	_, y, ok2 := a.value(t.Y, &r, t.Inst.SY, MaxLets)
	if !ok1 || !ok2 || r.at == 0 {
		return r
	}
	d, ok := x.plus(y, -1)
	if !ok {
		return r
	}
	var n numbers // what the difference is among
	switch {
	case word == "eq" && holds:
		n = oneNumber(0)
	case word == "eq":
		return a.notAmong(r, d, 0, 0)
	case word == "lt" && holds:
		n = numbers{-unbounded, -1, 1, 0}
	case word == "lt":
		n = numbers{0, unbounded, 1, 0}
	case holds:
		n = numbers{-unbounded, 0, 1, 0}
	default:
		n = numbers{1, unbounded, 1, 0}
	}
	return a.settle(a.remembered(a.among(r, d, n, true), d, n))
}

// sees is the room when what a look saw compares so: a look at nothing is 0, so where 0 does not a bit is left.
func (a *atoms) sees(r room, t *Term, holds bool) room {
	other, signed, left := t.Y, t.Inst.SY, true
	if !t.X.looks() {
		other, signed, left = t.X, t.Inst.SX, false
	}
	if r.at == 0 || left != t.X.looks() || !left && !t.Y.looks() {
		return r
	}
	d, _, _ := a.value(other, &r, signed, MaxLets)
	if look := t.X; t.Word() == "eq" && holds && d.lo == d.hi && !signed {
		if !left {
			look = t.Y
		}
		r = r.peeked(look, d.lo)
	}
	if left { // 0 - other, else other - 0
		d = d.times(-1)
	}
	zero := map[string][2]bool{"eq": {d.lo <= 0 && d.hi >= 0, d.lo != 0 || d.hi != 0}, "lt": {d.lo < 0, d.hi >= 0}, "le": {d.lo <= 0, d.hi > 0}}[t.Word()]
	if holds && !zero[0] || !holds && !zero[1] {
		return r.between(1, everything)
	}
	return r
}

// peeked is the room when a look sees a number.
func (r room) peeked(look *Term, v int64) room {
	if look.op == "peek" && v >= 0 && v < unbounded {
		r.seen = sight{int(look.Inst.A), wire.Order(look.Inst.Imm), uint64(v)}
	}
	return r
}

// looks reports whether the term is a look at bits.
func (t *Term) looks() bool { return t != nil && (t.op == "peek" || t.op == "tail") }

// remembered is the room with what a sum that is among some numbers says of the bits that are left, where the bytes
// that are left are a part of it: so after `require len <= rest` len bytes are there, whatever len is.
func (a *atoms) remembered(r room, f form, n numbers) room {
	k := f.of(atomRest)
	if r.at == 0 || k != 1 && k != -1 {
		return r
	}
	n, ok := n.meet(a.sumOf(f, &r))
	if !ok {
		return room{}
	}
	if n.lo <= -mostNumber || n.hi >= mostNumber {
		return r
	}
	// k times the bytes that are left is n without the others.
	others, ok := f.plus(form{sum: []Factor{{atomRest, 1}}}, -k)
	if !ok || len(others.sum) == 0 {
		return r
	}
	bytes, ok := form{lo: n.lo, hi: n.hi}.plus(others, -1)
	if !ok {
		return r
	}
	left, ok := bytes.times(8 * k)
	lo, hi := r.odd()
	if left.lo, left.hi = left.lo+lo, left.hi+hi; ok && left.small() {
		r.known = r.known.leaving(append([]form{left}, r.known.forms()...))
	}
	return r
}

// residue is the room when what a mask or a remainder leaves of a sum is a number, or not.
func (a *atoms) residue(r room, t, is *Term, signed, holds bool) room {
	word := t.Word()
	if r.at == 0 || word != "mod" && word != "and" {
		return r
	}
	by, _, _ := a.value(t.Y, &r, t.Inst.SY, MaxLets)
	what, _, _ := a.value(is, &r, signed, MaxLets)
	n, f, ok := a.value(t.X, &r, t.Inst.SX, MaxLets)
	if !ok || by.step != 0 || what.step != 0 || by.lo <= 0 || by.lo >= mostStep {
		return r
	}
	m, off := by.lo, what.lo
	if word == "and" {
		// Low bits are a remainder; of others it follows that those are one at most.
		if m&(m+1) != 0 {
			return r
		}
		m++
	} else if n.lo < 0 && off != 0 {
		return r // a remainder has the sign of what it is taken of
	}
	switch {
	case !holds && m == 2 && (off == 0 || off == 1) && (n.lo >= 0 || word == "and"):
		off = 1 - off
	case !holds:
		return r
	case off < 0 || off >= m:
		return room{}
	}
	return a.among(r, f, numbers{-unbounded, unbounded, 1, 0}.with(m, off), true)
}

// way is the room when a condition that is an operand goes one way.
func (a *atoms) way(r room, operand uint32, holds bool) room {
	n := a.terms.intervalOf(operand, plan.NoStep)
	if holds && n.hi.Sign() == 0 || !holds && n.lo.Sign() > 0 {
		return room{}
	}
	return a.given(r, a.terms.Of(operand), holds)
}

// tagged is the room when the tag of a switch is among the keys of an entry.
func (a *atoms) tagged(r room, s *plan.Switch, e plan.SwitchEntry) room {
	lo, hi := keyNumbers(e.Lo, e.Hi, a.p.Operands[s.Tag].Signed)
	what, f, linear := a.operand(s.Tag, s.ID, &r)
	n, ok := numbers{lo, hi, 1, 0}.tidy()
	if !ok {
		return r
	}
	if _, ok := what.meet(n); !ok {
		return room{}
	}
	if bits, _ := a.p.Look(s.Tag); bits > 0 && e.Lo > 0 {
		if t := a.terms.Of(s.Tag); t != nil && e.Lo == e.Hi {
			r = r.peeked(t, n.lo)
		}
		return r.between(1, everything) // a look at nothing is 0
	}
	if !linear {
		return r
	}
	return a.among(r, f, n, true)
}
