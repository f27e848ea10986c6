package schema

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/display"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Annotations: what is said about a field and never changes the wire. Each has its places: a counter is an integer, a
// unit belongs to a number; a note on the wrong thing would silently do nothing, so it is an error.

// pendingAck is an @ack whose struct may be further down.
type pendingAck struct {
	in   *unit
	at   *syntax.PathExpr
	into *Annotations
}

var annotationNames = AnnotationWords()

// AnnotationWords are the names of all annotations, displays among them.
func AnnotationWords() []string {
	list := []string{"unit", "scale", "time", "text", "seq", "ack", "from", "every", "secret", "budget", "message", "fragment"}
	for _, d := range display.Displays {
		if d.Arg == "" {
			list = append(list, d.Word)
		}
	}
	return list
}

// wireNotes are about bits that are sent.
var wireNotes = []string{"from", "every", "budget"}

// noteHome is what annotations are after.
type noteHome uint8

const (
	onValue noteHome = iota
	onSwitch
	onEmpty // an arm that holds nothing
	onLet
)

// notes checks the annotations after a field or an arm with the value v, which is nil where it is wrong and where
// there is none.
func (c *checker) notes(f *frame, list []*syntax.Annotation, v *Value, on noteHome, out *Annotations) {
	seen := map[string]bool{}
	for _, n := range list {
		if n.Name.Text == "" {
			continue
		}
		if seen[n.Name.Text] {
			c.errorf(n.Span, "keep one of the two", "`@%s` is said twice", n.Name.Text)
			continue
		}
		seen[n.Name.Text] = true
		if n.Name.Text == "message" || n.Name.Text == "fragment" {
			c.fragmentNote(f, n, v, on, out)
		} else {
			c.note(n, v, on, out)
		}
	}
}

func (c *checker) note(n *syntax.Annotation, v *Value, on noteHome, out *Annotations) {
	if on == onLet && slices.Contains(wireNotes, n.Name.Text) {
		c.errorf(n.Span, "", "`@%s` comes after a field: a `let` is on no wire", n.Name.Text)
		return
	}
	switch n.Name.Text {
	case "unit":
		if s, ok := c.noteString(n); ok && c.noteOn(n, v, on, "a number", isNumber) {
			out.Unit = s
		}
	case "scale":
		if !c.noteArgs(n, 1, "a factor, as in `@scale(0.01)`") || !c.noteOn(n, v, on, "an integer: a float is shown as it is", isInteger) || c.noteInVector(n, v) {
			return
		}
		f, ok := c.scale(n.Args[0].Value)
		if ok && f == 0 {
			c.errorf(n.Span, c.decimal(n.Args[0].Value), "a scale of 0 makes every value 0")
		} else if ok {
			out.Scale = f
		}
	case "time":
		units := map[string]int64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
		w, ok := c.noteWord(n, "ns", "us", "ms", "s", "ntp")
		if d := display.Of("time", w); ok && d != nil {
			c.display(n, v, on, d, out)
		} else if ok && c.noteOn(n, v, on, "an integer", isInteger) && !c.noteInVector(n, v) {
			out.Time = units[w]
		}
	case "text":
		if c.noteArgs(n, 0, "") && c.noteOn(n, v, on, "`bytes`", isBlob) {
			if out.Text = true; innermost(v).IsText() {
				c.errorf(n.Span, "leave it out", "bytes in an encoding are text always")
			}
		}
	case "seq":
		if c.noteArgs(n, 0, "") && c.noteOn(n, v, on, "an integer", isInteger) && !c.noteInVector(n, v) {
			out.Seq = true
		}
	case "ack":
		c.ackNote(n, v, on, out)
	case "from":
		if w, ok := c.noteWord(n, "client", "server"); ok {
			out.From = map[string]Direction{"client": Client, "server": Server}[w]
		}
	case "every":
		if !c.noteArgs(n, 1, "a duration, as in `@every(50ms)`") {
			return
		}
		d, ok := n.Args[0].Value.(*syntax.DurationLit)
		if !ok || d.Nanos <= 0 {
			c.errorf(n.Args[0].Span, "", "`@every` takes a duration above 0, as in `@every(50ms)`")
			return
		}
		out.Every = d.Nanos
	case "secret":
		if c.noteArgs(n, 0, "") {
			out.Secret = true
			if on == onEmpty {
				c.errorf(n.Span, "", "`@secret` comes after a value, but this arm is empty")
			}
		}
	case "budget":
		c.budgetNote(n, out)
	default:
		if d := display.Of(n.Name.Text, ""); d != nil {
			if c.noteArgs(n, 0, "") {
				c.display(n, v, on, d, out)
			}
		} else if !c.lost {
			c.errorf(n.Name.Span, cmp.Or(hexAdvice(n, v), c.meant(n.Name.Text, words(annotationNames...), "the annotations are `@"+strings.Join(annotationNames, "`, `@")+"`")),
				"unknown annotation `@%s`", n.Name.Text)
		}
	}
}

// scale is a constant factor: a quotient of whole numbers, too, as in `@scale(1/65536)`.
func (c *checker) scale(e syntax.Expr) (float64, bool) {
	q, ok := e.(*syntax.BinaryExpr)
	if !ok || q.Op != syntax.Slash {
		return c.constFloat(e, "a scale", 64)
	}
	over, ok := c.constFloat(q.X, "a scale", 64)
	under, also := c.constFloat(q.Y, "a scale", 64)
	if also && under == 0 {
		c.errorf(q.Y.Place(), "", "the divisor is 0")
		return 0, false
	}
	return over / under, ok && also
}

// display checks an annotation that says how an integer or bytes are shown.
func (c *checker) display(n *syntax.Annotation, v *Value, on noteHome, d *display.Display, out *Annotations) {
	switch {
	case v != nil && on == onValue && d.Size > 0 && !displays(d, innermost(v).Type):
		c.errorf(n.Span, fmt.Sprintf("write `bytes(%d) @%s`", d.Size, n.Name.Text), "`@%s` comes after %s", n.Name.Text, d.Home)
	case !c.noteOn(n, v, on, d.Home, func(t Type) bool { return displays(d, t) }) || c.noteInVector(n, v):
	case out.Display != nil:
		c.errorf(n.Span, "keep one of the two", "the field is shown as `@%s` already", out.Display.Word)
	case innermost(v).IsText():
		c.errorf(n.Span, "", "bytes in an encoding are shown as text")
	default:
		out.Display = d
	}
}

// displays reports whether a display is after a type.
func displays(d *display.Display, t Type) bool {
	if b, ok := t.(*BlobType); ok {
		return d.Size > 0 && b.Size != nil && b.Size.IsConst() && b.Max == d.Size
	}
	in, ok := t.Interval()
	return ok && d.Fits != nil && d.Fits(in.Lo, in.Hi)
}

func (c *checker) noteArgs(n *syntax.Annotation, want int, what string) bool {
	if len(n.Args) != want {
		if want == 0 {
			c.errorf(n.Span, "", "`@%s` takes no argument", n.Name.Text)
		} else {
			c.errorf(n.Span, "", "`@%s` takes %s", n.Name.Text, what)
		}
		return false
	}
	for _, a := range n.Args {
		if a.Unit != "" && n.Name.Text != "budget" {
			c.errorf(a.Span, "", "`@%s` takes no %s", n.Name.Text, a.Unit)
			return false
		}
		if isBad(a.Value) {
			return false
		}
	}
	return true
}

func (c *checker) noteString(n *syntax.Annotation) (string, bool) {
	if !c.noteArgs(n, 1, "a string, as in `@unit(\"px\")`") {
		return "", false
	}
	s, ok := c.constText(n.Args[0].Value)
	if !ok || s == "" {
		c.errorf(n.Args[0].Span, "", "`@%s` takes a string, as in `@%s(\"px\")`", n.Name.Text, n.Name.Text)
		return "", false
	}
	return s, true
}

func (c *checker) noteWord(n *syntax.Annotation, words ...string) (string, bool) {
	list := fmt.Sprintf("`%s`", words[0])
	for i, w := range words[1:] {
		sep := ", "
		if i == len(words)-2 {
			sep = " or "
		}
		list += sep + "`" + w + "`"
	}
	if !c.noteArgs(n, 1, list) {
		return "", false
	}
	if p, ok := n.Args[0].Value.(*syntax.PathExpr); ok && len(p.Parts) == 1 {
		for _, w := range words {
			if p.Parts[0].Text == w {
				return w, true
			}
		}
	}
	c.errorf(n.Args[0].Span, "", "`@%s` takes %s, not `%s`", n.Name.Text, list, c.text(n.Args[0].Span))
	return "", false
}

// noteOn asks whether the innermost value is of the kind the annotation is about.
func (c *checker) noteOn(n *syntax.Annotation, v *Value, on noteHome, what string, is func(Type) bool) bool {
	if on == onValue && v == nil {
		return false // complained about
	}
	if v == nil || !is(innermost(v).Type) {
		c.errorf(n.Span, hexAdvice(n, v), "`@%s` comes after %s", n.Name.Text, what)
		return false
	}
	return true
}

// hexAdvice is about an annotation that asks for hexadecimal after bytes, "" where it is another.
func hexAdvice(n *syntax.Annotation, v *Value) string {
	if v != nil && isBlob(innermost(v).Type) && strings.HasPrefix(n.Name.Text, "hex") {
		return "leave it out: bytes are shown in hexadecimal"
	}
	return ""
}

// noteInVector refuses what says something of one number: components have no annotations of their own.
func (c *checker) noteInVector(n *syntax.Annotation, v *Value) bool {
	_, component := innermostOf(v)
	if component {
		c.errorf(n.Span, "", "`@%s` comes after an integer, not a vector: declare its components as fields", n.Name.Text)
	}
	return component
}

// innermost is the element of arrays, optionals, subsets and vectors.
func innermost(v *Value) *Value {
	inner, _ := innermostOf(v)
	return inner
}

// innermostOf is innermost, and says whether that is a vector's component.
func innermostOf(v *Value) (inner *Value, component bool) {
	for e := v.Type.Inner(); e != nil; e = v.Type.Inner() {
		_, component = v.Type.(*VectorType)
		v = e
	}
	return v, component
}

func isInteger(t Type) bool {
	_, ok := t.Interval()
	return ok
}

func isNumber(t Type) bool { return isInteger(t) || t.Row().Part == PartFloat }

func isBlob(t Type) bool {
	_, ok := t.(*BlobType)
	return ok
}

func (c *checker) budgetNote(n *syntax.Annotation, out *Annotations) {
	if !c.noteArgs(n, 1, "a size, as in `@budget(96 bits)`") {
		return
	}
	unit := int64(1)
	switch n.Args[0].Unit {
	case "bits":
	case "bytes":
		unit = 8
	default:
		c.errorf(n.Args[0].Span, "write `@budget(96 bits)` or `@budget(12 bytes)`", "a budget says its unit")
		return
	}
	if v, ok := c.constIn(n.Args[0].Value, "a budget", 1, math.MaxInt32/8); ok {
		out.Budget = int(v * unit)
	}
}

func (c *checker) ackNote(n *syntax.Annotation, v *Value, on noteHome, out *Annotations) {
	if !c.noteArgs(n, 1, "the field it acknowledges, as in `@ack(Input.sequence)`") || !c.noteOn(n, v, on, "an integer", isInteger) || c.noteInVector(n, v) {
		return
	}
	p, ok := n.Args[0].Value.(*syntax.PathExpr)
	last := 0
	if ok {
		last = len(p.Parts) - 1
	}
	if !ok || last > 1 || last == 1 && !isUpper(p.Parts[0].Text) || isUpper(p.Parts[last].Text) {
		fix := "a field of `packet` is named alone, as in `@ack(sequence)`"
		c.errorf(n.Args[0].Span, fix, "`@ack` takes the field it acknowledges, as in `@ack(Input.sequence)`, not `%s`", c.text(n.Args[0].Span))
		return
	}
	c.acks = append(c.acks, pendingAck{c.unit, p, out})
}

// resolveAcks finds the fields that @ack names, when every struct is known.
func (c *checker) resolveAcks() {
	fields := map[*Struct]map[string]*Field{}
	for _, a := range c.acks {
		c.unit = a.in
		home, called, fid := c.schema.Packet, "packet", a.at.Parts[len(a.at.Parts)-1]
		if len(a.at.Parts) == 2 {
			id := a.at.Parts[0]
			g := c.names[id.Text]
			if g == nil || g.what != "struct" {
				if !c.lost {
					c.errorf(id.Span, c.meantAmong(id.Text, "the structs are ", c.structNames), "unknown struct `%s`", id.Text)
				}
				continue
			}
			c.use(g, id.Span)
			if home, called = g.start, id.Text; g.bad {
				continue
			}
		}
		if home == nil {
			if c.packet == nil && !c.lost {
				c.errorf(fid.Span, "name its struct, too, as in `@ack(Input.sequence)`", "`%s` is a field of `packet`, and this file has none", fid.Text)
			}
			continue
		}
		if fields[home] == nil {
			fields[home] = map[string]*Field{}
			indexFields(home.Items, fields[home])
		}
		f := fields[home][fid.Text]
		switch {
		case f == nil:
			if !c.lost {
				c.errorf(fid.Span, c.meantAmong(fid.Text, "its fields are ", c.structs[home].memberNames), "`%s` has no field `%s`", called, fid.Text)
			}
		case f.Value == nil || !isInteger(f.Value.Type):
			c.errorf(fid.Span, "", "`@ack` names an integer, but `%s.%s` is none", called, fid.Text)
		default:
			c.book.refer(fid.Span, f.Var.Pos)
			a.into.Ack = &AckRef{Struct: home, Field: f}
		}
	}
}

func (s *structInfo) memberNames() []string {
	var out []string
	for name := range s.members {
		out = append(out, name)
	}
	return out
}

func (c *checker) structNames() []string {
	var out []string
	for name, g := range c.names {
		if g.what == "struct" {
			out = append(out, name)
		}
	}
	return out
}

// indexFields enters the fields of the items, those of ifs and windows included; of exclusive ones the first.
func indexFields(items []Item, into map[string]*Field) {
	for _, it := range items {
		if f, ok := it.(*Field); ok && into[f.Name] == nil {
			into[f.Name] = f
		}
		for _, way := range it.Ways() {
			indexFields(way.Items, into)
		}
	}
}
