package importer

import (
	"math/big"
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
	virtual   bool    // it has a function that is, or one of its bases has
	bases     []token // after `:`
	members   []cppMember
	end       syntax.Span // of its members
	serialize []token     // the body of its Serialize function, without its braces; nil without one
	lead      []string

	out     string
	base    *cppStruct // whose members are written before its own; see inherit
	used    bool       // another struct holds one
	based   bool       // another struct has it as a base
	told    bool       // what its members leave open
	visit   int8       // see refuseCircles
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
	made    names           // of types that have none
	sent    map[string]bool // the enums that members which are sent as they lie in memory have as type
	// sentBefore is the struct that a packet begins with, while those are written that follow it: what they have of it
	// as their base was sent.
	sentBefore *cppStruct
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
			p.declaration(nil)
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

// declaration reads a struct, a class, a union, an enum, or the typedef of one. in is the struct that it is in; nil
// outside.
func (p *cppParser) declaration(in *cppStruct) {
	lead := p.peek().lead
	alias := p.accept("typedef")
	word := p.next()
	for p.attribute() || word.is("enum") && p.accept("class") {
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
		if next := p.next(); !next.is("final") || name.text == "" {
			name = next
		}
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
		e.name = p.declared(name, alias, in)
		if e.name.text != "" && p.f.enum[e.name.text] == nil {
			p.f.enum[e.name.text] = e
			p.f.enums = append(p.f.enums, e)
		}
		return
	}
	s := &cppStruct{name: name, packed: p.f.packed, bases: behind, lead: lead}
	p.want("{")
	p.nested(func() { p.members(s) })
	s.end = p.peek().span
	p.want("}")
	switch {
	case word.is("union"):
		called := p.declared(token{kind: tokenWord, span: name.span}, alias || in != nil, nil)
		if in != nil && (called.text != "" || name.text == "") {
			in.members = append(in.members, cppMember{name: called, union: true, lead: lead})
			return
		}
		p.f.d.warn(name.span, leftUnion, "`"+clip(name.text)+"`")
		return
	case in != nil && name.text == "" && p.peek().is(";"): // what it has are members of what it is in
		in.members = append(in.members, s.members...)
	}
	at := p.at
	s.name = p.declared(name, alias, in)
	for _, t := range p.toks[at:p.at] {
		s.packed = s.packed || strings.Contains(strings.ToLower(t.text), "packed")
	}
	if s.name.text != "" && p.f.byName[s.name.text] == nil {
		p.f.byName[s.name.text] = s
		p.f.structs = append(p.f.structs, s)
	}
}

// attribute passes what a compiler is told about a type.
func (p *cppParser) attribute() bool {
	switch t := p.peek(); {
	case t.is("__attribute__"), t.is("alignas"):
		if p.next(); p.peek().is("(") {
			p.skip()
		}
	case t.is("[") && p.toks[p.at+1].is("["):
		p.skip()
	default:
		return false
	}
	return true
}

// leftUnion is what is said of a union.
const leftUnion = "union %s is left out: what says which of it is sent is not in the header"

// declared reads what is after the brace that closes a declaration, and gives the name of the type: of a typedef it is
// the last word. In a struct there may be members of that type, of which one without a name gets one.
func (p *cppParser) declared(name token, alias bool, in *cppStruct) token {
	if in != nil && !alias {
		first := len(in.members)
		p.variables(in, cppMember{typ: []token{{kind: tokenWord, text: "?"}}}, withoutAttributes(p.declarator()))
		if first == len(in.members) {
			return name
		}
		if name.text == "" {
			name = in.members[first].name
			name.text = p.f.made.add(in.name.text + "." + name.text) // which no other type is called
		}
		for i := first; i < len(in.members); i++ {
			in.members[i].typ = []token{name}
		}
		return name
	}
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
			p.declaration(s)
		case t.is("typedef"), t.is("using"), t.is("friend"):
			p.until(";")
			p.accept(";")
		default:
			s.virtual = s.virtual || t.is("virtual")
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
		if p.toks[i].is(";") || p.toks[i].is("(") && !p.toks[i-1].is("__attribute__") && !p.toks[i-1].is("alignas") {
			return false
		}
	}
	return false
}
