package fuzz

import (
	"math/bits"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// tagged lists, for each leaf that is a switch's tag, the ops of those switches.
func tagged(p *plan.Plan) map[int][]int {
	all := map[int][]int{}
	for pc := range p.Ops {
		op := &p.Ops[pc]
		if op.Code != plan.OpSwitch {
			continue
		}
		if o := &p.Operands[op.A]; o.Kind == plan.OperandLeaf {
			leaf := p.Leaf(o, pc)
			all[leaf] = append(all[leaf], pc)
		} else if s := p.Switches[op.B].TagSlot; s >= 0 {
			for _, leaf := range p.SlotLeaves[s] {
				all[int(leaf)] = append(all[int(leaf)], pc)
			}
		}
	}
	return all
}

// emptied sets a tag to values that it may not have, and takes away what the switch on it had: a reader that does not know
// the case, and does not refuse it either, reads nothing there and goes on.
func (r *mutating) emptied(ev *decode.Event, path string) bool {
	if r.mute {
		return true
	}
	for _, pc := range r.tags[ev.Leaf] {
		start, end, next := r.armBits(ev, pc)
		if start < 0 {
			continue
		}
		tried := 0
		for _, c := range r.codes[ev.Leaf] {
			if c.kind == reject.None || tried == 4 {
				continue
			}
			tried++
			data := r.without(ev, c.code, start, end, next)
			r.width = ev.Width
			want := refused(c.kind, path, ev.Bit, ev.Width)
			if r.inWindow(ev.Bit) {
				want = Expectation{} // the window does not fit any more, or ends elsewhere
			}
			ok := r.giveAsIs(ClassCode, data, path, c.done+", and nothing behind it", ev.Bit, c.code, want)
			r.width = 0
			if !ok {
				return false
			}
		}
	}
	return true
}

// labels is how many labels of a switch are tried.
const labels = 256

// relabelled sets a tag to the labels of other arms, whatever is behind it: the reader takes that for what it is not.
func (r *mutating) relabelled(ev *decode.Event, path string) bool {
	if r.mute {
		return true
	}
	info := &r.plan.Info[ev.Leaf]
	for _, pc := range r.tags[ev.Leaf] {
		s, operand := &r.plan.Switches[r.plan.Ops[pc].B], &r.plan.Operands[r.plan.Ops[pc].A]
		for i := range s.Entries[:min(len(s.Entries), labels)] {
			code := info.CodeOf(operand.Key(s.Entries[i].Lo), ev.Width) // a key is its own inverse
			known := slices.ContainsFunc(r.codes[ev.Leaf], func(c candidate) bool { return c.code == code })
			if known || code == ev.Code || bits.Len64(code) > ev.Width {
				continue
			}
			if !r.try(ClassEdge, ev, path, candidate{code: code, done: "another arm's label"}) {
				return false
			}
		}
	}
	return true
}

// armBits is what a switch read in this packet, and where the next thing behind it begins; -1 without anything.
func (r *mutating) armBits(ev *decode.Event, pc int) (start, end, next int) {
	t := &r.trace
	parts := arms(r.plan, pc)
	behind := parts[len(parts)-1].end
	start, end, next = -1, -1, t.Bits
	for i := ev.Span; i < len(t.Spans); i++ {
		s := &t.Spans[i]
		switch op := int(s.Op); {
		case op <= pc:
		case op < behind:
			if start < 0 {
				start = int(s.Bit)
			}
			end = max(end, int(s.Bit)+r.spanBits(s))
		default:
			return start, end, int(s.Bit)
		}
	}
	return start, end, next
}

// without sets a field and takes bits out of the packet. What was padding between end and next is made anew.
func (r *mutating) without(ev *decode.Event, code uint64, start, end, next int) []byte {
	order := r.plan.Order
	head := r.setTo(ev, code)
	at := start
	if gap := next - end; 0 < gap && gap < 8 {
		at = (at + 7) &^ 7
	} else if end%8 == 0 && next == end && next < r.trace.Bits && start%8 != 0 && r.plan.Ops[r.spanAt(next)].Code == plan.OpRun {
		at = (at + 7) &^ 7 // it may have been aligned, and was
	}
	size := at + r.trace.Bits - next
	data := r.blank((size + 7) / 8)
	copyBits(order, data, 0, head, 0, start)
	copyBits(order, data, at, head, next, r.trace.Bits)
	r.crc.repair(r.plan, data)
	return data
}

// spanAt is the op of the first span that begins at a bit or behind it.
func (r *mutating) spanAt(bit int) int {
	for i := range r.trace.Spans {
		if s := &r.trace.Spans[i]; int(s.Bit) >= bit {
			return int(s.Op)
		}
	}
	return len(r.plan.Ops) - 1
}

// copyBits copies the bits from … end of one buffer to a place in another.
func copyBits(order wire.Order, to []byte, at int, data []byte, from, end int) int {
	for from < end {
		n := min(64, end-from)
		order.Store(to, at, n, order.Load(data, from, n))
		from, at = from+n, at+n
	}
	return at
}

// inWindow reports whether a window is around a bit.
func (r *mutating) inWindow(bit int) bool {
	for i := range r.gaps {
		if g := &r.gaps[i]; g.Window && g.Bit <= bit && bit < g.Bit+g.Width {
			return true
		}
	}
	return false
}
