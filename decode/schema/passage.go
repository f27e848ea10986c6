package schema

import (
	"fmt"
)

// Passage: whether any packet gets through. After what takes the rest of a window nothing is left, so an item there
// refuses every packet that comes to it; so do a window that is never full, a `require` that never holds, and one
// after which more is left than is read. Where no way leads around such a place the schema refuses every datagram,
// which is an error; where one does it is a warning.
//
// Three numbers are followed along the items: the bits of the window that are left at most, those that a condition says
// are left at least, and the bits that were read at least. All err towards "some packet may get through", so an error
// here is a proof. Named structs are followed once, from a window of unknown size, so the work is linear in the schema.

// stretch is what is known at a place.
type stretch struct {
	left  uint64 // bits of the window not yet read, at most; sizeMax: no bound is known
	used  uint64 // bits read since the walk began, at least
	taker *taker // why left is small; nil when left follows from a condition
	dead  bool   // no packet comes here
	over  over   // bits that are left at least
	at    int    // the same where nothing was read in between, in one window
	short []short
}

// taker is a value or window whose size leaves little after it.
type taker struct {
	name   string
	fix    func(bytes uint64) string // how to leave that many bytes after it
	behind []tail                    // what follows it up to the window's end, innermost first
}

// tail is a list of items, or something of which no more is known (the elements that may follow).
type tail struct {
	items   []Item
	order   Order
	unknown bool
}

// problem is a place that refuses every packet that comes to it.
type problem struct {
	at    Span
	what  string
	taker *taker // whose fix helps; nil when none does
	never int    // of a `require`: the number of its warning in diags, plus 1
}

// passages is one walk over the packet.
type passages struct {
	*checker
	pending []problem          // those that ended a way of the list being walked, which others may still lead around
	lets    map[*Var]least     // `let`s that follow from how much was left
	made    []*Var             // their names, in order, to be forgotten at the end of a branch
	behind  []tail             // what follows the place being walked in its window, outermost first
	cond    Span               // of the condition at hand
	loose   bool               // the window may end inside a byte
	structs map[passKey]*whole // what is known of named structs
	found   map[Pos]bool       // the problems that were reported
	places  int                // the last stretch.at
}

// passKey is a named struct in a window that ends on a byte, or in one that may not.
type passKey struct {
	s     *Struct
	loose bool
}

// whole is what a named struct does to what is left.
type whole struct {
	out     stretch
	pending []problem
}

// maxPending bounds the problems that are carried for one struct: it may be used many times.
const maxPending = 8

// passage needs a model without errors.
func (c *checker) passage() {
	structs, found := map[passKey]*whole{}, map[Pos]bool{}
	for _, root := range c.roots() {
		c.passageOf(root, structs, found)
	}
}

// passageOf follows a packet or a message.
func (c *checker) passageOf(p *Struct, structs map[passKey]*whole, found map[Pos]bool) {
	w := &passages{checker: c, lets: map[*Var]least{}, structs: structs, found: found}
	if end := w.items(p.Items, p.Order, stretch{left: sizeMax}); !end.dead && end.over.bits >= 8 {
		const what = "nothing reads the end of the packet: it always has at least %s more"
		w.dies(end, problem{at: end.over.at, what: fmt.Sprintf(what, amount(end.over.bits&^7))})
	}
	for _, x := range w.pending {
		w.report(x, Error)
	}
}

// report says a problem once.
func (p *passages) report(x problem, sev Severity) {
	if p.found[x.at.Pos] {
		return
	}
	p.found[x.at.Pos] = true
	if x.never > 0 { // its warning is there
		if sev == Error {
			p.errors++
			p.trouble++
			d := &p.diags[x.never-1]
			d.Severity, d.Span, d.Message = Error, x.at, x.what
		}
		return
	}
	fix := ""
	if x.taker != nil {
		fix = x.taker.advice()
	}
	if sev == Error {
		p.errorf(x.at, fix, "%s", listing(x.what))
		return
	}
	p.warnf(x.at, fix, "%s: every packet that comes here is refused", listing(x.what))
}

// dies ends a way.
func (p *passages) dies(s stretch, x problem) stretch {
	p.pending = append(p.pending, x)
	s.dead = true
	return s
}

// needs takes n bits for what is called name at at.
func (p *passages) needs(s stretch, n uint64, name string, at Span) stretch {
	if s.dead {
		return s
	}
	if s.left < n {
		return p.dies(s, problem{at: at, taker: s.taker, what: shortOf(s, n, name)})
	}
	if s.left != sizeMax {
		s.left -= n
	}
	s.used = satAdd(s.used, n)
	return p.shortens(s, n, name, at)
}

// shortens takes n bits from the ways that leave less than others do, and says where one has not as many.
func (p *passages) shortens(s stretch, n uint64, name string, at Span) stretch {
	if len(s.short) == 0 || n == 0 {
		return s
	}
	var kept []short
	for _, x := range s.short {
		if x.left < n {
			if !p.found[at.Pos] {
				p.found[at.Pos] = true
				p.warnf(at, "", "nothing is left for %s after `%s`: every packet that goes that way is refused", name, cut(x.name, 40))
			}
			continue
		}
		kept = append(kept, short{x.left - n, x.name})
	}
	s.short = kept
	return s
}

func shortOf(s stretch, n uint64, name string) string {
	switch {
	case s.taker == nil && s.left == 0:
		return fmt.Sprintf("nothing is left for %s: it needs %s", name, amount(n))
	case s.taker == nil:
		return fmt.Sprintf("nothing is left for %s: it needs %s, and at most %s can be left here", name, amount(n), amount(s.left))
	case s.left < 8:
		return fmt.Sprintf("nothing is left after `%s`: it takes the rest", cut(s.taker.name, 40))
	}
	return fmt.Sprintf("at most %s are left after `%s`, and %s needs %s", amount(s.left), cut(s.taker.name, 40), name, amount(n))
}

// amount is a number of bits for a message.
func amount(bits uint64) string {
	switch {
	case bits == 1:
		return "1 bit"
	case bits%8 != 0 || bits == 0:
		return fmt.Sprintf("%d bits", bits)
	case bits == 8:
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", bits/8)
}

// items follows a list to its end, or to the item that refuses every packet.
func (p *passages) items(items []Item, o Order, s stretch) stretch {
	depth := len(p.behind)
	for i, it := range items {
		p.behind = append(p.behind, tail{items: items[i+1:], order: o})
		before := s
		s = p.item(it, o, s)
		most := mostBits(it)
		if _, ways := it.(*If); !ways {
			s.over = s.over.behind(before.over, most)
		}
		if s.at = before.at; most > 0 {
			s = p.moved(s)
		}
		p.behind = p.behind[:depth]
		if s.dead {
			break
		}
	}
	return s
}

// moved is s where something may have been read.
func (p *passages) moved(s stretch) stretch {
	p.places++
	s.at = p.places
	return s
}

func (p *passages) item(it Item, o Order, s stretch) stretch {
	at := Span{Pos: it.ItemPos(), End: it.ItemPos()}
	p.cond = at
	switch it := it.(type) {
	case *Field:
		at.End.Off += int32(len(it.Name))
		at.End.Col += int32(len(it.Name))
		if it.Switch != nil {
			return p.choice(it, o, s, at)
		}
		return p.value(it.Value, o, s, it.Name, at)
	case *If:
		return p.ways(s,
			func(s stretch) stretch { return p.items(it.Then, o, p.given(s, it.Cond, true)) },
			func(s stretch) stretch {
				p.cond = at
				return p.items(it.Else, o, p.given(s, it.Cond, false))
			})
	case *Within:
		return p.window(it, o, s, at)
	case *Let:
		if l, ok := p.least(it.Value, s); ok {
			p.lets[it.Var] = l
			p.made = append(p.made, it.Var)
		}
	case *Require:
		if never, ok := p.never[it]; ok {
			return p.dies(s, problem{at: never.at, what: never.what, never: never.said})
		}
		return p.given(s, it.Cond, true)
	case *Align:
		return p.whole(s) // the item aligns in every order
	case *Reserved:
		return p.needs(s, uint64(it.Bits), "`reserved`", at)
	case *Check:
		if it.HasLabel {
			s = p.aligned(o, s)
		}
		return p.needs(s, 32, "the check", at)
	default:
		panic(fmt.Sprintf("pktscope: internal error: unknown item %T", it))
	}
	return s
}

// whole is s at the start of a byte: what is left then are whole bytes, unless the window ends inside one.
func (p *passages) whole(s stretch) stretch {
	if s.left != sizeMax && !p.loose {
		s.left &^= 7
	}
	return s
}

// aligned is s after the alignment that types do by themselves.
func (p *passages) aligned(o Order, s stretch) stretch {
	if o == Bytewise {
		return s
	}
	return p.whole(s)
}

// ways follows each way from s and joins what comes out of those that a packet can take. Where none is left, their
// problems stay pending; else they are of some packets only. The names that a way makes end with it.
func (p *passages) ways(s stretch, each ...func(stretch) stretch) stretch {
	out := stretch{dead: true}
	before, made := len(p.pending), len(p.made)
	first := s
	first.short = nil // what decides the way may have decided an earlier one, too
	var ends []stretch
	for _, way := range each {
		end := way(first)
		for _, v := range p.made[made:] {
			delete(p.lets, v)
		}
		p.made = p.made[:made]
		if !end.dead {
			ends = append(ends, end)
		}
		switch {
		case end.dead:
		case out.dead:
			out = end
		default:
			if end.left > out.left {
				out.left, out.taker = end.left, end.taker
			}
			out.used = min(out.used, end.used)
			if end.over.bits < out.over.bits || end.over.size {
				out.over = end.over
			}
		}
	}
	if out.over.size { // of one way
		out.over = over{}
	}
	out.short = nil
	for _, end := range ends {
		if end.left < out.left && end.taker != nil && end.taker != s.taker {
			out.short = append(out.short, short{end.left, end.taker.name})
		}
		for _, x := range end.short {
			if x.left < out.left && len(out.short) < mostShort {
				out.short = append(out.short, x)
			}
		}
	}
	for _, x := range s.short {
		if !out.dead && len(out.short) < mostShort {
			out.short = append(out.short, short{x.left - min(x.left, out.used-s.used), x.name})
		}
	}
	if !out.dead {
		for _, x := range p.pending[before:] {
			p.report(x, Warning)
		}
		p.pending = p.pending[:before]
	}
	return out
}

// mostShort bounds the ways that are told apart after where they meet.
const mostShort = 8

// choice is a switch. Its tag may be about how much is left.
func (p *passages) choice(f *Field, o Order, s stretch, at Span) stretch {
	sw := f.Switch
	fewest := sizeMax
	ways := make([]func(stretch) stretch, 0, len(sw.Arms))
	for _, arm := range sw.Arms {
		if arm.Value == nil {
			fewest = 0
		} else {
			fewest = min(fewest, arm.Value.MinBits)
		}
		ways = append(ways, func(s stretch) stretch {
			if n := len(arm.Ranges); n > 0 && !arm.Default {
				s = p.upTo(s, sw.Tag, arm.Ranges[n-1].Hi)
			}
			if arm.Value == nil {
				return s
			}
			return p.value(arm.Value, o, s, f.Name, Span{Pos: arm.Pos, End: arm.Pos})
		})
	}
	if s.left < fewest { // one complaint for all arms
		return p.needs(s, fewest, "`"+cut(f.Name, 40)+"`", at)
	}
	return p.ways(s, ways...)
}

// value follows a type. name and at are the field's.
func (p *passages) value(v *Value, o Order, s stretch, name string, at Span) stretch {
	quoted := "`" + cut(name, 40) + "`"
	switch t := v.Type.(type) {
	case *BlobType:
		return p.blob(t, o, s, name, at)
	case *StructRef:
		if s.left < v.MinBits {
			break
		}
		if t.Struct.Inline {
			return p.items(t.Struct.Items, t.Struct.Order, s)
		}
		return p.structure(t.Struct, s, quoted, at)
	case *OptionalType:
		s = p.moved(p.needs(s, v.MinBits, quoted, at))
		return p.maybe(s, func(s stretch) stretch { return p.value(t.Elem, o, s, name, at) })
	case *SubsetType:
		s = p.moved(p.needs(s, v.MinBits, quoted, at))
		return p.maybe(s, func(s stretch) stretch { return p.elem(t.Elem, o, s, name, at) })
	case *ArrayType:
		return p.array(t, v, o, p.moved(s), name, at)
	case *BoolType, *IntType, *RangedType, *FloatType, *QuantizedType, *VarintType, *VectorType, *SmallestType, *TextType,
		*ChecksumType, *EnumRef, *LadderType, *BelowType: // as many bits as its type says
	default:
		panic(fmt.Sprintf("pktscope: internal error: unknown type %T", t))
	}
	l := v.Type.Layout()
	if s = p.needs(s, l.Head, quoted, at); l.Aligned {
		s = p.aligned(o, s)
	}
	return p.needs(s, v.MinBits-l.Head, quoted, at)
}

// maybe is s after what may be absent.
func (p *passages) maybe(s stretch, what func(stretch) stretch) stretch {
	if s.dead {
		return s
	}
	return p.ways(s, func(s stretch) stretch { return s }, what)
}

// structure is a named struct: what it does anywhere, applied here.
func (p *passages) structure(t *Struct, s stretch, quoted string, at Span) stretch {
	key := passKey{t, p.loose}
	known := p.structs[key]
	if known == nil {
		inner := &passages{checker: p.checker, lets: map[*Var]least{}, structs: p.structs, found: p.found, loose: p.loose}
		known = &whole{out: inner.items(t.Items, t.Order, stretch{left: sizeMax})}
		known.pending = inner.pending[:min(len(inner.pending), maxPending)]
		p.structs[key] = known
	}
	if known.out.dead {
		for _, x := range known.pending {
			x.taker = p.outside(x.taker)
			p.pending = append(p.pending, x)
		}
		s.dead = true
		return s
	}
	s = p.needs(s, known.out.used, quoted, at)
	if !s.dead && known.out.left < s.left {
		s.left, s.taker = known.out.left, p.outside(known.out.taker)
	}
	return s
}

// outside is a taker inside a named struct as it is seen where the struct is used.
func (p *passages) outside(t *taker) *taker {
	if t == nil {
		return nil
	}
	return &taker{t.name, t.fix, append(t.behind[:len(t.behind):len(t.behind)], p.after()...)}
}

// after is what follows this place in its window, innermost first.
func (p *passages) after() []tail {
	out := make([]tail, 0, len(p.behind))
	for i := len(p.behind) - 1; i >= 0; i-- {
		out = append(out, p.behind[i])
	}
	return out
}

// elem is an element of a list: others may follow it.
func (p *passages) elem(v *Value, o Order, s stretch, name string, at Span) stretch {
	p.behind = append(p.behind, tail{unknown: true})
	s = p.value(v, o, s, name, at)
	p.behind = p.behind[:len(p.behind)-1]
	return s
}

func (p *passages) array(t *ArrayType, v *Value, o Order, s stretch, name string, at Span) stretch {
	quoted := "`" + cut(name, 40) + "`"
	start := s
	elem := func(s stretch) stretch { return p.elem(t.Elem, o, s, name, at) }
	if t.Kind == ArrayWhile {
		elem = func(s stretch) stretch { return p.elem(t.Elem, o, p.given(s, t.Cond, true), name, at) }
	}
	l := t.Layout()
	s = p.needs(s, l.Head, quoted, at)
	p.inFront(t, s.used)
	switch {
	case s.dead || l.Hi == 0:
		return s
	case l.Lo == 0:
		s = p.maybe(s, elem)
	default:
		s = p.needs(p.ways(s, elem), satMul(l.Lo-1, t.Elem.MinBits), quoted, at)
	}
	if s.dead {
		return s
	}
	wrap := func(bytes uint64) string {
		return fmt.Sprintf("write `within(rest - %d) { … }` around `%s`", bytes, cut(name, 40))
	}
	switch t.Kind {
	case ArrayRest:
		if s = p.limit(s, uint64(t.Left())-1, name, wrap); !t.Bits {
			s = p.aligned(o, s)
		}
	case ArrayWhile:
		if end := p.given(s, t.Cond, false); end.left < s.left {
			s = p.limit(s, end.left, name, wrap)
		}
	case ArrayCount:
		if t.Elem.MinBits >= 8 {
			s = p.sized(start, s, t.Count, 8, o, name, at, wrap)
			if t.Elem.MaxBits > 8 { // then it takes more
				s.over = start.over
			}
			return s
		}
	}
	return s
}
