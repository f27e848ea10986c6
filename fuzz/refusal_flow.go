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
	again   bool
}

// maxChanges is how often a room may grow before its number of bits is given up: a loop would count them down one element
// at a time.
const maxChanges = 8

// findRooms is the room in front of every op.
func findRooms(p *plan.Plan) []room {
	n := len(p.Ops)
	f := &flow{p: p, rests: newRests(p), in: make([]room, n), dirty: make([]bool, n), changes: make([]uint8, n), outer: make([]room, n), opened: make([]int32, n), closed: make([]int32, n)}
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
	f.to(0, room{at: 1, end: wholeBytes, hi: 8 * uint64(p.Schema.MaxDatagram)})
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
		next(r.after(32, 32, 1))
	case plan.OpAlign:
		next(r.align(uint64(op.A)))
	case plan.OpReserved:
		next(r.after(uint64(op.A), uint64(op.A), 1))
	case plan.OpNumber:
		least, most, step := f.rests.numberBits(pc)
		out := r.after(least, most, step)
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
		n := f.rests.intervalOf(op.C, pc)
		if n.hi.Sign() > 0 {
			next(r)
		}
		if n.lo.Sign() <= 0 {
			f.to(int(op.B), r)
		}
	case plan.OpNext:
		f.to(int(op.A)+1, r)
		if list := &p.Ops[op.A]; list.Code == plan.OpArray {
			f.to(int(list.B), r)
		}
	case plan.OpMore:
		f.more(pc, op, r)
	case plan.OpSlot:
		next(r.after(1, op.Imm, 1))
		f.to(int(p.Ops[op.A].B), r.after(0, op.Imm, 1))
	case plan.OpUntil:
		f.branch(pc, op.B, r, int(p.Ops[op.A].B), pc+1)
	case plan.OpIf:
		f.branch(pc, op.A, r, pc+1, int(op.B))
	case plan.OpRequire:
		next(r.between(f.rests.is(termOf(p, op.A), pc, true)))
	case plan.OpJump:
		f.to(int(op.A), r)
	case plan.OpSwitch:
		s := p.Switches[op.B]
		k, open := f.rests.offset(termOf(p, op.A), pc)
		for _, e := range s.Entries {
			if open {
				f.to(int(e.Target), r.between(tagRest(p, op.A, e, k)))
			} else {
				f.to(int(e.Target), r)
			}
		}
		if s.Default >= 0 {
			f.to(int(s.Default), r)
		}
	default:
		next(r)
	}
}

// branch goes both ways that a condition can go.
func (f *flow) branch(pc int, operand uint32, r room, yes, no int) {
	t := termOf(f.p, operand)
	n := f.rests.intervalOf(operand, -1)
	if n.hi.Sign() != 0 {
		f.to(yes, r.between(f.rests.is(t, pc, true)))
	}
	if n.lo.Sign() <= 0 {
		f.to(no, r.between(f.rests.is(t, pc, false)))
	}
}

func (f *flow) more(pc int, op *plan.Op, r room) {
	leave := int(f.p.Ops[op.A].B)
	switch op.C {
	case plan.MoreRest:
		f.to(pc+1, r.between(8, everything))
		f.to(leave, r.between(0, 7))
	case plan.MoreWhile:
		f.branch(pc, op.B, r, pc+1, leave)
	default:
		f.to(pc+1, r)
	}
}

// window opens a window: inside, no more can be seen than its size, which has been found to fit.
func (f *flow) window(pc int, op *plan.Op, r room) {
	padded := padding(op, r)
	if op.Flags&plan.FlagPacked == 0 {
		r = r.align(8)
	}
	least, most := f.rests.intervalOf(op.A, pc).bits(uint64(op.C))
	if r.at == 0 || least > r.hi {
		return
	}
	most = min(most, r.hi)
	if n, ok := f.rests.behind(op.A, pc, padded); ok && op.C == 8 {
		r = r.between(8*n, everything)
		if r.at == 0 {
			return
		}
		least, most = max(least, r.lo/8*8-8*n), min(most, r.hi/8*8-8*n)
	}
	f.outer[pc] = r
	least, most, step := f.rests.steps(least, most, uint64(op.C), op.A, pc)
	inside := room{at: r.at, end: r.after(least, most, step).at, lo: least, hi: most}
	if inside.end == 0 {
		return
	}
	f.to(pc+1, inside)
	// What is around it may have become larger while nothing changed inside.
	if end := f.closed[pc]; f.in[end].at != 0 {
		f.dirty[end], f.again = true, true
	}
}

// close ends a window: fewer than eight bits are left of it.
func (f *flow) close(pc int, r room) {
	start := int(f.opened[pc])
	op := &f.p.Ops[start]
	least, most := f.rests.intervalOf(op.A, start).bits(uint64(op.C))
	out := f.outer[start]
	out.lo, out.hi = out.lo-min(out.lo, most), out.hi-min(out.hi, least)
	if n, ok := f.rests.behind(op.A, start, padding(op, f.in[start])); ok && op.C == 8 {
		out.lo, out.hi = max(out.lo, 8*n), min(out.hi, 8*n+7)
	}
	out.at = 0
	for at := range 64 {
		for left := uint64(0); left < 8; left++ {
			end := (at + int(left)) & 63
			if r.at>>at&1 != 0 && r.lo <= left && left <= r.hi && r.end>>end&1 != 0 {
				out.at |= 1 << end
			}
		}
	}
	f.to(pc+1, out)
}

func (f *flow) blob(pc int, op *plan.Op, r room) {
	p := f.p
	b := p.Blobs[op.A]
	behind, open := f.rests.blob(pc, r)
	if op.Flags&plan.FlagPacked == 0 {
		r = r.align(8)
	}
	if open {
		r = r.between(8*behind, 8*(behind+uint64(b.Max))+7)
	}
	unit := uint64(b.Unit())
	least, most := f.rests.blobSize(pc)
	least, most, step := unit*least, unit*most, unit
	if b.Size >= 0 {
		least, most, step = f.rests.steps(least, most, unit, uint32(b.Size), pc)
	}
	out := r.after(least, most, step)
	if b.Rest || open {
		out = out.between(8*behind, 8*behind+7)
	}
	f.to(pc+1, out)
}
