package importer

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// The variables of structs: how they are read, what their types are, and what is written of each.

// cppMember is one variable of a struct, or bits without a name.
type cppMember struct {
	typ     []token // of one element, once it is resolved
	name    token   // its text is "" of bits without one
	dims    [][]token
	bits    []token // after `:`
	pointer bool
	union   bool
	lead    []string
	tail    string
}

// cppTypes are the types of members whose width is in their name, and those that compilers of today agree about.
var cppTypes = map[string]string{
	"uint8_t": "uint8", "uint16_t": "uint16", "uint32_t": "uint32", "uint64_t": "uint64",
	"int8_t": "int8", "int16_t": "int16", "int32_t": "int32", "int64_t": "int64",
	"float": "float32", "double": "float64", "bool": "bool8", "char": "int8",
	"u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64",
	"unsigned char": "uint8", "signed char": "int8", "unsigned short": "uint16", "short": "int16", "unsigned int": "uint32",
	"unsigned": "uint32", "int": "int32", "long long": "int64", "unsigned long long": "uint64",
}

// member reads variables of one type, or a function.
func (p *cppParser) member(s *cppStruct) {
	lead := p.peek().lead
	at := p.at
	toks := withoutAttributes(p.declarator())
	i := called(toks)
	if i > 0 && i+2 < len(toks) && toks[i+1].is("*") { // a pointer to a function
		s.members = append(s.members, cppMember{typ: toks[:i], name: toks[i+2], pointer: true, lead: lead})
		p.until(";")
		p.accept(";")
		return
	}
	if i > 0 { // a function, a constructor, or a macro
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
	p.variables(s, cppMember{lead: lead}, toks)
	if p.at == at { // what is no member: passed over
		p.skip()
	}
}

// variables reads `a, b[4], c : 3` up to the end of it. m is the first, whose typ may be known; toks are its
// declarator.
func (p *cppParser) variables(s *cppStruct, m cppMember, toks []token) {
	for {
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
		if n := len(toks); p.peek().is(":") && (n == 0 || m.typ == nil && unnamed(toks)) {
			m.name.span = p.peek().span
			if m.typ == nil {
				m.typ = toks
			}
		} else if n > 0 && toks[n-1].kind == tokenWord {
			m.name = toks[n-1]
			if m.typ == nil {
				m.typ = toks[:n-1]
			}
			for _, t := range toks[:n-1] {
				m.pointer = m.pointer || t.is("*") || t.is("&")
			}
		}
		if p.accept(":") {
			m.bits = append(append([]token{}, p.until(";", ",", "=", "{")...), token{})
		}
		if p.accept("=") || p.peek().is("{") {
			p.until(";", ",")
		}
		more := p.accept(",")
		if !more {
			p.accept(";")
		}
		m.tail = p.behind.tail
		if (m.name.text != "" || m.bits != nil) && len(m.typ) > 0 {
			s.members = append(s.members, m)
		}
		if !more || p.ended() {
			break
		}
		toks = p.declarator()
		m = cppMember{typ: m.typ}
	}
}

// withoutAttributes is a declaration without what its compiler is told about it.
func withoutAttributes(toks []token) []token {
	var out []token
	for i := 0; i < len(toks); i++ {
		opens, closes := "(", ")"
		switch {
		case toks[i].is("[") && i+1 < len(toks) && toks[i+1].is("["):
			opens, closes, i = "[", "]", i-1
		case !toks[i].is("alignas") && !toks[i].is("__attribute__"):
			out = append(out, toks[i])
			continue
		}
		for depth := 0; i+1 < len(toks) && (depth > 0 || toks[i+1].is(opens)); i++ {
			switch {
			case toks[i+1].is(opens):
				depth++
			case toks[i+1].is(closes):
				if depth--; depth == 0 {
					opens = ""
				}
			}
		}
	}
	return out
}

// called is where the arguments of a function begin; 0 of what is none.
func called(toks []token) int {
	depth := 0
	for i, t := range toks {
		switch {
		case t.is("["), t.is("<"):
			depth++
		case t.is("]"), t.is(">"):
			depth--
		case t.is(">>"):
			depth -= 2
		case t.is("operator"):
			depth = -len(toks) // what follows is its name
		case t.is("(") && depth <= 0:
			return i
		}
	}
	return 0
}

// declarator passes a type and a name: the commas between the arguments of a template are a part of it.
func (p *cppParser) declarator() []token {
	from, depth := p.at, 0
	for {
		p.until(";", "{", "=", ",", ":", "<", ">", ">>")
		switch t := p.peek(); {
		case t.is("<"):
			depth++
		case t.is(">"):
			depth--
		case t.is(">>"):
			depth -= 2
		case !t.is(",") || depth <= 0:
			return p.toks[from:p.at]
		}
		p.next()
	}
}

// unnamed reports whether what is before the `:` of a bit field is a type alone.
func unnamed(toks []token) bool {
	last := len(toks) - 1
	return typeWords(toks[:last]) == "" ||
		slices.Contains([]string{"char", "short", "int", "long", "signed", "unsigned"}, toks[last].text)
}

// unaliased is a type by the name that no alias gave it.
func (f *cppFile) unaliased(typ []token) []token {
	for range 8 { // of aliases
		to, ok := f.alias[typeWords(typ)]
		if !ok {
			break
		}
		typ = to
	}
	return typ
}

// resolve takes aliases and std::array off the type of a member.
func (f *cppFile) resolve(m *cppMember) {
	for range 8 { // of arrays
		m.typ = f.unaliased(m.typ)
		element, count, ok := arrayOf(m.typ)
		if !ok {
			break
		}
		m.typ, m.dims = element, append(m.dims, append(count, token{}))
	}
}

// arrayOf takes `array<element, count>` apart.
func arrayOf(typ []token) (element, count []token, ok bool) {
	at := slices.IndexFunc(typ, func(t token) bool { return t.is("<") })
	if at < 1 || !typ[at-1].is("array") || !typ[len(typ)-1].is(">") {
		return nil, nil, false
	}
	args, depth, comma := typ[at+1:len(typ)-1], 0, -1
	for i, t := range args {
		switch {
		case t.is("<"), t.is("("):
			depth++
		case t.is(">"), t.is(")"):
			depth--
		case t.is(">>"):
			depth -= 2
		case t.is(",") && depth == 0:
			comma = i
		}
	}
	if comma < 1 {
		return nil, nil, false
	}
	return args[:comma:comma], args[comma+1 : len(args) : len(args)], true
}

// typeWords is a type in one word, or several of C++: without const, struct and namespaces.
func typeWords(toks []token) string {
	var words []string
	for i, t := range toks {
		switch {
		case t.is("::"):
			words = nil
		case i+1 < len(toks) && toks[i+1].is("::"), t.is("const"), t.is("struct"), t.is("class"), t.is("enum"),
			t.is("volatile"), t.is("mutable"):
		case t.kind == tokenWord:
			words = append(words, t.text)
		}
	}
	return strings.Join(words, " ")
}

// member writes one member as it lies in memory.
func (f *cppFile) member(m *cppMember, taken names) {
	d := f.d
	d.from(m.name.span)
	d.lead(m.lead)
	word := typeWords(m.typ)
	small := fieldName(strings.TrimPrefix(m.name.text, "m_"))
	shown := clip(m.name.text)
	prefix := ""
	for _, dim := range m.dims {
		v, ok := f.value(dim)
		if !ok || v.Sign() <= 0 || v.BitLen() > 20 {
			d.doubt(m.name.span, "how many elements `%s` has is not known: 1 stands for it", shown)
			v = big.NewInt(1)
		}
		prefix += fmt.Sprintf("[%d]", v)
	}
	note, typ := m.tail, cppTypes[word]
	switch e := f.enum[word]; {
	case m.union:
		d.doubt(m.name.span, leftUnion, strings.Replace("`"+shown+"`", "``", "without a name", 1))
		return
	case m.pointer || f.byName[word] == nil && (strings.Contains(word, "vector") || strings.Contains(word, "string")):
		d.doubt(m.name.span, "`%s` lies elsewhere in memory, so it is left out", shown)
		return
	case word == "char" && len(m.dims) == 1:
		d.doubt(m.name.span, "`%s` is taken for text that NULs pad", shown)
		typ, prefix = "char("+strings.Trim(prefix, "[]")+")", ""
	case word == "char":
		d.doubt(m.name.span, charSign)
	case typ == "uint8" && len(m.dims) == 1:
		typ, prefix = "bytes("+strings.Trim(prefix, "[]")+")", ""
	case typ == "bool8":
		note = tail(note, "what is neither 0 nor 1 is refused")
		note = strings.TrimPrefix(note, " // ")
	case e != nil && e.out != "":
		typ = e.out
	case f.byName[word] != nil:
		typ = f.byName[word].out
		f.byName[word].used = true // it is written, or will be
	case typ == "":
		if width := widthIn(word); width != "" {
			typ = width
			d.doubt(m.name.span, "`%s` is taken for %s", clip(word), width)
			break
		}
		d.doubt(m.name.span, "the type `%s` of `%s` is not known: uint32 stands for it", clip(word), shown)
		typ = "uint32"
	case strings.Contains(word, "int") && !strings.Contains(word, "_t") || strings.Contains(word, "long") ||
		strings.Contains(word, "short"):
		d.doubt(m.name.span, "`%s` is as wide as the compiler makes it: %s stands for it", clip(word), typ)
	}
	name := taken.add(small)
	d.printf("%s %s%s%s", name, prefix, typ, tail(renamed(m.name.text, name), note))
}

// charSign is the doubt about a number of type char.
const charSign = "whether `char` has a sign is the compiler's: it has one on x86"

// bitField writes one field of some bits as compilers for x86 and ARM place it. open is how many bits of its byte are
// taken before it, and what it gives is how many are after it.
func (f *cppFile) bitField(m *cppMember, taken names, open int) int {
	d := f.d
	d.from(m.name.span)
	d.lead(m.lead)
	shown := "`" + clip(m.name.text) + "`"
	if m.name.text == "" {
		shown = "a field without a name"
	}
	v, ok := f.value(m.bits)
	if !ok || !v.IsUint64() || v.Uint64() > 64 || v.Sign() == 0 && m.name.text != "" {
		d.doubt(m.name.span, "how many bits %s has is not known, so it is left out", shown)
		return open
	}
	bits := int(v.Uint64())
	word := typeWords(m.typ)
	e := f.enum[word]
	typ := cppTypes[word]
	switch {
	case e != nil:
		typ = cmp.Or(cppTypes[typeWords(f.unaliased(e.under))], "uint32")
	case typ == "":
		if typ = widthIn(word); typ == "" {
			d.doubt(m.name.span, "the type `%s` of %s is not known: uint32 stands for it", clip(word), shown)
			typ = "uint32"
		}
	case word == "char":
		d.doubt(m.name.span, charSign)
	}
	if bits == 0 {
		unit := typ[strings.IndexAny(typ, "1368"):]
		d.doubt(m.name.span, "what follows begins the next %s bits of the struct: "+
			"they are counted from the packet's first bit, and what is before it is taken to be any", unit)
		d.printf("align(%s) any%s", unit, tail(m.tail))
		return 0
	}
	if m.name.text == "" {
		d.doubt(m.name.span, "what is in bits without a name is the compiler's: they are taken to be any")
		d.printf("reserved(%d) any%s", bits, tail(m.tail))
		return (open + bits) % 8
	}
	d.doubt(m.name.span, "the order of bit fields is the compiler's: %s may lie elsewhere in its byte", shown)
	switch {
	case typ == "bool8" && bits == 1:
		typ = "bool"
	case strings.HasPrefix(typ, "int"):
		typ = fmt.Sprintf("sbits(%d)", bits)
	default:
		typ = fmt.Sprintf("bits(%d)", bits)
	}
	of := ""
	if e != nil {
		of = "as " + clip(word) + " has them"
	}
	name := taken.add(fieldName(strings.TrimPrefix(m.name.text, "m_")))
	d.printf("%s %s%s", name, typ, tail(renamed(m.name.text, name), of, m.tail))
	return (open + bits) % 8
}

// closeByte writes what bit fields leave of their last byte: what follows begins a byte.
func (f *cppFile) closeByte(at syntax.Span, open int) {
	if open == 0 {
		return
	}
	f.d.doubt(at, "bit fields end within a byte: what is in the rest of it is the compiler's, and taken to be any")
	f.d.printf("reserved(%d) any", 8-open)
}

// widthIn is the integer that a type's name speaks of: enet_uint16.
func widthIn(word string) string {
	word = strings.TrimSuffix(strings.ToLower(word), "_t")
	for _, width := range []string{"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"} {
		if strings.HasSuffix(word, width) && (width[0] == 'u' || !strings.Contains(word, "u"+width)) {
			return width
		}
	}
	return ""
}
