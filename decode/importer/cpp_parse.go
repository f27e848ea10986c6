package importer

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// What is read of a C++ header: constants, enums, structs with their members, and the bodies of Serialize functions.
// Everything else is passed over by its brackets. No preprocessor runs: of its lines, `#define NAME number` is a
// constant, and `#pragma pack` says that what follows is packed.

// cppStruct is a struct or a class.
type cppStruct struct {
	name      token
	packed    bool
	members   []cppMember
	serialize []token // the body of its Serialize function, without its braces; nil without one
	lead      []string

	out     string
	used    bool // another struct holds one
	visit   int8 // see refuseCircles
	named   map[string]*cppMember
	written bool
}

// member finds a member by its name; nil where there is none.
func (s *cppStruct) member(name string) *cppMember {
	if s.named == nil {
		s.named = map[string]*cppMember{}
		for i := range s.members {
			s.named[s.members[i].name.text] = &s.members[i]
		}
	}
	return s.named[name]
}

// cppMember is one variable of a struct.
type cppMember struct {
	typ     []token
	name    token
	dims    [][]token
	bits    []token // after `:`
	pointer bool
	lead    []string
	tail    string
}

// cppEnum is an enum; under is nil where its type is not said.
type cppEnum struct {
	name  token
	under []token
	cases []cppCase
	lead  []string
	out   string
	named []string // the cases as the draft has them
}

type cppCase struct {
	name  token
	value *big.Int
	tail  string
}

// cppFile is all of them.
type cppFile struct {
	d       *draft
	structs []*cppStruct
	byName  map[string]*cppStruct
	enums   []*cppEnum
	enum    map[string]*cppEnum
	consts  map[string]cppConst
	order   []string // of the constants
	alias   map[string][]token
	packed  bool
	cases   map[string]bool // the names of all enums' cases
	sent    map[string]bool // the enums that members which are sent as they lie in memory have as type
}

type cppConst struct {
	value *big.Int
	float string // of a float: as it is written
}

// cppParser reads one file.
type cppParser struct {
	parser
	f *cppFile
}

// skip passes one token, or all up to the bracket that closes it. It gives what was inside.
func (p *cppParser) skip() []token {
	closing := map[string]string{"{": "}", "(": ")", "[": "]"}[p.peek().text]
	if closing == "" || p.peek().kind != tokenMark {
		p.next()
		return nil
	}
	var open []string
	from := p.at + 1
	for !p.ended() {
		t := p.next()
		if t.kind != tokenMark {
			continue
		}
		switch t.text {
		case "{":
			open = append(open, "}")
		case "(":
			open = append(open, ")")
		case "[":
			open = append(open, "]")
		case "}", ")", "]":
			if open[len(open)-1] != t.text {
				p.d.fail(t.span, "want `%s`, got `%s`", open[len(open)-1], t.text)
				p.stop()
				return nil
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return p.toks[from : p.at-1]
			}
		}
	}
	p.d.fail(p.peek().span, "want `%s`, got the end of the file", closing)
	return nil
}

// until passes everything up to one of some marks outside of brackets, which it leaves; it gives what was passed.
func (p *cppParser) until(marks ...string) []token {
	from := p.at
	for !p.ended() {
		for _, mark := range marks {
			if p.peek().is(mark) {
				return p.toks[from:p.at]
			}
		}
		if p.peek().is("}") {
			return p.toks[from:p.at]
		}
		p.skip()
	}
	return p.toks[from:p.at]
}

// top reads declarations up to the end of the file, or of a namespace.
func (p *cppParser) top() {
	for !p.ended() && !p.peek().is("}") {
		t := p.peek()
		switch {
		case t.kind == tokenDirective:
			p.next()
			p.directive(t)
		case t.is("namespace"), t.is("extern") && p.toks[p.at+1].kind == tokenText:
			p.until("{", ";")
			if p.accept("{") {
				p.nested(p.top)
				p.want("}")
			}
		case t.is("template"):
			p.next()
			for !p.ended() && !p.peek().is(">") {
				p.next()
			}
			p.next()
		case t.is("typedef"), t.is("struct"), t.is("class"), t.is("enum"), t.is("union"):
			p.declaration()
		case t.is("using"):
			p.next()
			name := p.next()
			if p.accept("=") {
				p.f.alias[name.text] = p.until(";")
			}
			p.until(";")
			p.accept(";")
		default:
			p.constant(p.until(";", "{"))
			if p.peek().is("{") {
				p.skip()
			}
			p.accept(";")
		}
	}
}

// directive reads a line of the preprocessor.
func (p *cppParser) directive(t token) {
	words := strings.Fields(strings.Replace(strings.TrimPrefix(t.text, "#"), "(", " ( ", 1))
	switch {
	case len(words) >= 3 && words[0] == "define" && words[2] != "(" && isLetter(words[1][0]) && identifier(words[1]) == words[1]:
		text := strings.TrimSpace(t.text[strings.Index(t.text, words[1])+len(words[1]):])
		inner := &draft{}
		p.f.define(words[1], inner.scan(&syntax.File{Src: []byte(text)}, false))
	case len(words) >= 2 && words[0] == "pragma" && words[1] == "pack":
		p.f.packed = strings.Contains(t.text, "1") && !strings.Contains(t.text, "pop")
	}
}

// constant reads `const int Max = 3`.
func (p *cppParser) constant(toks []token) {
	for i, t := range toks {
		if t.is("=") && i > 0 && toks[i-1].kind == tokenWord && (toks[0].is("const") || toks[0].is("constexpr") || toks[0].is("static") || toks[0].is("inline")) {
			p.f.define(toks[i-1].text, append(toks[i+1:len(toks):len(toks)], token{}))
			return
		}
	}
}

// define keeps a constant, if it is a number.
func (f *cppFile) define(name string, toks []token) {
	if _, ok := f.consts[name]; ok || len(toks) == 0 {
		return
	}
	c := cppConst{}
	if v, ok := f.value(toks); ok {
		c.value = v
	} else if text, ok := f.float(toks); ok {
		c.float = text
	} else {
		return
	}
	f.consts[name] = c
	f.order = append(f.order, name)
}

// declaration reads a struct, a class, a union, an enum, or the typedef of one.
func (p *cppParser) declaration() {
	lead := p.peek().lead
	alias := p.accept("typedef")
	word := p.next()
	for p.peek().is("__attribute__") || p.peek().is("alignas") || p.peek().is("class") && word.is("enum") {
		p.next()
		if p.peek().is("(") {
			p.skip()
		}
	}
	switch word.text {
	case "struct", "class", "union", "enum":
	default:
		if alias { // typedef unsigned char byte;
			toks := append([]token{word}, p.until(";")...)
			if n := len(toks); n >= 2 && toks[n-1].kind == tokenWord {
				p.f.alias[toks[n-1].text] = toks[:n-1]
			}
		}
		p.until(";")
		p.accept(";")
		return
	}
	name := word
	name.text = ""
	for p.peek().kind == tokenWord { // the last word is the name: macros that export are in front
		name = p.next()
	}
	var behind []token
	if p.accept(":") {
		behind = p.until("{", ";")
	}
	if !p.peek().is("{") {
		p.until(";")
		p.accept(";")
		return
	}
	if word.is("enum") {
		e := &cppEnum{name: name, under: behind, lead: lead}
		p.enumCases(e)
		e.name = p.declared(name, alias)
		if e.name.text != "" && p.f.enum[e.name.text] == nil {
			p.f.enum[e.name.text] = e
			p.f.enums = append(p.f.enums, e)
		}
		return
	}
	s := &cppStruct{name: name, packed: p.f.packed, lead: lead}
	p.want("{")
	p.nested(func() { p.members(s) })
	p.want("}")
	if word.is("union") {
		p.f.d.warn(name.span, "union `%s` is left out: what says which of it is sent is not in the header", clip(name.text))
		p.declared(name, alias)
		return
	}
	at := p.at
	s.name = p.declared(name, alias)
	for _, t := range p.toks[at:p.at] {
		s.packed = s.packed || strings.Contains(strings.ToLower(t.text), "packed")
	}
	if s.name.text != "" && p.f.byName[s.name.text] == nil {
		p.f.byName[s.name.text] = s
		p.f.structs = append(p.f.structs, s)
	}
}

// declared reads what is after the brace that closes a declaration: of a typedef the last word is the name.
func (p *cppParser) declared(name token, alias bool) token {
	toks := p.until(";")
	p.accept(";")
	if n := len(toks); alias && n > 0 && toks[n-1].kind == tokenWord {
		return toks[n-1]
	}
	return name
}

func (p *cppParser) enumCases(e *cppEnum) {
	p.want("{")
	next := new(big.Int)
	for !p.ended() && !p.peek().is("}") {
		one := cppCase{name: p.word("the name of a case")}
		if p.accept("=") {
			toks := p.until(",")
			if v, ok := p.f.value(append(toks[:len(toks):len(toks)], token{})); ok {
				next = v
			} else {
				p.f.d.warn(one.name.span, "the value of `%s` is not known: %d stands for it", clip(one.name.text), next)
			}
		}
		p.accept(",")
		one.value, one.tail = next, p.behind.tail
		next = new(big.Int).Add(next, big.NewInt(1))
		p.f.cases[one.name.text] = true
		if _, ok := p.f.consts[one.name.text]; !ok {
			p.f.consts[one.name.text] = cppConst{value: one.value}
		}
		e.cases = append(e.cases, one)
	}
	p.want("}")
}

// members reads the body of a struct.
func (p *cppParser) members(s *cppStruct) {
	for !p.ended() && !p.peek().is("}") {
		t := p.peek()
		switch {
		case t.kind == tokenDirective:
			p.next()
			p.directive(t)
		case (t.is("public") || t.is("private") || t.is("protected")) && p.toks[p.at+1].is(":"):
			p.next()
			p.next()
		case t.is("template"):
			p.next()
			for !p.ended() && !p.peek().is(">") {
				p.next()
			}
			p.next()
		case (t.is("struct") || t.is("enum") || t.is("union") || t.is("class")) && p.defines():
			p.declaration()
		case t.is("typedef"), t.is("using"), t.is("friend"):
			p.until(";")
			p.accept(";")
		default:
			p.member(s)
		}
	}
}

// defines reports whether a declaration has a body, and is no member of a type that is declared elsewhere.
func (p *cppParser) defines() bool {
	for i := p.at; i < len(p.toks); i++ {
		if p.toks[i].is("{") {
			return true
		}
		if p.toks[i].is(";") || p.toks[i].is("(") && !p.toks[i-1].is("__attribute__") {
			return false
		}
	}
	return false
}

// member reads variables of one type, or a function.
func (p *cppParser) member(s *cppStruct) {
	lead := p.peek().lead
	at := p.at
	toks := p.until(";", "{", "=", ",", ":")
	for i, t := range toks {
		if !t.is("(") || i == 0 {
			continue
		}
		// A function, a constructor, or a macro.
		name := toks[i-1].text
		p.until(";", "{")
		if p.peek().is("{") {
			body := p.skip()
			if name == "Serialize" || name == "serialize" {
				s.serialize = append(body[:len(body):len(body)], token{kind: tokenEnd, span: p.behind.span})
			}
		}
		p.accept(";")
		return
	}
	if len(toks) > 0 && (toks[0].is("static") || toks[0].is("constexpr")) {
		p.until(";")
		p.constant(p.toks[at:p.at])
		p.accept(";")
		return
	}
	m := cppMember{lead: lead}
	for { // one of `a, b[4], c : 3`
		for len(toks) > 0 && toks[len(toks)-1].is("]") {
			depth, i := 0, len(toks)-1
			for ; i >= 0; i-- {
				if toks[i].is("]") {
					depth++
				} else if toks[i].is("[") {
					if depth--; depth == 0 {
						break
					}
				}
			}
			if i < 0 {
				break
			}
			m.dims = append([][]token{append(toks[i+1:len(toks)-1:len(toks)-1], token{})}, m.dims...)
			toks = toks[:i]
		}
		if n := len(toks); n > 0 && toks[n-1].kind == tokenWord {
			m.name = toks[n-1]
			if m.typ == nil {
				m.typ = toks[:n-1]
			}
			for _, t := range toks[:n-1] {
				m.pointer = m.pointer || t.is("*") || t.is("&")
			}
		}
		if p.accept(":") {
			m.bits = append(append([]token{}, p.until(";", ",", "=")...), token{})
		}
		if p.accept("=") || p.peek().is("{") {
			p.until(";", ",")
		}
		more := p.accept(",")
		if !more {
			p.accept(";")
		}
		m.tail = p.behind.tail
		if m.name.text != "" && len(m.typ) > 0 {
			s.members = append(s.members, m)
		}
		if !more || p.ended() {
			break
		}
		toks = p.until(";", "{", "=", ",", ":")
		m = cppMember{typ: m.typ}
	}
	if p.at == at { // what is no member: passed over
		p.skip()
	}
}

// value computes a constant expression that ends the tokens; ok is false where it is none. A token of no kind is the end.
func (f *cppFile) value(toks []token) (v *big.Int, ok bool) {
	e := &cppValue{f: f, toks: toks, ok: true}
	v = e.binary(0)
	return v, e.ok && e.at >= len(toks)-1
}

// cppValue computes an expression of whole numbers.
type cppValue struct {
	f     *cppFile
	toks  []token
	at    int
	depth int
	ok    bool
}

var cppLevels = [][]string{{"|"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

func (e *cppValue) peek() token {
	if e.at < len(e.toks) {
		return e.toks[e.at]
	}
	return token{}
}

func (e *cppValue) binary(level int) *big.Int {
	if level == len(cppLevels) {
		return e.unary()
	}
	x := e.binary(level + 1)
	for e.ok {
		op := ""
		for _, one := range cppLevels[level] {
			if e.peek().is(one) {
				op = one
			}
		}
		if op == "" {
			return x
		}
		e.at++
		y := e.binary(level + 1)
		switch op {
		case "|":
			x = new(big.Int).Or(x, y)
		case "&":
			x = new(big.Int).And(x, y)
		case "<<", ">>":
			if !y.IsUint64() || y.Uint64() > 63 {
				e.ok = false
				return x
			}
			if op == "<<" {
				x = new(big.Int).Lsh(x, uint(y.Uint64()))
			} else {
				x = new(big.Int).Rsh(x, uint(y.Uint64()))
			}
		default:
			c, bad := wholeOperation(op, x, y)
			if bad != "" {
				e.ok = false
				return x
			}
			x = c.whole
		}
		if x.BitLen() > maxBits {
			e.ok = false
		}
	}
	return x
}

func (e *cppValue) unary() *big.Int {
	t := e.peek()
	e.at++
	if e.depth++; e.depth > maxNesting {
		e.ok = false
		return new(big.Int)
	}
	defer func() { e.depth-- }()
	switch {
	case t.is("-"):
		return new(big.Int).Neg(e.unary())
	case t.is("~"):
		return new(big.Int).Not(e.unary())
	case t.is("("):
		x := e.binary(0)
		if !e.peek().is(")") {
			e.ok = false
		}
		e.at++
		return x
	case t.kind == tokenNumber:
		text := strings.ReplaceAll(strings.TrimRight(t.text, "uUlL"), "'", "")
		if len(text) <= 70 {
			if v, ok := new(big.Int).SetString(text, 0); ok {
				return v
			}
		}
	case t.kind == tokenText && len(t.text) == 3 && t.text[0] == '\'':
		return big.NewInt(int64(t.text[1]))
	case t.kind == tokenWord:
		for e.peek().is("::") && e.at+1 < len(e.toks) { // Enum::Case, namespace::name
			t = e.toks[e.at+1]
			e.at += 2
		}
		if c, ok := e.f.consts[t.text]; ok && c.value != nil {
			return c.value
		}
	}
	e.ok = false
	return new(big.Int)
}

// float is a float as it is written, without its suffix; ok is false where it is none.
func (f *cppFile) float(toks []token) (text string, ok bool) {
	sign := ""
	for len(toks) > 0 && (toks[0].is("-") || toks[0].is("+")) {
		if toks[0].is("-") {
			sign = "-"
		}
		toks = toks[1:]
	}
	if len(toks) == 0 || len(toks) > 1 && toks[1].text != "" {
		return "", false
	}
	if c, known := f.consts[toks[0].text]; known {
		if c.value != nil {
			return sign + c.value.String(), true
		}
		return sign + c.float, sign == "" || !strings.HasPrefix(c.float, "-")
	}
	text = toks[0].text
	if !strings.HasPrefix(text, "0x") {
		text = strings.TrimRight(text, "fFlL")
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || toks[0].kind != tokenNumber || len(text) > 40 || v > 1e30 {
		return "", false
	}
	return sign + strconv.FormatFloat(v, 'f', -1, 64), true
}
