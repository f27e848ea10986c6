package syntax

import (
	"slices"
	"sort"
)

// mark says what a token is for, where its kind alone does not.
type mark uint16

// The marks.
const (
	markItem   mark = 1 << iota // begins a declaration, an item, an arm or a case
	markValue                   // begins the second cell: a field's or an arm's value, the `=` of a case
	markNotes                   // begins the annotations
	markSign                    // a unary operator
	markGroup                   // the parenthesis around an expression
	markLabel                   // the colon after an arm's labels
	markBlock                   // a brace around items
	markSubset                  // `subset`
	markList                    // the `[` after it
)

// marker walks a tree without mistakes. Its depth is that of the tree, which the parser has bounded.
type marker struct {
	toks  []tok
	marks []mark
}

// markTokens gives the marks of each token, and for each opening bracket the token that closes it.
func markTokens(f *File, s *scanner) (marks []mark, partner []int32) {
	m := &marker{toks: s.toks, marks: make([]mark, len(s.toks))}
	partner = m.brackets(s.text)
	m.marks[0] |= markItem // `protocol`
	for _, d := range f.Decls {
		m.decl(d)
	}
	return m.marks, partner
}

// brackets pairs the brackets and tells blocks from sets, which are after `in`.
func (m *marker) brackets(text string) []int32 {
	partner := make([]int32, len(m.toks))
	var open []int
	set := false
	for i, t := range m.toks {
		switch t.kind {
		case tokNewline:
			continue
		case tokLBrace, tokLParen, tokLBracket:
			if t.kind == tokLBrace && !set {
				m.marks[i] |= markBlock
			}
			open = append(open, i)
		case tokRBrace, tokRParen, tokRBracket:
			if n := len(open); n > 0 {
				partner[open[n-1]] = int32(i)
				m.marks[i] |= m.marks[open[n-1]] & markBlock
				open = open[:n-1]
			}
		}
		set = t.kind == tokWord && text[t.off:t.end] == "in"
	}
	return partner
}

// at is the first token at or after an offset that is no newline.
func (m *marker) at(off int32) int {
	i := sort.Search(len(m.toks), func(i int) bool { return m.toks[i].off >= off })
	for i < len(m.toks)-1 && m.toks[i].kind == tokNewline {
		i++
	}
	return min(i, len(m.toks)-1)
}

func (m *marker) mark(p Pos, k mark) { m.marks[m.at(p.Off)] |= k }

func (m *marker) decl(d Decl) {
	m.mark(d.Place().Pos, markItem)
	switch d := d.(type) {
	case *PortDecl:
		m.ranges(d.Ports)
	case *MaxDecl:
		m.expr(d.Limit)
	case *ConstDecl:
		m.expr(d.Value)
	case *ParamDecl:
		m.expr(d.Value)
		m.ranges([]RangeExpr{d.Range})
	case *EnumDecl:
		m.value(d.Base)
		for _, c := range d.Cases {
			m.mark(c.Pos, markItem)
			m.mark(c.Name.End, markValue)
			m.expr(c.Value)
		}
	case *StructDecl:
		for _, p := range d.Params {
			if p.Range != nil {
				m.ranges([]RangeExpr{*p.Range})
			}
		}
		m.body(d.Body)
	case *PacketDecl:
		m.body(d.Body)
	case *MessageDecl:
		m.expr(d.Max)
		m.body(d.Body)
	case *StateDecl:
		for _, r := range d.Registers {
			m.mark(r.Pos, markItem)
			m.mark(r.Value.Pos, markValue)
			m.value(r.Value)
			m.notes(r.Annotations)
		}
	}
}

func (m *marker) body(b *Body) {
	for _, it := range b.Items {
		m.mark(it.Place().Pos, markItem)
		m.item(it)
	}
}

func (m *marker) item(it ItemNode) {
	switch it := it.(type) {
	case *FieldItem:
		if it.Switch != nil {
			m.mark(it.Switch.Pos, markValue)
			m.expr(it.Switch.Tag)
			for _, a := range it.Switch.Arms {
				m.arm(a)
			}
		} else {
			m.mark(it.Value.Pos, markValue)
			m.value(it.Value)
		}
		m.notes(it.Annotations)
	case *IfItem:
		m.expr(it.Cond)
		m.body(it.Then)
		if e := it.Else; e != nil && e.If != nil {
			m.item(e.If)
		} else if e != nil {
			m.body(e.Body)
		}
	case *WithinItem:
		m.expr(it.Size)
		m.body(it.Body)
	case *LetItem:
		if it.Range != nil {
			m.ranges([]RangeExpr{*it.Range})
		}
		m.expr(it.Value)
		for _, n := range it.Annotations { // in no column: an expression can be long
			m.noteArgs(n)
		}
	case *RequireItem:
		m.expr(it.Cond)
	case *AlignItem:
		m.expr(it.Bits)
	case *ReservedItem:
		m.expr(it.Bits)
	case *CheckItem:
		m.expr(it.Value)
	}
}

// labels marks an arm or a row up to its value.
func (m *marker) labels(begin Pos, labels []RangeExpr) {
	m.mark(begin, markItem)
	colon := m.at(begin.Off) + 1 // after `default`
	if n := len(labels); n > 0 {
		colon = m.at(labels[n-1].End.Off)
	}
	m.marks[colon] |= markLabel
	m.mark(Pos{Off: m.toks[colon].end}, markValue)
	m.ranges(labels)
}

func (m *marker) arm(a *ArmNode) {
	m.labels(a.Pos, a.Labels)
	if a.Value != nil {
		m.value(a.Value)
	}
	m.notes(a.Annotations)
}

func (m *marker) notes(notes []*Annotation) {
	for i, n := range notes {
		if i == 0 {
			m.mark(n.Pos, markNotes)
		}
		m.noteArgs(n)
	}
}

func (m *marker) noteArgs(n *Annotation) {
	for _, a := range n.Args {
		m.expr(a.Value)
	}
}

func (m *marker) value(v *ValueExpr) {
	for _, x := range v.Prefixes {
		if x.Kind == PrefixSubset {
			m.mark(x.Pos, markSubset)
			m.marks[m.at(x.A.Place().Pos.Off)-1] |= markList
		}
		m.expr(x.A)
		m.expr(x.B)
	}
	switch t := v.Type.(type) {
	case BodyType:
		m.body(t.Body)
	case *NamedType:
		m.exprs(t.Args)
	case *SizedType:
		m.expr(t.Size)
	case *IntRangeType:
		m.exprs([]Expr{t.Lo, t.Hi})
	case *QuantizedType:
		m.exprs([]Expr{t.Lo, t.Hi, t.Step})
	case *VectorType:
		m.value(t.Elem)
	case *Smallest3Type:
		m.expr(t.Bits)
	case *BlobType:
		m.exprs([]Expr{t.Size, t.Max})
	case *LadderType:
		m.expr(t.Prev)
	case *SealedType:
		m.exprs([]Expr{t.Size, t.Max, t.At})
		for _, at := range t.Options {
			m.mark(at, markItem)
			m.marks[m.at(at.Off)+1] |= markValue
		}
		for _, part := range append(slices.Clone(t.Nonce), t.AD...) {
			m.expr(part.Value)
		}
	case *ChecksumType:
		if c := t.Parameters; c != nil {
			m.exprs([]Expr{c.Width, c.Polynomial, c.Initial, c.Final})
		}
		for _, v := range append(slices.Clone(t.Prefix), t.Suffix...) {
			m.expr(v.Value)
		}
		m.exprs([]Expr{t.Xor, t.Check})
		if o := t.Over; o != nil && o.Ranged && o.From == nil {
			m.mark(o.Dots, markGroup)
		}
	}
	if r := v.Rule; r != nil {
		m.ranges(r.Set)
		m.expr(r.Value)
	}
}

func (m *marker) ranges(list []RangeExpr) {
	for _, r := range list {
		m.exprs([]Expr{r.Lo, r.Hi})
	}
}

func (m *marker) exprs(list []Expr) {
	for _, e := range list {
		m.expr(e)
	}
}

// expr marks an expression; nil is none.
func (m *marker) expr(e Expr) {
	switch e := e.(type) {
	case *TableExpr:
		for _, r := range e.Rows {
			m.labels(r.Pos, r.Labels)
			m.expr(r.Value)
		}
	case *HasExpr:
		m.expr(e.X)
	case *CallExpr:
		for _, arg := range e.Args {
			m.expr(arg)
		}
	case *UnaryExpr:
		m.mark(e.Pos, markSign)
		m.expr(e.X)
	case *BinaryExpr:
		m.expr(e.X)
		m.expr(e.Y)
	case *InExpr:
		m.expr(e.X)
		m.ranges(e.Set)
	case *ParenExpr:
		m.mark(e.Pos, markGroup)
		m.expr(e.X)
	}
}
