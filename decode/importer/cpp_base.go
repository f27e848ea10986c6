package importer

import (
	"slices"
	"strings"
)

// What structs have of others that they are made from: `struct Hit : public Base`.

// basesOf are the bases of a struct that are known, and the names of all, with those that are not; alone says that one
// is there, which is known and a part of no other.
func (f *cppFile) basesOf(s *cppStruct) (bases []*cppStruct, names []string, alone bool) {
	shared := false
	for rest := s.bases; len(rest) > 0; {
		end := 0
		for depth := 0; end < len(rest) && (depth > 0 || !rest[end].is(",")); end++ {
			switch t := rest[end]; {
			case t.is("<"), t.is("("):
				depth++
			case t.is(">"), t.is(")"):
				depth--
			case t.is(">>"):
				depth -= 2
			}
		}
		one := rest[:end]
		rest = rest[min(end+1, len(rest)):]
		shared = shared || slices.ContainsFunc(one, func(t token) bool { return t.is("virtual") })
		typ := slices.DeleteFunc(slices.Clone(one), isAccess)
		names = append(names, typeWords(typ))
		base := f.byName[typeWords(f.unaliased(typ))]
		if base != nil && (base != s || len(typ) == 1) { // one of another namespace may have its name
			bases = append(bases, base)
		}
	}
	return bases, names, len(bases) == 1 && len(names) == 1 && !shared
}

// isAccess reports whether a word is before the name of a base.
func isAccess(t token) bool {
	return t.is("public") || t.is("protected") || t.is("private") || t.is("virtual")
}

// inherit finds the base whose members are written before those of s: compilers put them there where it is the only one,
// and no pointer is before any of them.
func (f *cppFile) inherit(s *cppStruct) {
	bases, _, alone := f.basesOf(s)
	for _, base := range bases {
		base.based = true
	}
	if alone && !s.virtual && s.serialize == nil && bases[0].serialize == nil {
		s.base = bases[0]
	}
}

// chain is s after the structs whose members come before its own.
func (f *cppFile) chain(s *cppStruct) []*cppStruct {
	var all []*cppStruct
	for ; s != nil && s != f.sentBefore && f.d.failed == nil; s = s.base {
		all = append(all, s)
	}
	slices.Reverse(all)
	return all
}

// parts are the members of s, after those of its base.
func (f *cppFile) parts(s *cppStruct) []*cppMember {
	var all []*cppMember
	for _, part := range f.chain(s) {
		for i := range part.members {
			all = append(all, &part.members[i])
		}
	}
	return all
}

// ownItems writes what a struct has as it lies in memory, without what its base has that is written before.
func (f *cppFile) ownItems(s *cppStruct, taken names) {
	if !s.packed && len(s.members) > 0 {
		f.d.doubt(s.name.span, "`%s` is not packed: compilers may put padding between its members", clip(s.name.text))
	}
	if s.virtual {
		f.d.doubt(s.name.span, "`%s` has virtual functions: the pointer that compilers put before its members is left out", clip(s.name.text))
	}
	if _, bases, _ := f.basesOf(s); len(bases) > 0 && s.base == nil {
		f.d.doubt(s.name.span, "what `%s` has of `%s` is left out here", clip(s.name.text), clip(strings.Join(bases, ", ")))
	}
	open := 0 // bits of the byte that bit fields have begun
	for i := range s.members {
		m := &s.members[i]
		if m.bits != nil {
			open = f.bitField(m, taken, open)
			continue
		}
		f.closeByte(m.name.span, open)
		f.member(m, taken)
		open = 0
	}
	f.closeByte(s.end, open)
}
