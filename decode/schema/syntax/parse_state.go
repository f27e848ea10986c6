package syntax

import "slices"

// sealOptions are the words that are in the braces of `sealed`.
var sealOptions = []string{"key", "nonce", "ad", "at", "open"}

// stateDecl reads `state { … }`.
func (p *parser) stateDecl(start int, pos Pos) Decl {
	d := &StateDecl{}
	p.advance()
	p.block(func() {
		if r := p.register(); r != nil {
			d.Registers = append(d.Registers, r)
		}
	}, p.beginsItem)
	d.Span, d.Doc = p.from(pos), p.doc(start)
	return d
}

// register reads a line of a `state`; nil where there is nothing to keep.
func (p *parser) register() *RegisterDecl {
	r := &RegisterDecl{}
	start, pos := p.i, p.here()
	if next := p.at(p.i + 2).kind; p.word() == "each" && p.after(1) == tokWord && (next == tokName || next == tokLBracket || next == tokWord && p.wordAt(p.i+2) != "once") {
		r.Each = true
		p.advance()
	}
	if p.kind != tokWord && p.kind != tokName {
		p.refuse("a register is a name and its type: `room int(0..99) once`", "want a register, got %s", p.got())
		return nil
	}
	r.Name = p.name("a register's name")
	p.noColon(r.Name)
	r.Value = p.value()
	r.Once = p.acceptWord("once")
	r.Annotations = p.notes()
	r.Span, r.Doc = p.from(pos), p.doc(start)
	return r
}

// sealed reads what is after `sealed`.
func (p *parser) sealed(pos Pos) TypeExpr {
	t := &SealedType{Size: p.badExpr()}
	p.inside(tokRParen, func() {
		t.Size = p.expr()
		t.Max = p.maxBound("sealed(rest - 16, max 1200)")
	})
	if p.kind != tokWord {
		p.refuse("write `sealed(rest - 16, max 1200) chacha20poly1305 { key … }`", "want an algorithm after `sealed(…)`, got %s", p.got())
	}
	t.Algorithm = p.take()
	said := map[string]bool{}
	p.block(func() {
		word := p.word()
		if said[word] {
			p.refuse("", "`%s` is here twice", word)
			return
		}
		said[word] = true
		t.Options = append(t.Options, p.here())
		switch word {
		case "key":
			p.advance()
			t.Key = p.fieldPath()
		case "nonce":
			p.advance()
			t.Nonce = p.sealParts()
		case "ad":
			p.advance()
			t.AD = p.sealParts()
		case "at":
			p.advance()
			t.At = p.arith()
		case "open":
			p.advance()
			t.Open = p.typeName("message")
		default:
			p.refuse("", "want `key`, `nonce`, `ad`, `at` or `open`, got %s", p.got())
		}
	}, p.beginsItem)
	t.Span = p.from(pos)
	return t
}

// sealParts reads parts with commas between them.
func (p *parser) sealParts() []SealPart {
	var parts []SealPart
	for {
		x := SealPart{}
		pos := p.here()
		switch {
		case p.kind == tokString:
			x.Text = p.stringLit().(*StringLit)
		case typeWords[p.word()].form == formFixed:
			x.Type = p.take().Text
			x.Endian = p.endian()
			x.Value = p.arith()
		default:
			at := p.here()
			path := &PathExpr{Parts: p.fieldPath()}
			path.Span = p.from(at)
			x.Value = path
		}
		x.Span = p.from(pos)
		if parts = append(parts, x); p.kind != tokComma || p.beginsOption(p.i+1) {
			return parts
		}
		p.advance()
	}
}

// beginsOption reports whether an option of `sealed` begins at token i: a word of one, with something after it.
func (p *parser) beginsOption(i int) bool {
	return slices.Contains(sealOptions, p.wordAt(i)) && !p.ends(i+1) && p.at(i+1).kind != tokComma
}
