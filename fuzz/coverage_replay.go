package fuzz

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// replaying is the way that a packet took through the plan, found again from its Trace: what was read is there, so every
// decision can be taken once more.
//
// An op that stops the packet is known by its index and by that nothing behind it was read. That is enough, because every
// element of a list leaves something in the trace.
type replaying struct {
	slots   []uint64
	loops   [64]uint64 // how often more
	sizes   [64]uint32 // elements
	windows [64]int
	bit     int
	end     int
	span    int // next
	last    *decode.Span
	choice  uint32 // point of the decision before
}

// replay marks what the packet did. It returns false when trace and plan do not fit, which would be a mistake here.
func (c *Coverage) replay(t *decode.Trace) bool {
	m, p, r := c.points, c.points.p, &c.way
	r.bit, r.end, r.span, r.last, r.choice = 0, 8*len(t.Payload), 0, nil, 0
	stop := -1
	if j := t.Reject(); j != nil {
		o := m.refusals.find(j)
		if o < 0 {
			return false
		}
		c.hit(uint32(o))
		if o == refusalSize {
			return true
		}
		stop = int(j.At.Op)
		if stop < 0 {
			stop = len(p.Ops) - 1
		}
	}
	for pc := 0; ; {
		op := &p.Ops[pc]
		if pc == stop && r.span == len(t.Spans) && op.Code != plan.OpRun {
			return true
		}
		switch op.Code {
		case plan.OpRun:
			s := r.take(t, pc)
			if s == nil {
				return false
			}
			c.values(int(op.A), t.Raw[s.Raw:s.Raw+s.N])
			if s.N < op.B {
				return pc == stop
			}
			r.bit = int(s.Bit) + int(op.C)
		case plan.OpSave:
			r.slots[op.A] = r.value(t, op.B, uint8(op.C), op.Imm)
		case plan.OpIf:
			if c.eval(t, op.A) == 0 {
				c.decide(m.op[pc] + 1)
				pc = int(op.B)
				continue
			}
			c.decide(m.op[pc])
		case plan.OpJump:
			pc = int(op.A)
			continue
		case plan.OpSwitch:
			to := p.Switches[op.B].Find(p.Operands[op.A].Key(c.eval(t, op.A)))
			if to < 0 {
				return false
			}
			c.decide(m.arm[to])
			pc = int(to)
			continue
		case plan.OpArray:
			s := r.take(t, pc)
			if s == nil {
				return false
			}
			r.loops[op.A], r.sizes[op.A] = uint64(s.N), s.N
			if s.N == 0 {
				pc = c.leave(uint32(pc))
				continue
			}
		case plan.OpNext:
			if list := &p.Ops[op.A]; list.Code == plan.OpArray {
				if r.loops[list.A]--; r.loops[list.A] == 0 {
					pc = c.leave(op.A)
					continue
				}
			}
			pc = int(op.A) + 1
			continue
		case plan.OpEnd:
			c.hit(m.op[pc])
			return r.span == len(t.Spans)
		default:
			to, ok := c.rare(t, pc, op)
			if !ok {
				return false
			}
			pc = to
			continue
		}
		pc++
	}
}

// rare takes an op that a hot packet seldom has, and returns the next.
func (c *Coverage) rare(t *decode.Trace, pc int, op *plan.Op) (next int, ok bool) {
	m, p, r := c.points, c.points.p, &c.way
	next = pc + 1
	var s *decode.Span
	switch op.Code {
	case plan.OpCRC, plan.OpNumber, plan.OpReserved, plan.OpBlob, plan.OpRepeat, plan.OpStruct:
		if s = r.take(t, pc); s == nil {
			return 0, false
		}
	}
	switch op.Code {
	case plan.OpCRC:
		c.values(int(op.A), t.Raw[s.Raw:s.Raw+1])
		r.bit = int(s.Bit) + 32
	case plan.OpNumber:
		next = c.number(t, s, pc, op)
	case plan.OpAlign:
		c.hit(m.op[pc])
		r.bit += -r.bit & (int(op.A) - 1)
	case plan.OpReserved:
		c.hit(m.op[pc])
		r.bit = int(s.Bit) + int(op.A)
	case plan.OpBlob:
		b := p.Blobs[op.A]
		c.size(m.op[pc], uint64(s.N), uint64(b.Max))
		r.bit = int(s.Bit) + b.Unit()*int(s.N)
		if b.Text == schema.TextCString {
			r.bit += 8
		}
	case plan.OpWindow:
		c.hit(m.op[pc])
		if op.Flags&plan.FlagPacked == 0 {
			r.bit += -r.bit & 7
		}
		size := c.eval(t, op.A)
		r.windows[op.B] = r.end
		r.end = r.bit + int(size)*int(op.C)
	case plan.OpClose:
		c.hit(m.op[pc])
		r.bit, r.end = r.end, r.windows[op.B]
	case plan.OpRepeat:
		r.loops[op.A], r.sizes[op.A] = op.Imm, s.N
	case plan.OpMore, plan.OpUntil:
		leave := op.Code == plan.OpUntil && c.eval(t, op.B) != 0
		if op.Code == plan.OpMore {
			leave = op.C == plan.MoreRest && r.end-r.bit < 8 || op.C == plan.MoreWhile && c.eval(t, op.B) == 0
		}
		if leave {
			next = c.leave(op.A)
		}
		c.pair(uint32(next))
	case plan.OpSlot:
		return c.slot(t, pc, op)
	case plan.OpLet:
		r.slots[op.A] = c.eval(t, op.B)
	case plan.OpMark:
		r.slots[op.A] = uint64(r.bit)
	case plan.OpUnit, plan.OpRequire, plan.OpFrom:
		c.hit(m.op[pc])
	}
	return next, true
}

// number takes a number whose width was found on the way.
func (c *Coverage) number(t *decode.Trace, s *decode.Span, pc int, op *plan.Op) (next int) {
	p, r := c.points.p, &c.way
	n := p.Numbers[op.B]
	leaf, code := int(op.A), t.Raw[s.Raw]
	next = pc + 1
	if n.EndLeaf >= 0 && code == n.Most {
		leaf, next = int(n.EndLeaf), c.leave(n.List)
	}
	if info := &p.Info[leaf]; info.Signed && s.N > 0 {
		// The same value has the same point in every width.
		wide := [1]uint64{uint64(wire.SignExtend(code, int(s.N))) & p.Leaves[leaf].Mask}
		c.values(leaf, wide[:])
	} else {
		c.values(leaf, t.Raw[s.Raw:s.Raw+1])
	}
	if n.Slot >= 0 {
		r.slots[n.Slot] = p.Info[leaf].Value(code, int(s.N))
	}
	if n.Previous >= 0 {
		r.slots[n.Previous] = code
	}
	r.bit = int(s.Bit) + int(s.N)
	return next
}

// slot takes the flags of a bitmap up to the next that is set.
func (c *Coverage) slot(t *decode.Trace, pc int, op *plan.Op) (next int, ok bool) {
	p, r := c.points.p, &c.way
	list := &p.Ops[op.A]
	for ; r.loops[list.A] > 0; r.loops[list.A]-- {
		if r.span == len(t.Spans) { // it ends among the flags
			return pc, true
		}
		s := r.take(t, pc)
		if s == nil || s.N != 1 {
			return 0, false
		}
		c.values(int(op.B), t.Raw[s.Raw:s.Raw+1])
		r.bit = int(s.Bit) + 1
		if t.Raw[s.Raw] == 0 {
			continue
		}
		if s = r.take(t, pc); s == nil {
			return 0, false
		}
		c.values(int(op.C), t.Raw[s.Raw:s.Raw+1])
		r.loops[list.A]--
		return pc + 1, true
	}
	return c.leave(op.A), true
}

// leave ends the list that begins at pc, and returns the op behind it. Before, its elements were not all there.
func (c *Coverage) leave(pc uint32) (next int) {
	list := &c.points.p.Ops[pc]
	c.size(c.points.op[pc], uint64(c.way.sizes[list.A]), c.points.most[c.points.p.StepOf(pc).At().ID])
	return int(list.B)
}

// take is the next span, which the op at pc left; nil when it is another's.
func (r *replaying) take(t *decode.Trace, pc int) *decode.Span {
	if r.span >= len(t.Spans) || int(t.Spans[r.span].Op) != pc {
		return nil
	}
	r.last = &t.Spans[r.span]
	r.span++
	return r.last
}

// value is the value of leaf n of the run before, as the decoder's leafValue.
func (r *replaying) value(t *decode.Trace, n uint32, extend uint8, base uint64) uint64 {
	return plan.Extend(t.Raw[r.last.Raw+n], extend, base)
}

// eval computes an operand as the decoder did.
func (c *Coverage) eval(t *decode.Trace, i uint32) uint64 {
	p, r := c.points.p, &c.way
	o := &p.Operands[i]
	switch o.Kind {
	case plan.OperandConst:
		return o.Const
	case plan.OperandSlot:
		return r.slots[o.Slot]
	case plan.OperandLeaf:
		return r.value(t, o.Slot, o.Extend, o.Const)
	}
	env := plan.Env{Slots: r.slots, Rest: uint64(r.end-r.bit) / 8, From: t.From}
	return p.Eval(i, &env)
}
