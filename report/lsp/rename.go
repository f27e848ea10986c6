package lsp

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// errNothing is where a place names nothing that the schema declares.
var errNothing = errors.New("nothing that the schema declares is named here")

// fileSpan is a place in one of the files of a directory: offsets in that file.
type fileSpan struct {
	file     string
	from, to int
}

// mention is a thing that a schema names, over the files of its directory.
type mention struct {
	Kind           string
	Declared, Used []fileSpan
}

// local makes places those of their own files.
func (a *analysis) local(list []schema.Span) []fileSpan {
	out := make([]fileSpan, len(list))
	for i, at := range list {
		f := a.Diagnostics.Files.At(at.Pos.Off)
		out[i] = fileSpan{f.Name, int(at.Pos.Off - f.Base), int(at.End.Off - f.Base)}
	}
	return out
}

// mentions are all of a schema.
func (a *analysis) mentions() []mention {
	out := make([]mention, len(a.Names))
	for i, n := range a.Names {
		out[i] = mention{n.Kind, a.local(n.Declared), a.local(n.Used)}
	}
	return out
}

// project are the schemas of a directory that name something, each with what the checker says of it.
type project struct {
	names []string // in their order
	texts decode.Texts
	roots map[string]*analysis // by their names, those alone that name it
	spans []fileSpan           // all places that name it, in order, without double ones
}

// find finds all places, in the document and the schemas beside it, that name what it names at an offset.
func (s *server) find(d *document, at int) (*schema.Named, *project, error) {
	named, _ := s.look(d).at(at)
	if named == nil {
		return nil, nil, errNothing
	}
	home := d.local(named.Declared)[0]
	names, texts, err := s.schemas(d)
	if err != nil {
		return nil, nil, err
	}
	p := &project{texts: texts, roots: map[string]*analysis{}}
	checked := 0 // with what each imports
	for _, name := range names {
		a := d.analysis
		if name != d.name() {
			a = inspect(s.beside(d.path, texts), name, texts[name])
		}
		if checked += a.Diagnostics.Files.Size(); checked > maxBeside {
			return nil, nil, errTooMany
		}
		for i := range a.Names {
			n := a.local(a.Names[i].Declared)
			if !slices.Contains(n, home) {
				continue
			}
			p.names, p.roots[name] = append(p.names, name), a
			p.spans = append(append(p.spans, n...), a.local(a.Names[i].Used)...)
		}
	}
	if len(p.spans) > maxPlaces {
		return nil, nil, errors.New("it is named in too many places")
	}
	slices.SortFunc(p.spans, func(a, b fileSpan) int { return cmp.Or(cmp.Compare(a.file, b.file), a.from-b.from) })
	p.spans = slices.Compact(p.spans)
	return named, p, nil
}

// in is a document for a file beside another: the open one, or one of a text.
func (s *server) in(d *document, name string, texts decode.Texts) *document {
	if name == d.name() {
		return d
	}
	path := filepath.Join(filepath.Dir(d.path), name)
	for _, o := range s.docs {
		if o.path == path {
			return o
		}
	}
	return newDocument(uriOf(path), texts[name])
}

// locate gives places as locations, each file looked at once.
func (s *server) locate(d *document, spans []fileSpan, texts decode.Texts) []location {
	list, files := []location{}, map[string]*document{}
	for _, at := range spans {
		if files[at.file] == nil {
			files[at.file] = s.in(d, at.file, texts)
		}
		o := files[at.file]
		list = append(list, location{o.uri, o.span(at.from, at.to, s.wide)})
	}
	return list
}

func (s *server) definition(d *document, _ *request, at int) (any, error) {
	a := s.look(d)
	named, _ := a.at(at)
	if named == nil {
		return nil, nil
	}
	texts := decode.Texts{}
	for _, f := range a.Diagnostics.Files {
		texts[f.Name] = string(f.Src)
	}
	return s.locate(d, a.local(named.Declared), texts), nil
}

func (s *server) references(d *document, p *request, at int) (any, error) {
	named, found, err := s.find(d, at)
	if err == errNothing {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if !p.Context.IncludeDeclaration {
		declared := map[fileSpan]bool{}
		for _, at := range d.local(named.Declared) {
			declared[at] = true
		}
		found.spans = slices.DeleteFunc(found.spans, func(at fileSpan) bool { return declared[at] })
	}
	return s.locate(d, found.spans, found.texts), nil
}

// highlight are the places of the document alone.
func (s *server) highlight(d *document, _ *request, at int) (any, error) {
	a := s.look(d)
	named, _ := a.at(at)
	if named == nil {
		return nil, nil
	}
	type mark struct {
		Range span `json:"range"`
		Kind  int  `json:"kind"` // 2 read, 3 written
	}
	marks := []mark{}
	for kind, list := range [][]schema.Span{named.Used, named.Declared} {
		for _, f := range a.local(list) {
			if f.file == d.name() {
				marks = append(marks, mark{d.span(f.from, f.to, s.wide), 2 + kind})
			}
		}
	}
	return marks, nil
}

// prepareRename says which text a rename would exchange.
func (s *server) prepareRename(d *document, _ *request, at int) (any, error) {
	named, span := s.look(d).at(at)
	if named == nil {
		return nil, errNothing
	}
	return map[string]any{"range": d.span(int(span.Pos.Off), int(span.End.Off), s.wide), "placeholder": named.Text}, nil
}

// maxNewName is the longest name that rename gives, in bytes.
const maxNewName = 200

// isNewName reports whether a name has the form that the language wants. A regular expression would be compiled
// whenever the program starts, and with the bound in it that takes half of the start.
func isNewName(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && len(name) <= maxNewName
}

// rename gives a thing another name, in all schemas of the directory that name it. The checker has to accept each of
// them afterwards, and each name has to name what it did.
func (s *server) rename(d *document, p *request, at int) (any, error) {
	switch {
	case !isNewName(p.NewName):
		return nil, errors.New("a name has letters, digits and `_`, and begins with no digit")
	case syntax.IsReserved(p.NewName):
		return nil, fmt.Errorf("`%s` is a reserved word", p.NewName)
	}
	named, found, err := s.find(d, at)
	if err != nil {
		return nil, err
	}
	old := named.Text
	texts := decode.Texts{}
	for name, text := range found.texts {
		texts[name] = text
	}
	edits := map[string][]fileSpan{} // by their files, in order
	for _, at := range found.spans {
		if text := texts[at.file]; at.to > len(text) || text[at.from:at.to] != old {
			return nil, errors.New("it is called after its protocol: rename that")
		}
		edits[at.file] = append(edits[at.file], at)
	}
	for name, list := range edits {
		texts[name] = replaced(texts[name], list, p.NewName)
	}
	moved := func(list []fileSpan) {
		for i, at := range list {
			list[i] = at.moved(edits[at.file], len(p.NewName)-len(old))
		}
	}
	for _, name := range found.names {
		before, after := found.roots[name], inspect(s.beside(d.path, texts), name, texts[name])
		switch {
		case before.mistake() != nil:
			f, local := before.Diagnostics.Files.Local(*before.mistake())
			return nil, fmt.Errorf("%s has a mistake at %s: mend it first", f.Name, local.Pos)
		case after.mistake() != nil:
			for _, other := range before.declared(p.NewName) { // the checker complains at the later of both
				if name == d.name() && before.Diagnostics.Files.At(other.Pos.Off) == before.own() {
					return nil, fmt.Errorf("%s: `%s` is already declared at %s", name, p.NewName, other.Pos)
				}
			}
			return nil, fmt.Errorf("%s: %s", name, syntax.AppendEscaped(nil, after.mistake().Message))
		}
		want := before.mentions()
		for _, m := range want {
			moved(m.Declared)
			moved(m.Used)
		}
		if !reflect.DeepEqual(want, after.mentions()) {
			return nil, fmt.Errorf("with `%s`, a name of %s would mean something else", p.NewName, name)
		}
		if !samePlan(before.plan, after.plan) {
			return nil, fmt.Errorf("with `%s`, %s would describe other packets, or show them otherwise", p.NewName, name)
		}
	}
	changes := map[string][]textEdit{}
	for _, at := range s.locate(d, found.spans, found.texts) {
		changes[at.URI] = append(changes[at.URI], textEdit{at.Range, p.NewName})
	}
	return workspaceEdit{changes}, nil
}

// replaced is a text with another name at some places, which are in order.
func replaced(text string, at []fileSpan, name string) string {
	var b strings.Builder
	from := 0
	for _, e := range at {
		b.WriteString(text[from:e.from])
		b.WriteString(name)
		from = e.to
	}
	b.WriteString(text[from:])
	return b.String()
}

// moved is where a place is after the edits of its file, each of which makes the text longer.
func (f fileSpan) moved(edits []fileSpan, longer int) fileSpan {
	i, own := slices.BinarySearchFunc(edits, f, func(e, f fileSpan) int { return e.from - f.from })
	f.from, f.to = f.from+i*longer, f.to+i*longer
	if own {
		f.to += longer
	}
	return f
}

// declared is where what has a name is declared.
func (a *analysis) declared(name string) (at []schema.Span) {
	for i := range a.Names {
		if a.Names[i].Text == name {
			at = append(at, a.Names[i].Declared...)
		}
	}
	return at
}

// mistake is what is wrong with a schema, nil of one that can be compiled. One that has no packet is there to be imported.
func (a *analysis) mistake() *schema.Diagnostic {
	lends := !slices.ContainsFunc(a.own().Decls, func(d syntax.Decl) bool { _, packet := d.(*syntax.PacketDecl); return packet })
	for i := range a.Diagnostics.List {
		if d := &a.Diagnostics.List[i]; d.Severity == schema.Error && (!lends || d.Pos.Off != 0 || d.End.Off != 0) {
			return d
		}
	}
	return nil
}

// samePlan reports whether two plans are of one form, whatever their names.
func samePlan(a, b *plan.Plan) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Bound == b.Bound && len(a.Steps) == len(b.Steps) && slices.Equal(a.Leaves, b.Leaves) && slices.Equal(a.Insts, b.Insts)
}
