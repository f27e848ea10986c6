package infer

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// How a kept schema is drafted anew: what stays is text, and between are holes. The schema with holes of plain bits, and of
// bytes up to the end, is decoded; where each hole was in each packet are its rows, and they are shaped as those of a whole
// packet are. So whatever the language has can stay before a hole, inside and around it.

// keeper makes a layout of a Kept.
type keeper struct {
	*Kept
	holes []*hole
	tail  int // bytes of what stays at the end of all packets
}

// hole is what is drafted anew: numbers side by side, and where it is open all that is after them.
type hole struct {
	mark    string // a field without bits where the hole begins
	numbers []*part
	behind  []*part // what was there
	open    bool
	fixed   fixed // numbers that stay
	bits    int   // of all numbers
	rows    rows
	tag     string   // of the hole of a choice's new values: their field
	values  []uint64 // of it, of each row
	items   []*item  // what was found
}

// piece is a part of the text that stays, and the block after it.
type piece struct {
	text string
	body *block
	hole *hole // of values of a tag that the kept schema has not
}

// fewestAnew is how many packets a hole is drafted from at least.
const fewestAnew = minArm

// layout is the kept schema with holes.
func (k *Kept) layout() (*keeper, *block) {
	s := &keeper{Kept: k}
	parts := k.parts
	at := len(parts)
	for at > 0 && (parts[at-1].end || parts[at-1].filler) {
		at--
	}
	if !slices.ContainsFunc(parts[at:], func(p *part) bool { return p.end || p.pinned }) {
		at = len(parts) // an alignment, as before what is left
	}
	if at > 0 && !slices.ContainsFunc(parts[:at], func(p *part) bool { return !p.end }) {
		at = len(parts) // a checksum, and nothing after it
	}
	root := s.block(parts[:at], true)
	for _, p := range parts[at:] {
		root.items = append(root.items, s.stays(p, false))
		if s.tail += p.bits / 8; p.end && p.bits == 0 {
			s.tail += 4
		}
	}
	return s, root
}

// block is the layout of parts; last says that a packet ends after them.
func (s *keeper) block(parts []*part, last bool) *block {
	b := &block{}
	pinned := -1
	for i, p := range parts {
		if p.pinned {
			pinned = i
		}
	}
	for i := 0; i < len(parts); i++ {
		j := i
		for j < len(parts) && parts[j].bits > 0 && (!parts[j].pinned || parts[j].bits <= maxWidth) {
			j++
		}
		if last && pinned < j && pinned+1 < len(parts) {
			b.items = append(b.items, s.hole(parts[i:j], parts[j:], true))
			return b
		}
		if j > i {
			if slices.ContainsFunc(parts[i:j], func(p *part) bool { return !p.pinned }) {
				b.items = append(b.items, s.hole(parts[i:j], nil, false))
			} else {
				for _, p := range parts[i:j] {
					b.items = append(b.items, p.number())
				}
			}
			i = j - 1
			continue
		}
		b.items = append(b.items, s.stays(parts[i], last && i == len(parts)-1))
	}
	return b
}

// number is a number that stays.
func (p *part) number() *item {
	it := &item{kind: kindNumber, field: field{width: p.bits}}
	it.keep(p)
	return it
}

// keep makes the item the part that stays.
func (it *item) keep(p *part) {
	it.name, it.given, it.stays, it.kept, it.plain, it.width = p.name, p.text, p, true, true, p.bits
}

// loose is a part as it was drafted, while nothing better is known: a packet that it refuses makes it plain.
func (p *part) loose() *item {
	return &item{kind: kindKept, name: p.name, given: p.text, stays: p, field: field{width: p.bits}, loose: true}
}

// stays is a part that stays, with what is drafted anew in it.
func (s *keeper) stays(p *part, last bool) *item {
	if p.bits > 0 && p.bits <= maxWidth && p.name != "" {
		return p.number()
	}
	it := &item{kind: kindKept}
	it.keep(p)
	if !p.pinned || len(p.inner) == 0 && p.plainTag == nil {
		return it
	}
	it.given = ""
	at := p.from
	for _, in := range p.inner {
		it.pieces = append(it.pieces, piece{text: s.src[at:in.from], body: s.block(in.parts, last && !p.repeated)})
		at = in.to
	}
	if t := p.plainTag; t != nil && last && !slices.ContainsFunc(t.Arms, func(a *syntax.ArmNode) bool { return a.Default }) {
		if path, ok := t.Tag.(*syntax.PathExpr); ok {
			h := s.newHole(nil, nil, true)
			h.tag = path.Parts[len(path.Parts)-1].Text
			end := int(t.End.Off) - 1
			it.pieces = append(it.pieces, piece{text: s.src[at:end], hole: h})
			at = end
		}
	}
	it.pieces = append(it.pieces, piece{text: s.src[at:p.to]})
	return it
}

func (s *keeper) hole(numbers, behind []*part, open bool) *item {
	h := s.newHole(numbers, behind, open)
	for _, p := range numbers {
		if p.pinned {
			for at := 0; at < p.bits; at += nearWidth { // wider ones have no price where they begin inside a byte
				h.fixed = append(h.fixed, struct{ at, width int }{h.bits + at, min(nearWidth, p.bits-at)})
			}
		}
		h.bits += p.bits
	}
	return &item{kind: kindKept, hole: h}
}

func (s *keeper) newHole(numbers, behind []*part, open bool) *hole {
	h := &hole{mark: s.fresh("hole"), numbers: numbers, behind: behind, open: open}
	s.holes = append(s.holes, h)
	return h
}

// fresh is a name that the kept schema has not.
func (s *keeper) fresh(name string) string {
	for n := len(s.holes) + 1; ; n++ {
		if one := fmt.Sprintf("%s_%d", name, n); !strings.Contains(s.src, one) {
			return one
		}
	}
}

// probe are the hole's items while nobody knows what is in it.
func (h *hole) probe() (items []*item) {
	items = append(items, &item{kind: kindKept, given: h.mark + " int(0..0)"})
	for i, p := range h.numbers {
		if p.pinned {
			items = append(items, p.number())
			continue
		}
		for at := 0; at < p.bits; at += maxWidth {
			items = append(items, &item{kind: kindNumber, name: fmt.Sprintf("%s_%d_%d", h.mark, i, at), field: field{width: min(maxWidth, p.bits-at)}, plain: true})
		}
	}
	if h.open {
		items = append(items, &item{kind: kindRest, name: h.mark + "_rest"})
	}
	return items
}

// before are the hole's items as they were.
func (h *hole) before() (items []*item) {
	for _, p := range h.numbers {
		if p.pinned {
			items = append(items, p.number())
		} else {
			items = append(items, p.loose())
		}
	}
	for _, p := range h.behind {
		items = append(items, p.loose())
	}
	return items
}

// newArm is an arm that a choice has not yet.
type newArm struct {
	label string
	items []*item
}

// filled is a layout with its holes filled in: by what a hole has, and by what the new values of a choice have.
func filled(b *block, with func(*hole) []*item, arms func(*hole) []newArm) *block {
	out := &block{}
	for _, it := range b.items {
		if it.hole != nil {
			out.items = append(out.items, with(it.hole)...)
			continue
		}
		if it.pieces != nil {
			one := *it
			one.pieces = nil
			closing := ""
			for _, p := range it.pieces {
				p.text, closing = closing+p.text, ""
				if p.hole != nil {
					for _, a := range arms(p.hole) {
						one.pieces = append(one.pieces, piece{text: p.text + "\n" + a.label + ": {", body: &block{items: a.items}})
						p.text = "}"
					}
					closing = p.text + "\n"
					continue
				}
				if p.body != nil {
					p.body = filled(p.body, with, arms)
				}
				one.pieces = append(one.pieces, p)
			}
			it = &one
		}
		out.items = append(out.items, it)
	}
	return out
}

// emit writes what stays.
func (d *draft) stays(it *item, phase int) int {
	write := func(text string) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				d.b.WriteString(strings.Repeat("    ", d.indent) + line + "\n")
			}
		}
	}
	if it.pieces == nil {
		write(it.given)
		if it.width > 0 {
			return after(phase, it.width)
		}
		if it.stays == nil { // a hole's mark
			return phase
		}
		return -1
	}
	if it.stays.repeated {
		phase = -1
	}
	for _, p := range it.pieces {
		write(p.text)
		if p.body != nil {
			d.inside(p.body, phase, phase)
		}
	}
	return -1
}

// again drafts a kept schema anew: it finds where its holes are in each packet, and shapes them.
func (d *draft) again(sh *shaper, r rows, layout *block, known fixed) error {
	one := func(h *hole) []newArm { return []newArm{{"default", h.probe()}} }
	d.root = filled(layout, (*hole).probe, one)
	if err := d.keep.gather(d.source(), r); err != nil {
		return err
	}
	for i, h := range d.keep.holes {
		if i == 0 && h.open && len(layout.items) > 0 && layout.items[0].hole == h {
			h.fixed = append(h.fixed, known...)
		}
		h.draft(sh, d.keep)
	}
	d.root = filled(layout, func(h *hole) []*item { return h.items }, func(h *hole) []newArm { return h.newArms(sh) })
	return nil
}

// gather decodes the packets by a schema with holes, and notes where these are.
func (s *keeper) gather(source []byte, r rows) error {
	dec, err := decode.Load("kept.pks", source)
	if err != nil {
		return err
	}
	marks := map[string]*hole{}
	tags := map[string]uint64{}
	for _, h := range s.holes {
		marks[h.mark] = h
		if h.tag != "" {
			tags[h.tag] = 0
		}
	}
	var t decode.Trace
	met := map[*hole]int32{}
	for i := range r {
		if dec.Decode(r[i].raw(), decode.FromUnknown, &t) != nil {
			continue
		}
		clear(met)
		for f := range t.Fields() {
			if _, ok := tags[f.Name()]; ok {
				tags[f.Name()] = f.Value().Uint()
			}
			h := marks[f.Name()]
			if h == nil || len(h.rows) >= MaxPackets {
				continue
			}
			one := r[i]
			one.pos = f.Bit()
			if !h.open {
				one.flow, one.end = one.flow<<10|met[h]&1023, one.pos+h.bits
			}
			if met[h]++; one.end >= one.pos+h.bits && one.end <= r[i].end {
				h.rows = append(h.rows, one)
				h.values = append(h.values, tags[h.tag])
			}
		}
	}
	return nil
}

// draft finds what is in a hole; where that is not known better than before, it stays.
func (h *hole) draft(sh *shaper, s *keeper) {
	old := slices.Concat(h.numbers, h.behind)
	h.items = h.before()
	if len(h.rows) < fewestAnew || h.tag != "" {
		return
	}
	try := func(b *block, _ float64) bool {
		if b == nil || !h.holds(b) {
			return false
		}
		s.carry(old, b.items)
		h.items = b.items
		return true
	}
	if !h.open {
		if fields, _ := sh.tabulate(h.rows.window(wideRows), h.bits, sh.byByte).cut(min(h.bits, maxCut), h.fixed); fields != nil && h.bits <= maxCut {
			try(numbers(fields), 0)
		}
		return
	}
	if !try(sh.shape(h.rows, h.fixed, 0)) {
		try(sh.leaf(h.rows, h.fixed, wideRows))
	}
}

// holds puts the numbers that stay into a layout. It reports whether they fit, and can say what the layout has them say.
func (h *hole) holds(b *block) bool {
	at := 0
	for _, p := range h.numbers {
		if p.pinned {
			i := slices.IndexFunc(b.items, func(it *item) bool { return it.kind == kindNumber && it.at == at })
			if i < 0 {
				return false
			}
			n, bits := 0, 0
			for i+n < len(b.items) && b.items[i+n].kind == kindNumber && bits < p.bits {
				bits += b.items[i+n].width
				n++
			}
			if bits != p.bits {
				return false
			}
			b.items[i].keep(p)
			b.items = slices.Delete(b.items, i+1, i+n)
		}
		at += p.bits
	}
	fits := true
	b.each(func(it *item) {
		if of := it.of; of != nil {
			fits = fits && (of.stays == nil || of.stays.says(it.kind)) && (of.stays != nil || b.has(of))
		}
	})
	return fits
}

// has reports whether an item is in a block or in what it holds.
func (b *block) has(want *item) (found bool) {
	b.each(func(it *item) { found = found || it == want })
	return found
}

// says reports whether a number that stays can decide an item of some kind: its value is the number that its bits are.
func (p *part) says(kind itemKind) bool {
	if p.value == nil {
		return false
	}
	if kind == kindOption || p.value.Type.Row().Seen == schema.SeenBool {
		return kind == kindOption && p.value.Type.Row().Seen == schema.SeenBool
	}
	if p.value.Type.Row().Seen != schema.SeenNumber {
		return false
	}
	return kind == kindChoice || p.integer(0).Sign() == 0 && p.integer(1).Cmp(big.NewInt(1)) == 0
}

func (p *part) integer(code uint64) *big.Int {
	var v big.Int
	p.value.Type.Integer(&v, code)
	return &v
}

// label is how a choice calls a value of its tag.
func (it *item) label(code uint64) string {
	if it.stays == nil || it.stays.value == nil {
		return fmt.Sprint(code)
	}
	v := it.stays.integer(code)
	if e, ok := it.stays.value.Type.(*schema.EnumRef); ok {
		for _, c := range e.Enum.Cases {
			if c.Value.Cmp(v) == 0 {
				return c.Name
			}
		}
	}
	return v.String()
}

// newArms are arms for values that a choice has not, which packets have.
func (h *hole) newArms(sh *shaper) (arms []newArm) {
	of := map[uint64]rows{}
	for i, v := range h.values {
		if len(of) < maxArms || of[v] != nil {
			of[v] = append(of[v], h.rows[i])
		}
	}
	values := make([]uint64, 0, len(of))
	for v, r := range of {
		if len(r) >= fewestAnew {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	for _, v := range values {
		b, _ := sh.shape(of[v], nil, 1)
		if len(b.items) == 0 {
			b.items = append(b.items, &item{kind: kindRest})
		}
		arms = append(arms, newArm{fmt.Sprint(v), b.items})
	}
	if len(h.rows) > 0 {
		arms = append(arms, newArm{"default", []*item{{kind: kindRest}}})
	}
	return arms
}

// carry gives what was found the names of what was there, where it is the same: numbers of one place and width, and what
// stands in one order after them.
func (s *keeper) carry(old []*part, items []*item) {
	name := func(it *item, p *part) {
		if it.name == "" && p.name != "" && !s.used[p.name] {
			it.name, s.used[p.name] = p.name, true
		}
	}
	was := map[[2]int]*part{}
	at := 0
	for _, p := range old {
		was[[2]int{at, p.bits}] = p
		if at += p.bits; p.bits == 0 {
			break
		}
	}
	at = 0
	var holders []*part
	for _, p := range old {
		if len(p.inner) > 0 {
			holders = append(holders, p)
		}
	}
	for _, it := range items {
		if p := was[[2]int{at, it.width}]; it.kind == kindNumber && p != nil {
			name(it, p)
		}
		at += it.width
		if it.body == nil && it.arms == nil {
			continue
		}
		i := slices.IndexFunc(holders, func(p *part) bool {
			return (p.plainTag != nil) == (it.arms != nil) && p.repeated == (it.kind == kindList)
		})
		if i < 0 {
			continue
		}
		p := holders[i]
		holders = holders[i+1:]
		name(it, p)
		if it.body != nil {
			s.carry(p.inner[0].parts, it.body.items)
		}
		for _, a := range it.arms {
			for _, in := range p.inner {
				if label, _, _ := strings.Cut(in.label, ":"); len(a.values) > 0 && slices.Contains(strings.Split(label, ", "), it.of.label(a.values[0])) {
					s.carry(in.parts, a.body.items)
					break
				}
			}
		}
	}
}

// end is the bit after the last of the cuts that are known.
func (f fixed) end() (bit int) {
	for _, k := range f {
		bit = max(bit, k.at+k.width)
	}
	return bit
}
