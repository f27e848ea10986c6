package gogen

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// A run is written as 64-bit words, put together in registers with constant shifts and stored with one check for room.
// Where the run begins inside a byte that is only known on the way, each word is shifted by a variable into two stores.

// code is the code of a leaf of a run, and the condition under which it cannot be written.
func (f *function) code(leaf int, name string) (code, cond string) {
	g := f.g
	l, info := &g.p.Leaves[leaf], &g.p.Info[leaf]
	width := int(l.Width)
	node := &g.p.Nodes[info.Node]
	if sent := rowOf(info).sent; sent != nil {
		return sent(f, info, width), ""
	}
	if node.Kind == plan.NodeItem && !f.has(info.Node) {
		n := f.length(node.Parent)
		if info.Base != 0 {
			n += fmt.Sprintf("-%#x", info.Base)
		}
		return n, g.unfit(l, info, name, false)
	}
	t := g.fieldTypeOf(info.Node, width)
	code = rowOf(info).code(info, t, f.place(info.Node))
	if info.Quant != nil && t.text == "float32" && info.Rule == nil && !info.Swap {
		return code, "" // it is never above the last step
	}
	derived := g.derived[leaf] != nil
	if info.Signed && (int(t.size)*8 > width || derived && width < 64) {
		// What does not come back from its low bits is no number of this width.
		return code, fmt.Sprintf("extend(%s, %d) != %s", name, width, name)
	}
	if info.Signed && width < 64 {
		code += fmt.Sprintf(" & %#x", wire.Mask(width))
	}
	fits := !derived && (t.shape == shapeBool || info.Signed || info.Base == 0 && !info.ZigZag && int(t.size)*8 <= width)
	return code, g.unfit(l, info, name, fits)
}

// unfit is the condition under which a code is refused; fits says that its bits are sure to hold it.
func (g *gen) unfit(l *plan.Leaf, info *plan.LeafInfo, name string, fits bool) string {
	cond := g.refused(l, info, name)
	if fits || l.Width == 64 || cond != "" && l.Count > 0 {
		return cond
	}
	wide := fmt.Sprintf("%s > %#x", name, l.Mask)
	if cond == "" {
		return wide
	}
	return wide + " || " + cond
}

// length is how many elements a list has, or bytes or units a text, as a uint64.
func (f *function) length(id plan.NodeID) string {
	g, place, t := f.g, f.place(id), f.g.fieldTypeOf(id, 0)
	b := g.blob(id)
	if b == nil {
		return "uint64(" + count(place, t) + ")"
	}
	c := g.constantText(id)
	if c == "" && textSize(b, "") == "len()" {
		return "uint64(" + count(place, t) + ")"
	}
	if t.fixed {
		place += ".Slice()"
	}
	if c != "" {
		place = fmt.Sprintf("either(%s, %s)", place, c)
	}
	return "uint64(" + textSize(b, place) + ")"
}

// constantText is a variable with the one text that a field can hold, "" where there are more.
func (g *gen) constantText(id plan.NodeID) string {
	r := g.blob(id).Rule
	if r == nil || r.Kind != schema.RuleEq {
		return ""
	}
	return g.once("text", "var %s = []byte("+strings.ReplaceAll(fmt.Sprintf("%q", r.Bytes), "%", "%%")+")")
}

// part of what is written as words: a field, or with no width what is done between two of them.
type part struct {
	emit       func()
	code       string
	off, width int
}

func (f *function) writeRun(s *plan.Run) {
	leaves := f.g.p.Leaves[s.First:][:s.N]
	order := s.Order
	bytewise := order == wire.Bytewise && f.phase == 0
	for i := range leaves {
		bytewise = bytewise && leaves[i].Width%8 == 0
	}
	if order == wire.Bytewise && !bytewise {
		f.room = 0
		for i := range leaves {
			f.writeLeaf(s, i, fmt.Sprintf("bit-%d", leaves[i].Off))
			if leaves[i].Width > 0 {
				f.p("b, bit = put(bousk, b, bit, %s, %d)", f.wire(s, i), leaves[i].Width)
			}
		}
		return
	}
	if bytewise {
		order = wire.LSB
	}
	f.words64(s.ID, f.parts(s, 0), int(s.Bits), order)
}

// parts are the fields of a run that begins off bits after bit.
func (f *function) parts(s *plan.Run, off int) []part {
	leaves := f.g.p.Leaves[s.First:][:s.N]
	start := behind(off)
	var all []part
	for i := range leaves {
		all = append(all, part{func() { f.writeLeaf(s, i, start) }, f.wire(s, i), off + int(leaves[i].Off), int(leaves[i].Width)})
	}
	return all
}

// behind is the position off bits after bit.
func behind(off int) string {
	if off == 0 {
		return "bit"
	}
	return fmt.Sprintf("bit+%d", off)
}

// wire is the code of a leaf as it is sent.
func (f *function) wire(s *plan.Run, i int) string {
	leaf := s.First + i
	if f.g.p.Info[leaf].Swap {
		return fmt.Sprintf("swapBytes(c%d, %d)", leaf, f.g.p.Leaves[leaf].Width)
	}
	return fmt.Sprintf("c%d", leaf)
}

// joined writes runs that follow each other as one, and gives how many steps that were; 0 where there is nothing to
// join. Steps between two runs that have no bits are done where they stand. ahead is a set bit before the first.
func (f *function) joined(b []plan.Step, ahead bool) int {
	if len(b) == 0 {
		return 0
	}
	first, ok := b[0].(*plan.Run)
	if !ok || first.Order == wire.Bytewise {
		return 0
	}
	var parts []part
	off, runs, n := 0, 0, 0
	if ahead {
		parts, off, runs = append(parts, part{func() {}, "uint64(1)", 0, 1}), 1, 1
	}
	last := first
	var between []part
	for i, s := range b {
		start := off
		if run, ok := s.(*plan.Run); ok && run.Order == first.Order {
			parts = append(append(parts, between...), f.parts(run, off)...)
			last, off, runs, n = run, off+int(run.Bits), runs+1, i+1
			between = []part{{emit: func() { f.save(run) }}}
		} else if unit, ok := s.(*plan.Unit); ok {
			between = append(between, part{emit: func() { f.writeUnit(unit, start) }})
		} else if _, mark := s.(*plan.Open); !mark {
			break
		}
	}
	if runs < 2 {
		return 0
	}
	start := first.Room
	if ahead {
		start = start.Plus(63)
	}
	f.phase, f.rest = start.Phase(), b[n:]
	f.words64(first.ID, parts, off, first.Order)
	f.save(last)
	return n
}

// writeUnit refuses a quaternion that ends off bits after bit.
func (f *function) writeUnit(s *plan.Unit, off int) {
	width := 2 + 3*int(s.Bits)
	at := behind(off - width)
	if off < width {
		at = fmt.Sprintf("bit-%d", width-off)
	}
	f.p("%s", ifNotUnit(s, f.refuse("RejectNonUnit", at, fmt.Sprint(width), f.g.pathOf(s.Node))))
}

// writeLeaf takes the code of a leaf and judges it.
func (f *function) writeLeaf(s *plan.Run, i int, start string) {
	g, leaf := f.g, s.First+i
	l, info := &g.p.Leaves[leaf], &g.p.Info[leaf]
	table := g.leafTable(s.First, s.N)
	name := fmt.Sprintf("c%d", leaf)
	code, cond := f.code(leaf, name)
	f.p("%s := %s", name, code)
	if g.p.Nodes[info.Node].Kind == plan.NodeLeaf && rowOf(info).sent == nil {
		f.deriveOnly(leaf, name)
		f.derive(leaf, name)
	}
	stop := fmt.Sprintf("return b, w.stop(&%s[%d], %s, %s)", table, i, name, start)
	signed, unfit := strings.HasPrefix(cond, "extend"), stop
	if signed && info.Rule != nil { // its low bits may be a code that the rule refuses as something else
		unfit = fmt.Sprintf("return b, w.stop(&%s[%d], ^uint64(0), %s)", table, i, start)
	}
	if cond != "" {
		f.p("if %s { %s }", f.certain(leaf, cond), unfit)
	}
	if signed {
		f.p("%s &= %#x", name, l.Mask)
		if rest := g.refused(l, info, name); rest != "" {
			f.p("if %s { %s }", f.certain(leaf, rest), stop)
		}
	}
	if l.Width == 0 && !g.wanted[leaf] {
		f.p("_ = %s", name)
	}
}

// layOut is the bytes at which the words of a run begin. Where the run begins inside a byte that is only known on the way,
// a word is shifted by up to seven bits, so 57 are of use; what it has in the first byte of the next is written with
// that. Fields are cut between words where they are wide, and where a word would add less than two bytes: then the word
// before it would not have all that is in its first byte.
func layOut(fields []part, phase int) (starts []int, usable int) {
	usable = aligned
	if phase < 0 {
		usable = unaligned
	}
	starts = []int{0}
	for i := range fields {
		off, width := max(phase, 0)+fields[i].off, fields[i].width
		for {
			a := starts[len(starts)-1]
			if off+width <= 8*a+usable {
				break
			}
			next := a + usable/8
			if phase < 0 && width <= unaligned-7 && off/8 >= a+5 {
				next = off / 8
			}
			starts = append(starts, next)
		}
	}
	return starts, usable
}

// words64 puts codes into words and stores each as soon as it is whole: few codes are held at a time.
func (f *function) words64(id plan.StepID, fields []part, bits int, order wire.Order) {
	if bits == 0 {
		for i := range fields {
			fields[i].emit()
		}
		return
	}
	starts, usable := layOut(fields, f.phase)
	n := len(starts)
	parts := make([][]string, n)
	put := "binary.LittleEndian.PutUint"
	had, left, back := "uint64(d%d[0])&before[%s]", "<<", -1
	if order == wire.MSB {
		put = "binary.BigEndian.PutUint"
		had, left, back = "uint64(d%d[0])<<56&^(^uint64(0)>>(%s&63))", ">>", 1
	}
	// The last word is stored as the bytes that it has where these are a number, and in order lsb: there the compiler knows
	// which are zero, and would store each of those alone.
	size, narrow := starts[n-1]+8, false
	if bytes := (f.phase+bits+7)/8 - starts[n-1]; f.phase >= 0 && bytes < 8 && (order == wire.LSB || bytes&(bytes-1) == 0) {
		size, narrow = starts[n-1]+bytes, true
	}
	f.p("p%d := uint(bit) >> 3", id)
	f.makeRoom(id, bits, size)
	f.p("d%d := %s", id, arrayAt("b", id, size))
	shift := fmt.Sprint(max(f.phase, 0))
	if f.phase < 0 {
		f.p("k%d := uint(bit) & 7", id)
		shift = fmt.Sprintf("k%d", id)
	}
	cut := make([]bool, n) // the last field of the word goes on in the next
	store := func(j int) {
		text := strings.Join(parts[j], " | ")
		word := fmt.Sprintf("w%d_%d", id, j)
		switch {
		case f.phase < 0 && order == wire.LSB && !cut[j]:
			// Nothing is shifted out. Of a shift the compiler would know which bytes stay zero, and store each alone.
			f.p("%s := bits.RotateLeft64(%s, int(k%d))", word, text, id)
			text = word
		case f.phase < 0:
			f.p("%s := (%s)%s(%s&63)", word, text, left, shift)
			text = word
		}
		if j == 0 && f.phase != 0 {
			text += " | " + fmt.Sprintf(had, id, shift)
		} else if f.phase < 0 {
			text += " | " + shifted(fmt.Sprintf("w%d_%d", id, j-1), back*8*(starts[j]-starts[j-1])) // of codes alone: no word waits for another
		}
		if narrow && j == n-1 {
			f.storeBytes(fmt.Sprintf("d%d", id), starts[j], size-starts[j], word, text, order)
			return
		}
		f.p("%s64(d%d[%d:], %s)", put, id, starts[j], text)
	}
	done, at := 0, 0
	for i := range fields {
		fields[i].emit()
		code, width := fields[i].code, fields[i].width
		if width == 0 {
			continue
		}
		off := max(f.phase, 0) + fields[i].off
		for ; at+1 < n && 8*starts[at+1] <= off; at++ {
		}
		for j := at; j < n; j++ { // bits beyond a word are those that begin the next
			by := off - 8*starts[j]
			if order == wire.MSB {
				by = 64 - by - width
			}
			parts[j] = append(parts[j], shifted(code, by))
			if off+width <= 8*starts[j]+usable {
				break
			}
			cut[j] = true
		}
		if done+1 < n && off+width >= 8*starts[done+1] {
			// One alone: the compiler splits a store whose last byte the next overwrites, where no field is loaded between.
			store(done)
			done++
		}
	}
	for ; done < n; done++ {
		store(done)
	}
	f.p("bit += %d", bits)
}

// storeBytes stores the size first bytes of a word, fewer than eight, into an array from byte at on.
func (f *function) storeBytes(array string, at, size int, word, text string, order wire.Order) {
	f.p("%s := %s", word, text)
	endian := "Little"
	if order == wire.MSB {
		endian = "Big"
	}
	for done := 0; done < size; {
		n := 4
		for n > size-done {
			n /= 2
		}
		by := -8 * done
		if order == wire.MSB {
			by = 8*(done+n) - 64
		}
		part := fmt.Sprintf("(%s)", shifted(word, by))
		if n == 1 {
			f.p("%s[%d] = byte%s", array, at+done, part)
		} else {
			f.p("binary.%sEndian.PutUint%d(%s[%d:], uint%d%s)", endian, 8*n, array, at+done, 8*n, part)
		}
		done += n
	}
}

// mostAhead is how many bits room is made for at once, at most.
const mostAhead = 8 * 256

// makeRoom asks for the size bytes that a run of some bits is stored into, from byte p on, and for what the steps after
// it may need: one question for a block that has no lists, and one buffer, which the compiler then keeps where it is.
func (f *function) makeRoom(id plan.StepID, bits, size int) {
	if f.room < bits {
		f.room = bits
		if more, _ := f.g.ahead(f.rest, mostAhead-bits); more > 0 {
			f.room += more
			size = (f.room+7)/8 + 8 // a run's last word begins before its end, wherever the run begins
		}
		f.p("if uint(len(b)) < p%d+%d { b = room(b, int(p%d), %d) }", id, size, id, size)
	}
	f.room -= bits
}

// ahead is how many bits, of at most so many, the steps have at most that a block begins with and that are runs, or
// branches to nothing but runs; all says that these are all of its steps.
func (g *gen) ahead(b []plan.Step, most int) (bits int, all bool) {
	for _, s := range b {
		n := 0
		switch s := s.(type) {
		case *plan.Run:
			if n = int(s.Bits); s.Order == wire.Bytewise {
				return bits, false
			}
		case *plan.If:
			then, wholeThen := g.ahead(flat(s.Then), most-bits)
			other, wholeOther := g.ahead(flat(s.Else), most-bits)
			if n = max(then, other); !wholeThen || !wholeOther {
				return bits, false
			}
		case *plan.Unit, *plan.Open, *plan.Let, *plan.Require:
		default:
			return bits, false
		}
		if bits += n; bits > most {
			return bits - n, false
		}
	}
	return bits, true
}

// shifted is a code moved left, or right where by is negative.
func shifted(code string, by int) string {
	switch {
	case by > 0:
		return fmt.Sprintf("%s<<%d", code, by)
	case by < 0:
		return fmt.Sprintf("%s>>%d", code, -by)
	}
	return code
}
