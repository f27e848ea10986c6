package gogen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// Runs of fixed-width fields are the hot part of a reader. One comparison with the end covers a run, and runs that
// follow each other; each word is loaded once; and the search for the first failure is left to Reader.stop, which is
// called on failure only.

// stretch is a run, or runs that follow each other and are read as one.
type stretch struct {
	id     plan.StepID // of the first: it names the variables
	order  wire.Order
	phase  int         // where the first begins
	first  int         // its first leaf
	leaves []plan.Leaf // of all: Off is from the start of the first
	bits   int
	runs   []*plan.Run
	units  map[int]*plan.Unit // what follows a leaf, by the leaf's index
}

// add adds a run, whose leaves come after those that there are.
func (s *stretch) add(run *plan.Run, leaves []plan.Leaf) {
	if s.runs == nil {
		s.id, s.order, s.phase, s.first, s.units = run.ID, run.Order, run.Room.Phase(), run.First, map[int]*plan.Unit{}
	}
	for _, l := range leaves {
		l.Off += uint32(s.bits)
		s.leaves = append(s.leaves, l)
	}
	s.runs = append(s.runs, run)
	s.bits += int(run.Bits)
}

// stretchOf is the stretch that a block begins with, and how many of its steps that is; 0 where it begins with none.
// What lies between two runs has no bits of its own: marks, and judgements of what is in a leaf's bits.
func (g *gen) stretchOf(b []plan.Step) (s stretch, n int) {
	units := map[int]*plan.Unit{}
	for i, step := range b {
		end := s.first + len(s.leaves)
		if run, ok := step.(*plan.Run); ok && (i == 0 || run.Order == s.order && run.Order != wire.Bytewise && run.First == end) {
			s.add(run, g.p.Leaves[run.First:][:run.N])
			maps.Copy(s.units, units)
			n = i + 1
		} else if unit, ok := step.(*plan.Unit); ok && i > 0 && unitBits(unit) <= 64 && int(unit.First)+4 == end {
			units[len(s.leaves)-1] = unit
		} else if _, mark := step.(*plan.Open); !mark || i == 0 {
			break
		}
	}
	return s, n
}

// unitBits is how many bits a quaternion has.
func unitBits(u *plan.Unit) int { return 2 + 3*int(u.Bits) }

// arrayAt is the array of n bytes at byte p of a slice. Both ends are given and p is unsigned, so that one comparison is
// all that the compiler asks.
func arrayAt(slice string, id plan.StepID, n int) string {
	return fmt.Sprintf("(*[%d]byte)(%s[p%d:p%d+%d])", n, slice, id, id, n)
}

// readJoined reads runs that follow each other as one, and gives how many steps that were; 0 where there is nothing to
// join.
func (f *function) readJoined(b []plan.Step) int {
	s, n := f.g.stretchOf(b)
	if len(s.runs) < 2 {
		return 0
	}
	f.phase = s.phase
	f.readStretch(&s, false, f.stop(&s))
	return n
}

// stop is the statement that finds the first failure of a stretch.
func (f *function) stop(s *stretch) string {
	return fmt.Sprintf("return r.stop(%s, %s[:], data, bit, end)", s.order, f.g.stretchTable(s))
}

// readStretch reads a stretch; on failure it runs stop. Of one whose bits are known to be there it asks for none.
func (f *function) readStretch(s *stretch, there bool, stop string) {
	g := f.g
	if s.bits > 0 && !there {
		f.p("if end-bit < %d { %s }", s.bits, stop)
	}
	order := s.order
	needed := func(i int) bool {
		l, info := &s.leaves[i], &g.p.Info[s.first+i]
		return f.has(info.Node) || !always(l, info) || g.wanted[s.first+i]
	}
	leaf := func(i int, code string) {
		l, info := &s.leaves[i], &g.p.Info[s.first+i]
		if info.Swap {
			code = fmt.Sprintf("swapBytes(%s, %d)", code, l.Width)
		}
		name := fmt.Sprintf("c%d", s.first+i)
		f.p("%s := %s", name, code)
		if cond := g.refused(l, info, name); cond != "" {
			f.p("if %s { %s }", cond, stop)
		}
		if f.has(info.Node) {
			f.p("%s = %s", f.place(info.Node), rowOf(info).read(info, g.fieldTypeOf(info.Node, int(l.Width)), name, fmt.Sprint(l.Width)))
		}
		if unit := s.units[i]; unit != nil {
			f.p("%s", ifNotUnit(unit, stop))
		}
	}
	bytewise := order == wire.Bytewise && f.phase == 0
	for i := range s.leaves {
		bytewise = bytewise && s.leaves[i].Width%8 == 0
	}
	if bytewise {
		order = wire.LSB
	}
	for i := range s.leaves {
		if s.leaves[i].Width == 0 && needed(i) {
			leaf(i, "uint64(0)")
		}
	}
	if order == wire.Bytewise {
		for i := range s.leaves {
			if s.leaves[i].Width > 0 && needed(i) {
				leaf(i, fmt.Sprintf("loadBytewise(data, bit+%d, %d)", s.leaves[i].Off, s.leaves[i].Width))
			}
		}
	} else {
		f.readWindows(s, order, needed, leaf)
	}
	if s.bits > 0 {
		f.p("bit += %d", s.bits)
	}
	for i := range s.leaves {
		f.tagAt(s.first+i, fmt.Sprintf("bit-%d", s.bits-int(s.leaves[i].Off)), fmt.Sprint(s.leaves[i].Width))
	}
	for _, run := range s.runs {
		f.save(run)
	}
}

// readWindows takes the leaves out of windows.
func (f *function) readWindows(s *stretch, order wire.Order, needed func(int) bool, leaf func(int, string)) {
	look := newLookout(f.phase, s.bits)
	all := look.windows(s.leaves, needed)
	if slices.ContainsFunc(all, func(w window) bool { return !w.own }) {
		f.p("p%d := uint(bit) >> 3", s.id)
		if look.bytes > 0 {
			f.p("d%d := %s", s.id, arrayAt("data", s.id, look.bytes))
		}
		if f.phase < 0 {
			f.p("k%d := uint(bit) & 7", s.id)
		}
	}
	type spot struct {
		word string
		at   int
	}
	halves := map[int]spot{}
	for i := range all {
		w := &all[i]
		word := fmt.Sprintf("w%d_%d", s.id, i)
		direct := func(p piece) string { return directLoad(s.id, &p, &look, order) }
		if slices.ContainsFunc(w.pieces, func(p piece) bool { return direct(p) == "" }) {
			f.load(word, s.id, w, &look, order)
		}
		for _, p := range w.pieces {
			at, width := p.off-w.from, int(s.leaves[p.leaf].Width)
			text := direct(p)
			switch first := halves[p.leaf]; {
			case p.first:
				halves[p.leaf] = spot{word, at}
				continue
			case p.more:
				text = masked(takeBoth(first.word, first.at, word, at, width, order), width)
			case text == "":
				text = masked(take(word, at, width, order), width)
			}
			leaf(p.leaf, text)
		}
	}
}

// masked is the low width bits of a word.
func masked(word string, width int) string {
	if width == 64 {
		return word
	}
	return fmt.Sprintf("%s&%#x", word, wire.Mask(width))
}

// load loads a window. What is before its first bit is shifted out.
func (f *function) load(word string, id plan.StepID, w *window, l *lookout, order wire.Order) {
	endian, shift, turned := "Little", ">>", "%s"
	if order == wire.MSB {
		endian, shift, turned = "Big", "<<", "bits.ReverseBytes64(%s)"
	}
	switch {
	case w.own:
		f.p("o%d := uint(bit) + %d", id, w.from)
		f.p("%s := binary.%sEndian.Uint64(data[o%d>>3:o%d>>3+8]) %s (o%d & 7)", word, endian, id, id, shift, id)
	case l.phase >= 0:
		f.p("%s := %s", word, fixedLoad(fmt.Sprintf("d%d", id), w.from/8, l.bytes, order))
	case l.bytes > 0:
		f.p("%s := %s %s (k%d & 63)", word, fixedLoad(fmt.Sprintf("d%d", id), w.from/8, l.bytes, order), shift, id)
	default:
		at := fmt.Sprintf("int(p%d)", id)
		if w.from > 0 {
			at += fmt.Sprintf("+%d", w.from/8)
		}
		f.p("%s := %s %s (k%d & 63)", word, fmt.Sprintf(turned, "wordLE(data, "+at+")"), shift, id)
	}
}

// directLoad is the load of a piece that is a Go number where it lies, "" where it is not: cheaper than to take it out of
// a word.
func directLoad(id plan.StepID, p *piece, l *lookout, order wire.Order) string {
	if l.phase < 0 || p.off%8 != 0 || p.first || p.more {
		return ""
	}
	e := "Little"
	if order == wire.MSB {
		e = "Big"
	}
	switch p.width {
	case 8:
		return fmt.Sprintf("uint64(d%d[%d])", id, p.off/8)
	case 16, 32, 64:
		return fmt.Sprintf("uint64(binary.%sEndian.Uint%d(d%d[%d:]))", e, p.width, id, p.off/8)
	}
	return ""
}

// fixedLoad is the word at byte at of an array of n bytes.
func fixedLoad(d string, at, n int, order wire.Order) string {
	e := "binary.LittleEndian.Uint"
	if order == wire.MSB {
		e = "binary.BigEndian.Uint"
	}
	if n >= 8 {
		return fmt.Sprintf("%s64(%s[%d:])", e, d, at)
	}
	// Two overlapping loads, or one: what both have is the same.
	size := 4
	switch {
	case n == 1:
		if order == wire.MSB {
			return fmt.Sprintf("uint64(%s[0])<<56", d)
		}
		return fmt.Sprintf("uint64(%s[0])", d)
	case n < 4:
		size = 2
	}
	load := func(at int) string { return fmt.Sprintf("uint64(%s%d(%s[%d:]))", e, 8*size, d, at) }
	if order == wire.LSB {
		if n == size {
			return load(0)
		}
		return fmt.Sprintf("%s | %s<<%d", load(0), load(n-size), 8*(n-size))
	}
	if n == size {
		return fmt.Sprintf("%s<<%d", load(0), 64-8*size)
	}
	return fmt.Sprintf("%s<<%d | %s<<%d", load(0), 64-8*size, load(n-size), 64-8*n)
}

// leafTable is the leaves of a run for the search after its first failure.
func (g *gen) leafTable(first, n int) string {
	if g.tables[first] == "" {
		g.tables[first] = g.tableOf(&stretch{first: first, leaves: g.p.Leaves[first:][:n]})
	}
	return g.tables[first]
}

// stretchTable is leafTable for a stretch.
func (g *gen) stretchTable(s *stretch) string {
	if len(s.runs) == 1 {
		return g.leafTable(s.first, len(s.leaves))
	}
	return g.tableOf(s)
}

// tableOf is the leaves of a stretch for that search. A quaternion is one more leaf.
func (g *gen) tableOf(s *stretch) string {
	var b strings.Builder
	b.WriteString("var %s = [...]leaf{\n")
	for i := range s.leaves {
		b.WriteString(strings.ReplaceAll(g.leafEntry(&s.leaves[i], &g.p.Info[s.first+i]), "%", "%%") + ",\n")
		if unit := s.units[i]; unit != nil {
			fmt.Fprintf(&b, "{off: %d, width: %d, path: %s, check: %s},\n", s.leaves[i-3].Off, unitBits(unit),
				strings.ReplaceAll(g.pathOf(unit.Node), "%", "%%"), g.unitCheck(unit))
		}
	}
	b.WriteString("}")
	return g.once("leaves", b.String())
}

// unitCheck is the function that judges the bits of a quaternion as one code.
func (g *gen) unitCheck(u *plan.Unit) string {
	shifts := [3]int{2, 2 + int(u.Bits), 2 + 2*int(u.Bits)}
	if u.Order == wire.MSB {
		shifts = [3]int{2 * int(u.Bits), int(u.Bits), 0}
	}
	part := func(i int) string { return fmt.Sprintf("code>>%d & %#x", shifts[i], wire.Mask(int(u.Bits))) }
	return g.once("check", fmt.Sprintf("func %%s(code uint64) RejectKind {\nif !unit(%s, %s, %s, %d) { return RejectNonUnit }\nreturn RejectNone\n}",
		part(0), part(1), part(2), u.Bits))
}

func (g *gen) leafEntry(l *plan.Leaf, info *plan.LeafInfo) string {
	var b strings.Builder
	fmt.Fprintf(&b, "{off: %d, width: %d, path: %s", l.Off, l.Width, g.pathOf(info.Node))
	if info.Swap {
		b.WriteString(", swap: true")
	}
	switch {
	case always(l, info):
		b.WriteString(", check: anything")
	case l.Count > 0:
		fmt.Fprintf(&b, ", lo: %s, count: %s, span: %#x, kind: %s", literal(l.Lo), literal(l.Count), info.TypeSpan, outside(info))
	default:
		b.WriteString(", check: " + g.check(info, int(l.Width)))
	}
	b.WriteString("}")
	return b.String()
}
