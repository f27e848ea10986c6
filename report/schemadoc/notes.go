package schemadoc

import (
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Note is what the page says of a field or of a switch's arm, for those who show it elsewhere: an editor. All texts are
// escaped as the page's are.
type Note struct {
	Pos     schema.Pos // of the field's name, or of the arm
	Name    string     // "" of an arm
	Type    string     // as written
	Bits    string     // on the wire, "3" or "0..40"
	Refused string     // the kinds of rejects that the type and its rule give, "" for none but the packet's end
	Wants   string     // what the value has to be
	Unit    string
	Doc     string
}

// Notes are those of all structs of a schema and of its messages; the same place may have several, of a struct that is
// used with several sizes.
func Notes(p *plan.Plan) []Note {
	n := notes{maker: newMaker(p.Schema, newWritten(p.Schema.Files)).anywhere()}
	n.structure(p.Schema.Packet)
	for _, section := range p.Sections {
		n.structure(section.Schema.Packet)
	}
	for _, s := range p.Schema.Structs {
		n.structure(s)
	}
	return n.list
}

// Widths says how many bits the packet, the messages and the structs have on the wire, "46" or "13..200", by the places
// of their declarations.
func Widths(p *plan.Plan) map[schema.Pos]string {
	m := newMaker(p.Schema, newWritten(p.Schema.Files)).anywhere()
	widths := map[schema.Pos]string{}
	set := func(s *schema.Struct) { widths[s.Pos] = bitsText(m.structSize(s)) }
	set(p.Schema.Packet)
	for _, section := range p.Sections {
		set(section.Schema.Packet)
	}
	for _, s := range p.Schema.Structs {
		set(s)
	}
	return widths
}

type notes struct {
	*maker
	done map[*schema.Struct]bool
	list []Note
}

func (n *notes) structure(s *schema.Struct) {
	if n.done[s] {
		return
	}
	if n.done == nil {
		n.done = map[*schema.Struct]bool{}
	}
	n.done[s] = true
	n.items(s.Items)
}

func (n *notes) items(items []schema.Item) {
	for _, it := range items {
		if f, ok := it.(*schema.Field); ok {
			n.field(f)
		}
		for _, way := range it.Ways() {
			n.items(way.Items)
			for v := way.Value; v != nil; v = v.Type.Inner() {
				if ref, ok := v.Type.(*schema.StructRef); ok && ref.Struct.Inline {
					n.structure(ref.Struct)
				}
			}
		}
	}
}

func (n *notes) field(f *schema.Field) {
	note := Note{Pos: f.Pos, Name: f.Name, Unit: unitText(&f.Annotations), Doc: oneDoc(f.Doc)}
	if f.Value != nil {
		n.value(&note, f.Value)
		if item := n.fields[f.Pos.Off]; item != nil && item.Value != nil {
			note.Type = n.typeText(item.Value)
		}
		n.list = append(n.list, note)
		return
	}
	note.Type, note.Bits = "switch "+plainText(f.Switch.Tag.Text), bitsText(n.waysSize(f.Ways()))
	if !f.Switch.HasDefault {
		note.Refused, note.Wants = "unknown-case", "a tag that has an arm"
	}
	n.list = append(n.list, note)
	for _, arm := range f.Switch.Arms {
		note := Note{Pos: arm.Pos, Type: "empty", Bits: "0", Unit: unitText(&arm.Annotations), Doc: oneDoc(arm.Doc)}
		if arm.Value != nil {
			n.value(&note, arm.Value)
			if item := n.arms[arm.Pos.Off]; item != nil && item.Value != nil {
				note.Type = n.typeText(item.Value)
			}
		}
		n.list = append(n.list, note)
	}
}

// value says what holds for a value and for what it holds: the elements of a list refuse for it.
func (n *notes) value(note *Note, v *schema.Value) {
	note.Bits = bitsText(n.valueSize(v))
	var refused, wants []string
	for ; v != nil; v = v.Type.Inner() {
		kinds, want := valueRule(v)
		if kinds != "" {
			refused = append(refused, kinds)
		}
		if want != "" {
			wants = append(wants, want)
		}
	}
	note.Refused, note.Wants = strings.Join(refused, ", "), strings.Join(wants, "; ")
}
