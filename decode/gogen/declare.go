package gogen

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
)

// header writes the constants, the entry points and what the support code needs to know.
func (g *gen) header(b *bytes.Buffer) {
	bound := &g.p.Bound
	slots := 0
	if len(g.shared[false]) > 0 {
		slots = g.slotCount
	}
	lengths, found := "", "struct{}"
	if len(g.lengthSlots) > 0 {
		lengths, found = fmt.Sprintf("lengthRoom = %d\n", lengthRoom), "lengths"
	} else if g.open != nil {
		found = "looks"
	}
	if g.branches() {
		found += "\npicks"
	}
	if g.p.SeesBits() {
		found += "\nseen [MaxDatagram]byte // the datagram as the pass before wrote it\nsize int // bytes of it\njudged bool // these are the bytes of the pass at hand, too"
	}
	declared := "= " + found
	if strings.Contains(found, "\n") {
		declared = "struct {\n" + found + "\n}"
	}
	fmt.Fprintf(b, `
// What no packet exceeds.
const (
	MaxBits     = %d // of an accepted packet, from its first to its last field
	MaxDatagram = %d // bytes
)

const (
	loopDepth = %d
	slotRoom  = %d
	sumRoom   = %d
%s)

// found is what a writer finds out of lengths that nobody gave.
type found %s

// Decode reads one datagram, sent by from, into v. The error, where there is one, is a *PacketReject, valid until the
// PacketReader is used again; v then holds parts of the datagram and of earlier ones. Lists, bytes and texts of v keep
// their memory from datagram to datagram, and nothing of v refers to data.
func (r *PacketReader) Decode(data []byte, from From, v *Packet) error {
	if len(data) > MaxDatagram {
		r.refuse(RejectDatagramSize, 0, 8*len(data), "")
		return &r.reject
	}
	r.from = from
	bit := r.packet(v, data, 0, 8*len(data))
	if bit < 0 {
		return &r.reject
	}
	if left := 8*len(data) - bit; left >= 8 {
		r.refuse(RejectTrailingBytes, bit, left, "")
		return &r.reject
	}
	r.bits = bit
`, bound.MaxBits, g.p.Schema.MaxDatagram, g.depth, slots, len(g.openSums), lengths, declared)
	if g.p.ReadsAhead() {
		b.WriteString("if v.DatagramSize = int64(len(data)); len(data) == 0 { v.DatagramSize = -1 }\n")
	}
	b.WriteString(`return nil
}

// Append appends the packet to b, sent by from. The error is a *PacketReject that says which value cannot be written. It
// allocates where b has less room than the packet and 300 bytes; what it gives has that room.
`)
	b.WriteString(g.floatDoc())
	if len(g.derived) > 0 {
		b.WriteString(`//
// A field that says how large something is may be left zero: it is then the length of its list, its bytes or its
// window. One that is not zero is held against that length, and refused where it is another.
`)
	}
	b.WriteString(`func (v *Packet) Append(b []byte, from From) ([]byte, error) {
	var w writer
	w.from = from
	out := b[len(b):cap(b)]
	bit := 0
`)
	packet := "packet"
	if len(g.lengthSlots) > 0 {
		packet = "settled"
		b.WriteString("defer w.found.give()\n")
	}
	if g.open != nil {
		g.appendOpen(b)
	} else {
		fmt.Fprintf(b, "	if out, bit = w.%s(v, out, 0, 8*MaxDatagram); bit < 0 { return b, w.failed() }\n", packet)
	}
	b.WriteString(`	n := (bit + 7) / 8
	if n > MaxDatagram {
		w.refuse(RejectDatagramSize, 0, 8*n, "")
		return b, w.failed()
	}
`)
	b.WriteString(g.sealSums(plan.NoStep, "out", "n"))
	b.WriteString(`	if len(out) == cap(b)-len(b) {
		return b[:len(b)+n], nil
	}
	return append(b, out...)[:len(b)+n], nil // with its room, for the next packet
}
`)
	if packet == "settled" && g.open == nil {
		b.WriteString(`
// settled writes the packet until the lengths that nobody gave are those of what they measure.
func (w *writer) settled(v *Packet, b []byte, bit, end int) ([]byte, int) {
	for range 16 {
		out, at := w.packet(v, b, bit, end)
		if !w.unsettled() || at < 0 {
			return out, at
		}
		b = out
	}
	return b, w.refuse(RejectRuleBroken, bit, 0, "")
}
`)
	}
}

// typeDecls writes the enums and the structs.
func (g *gen) typeDecls(b *bytes.Buffer) {
	for _, e := range g.enumList {
		of := "the schema"
		if from := g.p.Schema.Origin(e.enum.Pos); from != "" {
			of = from
		}
		fmt.Fprintf(b, "\n// %s is the %s %s of %s.\n", e.name, map[bool]string{false: "enum", true: "flags"}[e.enum.Flags], e.enum.Name, of)
		if e.enum.Doc != "" {
			b.WriteString("//\n" + comment("", e.enum.Doc))
		}
		fmt.Fprintf(b, "type %s %s\n\nconst (\n", e.name, e.base)
		for i, name := range e.cases {
			c := &e.enum.Cases[i]
			b.WriteString(comment("\t", c.Doc))
			fmt.Fprintf(b, "\t%s %s = %s\n", name, e.name, c.Value)
		}
		b.WriteString(")\n\n")
		if e.enum.Flags {
			fmt.Fprintf(b, "// String lists the flags that are set; bits that are none of them are shown in hexadecimal.\nfunc (f %s) String() string {\n\tvar b []byte\n", e.name)
			for i := range e.cases {
				fmt.Fprintf(b, "if v := %s(%s); v != 0 && f&v == v { b = append(append(b, '|'), %q...) }\n", e.name, e.cases[i], e.enum.Cases[i].Name)
			}
			fmt.Fprintf(b, "if rest := uint64(f) &^ %#x; rest != 0 || len(b) == 0 { b = strconv.AppendUint(append(b, \"|0x\"...), rest, 16) }\nreturn string(b[1:])\n}\n", e.enum.Mask)
			continue
		}
		format := "strconv.FormatUint(uint64(e), 10)"
		if strings.HasPrefix(e.base, "int") {
			format = "strconv.FormatInt(int64(e), 10)"
		}
		fmt.Fprintf(b, "// String gives the case's name, or the number where there is none.\nfunc (e %s) String() string {\n\tswitch e {\n", e.name)
		for i := range e.cases {
			fmt.Fprintf(b, "case %s: return %q\n", e.cases[i], e.enum.Cases[i].Name)
		}
		fmt.Fprintf(b, "}\nreturn %s\n}\n", format)
	}
	for _, t := range slices.Backward(g.typeList) {
		if t.fixed {
			fixedDecl(b, t)
			continue
		}
		g.structDecl(b, t)
	}
}

func (g *gen) structDecl(b *bytes.Buffer, t *goType) {
	doc := t.doc
	if doc == "" {
		doc = "is a part of a packet."
	}
	if first, _, _ := strings.Cut(doc, " "); first == "is" || first == "holds" {
		doc = t.text + " " + doc
	} else {
		doc = t.text + ": " + doc
	}
	b.WriteString("\n" + comment("", doc))
	fmt.Fprintf(b, "type %s struct {\n", t.text)
	for _, f := range t.fields {
		b.WriteString(comment("\t", f.doc))
		fmt.Fprintf(b, "\t%s %s", f.name, f.typ.text)
		if f.pks != "" {
			fmt.Fprintf(b, " `pks:%q`", strings.ReplaceAll(f.pks, "`", ""))
		}
		b.WriteString(lineEnd(f.note))
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	if t.reset {
		fmt.Fprintf(b, "\nfunc (v *%s) reset() {\n", t.text)
		for _, f := range t.fields {
			b.WriteString("\t" + g.zeroed("v."+f.name, f.typ) + "\n")
		}
		b.WriteString("}\n")
	}
	if n := g.smallest[t.text]; n > 0 {
		fmt.Fprintf(b, `
// XYZW is the quaternion; one that a PacketReader accepted has no NaN in it.
func (v *%s) XYZW() (x, y, z, w float32) {
	q := smallestQuat(uint64(min(v.Largest, 3)), &[3]uint64{uint64(v.A), uint64(v.B), uint64(v.C)}, %d)
	return q[0], q[1], q[2], q[3]
}
`, t.text, n)
	}
}
