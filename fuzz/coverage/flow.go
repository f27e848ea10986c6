package coverage

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Rooms are what is known at the places of a plan.
type Rooms struct {
	before []meeting // each step
	// after the blocks of a step: before the close of a window, of each element of a list, of the end of a group.
	behind []meeting
	end    meeting // of the packet
}

// meeting is the room where ways come together, and how often it grew.
type meeting struct {
	room
	changes uint8
}

// maxChanges is how often a room may grow before its number of bits is given up: a list would count them down one
// element at a time.
const maxChanges = 8

// flow follows all ways through a plan at once.
type flow struct {
	Rooms
	p     *plan.Plan
	rests *Terms
	known *atoms
	whole uint64 // bits that a datagram has at most
}

// findRooms follows all ways through a plan.
func findRooms(r *Terms, known *atoms) *Rooms {
	n := len(r.Plan.Steps)
	f := &flow{p: r.Plan, rests: r, known: known, whole: 8 * uint64(r.Plan.Schema.MaxDatagram)}
	f.before, f.behind = make([]meeting, n), make([]meeting, n)
	f.gather(&f.end, f.through(r.Plan.Root, room{at: schema.AtStart, end: schema.OnByte, hi: f.whole, step: 8}))
	return &f.Rooms
}

// gather adds a way to where ways come together. It reports whether more is possible there now. Rooms only grow, at 64
// + 8 places and a few numbers, so what asks again ends.
func (f *flow) gather(at *meeting, r room) bool {
	if r.at == 0 {
		return false
	}
	old := at.room
	now := old.meet(r)
	if now == old {
		return false
	}
	if at.changes++; at.changes > maxChanges {
		at.changes = maxChanges
		if now.lo < old.lo {
			now.lo = 0
		}
		if now.hi > old.hi {
			now.hi = f.whole
		}
		if now.step != old.step || now.off != old.off {
			now.step, now.off = 1, 0
		}
		if now.known != old.known {
			now.known = nil
		}
	}
	at.room = now
	return true
}

// through is the room after steps of which the first begins in one.
func (f *flow) through(steps []plan.Step, r room) room {
	for _, s := range steps {
		id := s.At().ID
		at := &f.before[id]
		r.at &= s.At().Room
		if f.gather(at, r); at.at == 0 {
			return room{}
		}
		r = f.step(f.p.Steps[id], at.room) // of a Raised plan the steps say what is allowed, not the blocks
	}
	return r
}

// step is the room after a step.
func (f *flow) step(s plan.Step, r room) room {
	id := s.At().ID
	switch s := s.(type) {
	case *plan.Run:
		r = r.after(uint64(s.Bits), uint64(s.Bits), 1)
	case *plan.Checksum:
		width := uint64(f.p.Leaves[s.Leaf].Width)
		return r.after(width, width, 1)
	case *plan.Align:
		return r.align(uint64(s.Bits))
	case *plan.Reserved:
		return r.after(uint64(s.Bits), uint64(s.Bits), 1)
	case *plan.Number:
		r = f.number(s, r)
	case *plan.Blob:
		return f.blob(s, r)
	case *plan.Window:
		return f.window(s, r)
	case *plan.List:
		if s.Kind == plan.ListCount {
			return f.counted(s, s.Size, r)
		}
		return f.asked(s, r)
	case *plan.Subset:
		if s.Kind == schema.SubsetIndex {
			return f.counted(s, s.Count, r)
		}
		return f.subset(s, r)
	case *plan.If:
		yes, no := f.branch(s.Cond, r)
		var out meeting
		if s.Else == nil {
			f.gather(&out, no)
		}
		f.gather(&out, f.through(s.Then, yes))
		if s.Else != nil {
			f.gather(&out, f.through(s.Else, no))
		}
		return out.room
	case *plan.Switch:
		return f.choose(s, r)
	case *plan.Let:
		return f.known.let(r, s)
	case *plan.Require:
		return f.known.given(r, f.rests.Of(s.Cond), true)
	case *plan.Group:
		end := &f.behind[id]
		f.gather(end, f.through(s.Body, f.known.wrote(r, s.Register)))
		return end.room
	case *plan.Unit, *plan.Open:
	default:
		panic("pktscope: internal error: a step of an unknown type")
	}
	for _, register := range s.Registers() {
		r = f.known.wrote(r, register)
	}
	return r
}

// branch goes both ways that a condition can go.
func (f *flow) branch(operand uint32, r room) (yes, no room) {
	return f.known.way(r, operand, true), f.known.way(r, operand, false)
}

// choose goes into every arm that the tag can have.
func (f *flow) choose(s *plan.Switch, r room) room {
	arms := make([]meeting, len(s.Arms))
	for _, e := range s.Entries {
		f.gather(&arms[e.Arm], f.known.tagged(r, s, e))
	}
	if s.Default >= 0 {
		f.gather(&arms[s.Default], r)
	}
	var out meeting
	for i := range arms {
		f.gather(&out, f.through(s.Arms[i].Steps, arms[i].room))
	}
	return out.room
}

// elements goes through the body of a list again and again, until nothing new comes of it. around goes through it once,
// from before an element to after it.
func (f *flow) elements(s plan.Step, first room, around func(r room) room) {
	head := &f.behind[s.At().ID]
	if f.gather(head, first); head.at == 0 {
		return
	}
	for f.gather(head, around(head.room)) {
	}
}

// counted goes into a list whose elements are counted before the first, and after it. Where all elements have as many
// bits, what is after it is what its size leaves.
func (f *flow) counted(s plan.Step, operand uint32, r room) room {
	id, body, most := s.At().ID, s.Blocks()[0].Steps, plan.MostOf(s)
	r = f.known.taking(r, operand, id, int64(min(most, uint64(mostBound))))
	n, sum, linear := f.known.operand(operand, id, &r)
	bits, same := straight(f.p, body)
	var out meeting
	each, fits := uint64(0), false
	if bits > 0 && same && r.filled {
		if fits = n.is(n.lo) && n.lo >= 0; fits { // of what is not in the window it reads zeros
			f.gather(&out, f.known.since(r.after(uint64(n.lo)*bits, uint64(n.lo)*bits, 1), s))
		}
	} else if bits > 0 && same && linear {
		size, sum, linear := f.known.size(operand, id, int64(bits), &r)
		if linear && f.known.spare(&r, size, sum, linear).lo >= 0 {
			each, fits = bits, true
			f.gather(&out, f.known.since(f.known.taken(r, size, sum, linear), s))
		}
	}
	if !fits && n.lo <= 0 {
		f.gather(&out, r)
	}
	if n.hi <= 0 {
		return out.room
	}
	some := r
	if linear {
		some = f.known.among(r, sum, numbers{1, unbounded, 1, 0}, true)
	}
	f.elements(s, some.between(each, everything), func(r room) room {
		r = f.through(body, r)
		if !fits {
			f.gather(&out, r)
		}
		return r.between(each, everything)
	})
	return out.room
}

// straight is how many bits steps take where these are always the same.
func straight(p *plan.Plan, steps []plan.Step) (n uint64, ok bool) {
	for _, s := range steps {
		if flow := s.Flow(); flow == plan.Choose || flow == plan.Repeat {
			return 0, false
		}
		least, most := p.Bits(s)
		if least != most {
			return 0, false
		}
		n += most
	}
	return n, true
}

// asked goes into a list that asks on the way whether it goes on, and after it.
func (f *flow) asked(s *plan.List, r room) room {
	var out meeting
	f.elements(s, r, func(r room) room {
		leaves := room{}
		switch s.Kind {
		case plan.ListRest:
			r, leaves = r.between(uint64(s.Left), everything), r.between(0, uint64(s.Left)-1)
		case plan.ListWhile:
			r, leaves = f.branch(s.Size, r)
		case plan.ListCount, plan.ListUntil:
		}
		f.gather(&out, leaves)
		r = f.through(s.Body, r)
		if s.Kind == plan.ListUntil {
			leaves, r = f.branch(s.Size, r)
			f.gather(&out, leaves)
		}
		return r
	})
	return out.room
}

// subset goes into a subset that does not say how many elements it has, and after it: after flags, or the index that
// ends it.
func (f *flow) subset(s *plan.Subset, r room) room {
	var out meeting
	f.elements(s, r, func(r room) room {
		if s.Kind == schema.SubsetBitmap {
			f.gather(&out, r.after(0, s.N, 1))
			return f.through(s.Body, r.after(1, s.N, 1))
		}
		r = f.through(s.Body[:1], r)
		f.gather(&out, r)
		return f.through(s.Body[1:], r)
	})
	return out.room
}

// number is the room after a number.
func (f *flow) number(n *plan.Number, r room) room {
	least, most, step := f.rests.numberBits(n)
	if n.Kind == plan.NumberSized {
		r = f.known.taking(r, n.Operand, n.ID, 64)
		if size, sum, linear := f.known.size(n.Operand, n.ID, 1, &r); linear {
			return f.known.taken(r, size, sum, linear)
		}
	}
	return r.after(least, most, step)
}

// window goes through a window: inside, no more can be seen than its size, which has been found to fit.
func (f *flow) window(s *plan.Window, r room) room {
	r = r.align(uint64(s.Pads()))
	r = f.known.taking(r, s.Size, s.ID, mostNumber)
	size, sum, linear := f.known.size(s.Size, s.ID, int64(s.Unit), &r)
	out := f.known.taken(r, size, sum, linear)
	if out.at == 0 {
		return room{}
	}
	// It fits: so it is at most what is left.
	size, ok := size.between(0, int64(min(r.hi, everything)))
	if !ok {
		return room{}
	}
	least, most, step := uint64(size.lo), uint64(size.hi), uint64(max(size.step, 1))
	if s.Fill > 0 {
		return f.fill(s, r, out, most)
	}
	inside := room{at: r.at, end: r.after(least, most, step).at}
	if inside.end == 0 {
		return room{}
	}
	inside.lo, inside.hi, inside.step, inside.off = least, most, step, least%step
	inside.known = r.known.leaving(f.known.inside(&r, sum, linear))
	end := &f.behind[s.ID]
	if f.gather(end, f.through(s.Body, f.known.settle(inside))); end.at == 0 {
		return room{}
	}
	return f.close(end.room, f.known.since(out, s))
}

// fill goes through a window of at most so many bits that is filled with zeros: all that is read inside is there. out
// is the room after its size.
func (f *flow) fill(s *plan.Window, r, out room, most uint64) room {
	inside := room{at: r.at, end: out.at, hi: most, known: r.known.leaving(nil), filled: true}
	end := &f.behind[s.ID]
	if f.gather(end, f.through(s.Body, inside)); end.at == 0 {
		return room{}
	}
	out = f.known.since(out, s)
	left := out.known.forms()
	if out.known = nil; end.known != nil {
		out.known = &facts{values: end.known.values}
	}
	out.known = out.known.leaving(left)
	return f.known.settle(out)
}

// close ends a window: fewer than eight bits are left of it. out is the room after its size.
func (f *flow) close(r, out room) room {
	if out.at == 0 {
		return room{}
	}
	left := out.known.forms()
	out.known = nil
	if r.known != nil {
		out.known = &facts{values: r.known.values}
	}
	out.known = out.known.leaving(left)
	out.at = 0
	for at := range 64 {
		for left := uint64(0); left < 8; left++ {
			end := (at + int(left)) & 63
			if r.at>>at&1 != 0 && r.lo <= left && left <= r.hi && r.end>>end&1 != 0 {
				out.at |= 1 << end
			}
		}
	}
	return f.known.settle(out)
}

func (f *flow) blob(b *plan.Blob, r room) room {
	r = r.align(uint64(b.Pads()))
	unit := uint64(b.Unit())
	least, most := f.rests.blobSize(b)
	switch {
	case b.Rest:
		out := r.between(0, 8*uint64(b.Max)+7)
		lo, hi := out.odd()
		return out.after(0, unit*most, unit).between(uint64(lo), uint64(hi))
	case b.Size >= 0:
		r = f.known.taking(r, uint32(b.Size), b.ID, int64(b.Max))
		size, sum, linear := f.known.size(uint32(b.Size), b.ID, int64(unit), &r)
		size, ok := size.between(0, int64(unit*most))
		if !ok {
			return room{}
		}
		return f.known.taken(r, size, sum, linear)
	}
	return r.after(unit*least, unit*most, unit)
}

// NewRooms finds the rooms of a plan.
func NewRooms(r *Terms) *Rooms { return findRooms(r, newAtoms(r)) }

// At is where a step can begin, and how many bits are left there at least.
func (r *Rooms) At(id plan.StepID) (places schema.Places, least uint64) {
	return r.before[id].at, r.before[id].lo
}
