package budget

import (
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// declarations finds what a leaf's value was written as. A checked value knows its place, which is where its expression
// begins.
type declarations struct {
	src    []byte
	values map[int32]*syntax.ValueExpr // by offset
	enums  map[int32]*syntax.ValueExpr // by offset of the name
	facts  map[int32]*facts            // of checked values, by offset
}

// facts are what the checker found out about a declaration.
type facts struct {
	field  string
	used   bool // an expression reads it
	window bool // it lies in a window, whose size something else says in bytes
	notes  *schema.Annotations
}

func declarationsOf(s *schema.Schema) *declarations {
	d := &declarations{src: s.Files.Bundle(), values: map[int32]*syntax.ValueExpr{}, enums: map[int32]*syntax.ValueExpr{}, facts: map[int32]*facts{}}
	for _, f := range s.Files {
		for _, decl := range f.Decls {
			if decl, ok := decl.(*syntax.EnumDecl); ok {
				d.enums[decl.Name.Pos.Off] = decl.Base
			}
		}
		f.Walk(d.node)
	}
	seen := map[visit]bool{}
	d.items(s.Packet.Items, false, seen)
	return d
}

// node keeps the values that a body declares by their place.
func (d *declarations) node(node any) {
	if v, ok := node.(*syntax.ValueExpr); ok {
		d.values[v.Pos.Off] = v
	}
}

// visit is a struct that was looked into, in a window or not: structs are shared, and nested ones would double the
// work.
type visit struct {
	s      *schema.Struct
	window bool
}

func (d *declarations) items(items []schema.Item, window bool, seen map[visit]bool) {
	for _, it := range items {
		for _, way := range it.Ways() {
			d.items(way.Items, window || it.Extent().Window, seen)
			if way.Value == nil {
				continue
			}
			d.checked(way.Value, it.(*schema.Field), way.Notes, window, seen) // nothing else holds a value
		}
	}
}

func (d *declarations) checked(v *schema.Value, of *schema.Field, notes *schema.Annotations, window bool, seen map[visit]bool) {
	f := d.facts[v.Pos.Off]
	if f == nil {
		f = &facts{field: of.Name, notes: notes}
		d.facts[v.Pos.Off] = f
	}
	f.window = f.window || window
	f.used = f.used || of.Var.Used
	if ref, ok := v.Type.(*schema.StructRef); ok {
		if at := (visit{ref.Struct, window}); !seen[at] {
			seen[at] = true
			d.items(ref.Struct.Items, window, seen)
		}
	}
	elem := v.Type.Inner()
	if elem == nil {
		return
	}
	d.checked(elem, of, notes, window, seen)
	if a, ok := v.Type.(*schema.ArrayType); ok && a.ElemVar != nil && a.ElemVar.Used {
		d.facts[elem.Pos.Off].used = true
	}
}

// text is a stretch of the source on one line, without its comments.
func (d *declarations) text(from, to schema.Pos) string {
	if from.Off < 0 || to.Off > int32(len(d.src)) || from.Off >= to.Off {
		return ""
	}
	var b []byte
	blank, comment := false, false
	for i := from.Off; i < to.Off; i++ {
		c := d.src[i]
		switch {
		case comment:
			comment = c != '\n'
		case c == '/' && i+1 < to.Off && d.src[i+1] == '/':
			comment = true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			blank = len(b) > 0
		default:
			if blank {
				b, blank = append(b, ' '), false
			}
			b = append(b, c)
		}
	}
	return string(b)
}

// written is a value's innermost type with its byte order and rule, as written; "" where nothing declares it.
func (d *declarations) written(v *schema.Value) string {
	if v == nil {
		return ""
	}
	e := d.values[v.Pos.Off]
	if e == nil {
		return ""
	}
	return d.text(e.Type.Place().Pos, behindType(e, true))
}

// behindType is where a type ends with its byte order, and with its rule if that is wanted.
func behindType(e *syntax.ValueExpr, rule bool) schema.Pos {
	end := e.Type.Place().End
	if e.Endian != syntax.EndianNone {
		end = e.EndianAt.End
	}
	if rule && e.Rule != nil {
		end = e.Rule.End
	}
	return end
}
