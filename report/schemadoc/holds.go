package schemadoc

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// What lies after a datagram: what a flow keeps, its messages, and the fields that hold either.

// stateTable lists the registers; nil without any.
func stateTable(s *schema.Schema) *textTable {
	if len(s.State) == 0 {
		return nil
	}
	t := newTextTable("`Register", "Holds", "Range", "Kept", "`Notes", "Description")
	for _, r := range s.State {
		holds, values, kept, notes := "a key of "+syntax.Count(int64(r.Size), "byte"), "", "one of a flow", ""
		if r.Steers() {
			holds, values = "the first value that was said", r.Value.RangeText()
		}
		if r.Each {
			kept = "one for each direction"
		}
		if r.Annotations.Secret {
			notes = "@secret"
		}
		t.add(0, r.Path(schema.OwnSide), holds, values, kept, notes, oneDoc(r.Doc))
	}
	return t.done()
}

// messageParts are the parts about the messages of a schema, whose plans are sections. Their sizes are bound by what the
// message may be.
func (w *maker) messageParts(sections []*plan.Plan) (parts []*structPart) {
	for i, m := range w.schema.Sections {
		in := w.of(w.schema.Section(m.Name))
		list := in.tree(m.Struct, m.Name)
		list[0].Title = strings.TrimSpace(fmt.Sprintf("message %s max %d %s", m.Name, m.Max, fromText(w.schema, m.Pos)))
		if i < len(sections) { // a plan that is beyond its limits has none
			list[0].Rules = ruleTable(sections[i])
		}
		parts = append(parts, list...)
	}
	return parts
}

func newHoldsTable() *textTable {
	return newTextTable("`Field", "`Holds", "How", "`Pieces by", "`Key", "`Nonce", "`Authenticated beside it", "`Pad from")
}

// holds adds what a field of a struct, or an arm of one, holds: a message or a piece of it, what is sealed, and what a
// register keeps of it.
func (w *maker) holds(d *structPart, name string, v *schema.Value, as *syntax.ValueExpr, notes *schema.Annotations) {
	if f := notes.Fragment; f != nil {
		how, by := "all of it", ""
		if f.ID != nil {
			how = "a piece"
			var list []string
			for i, e := range f.Exprs() {
				list = append(list, f.Words()[i]+" "+plainText(e.Text))
			}
			by = strings.Join(list, ", ")
		}
		d.Holds.add(0, name, f.Section.Name, how, by).Cells[1].Ref = f.Section.Name
	}
	if s := sealOf(v); s != nil {
		w.sealed(d, name, s, as)
	}
	for _, set := range notes.Sets {
		d.Holds.add(0, name, set.Register.Path(set.Side), "kept once the packet is accepted")
	}
}

// sealOf is the seal of a value, nil where it is not sealed.
func sealOf(v *schema.Value) *schema.Seal {
	if v == nil {
		return nil
	}
	if ref, ok := v.Type.(*schema.StructRef); ok {
		return ref.Struct.Seal
	}
	return nil
}

func (w *maker) sealed(d *structPart, name string, s *schema.Seal, as *syntax.ValueExpr) {
	how := "sealed with " + s.Algorithm.Name
	if s.Algorithm.Tag > 0 {
		how += ", a tag of " + syntax.Count(int64(s.Algorithm.Tag), "byte") + " after it"
	}
	if s.Open == nil {
		how += "; nothing is known of the text"
	}
	if s.Key.Register != nil {
		how += "; the key is what the flow keeps"
	} else {
		how += "; the key is a line of --keys"
	}
	var nonce, ad, at string
	if t, ok := as.Type.(*syntax.SealedType); ok {
		nonce, ad = w.sealParts(t.Nonce), w.sealParts(t.AD)
		if t.At != nil {
			at = w.text(t.At.Place())
		}
	}
	d.Holds.add(0, name, s.OpenName(), how, "", s.Key.String(), nonce, ad, at).Cells[1].Ref = s.OpenName()
}

// sealParts are the bytes of a nonce or of additional data as written.
func (w *maker) sealParts(list []syntax.SealPart) string {
	if len(list) == 0 {
		return ""
	}
	return w.span(list[0].Pos.Off, list[len(list)-1].End.Off)
}
