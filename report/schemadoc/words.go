package schemadoc

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Words for the page: what is quoted from the source, and what is computed from the checked schema.

// written finds the source text of what the checked schema holds: both know their places.
type written struct {
	src    []byte
	fields map[int32]*syntax.FieldItem
	lets   map[int32][]*syntax.Annotation
	arms   map[int32]*syntax.ArmNode
	cases  map[int32]*syntax.CaseDecl
}

func newWritten(files schema.Files) *written {
	w := &written{src: files.Bundle(), fields: map[int32]*syntax.FieldItem{}, lets: map[int32][]*syntax.Annotation{}, arms: map[int32]*syntax.ArmNode{}, cases: map[int32]*syntax.CaseDecl{}}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*syntax.EnumDecl); ok {
				for _, c := range d.Cases {
					w.cases[c.Name.Pos.Off] = c
				}
			}
		}
		f.Walk(w.node)
	}
	return w
}

// node keeps what a body holds by its place.
func (w *written) node(node any) {
	switch n := node.(type) {
	case *syntax.FieldItem:
		w.fields[n.Name.Pos.Off] = n
	case *syntax.LetItem:
		w.lets[n.Name.Pos.Off] = n.Annotations
	case *syntax.ArmNode:
		w.arms[n.Pos.Off] = n
	}
}

// text is a stretch of the source on one line, without comments.
func (w *written) text(s schema.Span) string { return w.span(s.Pos.Off, s.End.Off) }

// labels are those of a row of a table.
func (w *written) labels(r *syntax.TableRow) string {
	if r.Default {
		return "default"
	}
	return w.span(r.Labels[0].Pos.Off, r.Labels[len(r.Labels)-1].End.Off)
}

func (w *written) span(from, to int32) string {
	var b []byte
	quote, blank := byte(0), false
	for i := from; i < to && int(i) < len(w.src); i++ {
		c := w.src[i]
		switch {
		case quote != 0:
			b = append(b, c)
			if c == '\\' && i+1 < to {
				i++
				b = append(b, w.src[i])
			} else if c == quote {
				quote = 0
			}
			continue
		case c == '/' && i+1 < to && w.src[i+1] == '/':
			for i < to && w.src[i] != '\n' {
				i++
			}
			blank = true
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			blank = true
			continue
		case c == '"' || c == '\'':
			quote = c
		}
		if blank && len(b) > 0 {
			b = append(b, ' ')
		}
		blank = false
		b = append(b, c)
	}
	return plainText(string(b))
}

// typeText is a field's type as written, without its rule; an inline struct shows as `{ … }`, and so does what a seal
// takes.
func (w *written) typeText(v *syntax.ValueExpr) string {
	if body, ok := v.Type.(syntax.BodyType); ok {
		return strings.TrimSpace(w.span(v.Pos.Off, body.Pos.Off) + "{ … }")
	}
	if t, ok := v.Type.(*syntax.SealedType); ok {
		return strings.TrimSpace(w.span(v.Pos.Off, t.Algorithm.End.Off) + " { … }")
	}
	end := v.End.Off
	if v.Rule != nil {
		end = v.Rule.Pos.Off
	}
	return w.span(v.Pos.Off, end)
}

// notes are the annotations as written, but for @unit and @scale.
func (w *written) notes(list []*syntax.Annotation) (notes []string) {
	for _, n := range list {
		if n.Name.Text != "unit" && n.Name.Text != "scale" {
			notes = append(notes, w.text(n.Span))
		}
	}
	return notes
}

// unitText is @unit and @scale.
func unitText(n *schema.Annotations) string {
	switch {
	case n.Scale != 0 && n.Unit != "":
		return "× " + strconv.FormatFloat(n.Scale, 'g', -1, 64) + " " + plainText(n.Unit)
	case n.Scale != 0:
		return "× " + strconv.FormatFloat(n.Scale, 'g', -1, 64)
	}
	return plainText(n.Unit)
}

// bitsText is a size on the wire.
func bitsText(lo, hi uint64) string {
	switch {
	case lo == hi:
		return fmt.Sprint(lo)
	case hi > 1<<40:
		return fmt.Sprintf("%d or more", lo)
	}
	return fmt.Sprintf("%d..%d", lo, hi)
}

func bytesText(bits int64) string { return syntax.Count((bits+7)/8, "byte") }

func durationText(ns int64) string { return time.Duration(ns).String() }
