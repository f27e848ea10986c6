package importer

import (
	"math/big"
	"sort"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

func readCpp(d *draft, files []*syntax.File) {
	f := &cppFile{d: d, byName: map[string]*cppStruct{}, enum: map[string]*cppEnum{}, consts: map[string]cppConst{}, alias: map[string][]token{},
		made: names{}, cases: map[string]bool{}, sent: map[string]bool{}}
	for _, file := range files {
		p := &cppParser{parser: parser{d: d, toks: d.scan(file, true)}, f: f}
		p.top()
		if !p.ended() {
			p.fail("a declaration")
		}
		f.packed = false
	}
	if d.failed == nil {
		f.write()
	}
}

// write makes the draft of what was read.
func (f *cppFile) write() {
	d := f.d
	for _, s := range f.structs {
		s.out = d.taken.add(typeName(identifier(s.name.text)))
		for i := range s.members {
			f.resolve(&s.members[i])
			word := typeWords(s.members[i].typ)
			if held := f.byName[word]; held != nil {
				held.used = true
			}
			if s.serialize == nil {
				f.sent[word] = true
			}
		}
	}
	for _, s := range f.structs {
		f.refuseCircles(s)
	}
	for _, s := range f.structs {
		f.inherit(s)
	}
	root := f.root()
	if d.failed != nil {
		return
	}
	order := d.order
	if root.serialize != nil || order == "" {
		order = "lsb"
	}
	name := strings.TrimSuffix(d.files[0].Name[strings.LastIndexAny(d.files[0].Name, `/\`)+1:], ".hpp")
	name, _, _ = strings.Cut(name, ".")
	d.headerOrder(fieldName(identifier(name)), order)
	if root.serialize == nil && d.order == "" {
		d.doubt(root.name.span, "the order of bytes is not in the header: lsb is that of x86 and ARM; with htons and the like it is --order msb")
	}
	for _, name := range f.order {
		if c := f.consts[name]; c.value != nil && fitsInteger(c.value) && !f.cases[name] {
			d.printf("const %s = %d%s", d.taken.add(typeName(name)), c.value, tail(renamed(name, typeName(name))))
		}
	}
	cases := f.bodies(root)
	for _, e := range f.enums {
		if f.sent[e.name.text] || cases != nil && cases[0].of == e {
			f.writeEnum(e)
		}
	}
	for _, s := range f.structs {
		if s.used && s != root {
			f.writeStruct(s)
		}
	}
	f.sentBefore = root
	for _, c := range cases {
		f.writeStruct(c.body)
	}
	f.sentBefore = nil
	d.writeBlobs()
	d.printf("")
	d.lead(root.lead)
	d.printf("packet {")
	taken := f.items(root)
	if cases != nil {
		e := cases[0].of
		d.doubt(e.name.span, "that one of these follows, and which, is taken from their names")
		d.printf("%s switch %s {", taken.add("body"), cases[0].tag)
		for i := range e.cases {
			body := "empty"
			for _, c := range cases {
				if c.index == i {
					body = c.body.out
				}
			}
			label := e.named[i]
			if cases[0].plain {
				label = e.out + "." + label
			}
			if body == "empty" && !strings.Contains(strings.ToLower(label), "none") {
				d.warn(e.cases[i].name.span, "no struct has the name of `%s`: nothing is taken to follow it", clip(e.cases[i].name.text))
				d.printf("%s: empty // ? no struct has this name", label)
				continue
			}
			d.printf("%s: %s", label, body)
		}
		d.printf("}")
	}
	d.printf("}")
	for _, s := range f.structs {
		if !s.written && !s.told && s != root {
			d.warn(s.name.span, "`%s` is in no packet, so it is left out", clip(s.name.text))
		}
	}
}

// identifier leaves letters, digits and `_`.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (isLetter(byte(r)) || isDigit(byte(r))) {
			return r
		}
		return '_'
	}, name)
}

// root is the struct that a packet is, or begins with.
func (f *cppFile) root() *cppStruct {
	var free []*cppStruct
	var all []string
	for _, s := range f.structs {
		if !s.used && !s.based && (len(s.members) > 0 || s.serialize != nil || s.base != nil) {
			free = append(free, s)
		}
		all = append(all, clip(s.name.text))
	}
	if f.d.packet != "" {
		if s := f.byName[f.d.packet]; s != nil {
			return s
		}
	} else if len(free) == 1 {
		return free[0]
	}
	const most = 20
	switch {
	case len(all) == 0:
		f.d.fail(syntax.Span{}, "no struct: nothing is sent")
	default:
		f.d.fail(syntax.Span{}, "which struct is the packet, or begins it? want --packet with one of %s", strings.Join(all[:min(len(all), most)], ", "))
	}
	return nil
}

// cppBody is a struct that follows a value of a tag.
type cppBody struct {
	of    *cppEnum
	index int
	body  *cppStruct
	tag   string
	plain bool // the tag is an integer, whose labels name the enum
}

// bodies matches the structs that nothing holds with the cases of an enum, by their names.
func (f *cppFile) bodies(root *cppStruct) []cppBody {
	// Names are compared each with each: what has so many is not guessed at.
	const maxCompared = 1 << 20
	compared := 0
	bare := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	var best []cppBody
	for _, e := range f.enums {
		if compared += len(e.cases) * len(f.structs); compared > maxCompared {
			return best
		}
		var found []cppBody
		prefix := len(commonPrefix(e.cases))
		for i, c := range e.cases {
			short := bare(c.name.text[prefix:])
			for _, s := range f.structs {
				name := bare(s.name.text)
				for _, suffix := range []string{"message", "packet", "payload", "body", "data", "msg"} {
					name = strings.TrimSuffix(name, suffix)
				}
				if s != root && !s.used && len(short) > 2 && (name == short || strings.HasSuffix(name, short)) {
					found = append(found, cppBody{of: e, index: i, body: s})
					break
				}
			}
		}
		if len(found) <= len(best) {
			continue
		}
		for _, m := range f.parts(root) {
			word := typeWords(m.typ)
			small := fieldName(strings.TrimPrefix(m.name.text, "m_"))
			if word == e.name.text || (strings.Contains(small, "type") || small == "command" || small == "kind" || small == "id") && f.enum[word] == nil && f.byName[word] == nil {
				for k := range found {
					found[k].tag, found[k].plain = small, word != e.name.text
				}
				best = found
				break
			}
		}
	}
	sort.SliceStable(best, func(i, j int) bool { return best[i].index < best[j].index })
	return best
}

// commonPrefix is what the names of all cases begin with, up to a `_`.
func commonPrefix(cases []cppCase) string {
	if len(cases) < 2 {
		return ""
	}
	prefix := cases[0].name.text
	for _, c := range cases[1:] {
		for !strings.HasPrefix(c.name.text, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix[:strings.LastIndex(prefix, "_")+1]
}

func (f *cppFile) writeEnum(e *cppEnum) {
	d := f.d
	d.from(e.name.span)
	under := ""
	if e.under != nil {
		under = cppTypes[typeWords(f.unaliased(e.under))]
	}
	d.printf("")
	d.lead(e.lead)
	lo, hi := new(big.Int), new(big.Int)
	for _, c := range e.cases {
		if c.value.Cmp(lo) < 0 {
			lo = c.value
		}
		if c.value.Cmp(hi) > 0 {
			hi = c.value
		}
	}
	if under == "" || under == "bool8" || strings.HasPrefix(under, "float") {
		under = "int32"
		if hi.BitLen() > 31 {
			under = "int64"
		}
		if e.under != nil {
			d.doubt(e.name.span, "the type of `%s` is not known: %s stands for it", clip(e.name.text), under)
		}
	}
	e.out = d.taken.add(typeName(identifier(e.name.text)))
	d.printf("enum %s : %s {%s", e.out, under, tail(renamed(e.name.text, e.out)))
	taken, seen := names{}, map[string]string{}
	prefix := len(commonPrefix(e.cases))
	for _, c := range e.cases {
		name := taken.add(typeName(c.name.text[prefix:]))
		e.named = append(e.named, name)
		if was := seen[c.value.String()]; was != "" {
			d.printf("// %s has the value of %s", name, was)
			continue
		}
		seen[c.value.String()] = name
		d.printf("%s = %d%s", name, c.value, tail(c.tail))
	}
	d.printf("}")
}

func (f *cppFile) writeStruct(s *cppStruct) {
	if s.written {
		return
	}
	s.written = true
	f.d.printf("")
	f.d.lead(s.lead)
	f.d.printf("struct %s {%s", s.out, tail(renamed(s.name.text, s.out)))
	f.items(s)
	f.d.printf("}")
}

// refuseCircles refuses a struct that holds itself, however deep. visit is 1 while it is looked at, and then 2.
func (f *cppFile) refuseCircles(s *cppStruct) {
	if s.visit == 2 || f.d.failed != nil {
		return
	}
	if s.visit == 1 {
		f.d.fail(s.name.span, "`%s` holds itself", clip(s.name.text))
		return
	}
	s.visit = 1
	for i := range s.members {
		if held := f.byName[typeWords(s.members[i].typ)]; held != nil && !s.members[i].pointer {
			f.refuseCircles(held)
		}
	}
	bases, _, _ := f.basesOf(s)
	for _, base := range bases {
		f.refuseCircles(base)
		s.virtual = s.virtual || base.virtual
	}
	s.visit = 2
}

// items writes what a struct sends, and gives the names that it took.
func (f *cppFile) items(s *cppStruct) names {
	taken := names{}
	if s.serialize != nil {
		w := &cppSerialize{cppParser: cppParser{parser: parser{d: f.d, toks: s.serialize}, f: f}, of: s, taken: taken, fields: map[string]string{}}
		w.statements()
		return taken
	}
	for _, part := range f.chain(s) {
		if d := f.d; d.failed == nil {
			d.quiet, part.told = part.told, true
			f.ownItems(part, taken)
			d.quiet = false
		}
	}
	return taken
}
