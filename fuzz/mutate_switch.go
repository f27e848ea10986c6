package fuzz

import (
	"iter"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// tagged lists, for each leaf that is a switch's tag, those switches.
func tagged(p *plan.Plan) map[int][]*plan.Switch {
	all := map[int][]*plan.Switch{}
	for _, s := range p.Switches {
		for leaf := range p.TagLeaves(s) {
			all[leaf] = append(all[leaf], s)
		}
	}
	return all
}

// longestBody is how many bytes are tried as the body of what is refused, and most of it how many codes.
const (
	longestBody  = 8
	refusedTried = 4
)

// bodied sets what decides what is after it to values that it may not have, with no body, with up to 8 bytes and with the
// least that each way takes: a reader that does not refuse the value reads one of these, and goes on.
func (r *mutating) bodied(ev *decode.Event, path string) bool {
	if r.mute || r.fields[ev.Leaf] == nil {
		return true
	}
	first, last := r.choices(ev.Leaf)
	if first == nil {
		return true
	}
	at := r.waysBits(ev, first)
	if e := r.fields[ev.Leaf].enum; e != nil && e.Flags { // what is there stays, and one more may bring more
		at = r.waysBits(ev, last)
		at.start, at.end = at.next, at.next
	}
	at.around = r.windowsAround(at.start, at.next)
	sizes := make([]int, longestBody+1)
	for n := range sizes {
		sizes[n] = n
	}
	for _, way := range first.Blocks() {
		bits := uint64(0)
		for _, s := range way.Steps {
			least, _ := r.plan.Bits(s)
			bits += least
		}
		if n := int(min(bits, 8*schema.MaxUDPPayload)+7) / 8; n > longestBody && !slices.Contains(sizes, n) && len(sizes) < 2*longestBody {
			sizes = append(sizes, n)
		}
	}
	for _, c := range r.refusedSome(ev) {
		for _, n := range sizes {
			data := r.withBody(ev, c.code, &at, n)
			if data == nil {
				continue
			}
			want := oracle.Expectation{} // it is refused where the switch is; or the window does not fit any more, or ends elsewhere
			if c.kind != reject.None && !r.inWindow(ev.Bit) {
				want = refused(c.kind, path, ev.Bit, ev.Width)
			}
			done := c.done + ", and nothing behind it"
			if n > 0 {
				done = c.done + ", and " + strconv.Itoa(n) + " bytes of it"
			}
			r.width = ev.Width
			ok := r.giveAsIs(ClassCode, data, path, done, ev.Bit, c.code, want)
			if r.width = 0; !ok {
				return false
			}
		}
	}
	return true
}

// choices are the first and the last step with ways that a leaf decides, of those that are in no other.
func (r *mutating) choices(leaf int) (first, last plan.Step) {
	for _, id := range r.decided[leaf] {
		s := r.plan.Steps[id]
		if s.Flow() != plan.Choose || last != nil && id < last.At().End {
			continue
		}
		if last = s; first == nil {
			first = s
		}
	}
	return first, last
}

// refusedSome are codes that a field may not have, or that no arm is for: those with a name, and one between.
func (r *mutating) refusedSome(ev *decode.Event) (list []candidate) {
	for _, c := range r.codes[ev.Leaf] {
		if len(list) < refusedTried && (c.kind != reject.None || r.armless(ev.Leaf, c.code, ev.Width)) {
			list = append(list, c)
		}
	}
	if codes := r.refusedOf(ev.Leaf).codes; len(codes) > 0 {
		code := codes[len(codes)-1]
		list = append(list, candidate{code, "an unused code", r.fields[ev.Leaf].refuses(code)})
	}
	return list
}

// labels is how many labels of a switch are tried.
const labels = 256

// relabelled sets a tag to the labels of other arms, whatever is after it: the reader takes that for what it is not.
func (r *mutating) relabelled(ev *decode.Event, path string) bool {
	if r.mute {
		return true
	}
	info := &r.plan.Info[ev.Leaf]
	for _, s := range r.tags[ev.Leaf] {
		operand := &r.plan.Operands[s.Tag]
		for i := range s.Entries[:min(len(s.Entries), labels)] {
			code := info.CodeOf(operand.Key(s.Entries[i].Lo), ev.Width) // a key is its own inverse
			known := slices.ContainsFunc(r.codes[ev.Leaf], func(c candidate) bool { return c.code == code })
			if known || code == ev.Raw || bits.Len64(code) > ev.Width {
				continue
			}
			if !r.try(classEdge, ev, path, candidate{code: code, done: "another arm's label"}) {
				return false
			}
		}
	}
	return true
}

// tagging is a switch without a default whose tag follows from one leaf, by way of `let`s or of none.
type tagging struct {
	at   *plan.Switch
	slot uint32      // that holds the leaf's value, where the switch does not read it from the packet
	lets []*plan.Let // in the order in which they are computed
}

// taggings lists them for each leaf.
func taggings(p *plan.Plan) map[int][]tagging {
	all := map[int][]tagging{}
	lets := coverage.NewTerms(p)
	for _, s := range p.Switches {
		if s.Default >= 0 || p.Opens() != nil && p.Opens()[s.Tag] {
			continue
		}
		at := tagging{at: s}
		if o := &p.Operands[s.Tag]; o.Kind == plan.OperandLeaf {
			leaf := p.LeafOf(o, s.ID)
			all[leaf] = append(all[leaf], at)
			continue
		}
		for operand := s.Tag; ; {
			slots := p.Reads(operand)
			if len(slots) != 1 {
				break
			}
			leaves := p.RegisterLeaves[slots[0]]
			at.slot = slots[0]
			for _, leaf := range leaves {
				all[int(leaf)] = append(all[int(leaf)], at)
			}
			let := lets.Let(slots[0])
			if len(leaves) > 0 || let == nil || len(at.lets) == coverage.MaxLets {
				break
			}
			at.lets = append([]*plan.Let{let}, at.lets...)
			operand = let.Value
		}
	}
	return all
}

// armless reports whether a switch has no arm for what follows from a code of a leaf.
func (r *mutating) armless(leaf int, code uint64, width int) bool {
	p := r.plan
	value := p.Info[leaf].Value(code, width)
	for _, at := range r.taggings[leaf] {
		operand, tag := &p.Operands[at.at.Tag], value
		if operand.Kind != plan.OperandLeaf {
			env := &r.env
			if env.Registers == nil {
				env.Registers = make([]uint64, p.Registers)
			}
			env.Registers[at.slot] = value
			for _, let := range at.lets {
				env.Registers[let.Register] = p.Eval(let.Value, env)
			}
			tag = p.Eval(at.at.Tag, env)
		}
		if at.at.Find(operand.Key(tag)) < 0 {
			return true
		}
	}
	return false
}

// unlabelled sets a tag to each code that its type allows and no arm is for: to all of them where unused would, else to
// those next to every label, powers of two, and a sample.
func (r *mutating) unlabelled(ev *decode.Event, path string) bool {
	f := r.fields[ev.Leaf]
	if r.mute || r.seen == nil || f == nil || f.width == 0 || len(r.taggings[ev.Leaf]) == 0 {
		return true
	}
	tried, room := map[uint64]bool{ev.Raw: true}, new(big.Int)
	bare := func(code uint64) bool {
		return f.refusesIn(room, code) == reject.None && r.armless(ev.Leaf, code, f.width)
	}
	count := r.bareTags(ev.Leaf)
	for _, c := range r.codes[ev.Leaf] {
		if tried[c.code] = true; count > 0 && bare(c.code) {
			count-- // by name
		}
	}
	all := f.width <= allBits && count <= r.most && !(r.again && count > pairCodes)
	var codes []uint64
	for code := range r.tagCodes(ev.Leaf, f.width, all) {
		if !tried[code] && bare(code) {
			tried[code] = true
			codes = append(codes, code)
		}
	}
	r.bare = !all
	defer func() { r.bare = false }()
	if !all {
		r.left = count - min(uint64(len(codes)), count)
	}
	for _, code := range codes {
		if !r.try(ClassCode, ev, path, candidate{code: code, done: "a tag without an arm"}) {
			return false
		}
	}
	return true
}

// bareTags is how many codes of a tag its type allows and no arm is for. Of a wide tag that is computed it is all that
// its type allows.
func (m *Mutator) bareTags(leaf int) uint64 {
	c, f := &m.refused[leaf], m.fields[leaf]
	c.rough.Do(func() {
		if f.width <= allBits {
			room := new(big.Int)
			r := &mutating{Mutator: m}
			for code := range uint64(1) << f.width {
				if f.refusesIn(room, code) == reject.None && r.armless(leaf, code, f.width) {
					c.bare++
				}
			}
			return
		}
		c.bare = wire.Mask(f.width) - min(m.refusedOf(leaf).count, wire.Mask(f.width))
		if tag := m.taggings[leaf]; len(tag) == 1 && m.plan.Operands[tag[0].at.Tag].Kind == plan.OperandLeaf {
			for _, e := range tag[0].at.Entries {
				c.bare -= min(e.Hi-e.Lo+1, c.bare)
			}
			if c.bare < math.MaxUint64 && f.width < 64 {
				c.bare++ // Mask is one less than there are
			}
		}
	})
	return c.bare
}

// tagCodes are the codes of a tag that may have no arm, some more than once.
func (m *Mutator) tagCodes(leaf, width int, all bool) iter.Seq[uint64] {
	return func(yield func(code uint64) bool) {
		mask := wire.Mask(width)
		if all {
			for code := range mask + 1 {
				if !yield(code) {
					return
				}
			}
			return
		}
		info := &m.plan.Info[leaf]
		for _, at := range m.taggings[leaf] {
			s, operand := at.at, &m.plan.Operands[at.at.Tag]
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

// waysBits is what a step with ways read in this packet after a field, and where the next thing after it begins.
func (r *mutating) waysBits(ev *decode.Event, s plan.Step) region {
	t, at := &r.trace, s.At()
	start, end, next := -1, 0, t.Bits
	for i := ev.Record + 1; i < len(t.Records); i++ {
		one := &t.Records[i]
		if one.Point > at.Last || one.Point <= t.Records[ev.Record].Point { // or the field's list goes on
			next = int(one.Bit)
			break
		}
		if one.Point > at.Point {
			if start < 0 {
				start = int(one.Bit)
			}
			end = max(end, int(one.Bit)+r.spanBits(one))
		}
	}
	if start < 0 {
		start, end = next, next
	}
	return region{step: s, start: start, end: end, next: next}
}

// withBody sets a field and puts so many bytes of zeros where a region is; nil where no datagram holds that. What was
// padding between its end and the next thing is made anew; the windows around it hold as much.
func (r *mutating) withBody(ev *decode.Event, code uint64, ways *region, size int) []byte {
	start, end, next := ways.start, ways.end, ways.next
	if next > 8*len(r.packet) { // the window around it is filled with zeros
		return nil
	}
	order := r.plan.Order
	head := r.setTo(ev, code)
	at := start + 8*size
	if gap := next - end; 0 < gap && gap < 8 {
		at = (at + 7) &^ 7
	} else if end%8 == 0 && next == end && next < r.trace.Bits && start%8 != 0 && r.runAt(next) {
		at = (at + 7) &^ 7 // it may have been aligned, and was
	}
	whole := (at + r.trace.Bits - next + 7) / 8
	if whole > r.plan.Schema.MaxDatagram {
		return nil
	}
	r.widen(head, ways.around, ev, 0, func(*around) int { return at - next })
	data := r.blank(whole)
	copyBits(order, data, 0, head, 0, start)
	copyBits(order, data, at, head, next, r.trace.Bits)
	r.repair(data)
	return data
}

// runAt reports whether the first span that begins at a bit or after it is a run.
func (r *mutating) runAt(bit int) (ok bool) {
	i := slices.IndexFunc(r.trace.Records, func(s decode.Record) bool { return int(s.Bit) >= bit })
	if i >= 0 {
		_, ok = r.plan.StepAt(r.trace.Records[i].Point).(*plan.Run)
	}
	return ok
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
