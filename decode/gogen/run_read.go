package gogen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// A run of fixed-width fields is read through windows: 64-bit words of which each gives as many fields as lie in it,
// with constant shifts. Where the run begins inside a byte that is only known on the way, the word is shifted once, by
// a variable, and has 57 bits of use. One comparison with the end covers the run; the conditions under which a field is
// refused are gathered for each window; and the search for the first failure is left to Reader.stop, which is called on
// failure only.

// piece is bits of a leaf that lie in one window.
type piece struct {
	leaf  int
	off   int // bits from the start of the run's first byte, or of the run where its phase is unknown
	width int
	shift int  // in the code
	more  bool // its last of two
	rest  bool // its first of two
}

// window is a load.
type window struct {
	at     int // bytes
	pieces []piece
}

// windows lays the leaves of a run out in loads of which usable bits count.
func windows(leaves []plan.Leaf, needed func(int) bool, phase, usable int, order wire.Order) []window {
	var pieces []piece
	for i := range leaves {
		l := &leaves[i]
		off, width := phase+int(l.Off), int(l.Width)
		if width == 0 || !needed(i) {
			continue
		}
		if off%8+width <= usable {
			pieces = append(pieces, piece{leaf: i, off: off, width: width})
			continue
		}
		first := 32
		a := piece{leaf: i, off: off, width: first, rest: true}
		b := piece{leaf: i, off: off + first, width: width - first, more: true}
		if order == wire.LSB {
			b.shift = first
		} else {
			a.shift = width - first
		}
		pieces = append(pieces, a, b)
	}
	var all []window
	last := 0 // no load begins after the one that ends where the run ends, as near as may be
	if n := len(pieces); n > 0 {
		last = max(0, (pieces[n-1].off+pieces[n-1].width-usable+7)/8)
	}
	for len(pieces) > 0 {
		at := pieces[0].off / 8
		n := 1
		for n < len(pieces) && pieces[n].off+pieces[n].width <= 8*at+usable {
			n++
		}
		w := window{at: min(at, last), pieces: pieces[:n]}
		all = append(all, w)
		pieces = pieces[n:]
	}
	return all
}

// span is the bytes that a run's loads cover.
func span(all []window) int {
	n := 0
	for _, w := range all {
		n = max(n, w.at+8)
	}
	return n
}

func (f *function) readRun(s *plan.Run) {
	g := f.g
	leaves := g.p.Leaves[s.First:][:s.N]
	table := g.leafTable(s.First, s.N)
	stop := fmt.Sprintf("return r.stop(%s, %s[:], data, bit, end)", s.Order, table)
	if s.Bits > 0 {
		f.p("if end-bit < %d { %s }", s.Bits, stop)
	}
	order := s.Order
	var refused []string
	needed := func(i int) bool {
		l, info := &leaves[i], &g.p.Info[s.First+i]
		return f.stores(info) || !always(l, info) || g.wanted[s.First+i]
	}
	leaf := func(i int, code string) {
		l, info := &leaves[i], &g.p.Info[s.First+i]
		if info.Swap {
			code = fmt.Sprintf("swapBytes(%s, %d)", code, l.Width)
		}
		name := fmt.Sprintf("c%d", s.First+i)
		stores := f.stores(info)
		cond := g.refused(l, info, name)
		f.p("%s := %s", name, code)
		if cond != "" {
			refused = append(refused, cond)
		}
		if stores {
			f.p("%s = %s", f.place(info.Node), rowOf(info).read(info, g.fieldTypeOf(info.Node, int(l.Width)), name, fmt.Sprint(l.Width)))
		}
	}
	gather := func() {
		if len(refused) > 0 {
			f.p("if %s { %s }", strings.Join(refused, " || "), stop)
			refused = refused[:0]
		}
	}
	bytewise := order == wire.Bytewise && f.phase == 0
	for i := range leaves {
		bytewise = bytewise && leaves[i].Width%8 == 0
	}
	if order == wire.Bytewise && bytewise {
		order = wire.LSB
	}
	for i := range leaves {
		if leaves[i].Width == 0 && needed(i) {
			leaf(i, "uint64(0)")
		}
	}
	switch {
	case order == wire.Bytewise:
		for i := range leaves {
			if leaves[i].Width > 0 && needed(i) {
				leaf(i, fmt.Sprintf("loadBytewise(data, bit+%d, %d)", leaves[i].Off, leaves[i].Width))
			}
		}
	case f.phase >= 0:
		all := windows(leaves, needed, f.phase, 64, order)
		total := (f.phase + int(s.Bits) + 7) / 8
		if len(all) > 0 {
			f.p("p%d := bit >> 3", s.ID)
			f.p("d%d := (*[%d]byte)(data[p%d:])", s.ID, total, s.ID)
			for i := range all {
				if slices.ContainsFunc(all[i].pieces, func(p piece) bool { return f.direct(s, &p, order) == "" }) {
					f.p("w%d_%d := %s", s.ID, i, fixedLoad(fmt.Sprintf("d%d", s.ID), all[i].at, total, order))
				}
				f.window(s, &all[i], i, order, leaf)
				gather()
			}
		}
	default:
		all := windows(leaves, needed, 0, 57, order)
		if len(all) == 0 {
			break
		}
		f.p("k%d := uint(bit) & 7", s.ID)
		f.p("p%d := bit >> 3", s.ID)
		n := span(all)
		shift := fmt.Sprintf(" >> (k%d & 63)", s.ID)
		name := "LE"
		if order == wire.MSB {
			shift, name = fmt.Sprintf(" << (k%d & 63)", s.ID), "BE"
		}
		if n == 8 {
			f.p("w%d_0 := word%s(data, p%d)%s", s.ID, name, s.ID, shift)
		} else {
			g.tail = max(g.tail, n)
			f.p("x%d := data[p%d:]", s.ID, s.ID)
			f.p("if len(x%d) < %d { x%d = r.last(data, p%d) }", s.ID, n, s.ID, s.ID)
			f.p("d%d := (*[%d]byte)(x%d)", s.ID, n, s.ID)
		}
		for i := range all {
			if n > 8 {
				f.p("w%d_%d := %s%s", s.ID, i, fixedLoad(fmt.Sprintf("d%d", s.ID), all[i].at, n, order), shift)
			}
			f.window(s, &all[i], i, order, leaf)
			gather()
		}
	}
	gather()
	if s.Bits > 0 {
		f.p("bit += %d", s.Bits)
	}
	for i := range leaves {
		f.tagAt(s.First+i, fmt.Sprintf("bit-%d", int(s.Bits)-int(leaves[i].Off)), fmt.Sprint(leaves[i].Width))
	}
}

// stores reports whether a leaf of a run has a field.
func (f *function) stores(l *plan.LeafInfo) bool { return f.has(l.Node) }

// window takes the pieces out of a word.
func (f *function) window(s *plan.Run, w *window, i int, order wire.Order, leaf func(int, string)) {
	for _, p := range w.pieces {
		at := p.off - 8*w.at
		name := fmt.Sprintf("w%d_%d", s.ID, i)
		text := name
		switch {
		case order == wire.LSB && at > 0:
			text = fmt.Sprintf("%s>>%d", name, at)
		case order == wire.MSB && 64-at-p.width > 0:
			text = fmt.Sprintf("%s>>%d", name, 64-at-p.width)
		}
		if load := f.direct(s, &p, order); load != "" {
			text = load
		} else if p.width < 64 {
			text = fmt.Sprintf("%s&%#x", text, wire.Mask(p.width))
		}
		part := fmt.Sprintf("a%d_%d", s.ID, p.leaf)
		switch {
		case p.rest && p.shift > 0:
			f.p("%s := (%s)<<%d", part, text, p.shift)
		case p.rest:
			f.p("%s := %s", part, text)
		case p.more && p.shift > 0:
			leaf(p.leaf, fmt.Sprintf("%s | (%s)<<%d", part, text, p.shift))
		case p.more:
			leaf(p.leaf, fmt.Sprintf("%s | %s", part, text))
		default:
			leaf(p.leaf, text)
		}
	}
}

// direct is the load of a piece that is a Go number where it lies, "" where it is not: cheaper than to take it out of a
// word.
func (f *function) direct(s *plan.Run, p *piece, order wire.Order) string {
	if f.phase < 0 || p.off%8 != 0 || p.rest || p.more {
		return ""
	}
	e := "Little"
	if order == wire.MSB {
		e = "Big"
	}
	switch p.width {
	case 8:
		return fmt.Sprintf("uint64(d%d[%d])", s.ID, p.off/8)
	case 16, 32, 64:
		return fmt.Sprintf("uint64(binary.%sEndian.Uint%d(d%d[%d:]))", e, p.width, s.ID, p.off/8)
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
		var b strings.Builder
		b.WriteString("var %s = [...]leaf{\n")
		for i := first; i < first+n; i++ {
			b.WriteString(strings.ReplaceAll(g.leafEntry(i), "%", "%%") + ",\n")
		}
		b.WriteString("}")
		g.tables[first] = g.once("leaves", b.String())
	}
	return g.tables[first]
}

func (g *gen) leafEntry(i int) string {
	l, info := &g.p.Leaves[i], &g.p.Info[i]
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
