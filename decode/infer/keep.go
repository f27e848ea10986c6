package infer

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Kept is a schema some of which a person wrote. What is as it was drafted may be drafted anew; all else stays as it is:
// see Options.Keep.
type Kept struct {
	src        string
	schema     *schema.Schema
	head       string // what stands before the packet
	open, foot string // what stands before its items and after them
	parts      []*part
	values     map[int32]*schema.Value // of fields, by where they stand
	used       map[string]bool         // names that stay
	fixed      int                     // parts that a person wrote
}

// part is an item of a Kept as it is written.
type part struct {
	from, to int    // its text, with its comments
	text     string // that text
	name     string
	value    *schema.Value // of a number
	bits     int           // of a number, a checksum and what is reserved; 0 of all else
	filler   bool          // an alignment: it is where what is before and after it makes it be
	end      bool          // a check or a checksum: certain, wherever it is from
	fixed    bool          // a person wrote it, or about it
	pinned   bool          // it stays: it is fixed, has something fixed in it, or something that stays speaks of it
	inner    []*inner
	plainTag *syntax.SwitchExpr // of a choice as it was drafted
	repeated bool               // inner is an element's
	up       *part
}

// inner are items in a part: those of an element, of an arm, of one side of a condition.
type inner struct {
	from, to int
	label    string // of an arm
	parts    []*part
}

// NewKept tells what a person wrote in a schema from what is as it was drafted: a line that ends with its mark. The
// schema may be a stranger's. The error is that it cannot be kept.
func NewKept(d *decode.Decoder) (*Kept, error) {
	s := d.Schema()
	k := &Kept{src: string(s.File.Src), schema: s, values: map[int32]*schema.Value{}, used: map[string]bool{}}
	var packet *syntax.PacketDecl
	for _, decl := range s.File.Decls {
		if _, ok := decl.(*syntax.ImportDecl); ok {
			return nil, errors.New("it imports other files: want one that has all")
		}
		if p, ok := decl.(*syntax.PacketDecl); ok {
			packet = p
		}
	}
	k.collect(s.Packet.Items)
	open := k.behind(int(packet.Body.Pos.Off)+1, first(packet.Body))
	k.head, k.open, k.foot = evidence.ReplaceAllString(k.src[:packet.Pos.Off], ""), k.src[packet.Pos.Off:open], k.src[packet.Body.End.Off-1:]
	k.parts = k.read(packet.Body, open)
	every(k.parts, func(p *part) { p.text = k.src[p.from:p.to] })
	k.pin()
	if len(k.fixedParts(k.parts)) > maxKept {
		return nil, errors.New("it is too large to be kept")
	}
	return k, nil
}

// maxKept is how many parts of a schema a person may have written.
const maxKept = 2000

// evidence are comments above a packet that were drafted.
var evidence = regexp.MustCompile(`(?m)^// (checksum|order|end|unknown|limit|kept) +.*\n`)

// collect notes the values of fields.
func (k *Kept) collect(items []schema.Item) {
	for _, it := range items {
		if f, ok := it.(*schema.Field); ok && f.Value != nil {
			k.values[f.Pos.Off] = f.Value
		}
		for _, w := range it.Ways() {
			k.collect(w.Items)
			v := w.Value
			for v != nil {
				if ref, ok := v.Type.(*schema.StructRef); ok && ref.Struct.Inline {
					k.collect(ref.Struct.Items)
				}
				v = v.Type.Inner()
			}
		}
	}
}

// behind is where the text ends that goes to position at: after a comment on its line, unless next, which may be nil,
// stands between.
func (k *Kept) behind(at int, next syntax.ItemNode) int {
	for _, c := range k.schema.File.Comments {
		if from := int(c.Pos.Off); from >= at && c.Trailing {
			if strings.ContainsRune(k.src[at:from], '\n') || next != nil && from > int(next.Place().Pos.Off) || strings.Trim(k.src[at:from], " \t,") != "" {
				break
			}
			return int(c.End.Off)
		}
	}
	return at
}

// line is what stands from position at to the end of its line.
func (k *Kept) line(at int) string {
	line, _, _ := strings.Cut(k.src[at:], "\n")
	return line
}

// read reads the items of a body; what they are of begins at position from.
func (k *Kept) read(body *syntax.Body, from int) (parts []*part) {
	for i, it := range body.Items {
		at := it.Place()
		var next syntax.ItemNode
		if i+1 < len(body.Items) {
			next = body.Items[i+1]
		}
		p := &part{from: int(at.Pos.Off), to: k.behind(int(at.End.Off), next)}
		p.fixed = !asDrafted(k.line(p.from))
		if said := k.said(from, p.from); said >= 0 {
			p.from, p.fixed = said, true
		}
		k.kindOf(p, it)
		p.fixed = p.fixed || k.annotated(p)
		parts = append(parts, p)
		from = p.to
	}
	if said := k.said(from, int(body.End.Off)-1); said >= 0 && len(parts) > 0 {
		last := parts[len(parts)-1]
		last.to, last.fixed = len(strings.TrimRight(k.src[:body.End.Off-1], " \t\r\n")), true
	}
	return parts
}

// said is where a comment on a line of its own begins, of those between two positions; -1 without one.
func (k *Kept) said(from, to int) int {
	for _, c := range k.schema.File.Comments {
		if at := int(c.Pos.Off); at >= from && at < to && !c.Trailing {
			return at
		}
	}
	return -1
}

// kindOf fills in what an item is.
func (k *Kept) kindOf(p *part, it syntax.ItemNode) {
	enter := func(b *syntax.Body, label string) {
		if b == nil {
			return
		}
		in := &inner{from: k.behind(int(b.Pos.Off)+1, first(b)), to: int(b.End.Off) - 1, label: label}
		in.parts = k.read(b, in.from)
		for _, q := range in.parts {
			q.up = p
		}
		p.inner = append(p.inner, in)
	}
	if _, ok := it.(*syntax.AlignItem); ok {
		p.filler, p.fixed = true, p.fixed && p.from != int(it.Place().Pos.Off)
	}
	if _, ok := it.(*syntax.CheckItem); ok {
		p.end = true
	}
	if r, ok := it.(*syntax.ReservedItem); ok {
		if n, ok := r.Bits.(*syntax.IntLit); ok && n.Value.IsInt64() {
			p.bits = int(n.Value.Int64())
		}
	}
	if c, ok := it.(*syntax.IfItem); ok {
		for c != nil {
			enter(c.Then, "")
			e := c.Else
			if c = nil; e != nil {
				enter(e.Body, "else")
				c = e.If
			}
		}
	}
	f, ok := it.(*syntax.FieldItem)
	if !ok {
		return
	}
	p.name = f.Name.Text
	if f.Switch != nil {
		for _, arm := range f.Switch.Arms {
			p.fixed = p.fixed || !asDrafted(k.line(int(arm.Pos.Off)))
			if arm.Value != nil {
				enter(bodyOf(arm.Value), k.src[arm.Pos.Off:arm.Value.Pos.Off])
			}
		}
		if !p.fixed {
			p.plainTag = f.Switch
		}
		return
	}
	enter(bodyOf(f.Value), "")
	p.repeated = len(f.Value.Prefixes) > 0
	if v := k.values[f.Pos.Off]; v != nil {
		_, p.end = v.Type.(*schema.ChecksumType)
		_, isStruct := v.Type.(*schema.StructRef)
		if l := v.Type.Layout(); v.Type.Inner() == nil && !isStruct && !l.Aligned && l.Lo == l.Hi {
			p.value, p.bits = v, int(l.Head+l.Lo*l.Unit)
		}
	}
}

func first(b *syntax.Body) syntax.ItemNode {
	if len(b.Items) == 0 {
		return nil
	}
	return b.Items[0]
}

// bodyOf is the inline struct that a value is, or that its elements are; nil where there is none.
func bodyOf(v *syntax.ValueExpr) *syntax.Body {
	if b, ok := v.Type.(syntax.BodyType); ok {
		return b.Body
	}
	return nil
}

// word is a name in a schema.
var word = regexp.MustCompile(`//.*|[A-Za-z_]\w*`)

// words are the names in a part, without those in its bodies.
func (k *Kept) words(p *part) (list []string) {
	for _, w := range k.find(word, p) {
		if w != p.name && !strings.HasPrefix(w, "//") {
			list = append(list, w)
		}
	}
	return list
}

// annotation is one, or a comment.
var annotation = regexp.MustCompile(`//.*|@\s*\w+`)

// annotated reports whether a part has an annotation that no draft has, @secret above all: a person wrote that, whatever
// mark its line ends with. One that stands in a text counts as well.
func (k *Kept) annotated(p *part) bool {
	return slices.ContainsFunc(k.find(annotation, p), func(a string) bool {
		return a[0] == '@' && a != "@seq" && a != "@text" && a != "@unit"
	})
}

// find is what matches in a part, without its bodies.
func (k *Kept) find(what *regexp.Regexp, p *part) (list []string) {
	at := p.from
	for _, in := range p.inner {
		list = append(list, what.FindAllString(k.src[at:in.from], -1)...)
		at = in.to
	}
	return append(list, what.FindAllString(k.src[at:p.to], -1)...)
}

// every calls f for parts and all in them.
func every(parts []*part, f func(*part)) {
	for _, p := range parts {
		f(p)
		for _, in := range p.inner {
			every(in.parts, f)
		}
	}
}

func (k *Kept) fixedParts(parts []*part) (list []*part) {
	every(parts, func(p *part) {
		if p.fixed {
			list = append(list, p)
		}
	})
	return list
}

// pin says what stays: what is fixed and what it stands in; what that speaks of; what speaks of a number that is fixed, as
// a choice does of its tag; and what an end has.
func (k *Kept) pin() {
	spoken, numbers := map[string]bool{}, map[string]bool{}
	stay := func(p *part) {
		for ; p != nil && !p.pinned; p = p.up {
			p.pinned = true
			for _, w := range k.words(p) {
				spoken[w] = true
			}
		}
	}
	for _, p := range k.fixedParts(k.parts) {
		k.fixed++
		numbers[p.name] = numbers[p.name] || p.bits > 0
		stay(p)
	}
	for more := true; more; {
		more = false
		every(k.parts, func(p *part) {
			if p.pinned || p.filler {
				return
			}
			speaks := p.end || p.name != "" && spoken[p.name]
			for _, w := range k.words(p) {
				speaks = speaks || numbers[w]
			}
			if speaks {
				stay(p)
				more = true
			}
		})
	}
	every(k.parts, func(p *part) {
		if p.pinned {
			k.used[p.name] = true
			for _, w := range k.words(p) {
				k.used[w] = true
			}
		}
	})
}
