package coverage

import (
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
)

// What the conditions on the way to a place say, of the values of fields and of the bits that are left.

// facts are what is known at a place beyond what types say. They are never changed: what knows something else has
// others.
type facts struct {
	values []fact // by their atoms
	left   []form // the bits that are left are each of these sums
}

type fact struct {
	atom int
	what numbers
}

// mostFacts and mostForms bound what is kept of a place; what comes beyond is forgotten.
const (
	mostFacts = 12
	mostForms = 3
)

// of is what is known of an atom.
func (f *facts) of(atom int) (numbers, bool) {
	if f == nil {
		return anyNumber, false
	}
	i, ok := slices.BinarySearchFunc(f.values, atom, func(x fact, atom int) int { return x.atom - atom })
	if !ok {
		return anyNumber, false
	}
	return f.values[i].what, true
}

// with is f with something else known of an atom.
func (f *facts) with(atom int, what numbers) *facts {
	out := &facts{}
	if f != nil {
		out.left = f.left
		out.values = slices.Clone(f.values)
	}
	i, ok := slices.BinarySearchFunc(out.values, atom, func(x fact, atom int) int { return x.atom - atom })
	switch {
	case ok:
		out.values[i].what = what
	case len(out.values) < mostFacts:
		out.values = slices.Insert(out.values, i, fact{atom, what})
	default:
		return f
	}
	return out
}

// forms are the sums that the bits left are.
func (f *facts) forms() []form {
	if f == nil {
		return nil
	}
	return f.left
}

// taking is f after what takes from least to most bits.
func (f *facts) taking(least, most int64) *facts {
	if f == nil || most == 0 || len(f.left) == 0 {
		return f
	}
	left := make([]form, 0, len(f.left))
	for _, x := range f.left {
		if x.lo, x.hi = x.lo-most, x.hi-least; x.small() {
			left = append(left, x)
		}
	}
	return f.leaving(left)
}

// leaving is f with other sums.
func (f *facts) leaving(left []form) *facts {
	if f == nil && len(left) == 0 {
		return nil
	}
	out := &facts{left: left[:min(len(left), mostForms)]}
	if f != nil {
		out.values = f.values
	}
	if len(out.values) == 0 && len(out.left) == 0 {
		return nil
	}
	return out
}

// join is what holds in both; f itself where that is all of it.
func (f *facts) join(o *facts) *facts {
	if f == nil || o == nil {
		return nil
	}
	if f == o {
		return f
	}
	var out facts
	same := true
	for _, x := range f.values {
		other, ok := o.of(x.atom)
		if !ok {
			same = false
			continue
		}
		if now := x.what.join(other); now != x.what {
			x.what, same = now, false
		}
		out.values = append(out.values, x)
	}
	for _, x := range f.left {
		i := slices.IndexFunc(o.left, func(y form) bool { return slices.Equal(x.sum, y.sum) })
		if i < 0 {
			same = false
			continue
		}
		now := form{x.sum, min(x.lo, o.left[i].lo), max(x.hi, o.left[i].hi)}
		same = same && now.lo == x.lo && now.hi == x.hi
		out.left = append(out.left, now)
	}
	switch {
	case same:
		return f
	case len(out.values) == 0 && len(out.left) == 0:
		return nil
	}
	return &out
}

// bytes are the whole bytes that are left.
func (r *room) bytes() numbers {
	n := numbers{int64(r.lo / 8), int64(min(r.hi, everything) / 8), 1, 0}
	if r.step > 8 && r.step%8 == 0 {
		n = n.with(int64(r.step/8), int64(r.off/8))
	}
	n, _ = n.tidy()
	return n
}

// bits are the bits that are left.
func (r *room) bits() numbers {
	n := numbers{int64(r.lo), int64(min(r.hi, everything)), 1, 0}
	if r.step > 1 {
		n.step, n.off = int64(r.step), int64(r.off)
	}
	n, _ = n.tidy()
	return n
}

// odd is how many bits are left beyond whole bytes, at least and at most.
func (r *room) odd() (lo, hi int64) {
	switch {
	case r.lo == r.hi:
		return int64(r.lo % 8), int64(r.lo % 8)
	case r.step%8 == 0 && r.step > 0:
		return int64(r.off % 8), int64(r.off % 8)
	}
	return 0, 7
}

// holding is the room when the bits left are among some numbers.
func (r room) holding(n numbers) room {
	both, ok := n.meet(r.bits())
	if !ok || r.at == 0 {
		return room{}
	}
	r.lo, r.hi = uint64(both.lo), uint64(both.hi)
	if both.step > 0 {
		r.step, r.off = uint64(both.step), uint64(both.off)
	}
	return r
}

// wrote is the room after what writes a register.
func (a *atoms) wrote(r room, register uint32) room {
	if r.known == nil {
		return r
	}
	stale := func(atom int) bool { return atom == int(register) || slices.Contains(a.using[register], atom) }
	return r.without(stale)
}

// without is the room without what is known of some atoms.
func (r room) without(stale func(atom int) bool) room {
	if r.known == nil {
		return r
	}
	values, left := r.known.values, r.known.left
	if slices.ContainsFunc(values, func(x fact) bool { return stale(x.atom) }) {
		values = slices.DeleteFunc(slices.Clone(values), func(x fact) bool { return stale(x.atom) })
	}
	gone := func(f form) bool { return slices.ContainsFunc(f.sum, func(x Factor) bool { return stale(x.At) }) }
	if slices.ContainsFunc(left, gone) {
		left = slices.DeleteFunc(slices.Clone(left), gone)
	}
	r.known = (&facts{values: values}).leaving(left)
	return r
}

// since is the room without what is known of atoms that a step writes, with its blocks.
func (a *atoms) since(r room, s plan.Step) room {
	from, to := s.At().ID, s.At().End
	writes := func(register uint32) bool {
		w := a.writers[register]
		i, _ := slices.BinarySearch(w, from)
		return i < len(w) && w[i] < to
	}
	return r.without(func(atom int) bool {
		if atom < len(a.writers) {
			return writes(uint32(atom))
		}
		return slices.ContainsFunc(a.reads[atom], writes)
	})
}

// let is the room after a `let`.
func (a *atoms) let(r room, s *plan.Let) room {
	what, f, linear := a.operand(s.Value, s.ID, &r)
	r = a.wrote(r, s.Register)
	if r.at == 0 {
		return r
	}
	for _, x := range f.sum {
		linear = linear && x.At != int(s.Register) && (x.At < len(a.writers) || !slices.Contains(a.reads[max(x.At, 0)], s.Register))
	}
	if now, ok := what.meet(a.typeOf(int(s.Register))); ok && now != a.typeOf(int(s.Register)) {
		r.known = r.known.with(int(s.Register), now)
	}
	// The register is the whole bytes that are left and something else: so the bits left are the register without that.
	if !linear || f.of(atomRest) != 1 {
		return r
	}
	rest, ok := form{sum: []Factor{{int(s.Register), 1}, {atomRest, 1}}}.sorted().plus(f, -1)
	if !ok {
		return r
	}
	rest, ok = rest.times(8)
	lo, hi := r.odd()
	rest.lo, rest.hi = rest.lo+lo, rest.hi+hi
	if ok && rest.of(atomRest) == 0 {
		r.known = r.known.leaving(append([]form{rest}, r.known.forms()...))
	}
	return r
}

func (f form) sorted() form {
	slices.SortFunc(f.sum, func(x, y Factor) int { return x.At - y.At })
	return f
}
