package fuzz

import (
	"iter"
	"math/bits"
	"math/rand/v2"
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
			armless := c.kind == reject.None && r.armless(ev.Leaf, c.code, ev.Width)
			if c.kind == reject.None && !armless || tried == 4 {
				continue
			}
			tried++
			data := r.without(ev, c.code, start, end, next)
			r.width = ev.Width
			want := refused(c.kind, path, ev.Bit, ev.Width)
			if armless || r.inWindow(ev.Bit) {
				want = Expectation{} // it is refused where the switch stands; or the window does not fit any more, or ends elsewhere
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
		s, operand := r.plan.Switches[r.plan.Ops[pc].B], &r.plan.Operands[r.plan.Ops[pc].A]
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

// tagging is a switch without a default whose tag follows from one leaf, by way of `let`s or of none.
type tagging struct {
	op   int
	slot uint32 // that holds the leaf's value, where the switch does not read it from the packet
	lets []int  // in the order in which they are computed
}

// taggings lists them for each leaf.
func taggings(p *plan.Plan) map[int][]tagging {
	all := map[int][]tagging{}
	lets := newRests(p).lets
	for pc := range p.Ops {
		op := &p.Ops[pc]
		if op.Code != plan.OpSwitch || p.Switches[op.B].Default >= 0 || p.Opens() != nil && p.Opens()[op.A] {
			continue
		}
		if o := &p.Operands[op.A]; o.Kind == plan.OperandLeaf {
			leaf := p.Leaf(o, pc)
			all[leaf] = append(all[leaf], tagging{op: pc})
			continue
		}
		at := tagging{op: pc}
		for operand := op.A; ; {
			slots := p.Reads(operand)
			if len(slots) != 1 {
				break
			}
			leaves := p.SlotLeaves[slots[0]]
			at.slot = slots[0]
			for _, leaf := range leaves {
				all[int(leaf)] = append(all[int(leaf)], at)
			}
			let, known := lets[slots[0]]
			if len(leaves) > 0 || !known || let < 0 || len(at.lets) == maxLetsSolved {
				break
			}
			at.lets = append([]int{let}, at.lets...)
			operand = p.Ops[let].B
		}
	}
	return all
}

// armless reports whether a switch has no arm for what follows from a code of a leaf.
func (r *mutating) armless(leaf int, code uint64, width int) bool {
	p := r.plan
	value := p.Info[leaf].Value(code, width)
	for _, at := range r.taggings[leaf] {
		op := &p.Ops[at.op]
		operand, tag := &p.Operands[op.A], value
		if operand.Kind != plan.OperandLeaf {
			env := &r.env
			if env.Slots == nil {
				env.Slots = make([]uint64, p.Slots)
			}
			env.Slots[at.slot] = value
			for _, let := range at.lets {
				env.Slots[p.Ops[let].A] = p.Eval(p.Ops[let].B, env)
			}
			tag = p.Eval(op.A, env)
		}
		if p.Switches[op.B].Find(operand.Key(tag)) < 0 {
			return true
		}
	}
	return false
}

// unlabelled sets a tag to each code that its type allows and no arm is for: all of them in fields of at most 16 bits, in wider
// ones those next to every label, powers of two, and a sample.
func (r *mutating) unlabelled(ev *decode.Event, path string) bool {
	f := r.fields[ev.Leaf]
	if r.mute || r.seen == nil || f == nil || f.width == 0 || len(r.taggings[ev.Leaf]) == 0 {
		return true
	}
	tried := map[uint64]bool{ev.Code: true}
	for _, c := range r.codes[ev.Leaf] {
		tried[c.code] = true
	}
	for code := range r.tagCodes(ev.Leaf, f.width) {
		if tried[code] || f.refuses(code) != reject.None || !r.armless(ev.Leaf, code, f.width) {
			continue
		}
		if r.samples(ev.Leaf) {
			tried[code] = true
		}
		if !r.try(ClassCode, ev, path, candidate{code: code, done: "a tag without an arm"}) {
			return false
		}
	}
	return true
}

// tagCodes are the codes of a tag that may have no arm, some more than once.
func (m *Mutator) tagCodes(leaf, width int) iter.Seq[uint64] {
	return func(yield func(code uint64) bool) {
		mask := wire.Mask(width)
		if width <= allBits {
			for code := range mask + 1 {
				if !yield(code) {
					return
				}
			}
			return
		}
		info := &m.plan.Info[leaf]
		for _, at := range m.taggings[leaf] {
			s, operand := m.plan.Switches[m.plan.Ops[at.op].B], &m.plan.Operands[m.plan.Ops[at.op].A]
			for i := range s.Entries[:min(len(s.Entries), labels)] {
				e := &s.Entries[i]
				if !yield(info.CodeOf(operand.Key(e.Lo)-1, width)&mask) || !yield(info.CodeOf(operand.Key(e.Hi)+1, width)&mask) {
					return
				}
			}
		}
		for bit := range width {
			if !yield(1<<bit) || !yield(mask>>bit) {
				return
			}
		}
		random := rand.New(rand.NewPCG(uint64(leaf), uint64(width)))
		for range sampleCodes {
			if !yield(random.Uint64() & wire.Mask(1+random.IntN(width))) {
				return
			}
		}
	}
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
