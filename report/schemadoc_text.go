package report

import (
	"fmt"
	"math"
	"math/big"
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
	arms   map[int32]*syntax.ArmNode
	cases  map[int32]*syntax.CaseDecl
}

func newWritten(f *syntax.File) *written {
	w := &written{src: f.Src, fields: map[int32]*syntax.FieldItem{}, arms: map[int32]*syntax.ArmNode{}, cases: map[int32]*syntax.CaseDecl{}}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *syntax.EnumDecl:
			for _, c := range d.Cases {
				w.cases[c.Name.Pos.Off] = c
			}
		case *syntax.StructDecl:
			d.Body.Walk(w.node)
		case *syntax.PacketDecl:
			d.Body.Walk(w.node)
		}
	}
	return w
}

// node keeps what a body holds by its place.
func (w *written) node(node any) {
	switch n := node.(type) {
	case *syntax.FieldItem:
		w.fields[n.Name.Pos.Off] = n
	case *syntax.ArmNode:
		w.arms[n.Pos.Off] = n
	}
}

// text is a stretch of the source on one line, without comments.
func (w *written) text(s schema.Span) string { return w.span(s.Pos.Off, s.End.Off) }

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

// typeText is a field's type as written, without its rule; an inline struct shows as `{ … }`.
func (w *written) typeText(v *syntax.ValueExpr) string {
	if body, ok := v.Type.(syntax.BodyType); ok {
		return strings.TrimSpace(w.span(v.Pos.Off, body.Pos.Off) + "{ … }")
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

// numberText is an integer, those next to a large power of two as such.
func numberText(v *big.Int) string {
	if v.BitLen() > 53 {
		if v.Sign() > 0 && new(big.Int).And(v, new(big.Int).Add(v, big.NewInt(1))).Sign() == 0 {
			return fmt.Sprintf("2^%d-1", v.BitLen())
		}
		if abs := new(big.Int).Abs(v); v.Sign() < 0 && int(abs.TrailingZeroBits()) == abs.BitLen()-1 {
			return fmt.Sprintf("-2^%d", abs.BitLen()-1)
		}
	}
	return v.String()
}

func spanText(lo, hi *big.Int) string {
	if lo.Cmp(hi) == 0 {
		return numberText(lo)
	}
	return numberText(lo) + ".." + numberText(hi)
}

// widthRange is all that so many bits can hold.
func widthRange(width int, signed bool) string {
	if signed {
		half := new(big.Int).Lsh(big.NewInt(1), uint(max(width-1, 0)))
		return spanText(new(big.Int).Neg(half), new(big.Int).Sub(half, big.NewInt(1)))
	}
	return spanText(new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1)))
}

func floatText(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func float32Text(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }

// rangeText is what a value may be, "" where its type says it all.
func rangeText(v *schema.Value) string {
	if v.Rule != nil {
		if text := ruleText(v); text != "" {
			return text
		}
	}
	switch t := v.Type.(type) {
	case *schema.IntType, *schema.VarintType:
		in, _ := t.Interval()
		return spanText(in.Lo, in.Hi)
	case *schema.RangedType:
		if t.HiExpr != nil {
			return numberText(t.Lo) + ".." + plainText(t.HiExpr.Text) + ", at most " + numberText(t.Hi)
		}
		return spanText(t.Lo, t.Hi)
	case *schema.QuantizedType:
		return fmt.Sprintf("%s..%s, step %s", float32Text(t.Min), float32Text(t.Max), float32Text(t.Step))
	case *schema.VectorType:
		return "each " + rangeText(t.Elem)
	case *schema.TextType:
		switch t.Kind {
		case schema.TextWString:
			return fmt.Sprintf("at most %s", countOf(int64(t.N-1), "unit"))
		case schema.TextChar:
			return fmt.Sprintf("at most %s", countOf(int64(t.N), "byte"))
		}
		return fmt.Sprintf("at most %s", countOf(int64(t.N-1), "byte"))
	case *schema.BlobType:
		if t.Size == nil || !t.Size.IsConst() {
			return fmt.Sprintf("at most %s", countOf(int64(t.Max), "byte"))
		}
	case *schema.ChecksumType:
		if t.HasPrefix {
			return fmt.Sprintf("prefix %#x", t.Prefix)
		}
	case *schema.OptionalType:
		return rangeText(t.Elem)
	case *schema.ArrayType:
		return elementsText(t)
	case *schema.SubsetType:
		return fmt.Sprintf("at most %s", countOf(int64(min(t.N, math.MaxInt64)), "element"))
	case *schema.LadderType:
		return "above " + plainText(t.Prev.Text)
	case *schema.BoolType, *schema.FloatType, *schema.SmallestType, *schema.EnumRef, *schema.StructRef: // its type says it all
	default:
		panic(fmt.Sprintf("pktscope: internal error: unknown type %T", t))
	}
	return ""
}

func elementsText(t *schema.ArrayType) string {
	each := ""
	if text := rangeText(t.Elem); text != "" {
		each = ", each " + text
	}
	n := countOf(int64(min(t.Max, math.MaxInt64)), "element")
	switch {
	case t.Kind == schema.ArrayCount && t.Count.IsConst():
		return n + each
	case t.Kind == schema.ArrayCounted && t.Lo > 0:
		return fmt.Sprintf("%d..%s", t.Lo, n) + each
	}
	return "at most " + n + each
}

// ruleText is the rule behind a type with its constants worked out.
func ruleText(v *schema.Value) string {
	r := v.Rule
	var enum *schema.Enum
	if ref, ok := v.Type.(*schema.EnumRef); ok {
		enum = ref.Enum
	}
	_, isBool := v.Type.(*schema.BoolType)
	want := func() string {
		switch {
		case r.WantFloat != nil:
			return floatText(*r.WantFloat)
		case r.Want == nil:
			return plainText(strconv.Quote(string(r.Bytes)))
		case isBool:
			return strconv.FormatBool(r.Want.Sign() != 0)
		case enum != nil:
			return enumName(enum, r.Want)
		}
		return numberText(r.Want)
	}
	var parts []string
	switch r.Kind {
	case schema.RuleFinite:
		return "finite"
	case schema.RuleUTF8:
		return "UTF-8"
	case schema.RuleEq:
		return "always " + want()
	case schema.RuleNe:
		return "not " + want()
	}
	for _, f := range r.Floats {
		parts = append(parts, floatText(f.Lo)+".."+floatText(f.Hi))
	}
	for _, s := range r.Set {
		switch {
		case enum == nil:
			parts = append(parts, spanText(s.Lo, s.Hi))
		default:
			for i := range enum.Cases {
				if c := &enum.Cases[i]; c.Value.Cmp(s.Lo) >= 0 && c.Value.Cmp(s.Hi) <= 0 {
					parts = append(parts, c.Name)
				}
			}
		}
	}
	return strings.Join(parts, ", ")
}

func enumName(e *schema.Enum, v *big.Int) string {
	for i := range e.Cases {
		if e.Cases[i].Value.Cmp(v) == 0 {
			return e.Cases[i].Name
		}
	}
	return numberText(v)
}

// unitText is @unit and @scale.
func unitText(n *schema.Annotations) string {
	switch {
	case n.Scale != 0 && n.Unit != "":
		return "× " + floatText(n.Scale) + " " + plainText(n.Unit)
	case n.Scale != 0:
		return "× " + floatText(n.Scale)
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

// countOf is a number of things.
func countOf(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func bytesText(bits int64) string { return countOf((bits+7)/8, "byte") }

func durationText(ns int64) string { return time.Duration(ns).String() }

// shorten cuts text for a diagram; the tables have it in full.
func shortened(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
