package fuzz

import "github.com/pktscope/pktscope/decode/plan"

// flow follows all ways through a plan at once.
type flow struct {
	p       *plan.Plan
	in      []room
	dirty   []bool
	changes []uint8
	outer   []room  // of each OpWindow: the room around it, behind the padding
	opened  []int32 // of each OpClose: its OpWindow
	closed  []int32 // the other way
	rests   *rests
	known   *atoms
	each    map[int]uint64 // of an OpArray whose elements all have so many bits, and which fit
	again   bool
}

// maxChanges is how often a room may grow before its number of bits is given up: a loop would count them down one
// element at a time.
const maxChanges = 8

// findRooms is the room in front of every op.
func findRooms(r *rests, known *atoms) []room {
	p := r.p
	n := len(p.Ops)
	f := &flow{p: p, rests: r, known: known, each: map[int]uint64{}, in: make([]room, n), dirty: make([]bool, n)}
	f.changes, f.outer, f.opened, f.closed = make([]uint8, n), make([]room, n), make([]int32, n), make([]int32, n)
	var open []int32
	for pc := range p.Ops {
		switch p.Ops[pc].Code {
		case plan.OpWindow:
			open = append(open, int32(pc))
		case plan.OpClose:
			f.opened[pc] = open[len(open)-1]
			f.closed[f.opened[pc]] = int32(pc)
			open = open[:len(open)-1]
		}
	}
	f.to(0, room{at: 1, end: wholeBytes, hi: 8 * uint64(p.Schema.MaxDatagram), step: 8})
	// Rooms only grow, at 64 + 8 places and a few numbers, so this ends.
	for f.again = true; f.again; {
		f.again = false
		for pc := range p.Ops {
			if f.dirty[pc] {
				f.dirty[pc] = false
				f.step(pc, f.in[pc])
			}
		}
	}
	return f.in
}

// to brings a room to an op.
func (f *flow) to(pc int, r room) {
	if r.at == 0 {
		return
	}
	old := f.in[pc]
	now := old.meet(r)
	if now == old {
		return
	}
	if f.changes[pc]++; f.changes[pc] > maxChanges {
		f.changes[pc] = maxChanges
		if now.lo < old.lo {
			now.lo = 0
		}
		if now.hi > old.hi {
			now.hi = 8 * uint64(f.p.Schema.MaxDatagram)
		}
		if now.step != old.step || now.off != old.off {
			now.step, now.off = 1, 0
		}
		if now.known != old.known {
			now.known = nil
		}
	}
	f.in[pc], f.dirty[pc], f.again = now, true, true
}

// step takes one op to those behind it.
func (f *flow) step(pc int, r room) {
	p, op := f.p, &f.p.Ops[pc]
	next := func(r room) { f.to(pc+1, r) }
	switch op.Code {
	case plan.OpEnd:
	case plan.OpRun:
		next(r.after(uint64(op.C), uint64(op.C), 1))
	case plan.OpCRC:
		width := uint64(p.Leaves[op.A].Width)
		next(r.after(width, width, 1))
	case plan.OpAlign:
		next(r.align(uint64(op.A)))
	case plan.OpReserved:
		next(r.after(uint64(op.A), uint64(op.A), 1))
	case plan.OpSave, plan.OpMark:
		next(f.known.wrote(r, op.A))
	case plan.OpLet:
		next(f.known.let(r, pc))
	case plan.OpNumber:
		out := f.number(pc, r)
		next(out)
		if n := p.Numbers[op.B]; n.EndLeaf >= 0 {
			f.to(int(p.Ops[n.List].B), out)
		}
	case plan.OpBlob:
		f.blob(pc, op, r)
	case plan.OpWindow:
		f.window(pc, op, r)
	case plan.OpClose:
		f.close(pc, r)
	case plan.OpArray:
		f.array(pc, op, r)
	case plan.OpNext:
		list := &p.Ops[op.A]
		each, fits := f.each[int(op.A)]
		f.to(int(op.A)+1, r.between(each, everything))
		if list.Code == plan.OpArray && !fits {
			f.to(int(list.B), r)
		}
	case plan.OpMore:
		f.more(pc, op, r)
	case plan.OpSlot:
		next(r.after(1, op.Imm, 1))
		f.to(int(p.Ops[op.A].B), r.after(0, op.Imm, 1))
	case plan.OpUntil:
		f.branch(op.B, r, int(p.Ops[op.A].B), pc+1)
	case plan.OpIf:
		f.branch(op.A, r, pc+1, int(op.B))
	case plan.OpRequire:
		next(f.known.given(r, f.known.rests.term(op.A), true))
	case plan.OpJump:
		f.to(int(op.A), r)
	case plan.OpSwitch:
		s := p.Switches[op.B]
		for _, e := range s.Entries {
			f.to(int(e.Target), f.known.tagged(r, pc, e))
		}
		if s.Default >= 0 {
			f.to(int(s.Default), r)
		}
	default:
		next(r)
	}
}

// branch goes both ways that a condition can go.
func (f *flow) branch(operand uint32, r room, yes, no int) {
	for i, to := range []int{yes, no} {
		if way := f.known.way(r, operand, i == 0); way.at != 0 {
			f.to(to, way)
		}
	}
}

// array goes into a list and behind it. Where all elements have as many bits, what is behind it is what its size
// leaves.
func (f *flow) array(pc int, op *plan.Op, r room) {
	r = f.known.taking(r, op.C, pc, int64(min(op.Imm, uint64(mostBound))))
	n, sum, linear := f.known.operand(op.C, pc, &r)
	bits, same := f.straight(pc+1, int(op.B)-1)
	if _, fitted := f.each[pc]; fitted { // it may not fit any more, and then the list ends behind each element
		delete(f.each, pc)
		if end := int(op.B) - 1; f.in[end].at != 0 {
			f.dirty[end], f.again = true, true
		}
	}
	if bits > 0 && same && linear {
		size, sum, linear := f.known.size(op.C, pc, int64(bits), &r)
		if linear && f.known.spare(&r, size, sum, linear).lo >= 0 {
			f.each[pc] = bits
			f.to(int(op.B), f.known.since(f.known.taken(r, size, sum, linear), pc, int(op.B)))
		}
	}
	each, fits := f.each[pc]
	if n.hi > 0 {
		if some := f.known.among(r, sum, numbers{1, unbounded, 1, 0}, true); !linear || some.at != 0 {
			if !linear {
				some = r
			}
			f.to(pc+1, some.between(each, everything))
		}
	}
	if !fits && n.lo <= 0 {
		f.to(int(op.B), r)
	}
}

// straight is how many bits the ops from … to-1 take where these are always the same.
func (f *flow) straight(from, to int) (n uint64, ok bool) {
	for pc := from; pc < to; pc++ {
		switch op := &f.p.Ops[pc]; op.Code {
		case plan.OpRun:
			n += uint64(op.C)
		case plan.OpSave, plan.OpLet, plan.OpRequire, plan.OpMark, plan.OpFrom, plan.OpStruct, plan.OpUnit:
		default:
			return 0, false
		}
	}
	return n, true
}

// number is the room behind the number at pc.
func (f *flow) number(pc int, r room) room {
	n := f.p.Numbers[f.p.Ops[pc].B]
	least, most, step := f.rests.numberBits(pc)
	if n.Kind == plan.NumberSized {
		r = f.known.taking(r, n.Operand, pc, 64)
		if size, sum, linear := f.known.size(n.Operand, pc, 1, &r); linear {
			r = f.known.taken(r, size, sum, linear)
		} else {
			r = r.after(least, most, step)
		}
	} else {
		r = r.after(least, most, step)
	}
	for _, slot := range f.known.written(&f.p.Ops[pc]) {
		r = f.known.wrote(r, slot)
	}
	return r
}

func (f *flow) more(pc int, op *plan.Op, r room) {
	leave := int(f.p.Ops[op.A].B)
	switch op.C {
	case plan.MoreRest:
		f.to(pc+1, r.between(8, everything))
		f.to(leave, r.between(0, 7))
	case plan.MoreWhile:
		f.branch(op.B, r, pc+1, leave)
	default:
		f.to(pc+1, r)
	}
}

// window opens a window: inside, no more can be seen than its size, which has been found to fit.
func (f *flow) window(pc int, op *plan.Op, r room) {
	if op.Flags&plan.FlagPacked == 0 {
		r = r.align(8)
	}
	r = f.known.taking(r, op.A, pc, mostNumber)
	size, sum, linear := f.known.size(op.A, pc, int64(op.C), &r)
	behind := f.known.taken(r, size, sum, linear)
	if behind.at == 0 {
		return
	}
	// It fits: so it is at most what is left.
	size, ok := size.between(0, int64(min(r.hi, everything)))
	if !ok {
		return
	}
	f.outer[pc] = r
	least, most, step := uint64(size.lo), uint64(size.hi), uint64(max(size.step, 1))
	inside := room{at: r.at, end: r.after(least, most, step).at}
	if inside.end == 0 {
		return
	}
	inside.lo, inside.hi, inside.step, inside.off = least, most, step, least%step
	inside.known = r.known.leaving(f.known.inside(&r, sum, linear))
	f.to(pc+1, f.known.settle(inside))
	// What is around it may have become larger while nothing changed inside.
	if end := f.closed[pc]; f.in[end].at != 0 {
		f.dirty[end], f.again = true, true
	}
}

// close ends a window: fewer than eight bits are left of it.
func (f *flow) close(pc int, r room) {
	start := int(f.opened[pc])
	op := &f.p.Ops[start]
	before := f.outer[start]
	size, sum, linear := f.known.size(op.A, start, int64(op.C), &before)
	out := f.known.since(f.known.taken(before, size, sum, linear), start, pc)
	if out.at == 0 {
		return
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
	f.to(pc+1, f.known.settle(out))
}

func (f *flow) blob(pc int, op *plan.Op, r room) {
	b := f.p.Blobs[op.A]
	if op.Flags&plan.FlagPacked == 0 {
		r = r.align(8)
	}
	unit := uint64(b.Unit())
	least, most := f.rests.blobSize(pc)
	switch {
	case b.Rest:
		out := r.between(0, 8*uint64(b.Max)+7)
		lo, hi := out.odd()
		f.to(pc+1, out.after(0, unit*most, unit).between(uint64(lo), uint64(hi)))
	case b.Size >= 0:
		r = f.known.taking(r, uint32(b.Size), pc, int64(b.Max))
		size, sum, linear := f.known.size(uint32(b.Size), pc, int64(unit), &r)
		size, ok := size.between(0, int64(unit*most))
		if ok {
			f.to(pc+1, f.known.taken(r, size, sum, linear))
		}
	default:
		f.to(pc+1, r.after(unit*least, unit*most, unit))
	}
}
