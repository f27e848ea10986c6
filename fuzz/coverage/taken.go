package coverage

import "github.com/pktscope/pktscope/decode/plan"

// What a size leaves of a room.

// size is how much a step takes, in bits, units of which an operand says how many: what that can be, and the sum
// of atoms that it is, of which `rest` is one.
func (a *atoms) size(operand uint32, at plan.StepID, unit int64, r *room) (what numbers, sum form, linear bool) {
	what, sum, linear = a.operand(operand, at, r)
	if linear {
		sum, linear = sum.times(unit)
	}
	return what.times(unit), sum, linear
}

// behind is the sums that the bits are which are left after a size.
func (a *atoms) behind(r *room, size form) []form {
	var left []form
	if k := size.of(atomRest); k == 8 {
		// All whole bytes are taken, and more, or less.
		lo, hi := r.odd()
		if f, ok := (form{sum: []Factor{{atomRest, 8}}, lo: lo, hi: hi}).plus(size, -1); ok {
			left = append(left, f)
		}
	} else if k == 0 {
		for _, f := range r.known.forms() {
			if f, ok := f.plus(size, -1); ok {
				left = append(left, f)
			}
		}
	}
	return left
}

// inside is the sums that the bits are which a window of a size has.
func (a *atoms) inside(r *room, size form, linear bool) []form {
	switch k := size.of(atomRest); {
	case !linear:
	case k == 0:
		return []form{size}
	case k == 8:
		// What is left is eight times the whole bytes that are, and the bits beyond.
		lo, hi := r.odd()
		var all []form
		for _, f := range r.known.forms() {
			f.lo, f.hi = f.lo-hi, f.hi-lo
			less, ok := size.plus(form{sum: []Factor{{atomRest, 8}}}, -1)
			if f, ok1 := f.plus(less, 1); ok && ok1 {
				all = append(all, f)
			}
		}
		return all
	}
	return nil
}

// spare is the bits that are left when a size is taken of the room, less than none where there are not as many.
func (a *atoms) spare(r *room, what numbers, sum form, linear bool) numbers {
	n := r.bits().plus(what.times(-1))
	if !linear {
		return n
	}
	for _, f := range a.behind(r, sum) {
		if both, ok := n.meet(a.sumOf(f, r)); ok {
			n = both
		}
	}
	return n
}

// taken is the room after a size that was found to fit.
func (a *atoms) taken(r room, what numbers, sum form, linear bool) room {
	var left []form
	if linear {
		left = a.behind(&r, sum)
		for _, f := range left {
			if r = a.among(r, f, numbers{0, unbounded, 1, 0}, false); r.at == 0 {
				return r
			}
		}
		if now, ok := what.meet(a.sumOf(sum, &r)); ok {
			what = now
		}
	}
	what, ok := what.between(0, int64(min(r.hi, everything)))
	if !ok || r.at == 0 {
		return room{}
	}
	step := uint64(what.step)
	if step == 0 {
		step = 1
	}
	known := r.known
	r = r.after(uint64(what.lo), uint64(what.hi), step)
	if linear && r.at != 0 {
		r.known = known.leaving(left)
	}
	return a.settle(r)
}

// taking is the room before a step whose size has passed its own bounds.
func (a *atoms) taking(r room, operand uint32, at plan.StepID, most int64) room {
	_, f, linear := a.operand(operand, at, &r)
	if !linear {
		return r
	}
	return a.among(r, f, numbers{0, most, 1, 0}, true)
}
