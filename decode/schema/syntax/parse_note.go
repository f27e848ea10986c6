package syntax

import "slices"

// notes reads the annotations after a field or an arm.
func (p *parser) notes() []*Annotation {
	var notes []*Annotation
	for p.kind == tokAt {
		n := &Annotation{}
		pos := p.here()
		p.advance()
		if p.lineEnds() || p.kind != tokWord && p.kind != tokName {
			p.want("an annotation's name")
			return notes
		}
		if p.kind == tokName {
			p.complain(p.span(p.i), "write `@"+clip(snake(p.source(p.i)))+"`", "an annotation's name is in lower case")
		} else {
			p.checkSnake("an annotation's name")
		}
		n.Name = p.take()
		if p.kind == tokLParen {
			p.inside(tokRParen, func() {
				for {
					if n.Name.Text == "fragment" && len(n.Args) > 0 {
						n.Args = append(n.Args, p.fragmentArg(len(n.Args)))
					} else {
						n.Args = append(n.Args, p.noteArg())
					}
					if !p.accept(tokComma) {
						break
					}
				}
			})
		}
		n.Span = p.from(pos)
		if p.stopped {
			n.Name.Text = "" // what it says is unknown
		}
		notes = append(notes, n)
	}
	return notes
}

// fragmentArg reads argument n of `@fragment`, which is none of the first: a word and an expression. The word of the
// second, `id`, may be left out.
func (p *parser) fragmentArg(n int) AnnotationArg {
	a := AnnotationArg{Value: p.badExpr()}
	pos := p.here()
	word, next := p.word(), p.after(1)
	operand := next == tokWord || next == tokName || next == tokInt || next == tokLParen
	switch {
	case n > 1 && !slices.Contains(FragmentWords, word):
		fix := "write `index a count n`, `index a last is_last`, `offset a total n` or `offset a last is_last`, with a `,` between the two"
		p.refuse(fix, "want `index`, `offset`, `count`, `total` or `last`, got %s", p.got())
	case n > 1 && word != "id" || word == "id" && operand:
		a.Word = p.take()
		fallthrough
	default:
		a.Value = p.expr()
	}
	a.Span = p.from(pos)
	return a
}

func (p *parser) noteArg() AnnotationArg {
	a := AnnotationArg{}
	pos := p.here()
	next := p.wordAt(p.i + 1)
	switch {
	case p.kind == tokString:
		a.Value = p.stringLit()
	case p.kind == tokDuration, p.kind == tokInt && (next == "ms" || next == "s" || next == "us" || isRate(next)):
		d := p.duration()
		a.Value = &d
		if d.Bad || p.stopped {
			a.Value = p.badExpr()
		}
	default:
		a.Value = p.arith()
		if w := p.word(); w == "bits" || w == "bytes" {
			a.Unit = w
			p.advance()
		}
	}
	a.Span = p.from(pos)
	return a
}
