package schemadoc

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/internal/table"
)

// structPart is a struct's part of the page. An inline struct has the name of the field that holds it:
// `packet.body<2>`.
type structPart struct {
	Name   string
	Title  string // `struct Sized(n, big)`
	Inline bool
	Doc    []string
	Params []fact
	Size   string
	Order  string // "" where it is the file's
	Grid   *bitGrid
	Fields *textTable
	Arms   []switchPart
	Holds  *textTable // what the fields hold of messages and registers; without rows where they hold neither
	Rules  *rulePart  // of a message; nil of all else
}

// switchPart is the table of a switch's arms.
type switchPart struct {
	Name, Tag  string
	HasDefault bool
	Arms       *textTable
}

// maker makes the parts of the page.
type maker struct {
	*written
	schema   *schema.Schema
	bytewise bool // every value of the schema takes whole bytes
	most     int  // bytes that what the parts are of may have
	seen     map[*schema.Struct]bool
	sizes    map[*schema.Struct][2]uint64
	queue    []inlineStruct
}

// newMaker makes the parts about the packet of a schema.
func newMaker(s *schema.Schema, src *written) *maker {
	return (&maker{written: src, bytewise: bytewise(s)}).of(s)
}

// of makes the parts about another packet of the same source.
func (w *maker) of(s *schema.Schema) *maker {
	return &maker{
		written: w.written, schema: s, bytewise: w.bytewise, most: s.MaxDatagram,
		seen: map[*schema.Struct]bool{}, sizes: map[*schema.Struct][2]uint64{},
	}
}

// anywhere makes the parts about what is in the packet or in a message.
func (w *maker) anywhere() *maker {
	in := w.of(w.schema)
	for _, m := range w.schema.Sections {
		in.most = max(in.most, m.Max)
	}
	return in
}

// inlineStruct is an inline struct that waits for its part.
type inlineStruct struct {
	s    *schema.Struct
	name string
}

// tree makes the part of a struct and of the inline ones in it, each after the one that holds it.
func (w *maker) tree(s *schema.Struct, name string) []*structPart {
	if w.seen[s] {
		return nil
	}
	w.seen[s] = true
	outer := w.queue
	w.queue = nil
	list := []*structPart{w.structure(s, name)}
	inner := w.queue
	w.queue = outer
	for _, in := range inner {
		list = append(list, w.tree(in.s, in.name)...)
	}
	return list
}

// sizeText is the size of a packet or a struct in words.
func sizeText(lo, hi uint64) string {
	text := bitsText(lo, hi) + " bits"
	if lo == hi && lo%8 == 0 {
		text += ", " + syntax.Count(lo/8, "byte")
	}
	return text
}

func (w *maker) structure(s *schema.Struct, name string) *structPart {
	d := &structPart{Name: name, Title: "struct " + name, Inline: s.Inline, Doc: paragraphs(s.Doc)}
	switch {
	case s.IsPacket:
		d.Title = "packet"
	case s.Inline:
		d.Title, d.Doc = name, nil // its text is at the field
	}
	if from := fromText(w.schema, s.Pos); from != "" && !s.Inline {
		d.Title += " " + from
	}
	if s.Order != w.schema.Order {
		d.Order = s.Order.String()
	}
	for _, p := range s.Params {
		text := "a bool"
		if !p.Bool {
			text = schema.RangeText(p.Lo, p.Hi)
		}
		d.Params = append(d.Params, fact{Name: p.Name, Value: text})
	}
	d.Size = sizeText(w.structSize(s))
	d.Fields = newTextTable("`Field", "`Type", "Bits", "Range", "Unit", "`Notes", "Description")
	d.Holds = newHoldsTable()
	m := w.newGrid(s)
	w.rows(d, m, s.Items, 0)
	d.Fields, d.Holds, d.Grid = d.Fields.done(), d.Holds.done(), m.done()
	return d
}

// rows adds items to the table and to the grid.
func (w *maker) rows(d *structPart, m *gridMaker, items []schema.Item, level int) {
	for _, it := range items {
		switch it := it.(type) {
		case *schema.Field:
			w.field(d, it, level)
			m.value(it, level)
		case *schema.If:
			w.branch(d, m, it, level, "if ")
			m.label(level, "end of if", "")
		case *schema.Within:
			text := windowText(it)
			d.Fields.heading(level, text)
			m.label(level, table.Fit(text, 60), "")
			m.lost()
			m.known = m.known || !it.Bits // a window of bytes begins on one
			w.rows(d, m, it.Items, level+1)
			m.lost()
		case *schema.Let:
			if it.State != nil {
				d.Fields.add(level, it.State.Path(), "let = "+plainText(it.Value.Text), "0", "", "", "", oneDoc(it.Doc))
				break
			}
			d.Fields.add(level, it.Var.Name, "let = "+plainText(it.Value.Text), "0", letRange(it), unitText(&it.Annotations), strings.Join(w.notes(w.lets[it.Pos.Off]), " "), oneDoc(it.Doc))
		case *schema.Require:
			d.Fields.add(level, "require", plainText(it.Text), "0", "", "", "", oneDoc(it.Doc))
		case *schema.Align:
			d.Fields.add(level, fmt.Sprintf("align#%d", it.Index), fmt.Sprintf("align(%d)", it.Bits), fmt.Sprintf("0..%d", it.Bits-1),
				zeroOrAny(it.Any), "", "", oneDoc(it.Doc))
			m.align(it.Bits, level)
		case *schema.Reserved:
			text := fmt.Sprintf("reserved(%d)", it.Bits)
			d.Fields.add(level, fmt.Sprintf("reserved#%d", it.Index), text, fmt.Sprint(it.Bits), zeroOrAny(it.Any), "", "", oneDoc(it.Doc))
			m.fixed("reserved", text, uint64(it.Bits), level)
		case *schema.Check:
			text := checkText(it)
			d.Fields.add(level, fmt.Sprintf("check#%d", it.Index), text, "32", "", "", "", oneDoc(it.Doc))
			if it.HasLabel {
				m.align(8, level)
			}
			m.fixed("check", table.Fit(text, 50), 32, level)
		default:
			panic(fmt.Sprintf("pktscope: internal error: unknown item %T", it))
		}
	}
}

func (w *maker) branch(d *structPart, m *gridMaker, it *schema.If, level int, word string) {
	text := word + plainText(it.Cond.Text)
	d.Fields.heading(level, text)
	m.label(level, table.Fit(text, 60), "")
	start := m.gridPlace
	w.rows(d, m, it.Then, level+1)
	then := m.way(start)
	if len(it.Else) > 0 {
		if next, ok := it.Else[0].(*schema.If); ok && len(it.Else) == 1 {
			w.branch(d, m, next, level, "else if ")
		} else {
			d.Fields.heading(level, "else")
			m.label(level, "else", "")
			w.rows(d, m, it.Else, level+1)
		}
	}
	m.join(start, then)
}

func windowText(it *schema.Within) string {
	unit := " bytes)"
	switch {
	case it.Bits:
		unit = " bits)"
	case it.Fill > 0:
		unit = " bytes, zeros after it)"
	}
	return "within(" + plainText(it.Size.Text) + unit
}

func letRange(it *schema.Let) string {
	if it.Value.Bool {
		return "true or false"
	}
	return schema.RangeText(it.Lo, it.Hi)
}

func zeroOrAny(any bool) string {
	if any {
		return "any; a note when set"
	}
	return "always 0"
}

func checkText(it *schema.Check) string {
	if it.HasLabel {
		return `check "` + plainText(it.Label) + `"`
	}
	return fmt.Sprintf("check 0x%08x", it.Value)
}

func (w *maker) field(d *structPart, f *schema.Field, level int) {
	n := w.fields[f.Pos.Off]
	notes := ""
	if n != nil {
		notes = strings.Join(w.notes(n.Annotations), " ")
	}
	if f.Switch != nil {
		d.Fields.add(level, f.Name, "switch "+plainText(f.Switch.Tag.Text), bitsText(w.waysSize(f.Ways())), "", "", notes, oneDoc(f.Doc))
		d.Arms = append(d.Arms, w.choice(d, f))
		return
	}
	typ := ""
	if n != nil && n.Value != nil {
		typ = w.typeText(n.Value)
		w.holds(d, f.Name, f.Value, n.Value, &f.Annotations)
	}
	row := d.Fields.add(level, f.Name, typ, bitsText(w.valueSize(f.Value)), f.Value.RangeText(), unitText(&f.Annotations), notes, oneDoc(f.Doc))
	row.Cells[1].Ref = w.ref(f.Value, d.Name+"."+f.Name)
}

// ref is the name of the part of the page about a value's type, "" where there is none. An inline struct gets one,
// called name.
func (w *maker) ref(v *schema.Value, name string) string {
	if ref, ok := v.Type.(*schema.EnumRef); ok {
		return ref.Enum.Name
	}
	if ref, ok := v.Type.(*schema.StructRef); ok {
		if !ref.Struct.Inline {
			return ref.Struct.Name
		}
		w.queue = append(w.queue, inlineStruct{ref.Struct, name})
		return name
	}
	elem := v.Type.Inner()
	if elem == nil {
		return ""
	}
	if v.Type.Row().List {
		name += "[]"
	}
	return w.ref(elem, name)
}

func (w *maker) choice(d *structPart, f *schema.Field) switchPart {
	s := switchPart{Name: f.Name, Tag: plainText(f.Switch.Tag.Text), HasDefault: f.Switch.HasDefault}
	t := newTextTable("`Tag", "`Holds", "Bits", "Range", "Unit", "`Notes", "Description")
	for _, arm := range f.Switch.Arms {
		label, typ, size, values, notes := plainText(arm.Label), "empty", "0", "", ""
		n := w.arms[arm.Pos.Off]
		if n != nil {
			notes = strings.Join(w.notes(n.Annotations), " ")
			if len(n.Labels) > 0 {
				label = w.span(n.Labels[0].Pos.Off, n.Labels[len(n.Labels)-1].End.Off)
			}
		}
		ref := ""
		if arm.Value != nil {
			if n != nil && n.Value != nil {
				typ = w.typeText(n.Value)
				w.holds(d, f.Name+"<"+label+">", arm.Value, n.Value, &arm.Annotations)
			}
			size, values = bitsText(w.valueSize(arm.Value)), arm.Value.RangeText()
			ref = w.ref(arm.Value, d.Name+"."+f.Name+"<"+plainText(arm.Label)+">")
		}
		t.add(0, label, typ, size, values, unitText(&arm.Annotations), notes, oneDoc(arm.Doc)).Cells[1].Ref = ref
	}
	s.Arms = t.done()
	return s
}

// valueSize is a value's least and most bits. Where everything lies on bytes, bytes need no alignment, which the sizes
// of the checked schema count in.
func (w *maker) valueSize(v *schema.Value) (lo, hi uint64) {
	if !w.bytewise {
		return w.held(v.MinBits), w.held(v.MaxBits)
	}
	if ref, ok := v.Type.(*schema.StructRef); ok {
		return w.structSize(ref.Struct)
	}
	if n, ok := constantBytes(v); ok {
		return n, n
	}
	if _, ok := v.Type.(*schema.TextType); ok {
		return v.MinBits, v.MaxBits &^ 7
	}
	if b, ok := v.Type.(*schema.BlobType); ok {
		return v.MinBits, w.held(uint64(b.Max) * 8)
	}
	l, unit := v.Type.Layout(), v.Type.Layout().Unit
	if elem := v.Type.Inner(); elem != nil {
		_, unit = w.valueSize(elem)
	}
	most := w.held(timesSize(l.Hi, unit))
	return min(v.MinBits, most), most
}

// constantBytes is the size in bits of what begins on a byte and has one length: bytes(32), char(8).
func constantBytes(v *schema.Value) (bits uint64, ok bool) {
	if t, ok := v.Type.(*schema.TextType); ok {
		return v.MinBits, t.Kind == schema.TextChar
	}
	b, ok := v.Type.(*schema.BlobType)
	return v.MinBits, ok && b.Size != nil && b.Size.IsConst()
}

// structSize computes the size of a struct once: named ones are used again and again, on every level.
func (w *maker) structSize(s *schema.Struct) (lo, hi uint64) {
	if !w.bytewise {
		return w.held(s.MinBits), w.held(s.MaxBits)
	}
	size, ok := w.sizes[s]
	if !ok {
		size[0], size[1] = w.itemsSize(s.Items)
		w.sizes[s] = size
	}
	return size[0], size[1]
}

func (w *maker) itemsSize(items []schema.Item) (lo, hi uint64) {
	for _, it := range items {
		a, b := w.itemSize(it)
		lo, hi = addSizes(lo, a), addSizes(hi, b)
	}
	return w.held(lo), w.held(hi)
}

// held is a size in bits, at most what a datagram or a message holds.
func (w *maker) held(bits uint64) uint64 { return min(bits, 8*uint64(w.most)) }

func addSizes(a, b uint64) uint64 {
	if a+b < a {
		return ^uint64(0)
	}
	return a + b
}

func timesSize(a, b uint64) uint64 {
	if over, n := bits.Mul64(a, b); over == 0 {
		return n
	}
	return ^uint64(0)
}

func (w *maker) itemSize(it schema.Item) (lo, hi uint64) {
	own := it.Extent()
	lo, hi = w.waysSize(it.Ways())
	if in, ok := it.(*schema.Within); ok && in.Fill > 0 { // none of what is inside need be there
		lo = own.Least
	}
	if own.Window {
		return w.held(min(lo, own.Most)), w.held(own.Most)
	}
	if lo, hi = addSizes(lo, own.Least), addSizes(hi, own.Most); own.Align > 8 {
		hi = addSizes(hi, uint64(own.Align-1))
	}
	return lo, hi
}

// waysSize is the least and the most bits of ways of which a packet takes one.
func (w *maker) waysSize(ways []schema.Way) (lo, hi uint64) {
	lo = ^uint64(0)
	for _, way := range ways {
		a, b := w.itemsSize(way.Items)
		if way.Value != nil {
			a, b = w.valueSize(way.Value)
		}
		lo, hi = min(lo, a), max(hi, b)
	}
	return min(lo, hi), hi
}

// bytewise reports whether every value of a schema takes whole bytes, so that every position is on one.
func bytewise(s *schema.Schema) bool {
	return bytewiseItems(s.Packet.Items) &&
		!slices.ContainsFunc(s.Structs, func(st *schema.Struct) bool { return !bytewiseItems(st.Items) }) &&
		!slices.ContainsFunc(s.Sections, func(m *schema.Section) bool { return !bytewiseItems(m.Struct.Items) })
}

func bytewiseItems(items []schema.Item) bool {
	return !slices.ContainsFunc(items, func(it schema.Item) bool {
		return it.Extent().Unit%8 != 0 || slices.ContainsFunc(it.Ways(), func(way schema.Way) bool {
			return !bytewiseItems(way.Items) || way.Value != nil && !bytewiseValue(way.Value)
		})
	})
}

func bytewiseValue(v *schema.Value) bool {
	if ref, ok := v.Type.(*schema.StructRef); ok {
		return !ref.Struct.Inline || bytewiseItems(ref.Struct.Items) // named ones are looked at by themselves
	}
	l := v.Type.Layout()
	if l.Head > 0 || l.Each > 0 || l.Tail > 0 || l.Steps {
		return false
	}
	if elem := v.Type.Inner(); elem != nil {
		return bytewiseValue(elem)
	}
	return l.Unit%8 == 0 || l.Lo == l.Hi && l.Lo*l.Unit%8 == 0
}
