package plan

import (
	"cmp"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// satMax is where counting stops: far above every limit, far below overflow.
const satMax = uint64(1) << 40

func satAdd(a, b uint64) uint64 {
	if a >= satMax || b >= satMax || a+b >= satMax {
		return satMax
	}
	return a + b
}

func satMul(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return 0
	}
	if a >= satMax || b >= satMax || a > satMax/b {
		return satMax
	}
	return a * b
}

// The bound on work (schema-language.md, "The checker and the bound"). For a stretch of steps, work ≤ a + b × bits
// consumed: an item is (1, 0), a sequence adds, ways that meet take the larger of each, an array of constant count n is
// (n·a, n·b's share of the same bits: b), and any other array of elements of at least m bits is (1, a/m + b), because k
// elements consume k·m bits at least. A packet that is refused may end inside an element, in each list around it: a for
// each of those is added once.
//
// What was read to its end has paid with its own bits: work ≤ a + b × (bits − m), where m is its fewest. Of ways that meet,
// what one takes beyond the cheapest is then a rate over the bits that it has beyond the shortest, and an array is
// (0, max(a/m, b)): a record with many optional parts does not take, for its own few bits, what all of them would. An array
// takes the smaller of both rates: its elements were read to their ends but the last one, which is counted above, as if
// nothing in it had been paid. A packet may end inside a way, so the body of a packet itself cannot be charged so.
//
// A small array has another bound, k·a with its largest count, which is far tighter when it stands alone (a snapshot
// with at most 4 players) and far looser when nested. Neither is always better, so both are carried through and the
// smaller total counts.

// fixOne is 1.0 in the fixed-point numbers that b is held in, rounded up.
const fixOne = 1 << 20

// line is a + b × bits + over × bits of the datagram; b and over in units of 1/fixOne. over is what checksums take: in
// a sequence these add up, as each can cover the same bits, in a list each covers its own element. Up to the end of a
// window or of the datagram they can cover bits that are none of a packet's.
type line struct{ a, b, over uint64 }

func (l line) add(o line) line { return line{satAdd(l.a, o.a), max(l.b, o.b), satAdd(l.over, o.over)} }
func (l line) max(o line) line { return line{max(l.a, o.a), max(l.b, o.b), max(l.over, o.over)} }

// charged is l with another a, and a rate at which its own is paid with m bits.
func (l line) charged(a, m uint64) line {
	if l.a > a {
		l.b = max(l.b, perBit(l.a-a, m))
	}
	l.a = a
	return l
}

// perBit is a for at least m bits as a rate, rounded up.
func perBit(a, m uint64) uint64 {
	rate := satMul(a, fixOne)
	return (rate + m - 1) / m
}

// at is the bound for a packet of n bits, in a datagram of at most so many.
func (l line) at(n, datagram uint64) uint64 {
	return satAdd(satAdd(l.a, rated(l.b, n)), rated(l.over, datagram))
}

// rated is rate × n, rounded up.
func rated(rate, n uint64) uint64 {
	hi, lo := bits.Mul64(rate, n)
	if hi >= fixOne {
		return satMax
	}
	q, r := bits.Div64(hi, lo, fixOne)
	if r > 0 {
		q++
	}
	return q
}

// work is both bounds for both things counted, and how many bits there are of what was read to its end.
type work struct {
	steps, fields lines
	begun         begun // by rate: what one element in each of the lists takes that a packet can end in
	sizes         sizes
}

// lines are of one thing counted, of what was read to its end but the first.
type lines [3]line

const (
	byRate  = iota // as the page has it
	byCount        // by largest count
	paid           // by rate, of the bits beyond the fewest
)

// unpaid makes paid of byRate, where m fewest bits are counted otherwise.
func (b *lines) unpaid(m uint64) {
	b[paid] = b[byRate]
	b[paid].a = satAdd(b[paid].a, rated(b[paid].b, m))
}

// begun is the work of elements that are not read to their end.
type begun struct{ steps, fields uint64 }

func (b begun) max(o begun) begun { return begun{max(b.steps, o.steps), max(b.fields, o.fields)} }

func (w work) add(o work) work {
	for i := range w.steps {
		w.steps[i] = w.steps[i].add(o.steps[i])
		w.fields[i] = w.fields[i].add(o.fields[i])
	}
	w.begun = w.begun.max(o.begun)
	return w.sized(w.sizes.then(&o.sizes), satAdd(w.sizes.least(), o.sizes.least()))
}

// sized is w with other sizes, of which so many bits were counted as its fewest.
func (w work) sized(s sizes, counted uint64) work {
	if w.sizes = s; s.least() > counted {
		more := s.least() - counted
		w.steps[paid].a = satAdd(w.steps[paid].a, rated(w.steps[paid].b, more))
		w.fields[paid].a = satAdd(w.fields[paid].a, rated(w.fields[paid].b, more))
	}
	return w
}

// meet is the work of one of several ways.
func meet(ways ...work) work {
	w := ways[0]
	steps, fields := w.steps[paid].a, w.fields[paid].a // of the cheapest
	for _, o := range ways[1:] {
		for i := range w.steps {
			w.steps[i] = w.steps[i].max(o.steps[i])
			w.fields[i] = w.fields[i].max(o.fields[i])
		}
		w.begun, w.sizes = w.begun.max(o.begun), w.sizes.or(&o.sizes)
		steps, fields = min(steps, o.steps[paid].a), min(fields, o.fields[paid].a)
	}
	least := w.sizes.least()
	for _, o := range ways {
		if o.sizes.least() == least { // it pays with nothing
			steps, fields = max(steps, o.steps[paid].a), max(fields, o.fields[paid].a)
		}
	}
	w.steps[paid], w.fields[paid] = line{}, line{}
	for _, o := range ways {
		w.steps[paid] = w.steps[paid].max(o.steps[paid].charged(steps, o.sizes.least()-least))
		w.fields[paid] = w.fields[paid].max(o.fields[paid].charged(fields, o.sizes.least()-least))
	}
	return w
}

// cost is the work of one thing that takes steps and leaves fields.
func cost(steps, fields uint64, of sizes) work {
	l, f := line{a: steps}, line{a: fields}
	return work{steps: lines{l, l, l}, fields: lines{f, f, f}, sizes: of}
}

// times is the work of an array of lo elements to hi.
func (w work) times(lo, hi uint64) work {
	m := w.sizes.least()
	out := work{begun: w.begun, steps: w.steps.times(lo, hi, m), fields: w.fields.times(lo, hi, m)}
	if lo < hi && m > 0 {
		out.begun = begun{satAdd(w.steps[byRate].a, w.begun.steps), satAdd(w.fields[byRate].a, w.begun.fields)}
	}
	return out.sized(w.sizes.repeated(lo, hi), satMul(lo, m))
}

// times is an array of lo elements to hi, of at least m bits.
func (b lines) times(lo, hi, m uint64) lines {
	out := b
	for i := range out {
		out[i].a = satMul(hi, out[i].a)
	}
	if lo < hi && m > 0 {
		own := line{satMul(lo, b[paid].a), max(perBit(b[paid].a, m), b[paid].b), b[byRate].over}
		out[byRate] = line{0, min(satAdd(perBit(b[byRate].a, m), b[byRate].b), own.b), own.over}
		if out[paid] = own; lo == 0 {
			out[paid] = out[byRate]
		}
	}
	return out
}

// total is the work of n bits of a datagram. The two bounds hold for every packet, so the smaller one does.
func total(b lines, begun, n, datagram uint64) uint64 {
	return min(satAdd(b[byRate].at(n, datagram), begun), b[byCount].at(n, datagram))
}

func (w *work) totalSteps(n, datagram uint64) uint64 {
	return total(w.steps, w.begun.steps, n, datagram)
}

func (w *work) totalFields(n, datagram uint64) uint64 {
	return total(w.fields, w.begun.fields, n, datagram)
}

// tooMuch is the error of a packet that could have more of something than most: at the list that is shortened least to
// keep it below, and with the datagram that does.
func (p *Plan) tooMuch(verb, what string, most int, total func(w *work, n, datagram uint64) uint64) *schema.Diagnostic {
	datagram := uint64(p.Schema.MaxDatagram) * 8
	of := func() uint64 {
		w := p.block(p.Root, true)
		return total(&w, min(w.sizes.most(), datagram), datagram)
	}
	all := of()
	if all <= uint64(most) {
		return nil
	}
	d := errorAt(p.Schema.Packet.Pos, "a packet could %s %s %s, at most %d are allowed", verb, saturated(all), what, most)
	with := func(list *List, n uint64) uint64 { // what it is with a list of at most n
		was := list.Max
		list.Max = n
		defer func() { list.Max = was }()
		return of()
	}
	var cures []string
	kept, tries := 0.0, max(1, mostCounted/len(p.Steps))
	for _, s := range p.Steps {
		list, ok := s.(*List)
		if !ok || list.Max < 2 || tries <= 0 {
			continue
		}
		n := sort.Search(int(min(list.Max, uint64(most))), func(n int) bool {
			tries--
			return with(list, uint64(n+1)) > uint64(most)
		})
		if part := float64(n) / float64(list.Max); part > kept { // of its length
			kept, cures = part, []string{fmt.Sprintf("let `%s` have at most %d elements", p.AppendRule(nil, list.Node), n)}
			d.Span = schema.Span{Pos: list.Pos, End: list.Pos}
		}
	}
	w := p.block(p.Root, true)
	fits := sort.Search(p.Schema.MaxDatagram, func(n int) bool {
		datagram := 8 * uint64(n+1)
		return total(&w, min(w.sizes.most(), datagram), datagram) > uint64(most)
	})
	if uint64(fits) >= (w.sizes.least()+7)/8 && fits > 0 {
		cures = append(cures, fmt.Sprintf("write `max datagram %d`", fits))
	}
	d.Fix = cmp.Or(strings.Join(cures, ", or "), "lower a count's range")
	return &d
}

// mostCounted is how many steps are counted again to find the list of tooMuch.
const mostCounted = 1 << 22

// Prove computes the plan's Bound from its steps.
func (p *Plan) Prove() Bound {
	w := p.block(p.Root, true)
	datagram := uint64(p.Schema.MaxDatagram) * 8
	used := min(w.sizes.most(), datagram)
	deepest := 0
	for _, s := range p.Steps {
		if s.Flow() == Repeat {
			deepest = max(deepest, s.At().Depth+1)
		}
	}
	return Bound{MaxLoops: deepest, MinBits: int64(w.sizes.least()), MaxBits: int64(used),
		MaxFields: int64(w.totalFields(used, datagram)), MaxSteps: int64(w.totalSteps(used, datagram))}
}

// block adds up the steps of a block: a step for each item of the schema (of a run: for each leaf) and for each
// expression instruction. What only leads from one to the next (saves, jumps, the ends of loops) is not counted: there
// is a fixed number of those per item.
//
// last says that the block is the last of its window, or of the packet. What a condition on `rest` says is left holds of
// all that comes after it, where that takes it all.
func (p *Plan) block(steps []Step, last bool) work {
	w, taken := cost(0, 0, fixed(0)), last
	for i, s := range slices.Backward(steps) {
		need := uint64(0)
		if taken = taken || takesRest(s); taken && i > 0 {
			need = p.needsRest(steps[i-1])
		}
		w = p.work(s, last && i == len(steps)-1, need > 0).add(w)
		if need > 0 {
			w = w.sized(w.sizes.within(8*need, satMax), w.sizes.least())
		}
	}
	return w
}

// work is that of a step where it lies. some says that not all of its window has been read.
func (p *Plan) work(s Step, last, some bool) work {
	w := s.work(p, last, some)
	return w.sized(w.sizes.from(s.At().Room), w.sizes.least())
}

// Bits are the fewest and the most bits of a step, with its blocks.
func (p *Plan) Bits(s Step) (least, most uint64) {
	w := p.work(s, false, false)
	return w.sizes.least(), w.sizes.most()
}

// asking is the work of one item and the expression that it asks.
func (p *Plan) asking(operand uint32) work {
	o := &p.Operands[operand]
	return cost(1+uint64(o.End-o.Start), 0, fixed(0))
}

func (r *Run) work(*Plan, bool, bool) work {
	n := uint64(r.N)
	return cost(n, n, fixed(uint64(r.Bits)))
}

func (u *Unit) work(*Plan, bool, bool) work { return cost(1, 0, fixed(0)) }

// work of a checksum: a step for 8 bytes that it covers.
func (c *Checksum) work(*Plan, bool, bool) work {
	bits := uint64(c.Algorithm.Width)
	w := cost(1+uint64(len(c.Prefix)+len(c.Suffix)), 1, fixed(bits))
	for i := range w.steps {
		w.steps[i].over = fixOne / 64
	}
	return w
}

func (o *Open) work(*Plan, bool, bool) work { return cost(1, 0, fixed(0)) }

func (a *Align) work(*Plan, bool, bool) work { return cost(1, 0, a.pads(a.Pads())) }

func (r *Reserved) work(*Plan, bool, bool) work {
	n := uint64(r.Bits)
	return cost(1+n/64, 1, fixed(n))
}

func (l *Let) work(p *Plan, _, _ bool) work {
	w := p.asking(l.Value)
	if l.Shown {
		w = w.add(cost(0, 1, fixed(0)))
	}
	return w
}

func (r *Require) work(p *Plan, _, _ bool) work { return p.asking(r.Cond) }

func (b *Blob) work(p *Plan, _, _ bool) work {
	unit, least := uint64(b.Unit()), b.MinBits
	most := satMul(unit, uint64(b.Max))
	w := cost(1, 1, b.pads(b.Pads()))
	if b.Size >= 0 {
		w.steps = p.asking(uint32(b.Size)).steps
		lo, _ := p.rangeOf(uint32(b.Size))
		least = max(least, satMul(unit, lo))
	}
	if b.Text == schema.TextName { // short as it is, it may lead to many labels
		w = w.add(cost(wire.MaxNameSteps, 0, fixed(0)))
	}
	for _, i := range b.Fragment.Operands {
		w = w.add(p.asking(i))
	}
	return w.add(cost(0, 0, ranged(min(least, most), most, 8)))
}

// work of a number: its fewest bits are what an element of a list must have at least.
func (s *Number) work(p *Plan, _, _ bool) work {
	least, most := s.bits(p)
	steps, unit := 1+s.Kind.row().flags, uint64(1)
	if s.Kind == NumberVarint {
		steps, unit = steps+most/8, 8 // groups
	} else if s.Kind == NumberBelow {
		steps += most
	}
	if i, ok := s.Expr(); ok {
		steps += uint64(p.Operands[i].End - p.Operands[i].Start)
	}
	return cost(steps, 1, ranged(least, most, unit))
}

func (w *Window) work(p *Plan, _, _ bool) work {
	body := p.block(w.Body, true)
	least, most := p.rangeOf(w.Size)
	least, most = satMul(least, uint64(w.Unit)), satMul(most, uint64(w.Unit))
	if w.Fill > 0 { // a reader copies what is there, and none of it need be
		body.sizes = ranged(least, max(least, body.sizes.most()), 1)
		body.steps.unpaid(least)
		body.fields.unpaid(least)
		body = body.add(cost(uint64(w.Fill)/64, 0, fixed(0)))
	}
	body = body.add(cost(1, 0, ranged(0, 7, 1))) // what is left over
	all := body.sizes.within(least, most)
	if w.Unit == 8 {
		all = all.whole()
	}
	return p.asking(w.Size).add(cost(0, 0, w.pads(w.Pads()))).add(body.sized(all, body.sizes.least()))
}

// rangeOf is the least and the most value of an operand that is no less than 0, held below satMax.
func (p *Plan) rangeOf(operand uint32) (least, most uint64) {
	o := &p.Operands[operand]
	held := func(v *big.Int) uint64 {
		if v.Sign() <= 0 {
			return 0
		} else if !v.IsUint64() {
			return satMax
		}
		return min(v.Uint64(), satMax)
	}
	switch {
	case o.Kind == OperandConst:
		return min(o.Const, satMax), min(o.Const, satMax)
	case o.Expr == nil || o.Expr.Lo == nil:
		return 0, satMax
	}
	return held(o.Expr.Lo), held(o.Expr.Hi)
}

func (i *If) work(p *Plan, last, _ bool) work {
	return p.asking(i.Cond).add(meet(p.block(i.Then, last), p.block(i.Else, last)))
}

func (s *Switch) work(p *Plan, last, _ bool) work {
	ways := make([]work, len(s.Arms))
	for i, arm := range s.Arms {
		ways[i] = p.block(arm.Steps, last)
	}
	return p.asking(s.Tag).add(meet(ways...))
}

func (g *Group) work(p *Plan, last, _ bool) work {
	return cost(2, 0, fixed(0)).add(p.block(g.Body, last))
}

func (s *List) work(p *Plan, _, some bool) work {
	body, once, least := p.block(s.Body, false), cost(1, 0, fixed(0)), uint64(0)
	more := once // asked before each element, and once more at the end
	switch s.Kind {
	case ListCount:
		lo, most := p.rangeOf(s.Size)
		if p.Operands[s.Size].Kind != OperandConst {
			most = satMax
		}
		most = min(s.Max, most) // what a flow holds is less than the most that it can
		return p.asking(s.Size).add(body.times(min(lo, most), most))
	case ListWhile:
		more = p.asking(s.Size)
	case ListUntil: // its condition is asked of an element
		body, least = body.add(p.asking(s.Size)), 1
	case ListRest:
		if some {
			least = 1
		}
	}
	return once.add(body.add(more).times(min(least, s.Max), s.Max)).add(more)
}

func (s *Subset) work(p *Plan, _, _ bool) work {
	once, body := cost(1, 0, fixed(0)), p.block(s.Body, false)
	switch s.Kind {
	case schema.SubsetBitmap:
		// The flags of all slots are counted here, once per list, and one more per element; so the list is bounded by
		// its registers even where all of them are empty.
		w := once.add(body.add(cost(2, 2, fixed(1))).times(0, s.N)).add(cost(2, 2, fixed(0)))
		// An empty slot is a step and a field for its one bit; large elements alone would make less of a bit.
		w.steps[byRate].b, w.fields[byRate].b = max(w.steps[byRate].b, fixOne), max(w.fields[byRate].b, fixOne)
		slot := fixed(1)
		body.sizes = body.sizes.repeated(0, 1)
		slot = slot.then(&body.sizes)
		w.sizes = slot.times(s.N)
		w.steps.unpaid(s.N) // the flags of elements are among its fewest bits
		w.fields.unpaid(s.N)
		return w
	case schema.SubsetIndex:
		return p.asking(s.Count).add(body.times(0, s.N))
	}
	// The index that ends the list is read like an element's.
	end := s.Body[0].work(p, false, false)
	w := once.add(body.add(once).times(0, s.N+1)).add(once).add(end)
	w.sizes = body.sizes.repeated(0, s.N)
	w.sizes = w.sizes.then(&end.sizes)
	return w
}

// wide is a 64-bit value as a mathematical integer.
func wide(v uint64, signed bool) *big.Int {
	if signed {
		return big.NewInt(int64(v))
	}
	return new(big.Int).SetUint64(v)
}
