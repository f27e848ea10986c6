package schema

import (
	"cmp"
	"io/fs"
	"slices"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Inspection is what the check finds out about a source, for those who show it while it is written: an editor.
type Inspection struct {
	Schema      *Schema // nil where a diagnostic is an error
	Diagnostics *Diagnostics
	Names       []Named // in the order of their first declarations, those of imported files after; with errors as far as the check got
}

// Named is one thing that a source names, with all places that name it. Offsets count over all files of the
// Diagnostics.
type Named struct {
	Kind     string // "constant", "param", "enum", "struct", "message", "case", "register", "field", "let", "parameter"
	Text     string
	Declared []Span // at least one; fields of one name in exclusive branches are one thing
	Used     []Span
}

// Inspect is LoadFS without values for params, and says which places name what.
func Inspect(dir fs.FS, name string, src []byte) *Inspection {
	f, diags := syntax.Parse(name, src)
	n := &nameBook{places: map[int32]mention{}, same: map[int32]int32{}, kinds: map[int32]string{}}
	c := newChecker(f, nil)
	c.book = n
	s, all := c.run(dir, diags)
	return &Inspection{s, all, n.named(all.Files)}
}

// nameBook collects who names what. A thing is known by the place of its declaration.
type nameBook struct {
	places map[int32]mention // by where they begin; the last one counts
	same   map[int32]int32   // a declaration that is one with another, which is in front
	kinds  map[int32]string  // of declarations
}

// mention is a place that names what is declared at an offset.
type mention struct {
	at Span
	of int32
}

// refer notes that a place names what is declared at another.
func (n *nameBook) refer(at Span, declared Pos) {
	if n != nil && at.Pos.Off < at.End.Off {
		n.places[at.Pos.Off] = mention{at, declared.Off}
	}
}

// declare notes a declaration, which is one with what first declared it. What the checker makes is nowhere: the
// fields of a sealed type.
func (n *nameBook) declare(id syntax.Ident, kind string, first Pos) {
	if n != nil && id.Text != "" && int(id.End.Off-id.Pos.Off) == len(id.Text) {
		n.declareAt(id.Span, kind)
		n.join(id.Pos, first)
	}
}

// declareAt notes that a place declares something, whatever is written there.
func (n *nameBook) declareAt(at Span, kind string) {
	if n != nil {
		n.kinds[at.Pos.Off] = kind
		n.refer(at, at.Pos)
	}
}

// join notes that two declarations are one.
func (n *nameBook) join(a, b Pos) {
	if n == nil {
		return
	}
	x, y := n.root(a.Off), n.root(b.Off)
	if x != y {
		n.same[max(x, y)] = min(x, y)
	}
}

func (n *nameBook) root(off int32) int32 {
	for {
		next, ok := n.same[off]
		if !ok {
			return off
		}
		off = next
	}
}

// named groups the places by what they name.
func (n *nameBook) named(files Files) []Named {
	all := map[int32]*Named{}
	places := make([]mention, 0, len(n.places))
	for _, p := range n.places {
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b mention) int { return cmp.Compare(a.at.Pos.Off, b.at.Pos.Off) })
	for _, p := range places {
		kind, declares := n.kinds[p.at.Pos.Off]
		of := n.root(p.of)
		one := all[of]
		if one == nil {
			one = &Named{}
			all[of] = one
		}
		if !declares {
			one.Used = append(one.Used, p.at)
			continue
		}
		if one.Declared == nil {
			one.Kind, one.Text = kind, files.Text(p.at.Pos.Off, p.at.End.Off)
		}
		one.Declared = append(one.Declared, p.at)
	}
	var out []Named
	for _, one := range all {
		if len(one.Declared) > 0 {
			out = append(out, *one)
		}
	}
	slices.SortFunc(out, func(a, b Named) int { return cmp.Compare(a.Declared[0].Pos.Off, b.Declared[0].Pos.Off) })
	return out
}
