package syntax

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/wire"
)

// What the parser knows of other languages, so that it can say how pks writes the same thing. None of it decides what
// is accepted.

var foreignOrders = map[string]string{
	"big": "msb", "be": "msb", "network": "msb", "bigendian": "msb", "big_endian": "msb",
	"little": "lsb", "le": "lsb", "littleendian": "lsb", "little_endian": "lsb",
}

var foreignEndians = map[string]Endian{
	"big": BigEndian, "big_endian": BigEndian, "bigendian": BigEndian, "be": BigEndian, "network": BigEndian,
	"little": LittleEndian, "little_endian": LittleEndian, "littleendian": LittleEndian, "le": LittleEndian,
}

var foreignDecls = map[string]string{
	"class": "did you mean `struct`?", "record": "did you mean `struct`?",
	"type": "did you mean `struct`?", "types": "did you mean `struct`?", "union": "a union is `name switch tag { … }` in a struct",
	"typedef": "did you mean `struct`?", "bitfield": "did you mean `struct`?", "bitflags": "did you mean `flags`?",
	"seq": "did you mean `packet`?", "root": "did you mean `packet`?", "datagram": "did you mean `packet`?",
	"root_type": "did you mean `packet`?",
	"endian":    "did you mean `order`?", "endianness": "did you mean `order`?", "byteorder": "did you mean `order`?",
	"include": "did you mean `import`?", "use": "did you mean `import`?", "using": "did you mean `import`?",
	"syntax": "remove it", "package": "remove it", "namespace": "remove it", "option": "remove it", "meta": "remove it",
	"let": "did you mean `const`?", "var": "did you mean `const`?", "constexpr": "did you mean `const`?",
	"define": "did you mean `const`?", "timeout": "write `expect timeout 2000ms`", "mtu": "write `max datagram 1200`",
}

// foreignTypes gives what to write for the types of other languages.
var foreignTypes = map[string]string{
	"u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
	"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
	"s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64",
	"u1": "uint8", "u2": "uint16", "u4": "uint32", "s1": "int8", "s2": "int16", "s4": "int32",
	"f4": "float32", "f8": "float64", "f32": "float32", "f64": "float64",
	"uint8_t": "uint8", "uint16_t": "uint16", "uint32_t": "uint32", "uint64_t": "uint64",
	"int8_t": "int8", "int16_t": "int16", "int32_t": "int32", "int64_t": "int64",
	"byte": "uint8", "ubyte": "uint8", "uchar": "uint8", "octet": "uint8", "sbyte": "int8",
	"short": "int16", "ushort": "uint16", "word": "uint16", "dword": "uint32", "qword": "uint64",
	"long": "int64", "ulong": "uint64", "uint": "uint32", "size_t": "uint32",
	"double": "float64", "single": "float32", "real": "float32", "half": "uint16",
	"boolean": "bool", "_bool": "bool", "bit": "bool", "flag": "bool", "str": "string(16)", "text": "string(16)",
	"strz": "cstring(16)", "wchar": "wstring(16)", "varuint": "varint(32)", "uvarint": "varint(32)",
	"leb128": "varint(32)", "uleb128": "varint(32)", "sint32": "zigzag(32)", "sint64": "zigzag(64)",
	"fixed32": "uint32", "fixed64": "uint64", "sfixed32": "int32", "sfixed64": "int64",
	"vec2f": "vec2(float32)", "vec3f": "vec3(float32)", "vec4f": "vec4(float32)", "vector3": "vec3(float32)",
	"vector2": "vec2(float32)", "quaternion": "quat smallest3(10)", "blob": "bytes(16)", "buffer": "bytes(16)",
	"domain": "dnsname", "hostname": "dnsname", "domainname": "dnsname", "crc": "crc32", "unsigned": "uint32", "signed": "int32",
}

// foreignForms gives advice for words at a type's place that have no type in their stead.
var foreignForms = map[string]string{
	"union": "a union is `name switch tag { … }`", "enum": "declare it at the top level and write its name here",
	"flags": "declare it at the top level and write its name here", "list": "an array is `[n]T`",
	"array": "an array is `[n]T`", "vector": "an array is `[n]T`", "repeated": "an array is `[..n]T`",
	"map": "an array is `[n]T`", "if": "write `if e { … }` around the field",
	"break": "an arm needs no `break`: write `empty` where nothing is sent",
	"align": "write `align(n)` without a name", "reserved": "write `reserved(n)` without a name",
	"when": "write `if e { … }` around the field", "empty": "only an arm of a switch is `empty`",
}

// foreignGaps are words for bits that mean nothing.
var foreignGaps = []string{"padding", "pad", "skip"}

// gapAdvice is what to write instead of the word of foreignGaps at token i, with its number of bits where it has one.
func (p *parser) gapAdvice(i int) string {
	n := "8"
	if p.at(i+1).kind == tokLParen && p.at(i+2).kind == tokInt && p.at(i+3).kind == tokRParen {
		n = clip(p.source(i + 2))
	}
	return "write `reserved(" + n + ")`, or `align`, without a name"
}

// halfFloats are words for floats of 16 bits.
var halfFloats = []string{"float16", "half", "f16", "float16_t", "bfloat16", "bf16"}

// foreignSums are words for checksums that are no type, with what keeps one as it is. After a name they are types, and
// never the name of a field.
var foreignSums = map[string]string{
	"crc8": "uint8", "crc16": "uint16", "crc24": "bits(24)", "crc32": "uint32", "crc40": "bits(40)", "crc64": "uint64",
	"adler": "uint32", "fletcher": "uint16", "md5": "bytes(16)", "sha1": "bytes(20)",
}

// sumAdvice is what to write for a checksum that there is no type for, "" where word is none. `crc16` and its like name
// a width, of which there are many checksums.
func sumAdvice(word string) string {
	word = strings.ToLower(word)
	base, _, variant := strings.Cut(word, "_")
	kept := foreignSums[base]
	switch {
	case typeWords[word].form != 0:
		return ""
	case strings.HasSuffix(word, "checksum"):
		return fmt.Sprintf("`%s` is no one algorithm: %s", word, sumsLike("crc16"))
	case kept == "":
		return ""
	case !strings.HasPrefix(word, "crc"):
		return "`" + kept + "` keeps it as it is"
	case !variant:
		return fmt.Sprintf("`%s` is no one algorithm: %s", word, sumsLike(base))
	}
	return sumsLike(base)
}

// sumsLike lists checksums of the language that begin with a word.
func sumsLike(base string) string {
	best := []string{"crc16_modbus", "crc16_ibm_3740", "crc16_xmodem"} // the most usual first
	for i := range wire.Algorithms {
		best = append(best, wire.Algorithms[i].Name)
	}
	text, n := "", 0
	for _, name := range best {
		if !strings.HasPrefix(name, base) || n == 3 {
			continue
		}
		n++
		text += name
		if name == "crc16_ibm_3740" {
			text += " (CCITT-FALSE)"
		}
		text += ", "
	}
	return text + "… or `crc(" + strings.TrimPrefix(base, "crc") + ", poly, …)`"
}

// numberOf is a text as the number that its bytes are in order msb, an advice without one where it is too long.
func numberOf(text string) string {
	if len(text) == 0 || len(text) > 8 {
		return "a number of at most 8 bytes"
	}
	return fmt.Sprintf("0x%x, %d bits", text, 8*len(text))
}

// refusals are words for an arm that refuses its packets.
var refusals = []string{"reject", "refuse", "error", "fail", "drop", "invalid", "abort"}

// modifiers are before a type in other languages.
var modifiers = map[string]string{
	"repeated": "[..n]", "optional": "optional ", "required": "", "unsigned": "", "signed": "", "const": "", "static": "",
	"volatile": "", "struct": "", "enum": "", "final": "", "public": "", "var": "", "field": "",
}

// asType is the type of this language that a word means, "" for none.
func asType(word string) string {
	if typeWords[word].form != 0 {
		return word
	}
	low := strings.ToLower(word)
	if t := foreignTypes[low]; t != "" {
		return t
	}
	if t := widthType(low); t != "" {
		return t
	}
	for _, e := range []string{"le", "be"} {
		base := strings.TrimSuffix(strings.TrimSuffix(low, e), "_")
		if base == low || base == "" {
			continue
		}
		if t := foreignTypes[base]; t != "" && typeWords[t].form == formFixed {
			return t + " " + e
		}
		if typeWords[base].form == formFixed {
			return base + " " + e
		}
		if n, t := widthOf(base), widthType(base); t != "" && n%8 == 0 && n < 64 {
			return t + " " + e
		}
	}
	return ""
}

// widthOf is the n of a word like uintN, intN, uN or iN (the short ones with two digits), 0 for any other.
func widthOf(word string) int {
	for i, prefix := range []string{"uint", "int", "u", "i", "s"} {
		digits, ok := strings.CutPrefix(word, prefix)
		if !ok || i >= 2 && len(digits) != 2 {
			continue
		}
		if n, err := strconv.Atoi(digits); err == nil && n <= 1024 && plainDigits(digits, "0123456789") && digits[0] != '0' {
			return n
		}
	}
	return 0
}

// widthType is what a fixed type of a width that the language has no word for is written as, "" for any other word.
func widthType(word string) string {
	n := widthOf(word)
	switch {
	case n == 0 || typeWords[word].form != 0:
		return ""
	case n > 64 && n%8 == 0:
		return fmt.Sprintf("bytes(%d)", n/8)
	case n > 64:
		return ""
	case word[0] == 'u':
		return fmt.Sprintf("bits(%d)", n)
	}
	return fmt.Sprintf("sbits(%d)", n)
}

// wholeType is a type of the language with an example of what it needs, for the word t.
func wholeType(t string) string {
	switch typeWords[t].form {
	case formBits, formSized, formBytes:
		return t + "(16)"
	case formInt:
		return "int32"
	case formFloat:
		return "float32"
	case formVec, formQuat:
		return t + "(float32)"
	}
	return t
}

// allTypeWords are the words of typeWords in one order, so that advice is always the same.
var allTypeWords = func() []string {
	words := make([]string, 0, len(typeWords))
	for w := range typeWords {
		words = append(words, w)
	}
	slices.Sort(words)
	return words
}()

// unknownType complains about the word at a type's place, and reads it as a type.
func (p *parser) unknownType() TypeExpr {
	at, word := p.span(p.i), p.word()
	fix := ""
	switch {
	case word == "struct" && p.after(1) == tokLBrace:
		p.complain(at, "write `name { … }`", "an inline struct has no word in front")
		p.advance()
		return BodyType{p.body()}
	case foreignForms[word] != "":
		p.refuse(foreignForms[word], "want a type, got `%s`", word)
		return &BadType{at}
	case reserved[word]:
		p.want("a type")
		return &BadType{at}
	case slices.Contains(foreignGaps, word):
		p.refuse(p.gapAdvice(p.i), "want a type, got `%s`", word)
		return &BadType{at}
	case slices.Contains(halfFloats, strings.ToLower(word)):
		fix = "there are no half floats: write `uint16` with `@scale`, or `float(a..b, step)`"
	case sumAdvice(word) != "":
		fix = sumAdvice(word)
	case word == "bit" && p.after(1) == tokLParen:
		fix = "did you mean `bits`?"
	case asType(word) != "":
		fix = "did you mean `" + asType(word) + "`?"
	case slices.Contains(p.types(), camel(word)):
		fix = "did you mean `" + clip(camel(word)) + "`?"
	default:
		if s := Suggest(strings.ToLower(word), allTypeWords); s != "" {
			fix = "did you mean `" + s + "`?"
		} else if s := Suggest(camel(word), p.types()); s != "" {
			fix = "did you mean `" + s + "`?"
		} else {
			fix = "a type is like `uint8`, `bits(4)`, `int(0..9)`, `float32`, `string(16)` or `bytes(4)`, or declared in the file"
		}
	}
	if p.source(p.i+1) != "::" { // the scanner has complained
		before := len(p.diags)
		p.complain(at, fix, "unknown type `%s`", clip(word))
		p.mistyped += len(p.diags) - before
	}
	p.advance()
	if p.kind == tokLParen {
		p.skip()
	}
	return &BadType{at}
}

func foreignSum(word string) bool { return foreignSums[strings.ToLower(word)] != "" }

// types are the names that the file declares as types.
func (p *parser) types() []string {
	if p.declared == nil {
		p.declared = []string{}
		for i := range p.toks {
			if w := p.wordAt(i); (w == "struct" || w == "enum" || w == "flags") && p.at(i+1).kind == tokName {
				p.declared = append(p.declared, p.source(i+1))
			}
		}
	}
	return p.declared
}

// typeFirst refuses a field written in the order of C: `uint8 id`, `char name[16]`, `repeated uint32 ids`.
func (p *parser) typeFirst() bool {
	word := p.word()
	i := p.i + 1
	if lead, ok := modifiers[word]; ok {
		inner := p.at(i).kind == tokName || asType(p.wordAt(i)) != ""
		quat := p.wordAt(i) == "quat" && p.wordAt(i+1) == "smallest3" // one type of two words: `struct` is a name here
		if inner && !quat && p.at(i+1).kind == tokWord && !p.behindType(i+1) && typeWords[p.wordAt(i+1)].form == 0 {
			t := asType(p.source(i))
			if t == "" {
				t = p.source(i)
			}
			if word == "unsigned" && t == "int" {
				t = "uint32"
			}
			p.nameLater(i+1, lead+t)
			return true
		}
		if inner && (word == "struct" || word == "enum") && (p.at(i+1).kind == tokLBrace || p.at(i+1).kind == tokColon) {
			p.refuse("move it there, or write `name { … }` for an inline struct",
				"a named %s is declared at the top level", word)
			return true
		}
	}
	t := asType(word)
	if t == "" {
		return false
	}
	exact := typeWords[t].form == formFixed || typeWords[word].form == 0
	text := wholeType(t)
	if p.at(i).kind == tokLParen {
		behind, ok := p.skipBrackets(i)
		if !ok {
			return false
		}
		text = t + p.between(i, behind)
		i, exact = behind, true
	}
	if p.at(i).kind == tokLBracket {
		behind, ok := p.skipBrackets(i)
		if !ok || !exact {
			return false
		}
		text = p.between(i, behind) + text
		i = behind
	}
	name := p.wordAt(i)
	if name == "" || reserved[name] || asType(name) != "" || name == "optional" || name == "subset" ||
		foreignSum(name) && typeWords[word].form == 0 { // `crc crc16`: the name is first
		return false
	}
	if p.behindType(i) && !p.ends(i+1) || !exact && Suggest(name, allTypeWords) != "" {
		return false
	}
	p.nameLater(i, text)
	return true
}

// nameFirst refuses a field that starts with a type of the file: `PlayerState player`.
func (p *parser) nameFirst() bool {
	i := p.i + 1
	text := p.source(p.i)
	for p.at(i).kind == tokLParen || p.at(i).kind == tokLBracket {
		behind, ok := p.skipBrackets(i)
		if !ok {
			return false
		}
		if p.at(i).kind == tokLParen {
			text += p.between(i, behind)
		} else {
			text = p.between(i, behind) + text
		}
		i = behind
	}
	name := p.wordAt(i)
	if typ := p.source(p.i); name == "" && p.ends(i) && slices.Contains(p.types(), typ) {
		p.refuse("write `"+clip(snake(typ)+" "+text)+"`", "the field has no name")
		return true
	}
	if name == "" || reserved[name] || asType(name) != "" || name == "optional" || name == "subset" ||
		Suggest(name, allTypeWords) != "" && !slices.Contains(p.types(), p.source(p.i)) {
		return false
	}
	p.nameLater(i, text)
	return true
}

// nameLater refuses the item, whose name is token i after a type.
func (p *parser) nameLater(i int, typ string) {
	if p.at(i+1).kind == tokLBracket {
		if behind, ok := p.skipBrackets(i + 1); ok && (strings.HasPrefix(typ, "char") || strings.HasPrefix(typ, "bytes")) {
			inner := p.between(i+1, behind)
			typ = strings.TrimSuffix(typ, "(16)") + "(" + inner[1:len(inner)-1] + ")"
		} else if ok {
			typ = p.between(i+1, behind) + typ
		}
	}
	if p.takeSemicolon(p.at(i).line, p.at(i).end) {
		p.refuse("write `"+clip(snake(p.source(i))+" "+typ)+"`", "the name comes first, and no `;` comes after a field")
		return
	}
	p.refuse("write `"+clip(snake(p.source(i))+" "+typ)+"`", "the name comes first")
}

// takeSemicolon takes back the first complaint about a `;` on a line from off on: it belongs to another one.
func (p *parser) takeSemicolon(line, off int32) bool {
	for i, d := range p.diags[:p.scanned] {
		if d.Pos.Line == line && d.Pos.Off >= p.base+off && d.Message == semicolonMessage {
			p.diags = slices.Delete(p.diags, i, i+1)
			p.scanned--
			return true
		}
	}
	return false
}

// between is the source of tokens i to after-1, "" of none.
func (p *parser) between(i, behind int) string {
	if behind <= i {
		return ""
	}
	return p.text[p.at(i).off:p.at(behind-1).end]
}

// behindType reports whether token i is a word that may be after a type.
func (p *parser) behindType(i int) bool {
	switch p.wordAt(i) {
	case "le", "be", "in", "finite":
		return true
	}
	return wire.EncodingOf(p.wordAt(i)) != wire.EncodingNone
}

// ends reports whether an item may end before token i.
func (p *parser) ends(i int) bool {
	switch p.at(i).kind {
	case tokNewline, tokComma, tokRBrace, tokEOF:
		return true
	}
	return false
}

// beginsRange reports whether `a..` is here, a being a number or a constant.
func (p *parser) beginsRange() bool {
	i := p.i
	if p.kind == Minus {
		i++
	}
	return (p.at(i).kind == tokInt || p.at(i).kind == tokFloat || p.at(i).kind == tokName) && p.at(i+1).kind == tokDotDot
}

// behindValue reads past what is after a value and its annotations by mistake. It gives the annotations that
// follow after all.
func (p *parser) behindValue(v *ValueExpr, noted bool) (notes []*Annotation) {
	for !p.stopped && !p.itemEnds() {
		word := p.word()
		switch {
		case p.kind == tokLBracket:
			behind, ok := p.skipBrackets(p.i)
			if !ok {
				p.want("the end of the line")
				return notes
			}
			p.complain(p.span(p.i), "write `"+clip(p.between(p.i, behind)+p.slice(v.Pos, v.End))+"`",
				"the count of an array comes before its type")
			p.skip()
		case word == "optional":
			p.complain(p.span(p.i), "write `optional "+clip(p.slice(v.Pos, v.End))+"`", "`optional` comes before the type")
			p.advance()
		case (word == "le" || word == "be") && v.Rule != nil:
			p.complain(p.span(p.i), "", "`%s` comes right after the type", word)
			p.endianOf(v)
		case word == "if" || word == "when":
			p.refuse("write `if e { … }` around the field", "a field has no condition after it")
		case v.Rule != nil && !noted && (p.behindType(p.i) || p.kind == EqEq || p.kind == NotEq):
			p.refuse("write a `require` on a line of its own for the other", "a field has one rule")
		case p.behindType(p.i) || p.kind == EqEq || p.kind == NotEq || p.kind == tokAssign:
			p.complain(p.span(p.i), "", "a rule comes before the annotations")
			if word == "le" || word == "be" {
				p.endianOf(v)
			} else {
				v.Rule = p.rule()
			}
		case p.kind == tokAt:
			notes = append(notes, p.notes()...)
		case v.Rule == nil && !noted && p.beginsRange():
			start := p.here()
			r := p.spanExpr()
			p.complain(r.Span, "write `in "+clip(p.slice(start, r.End))+"`", "a range comes after `in`")
			v.Rule = &RuleExpr{Span: r.Span, Kind: RuleIn, Set: []RangeExpr{r}}
		case p.kind == tokInt || p.kind == tokString || p.kind == tokDotDot:
			p.want("the end of the line")
		default:
			return notes
		}
	}
	return notes
}
