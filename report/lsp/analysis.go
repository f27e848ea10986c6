package lsp

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/schemadoc"
)

// maxKept is how many bytes of documents have an analysis: it takes about a hundred times their memory.
const maxKept = 2 << 20

// analysis is what the checker says of a document.
type analysis struct {
	*schema.Inspection
	plan  *plan.Plan                 // nil where a diagnostic is an error
	notes map[int32][]schemadoc.Note // by their places; nil until somebody asks, as what follows
	width map[schema.Pos]string
	words map[*syntax.File][]syntax.Lexeme
}

// look checks a document, unless its text was checked already.
func (s *server) look(d *document) *analysis {
	if d.analysis == nil {
		d.analysis = inspect(s.beside(d.path, nil), d.name(), d.text)
		d.imports = d.doesImport()
		s.kept = append(slices.DeleteFunc(s.kept, func(o *document) bool { return o == d }), d)
		size := 0
		for i := len(s.kept) - 1; i >= 0; i-- {
			if size += len(s.kept[i].text); size > maxKept && i < len(s.kept)-1 {
				s.kept[i].analysis = nil
			}
		}
		s.kept = slices.DeleteFunc(s.kept, func(o *document) bool { return o.analysis == nil })
	}
	return d.analysis
}

// inspect checks and compiles a text, as decode.LoadFS does.
func inspect(dir fs.FS, name, text string) *analysis {
	a := &analysis{Inspection: schema.Inspect(dir, name, []byte(text))}
	if a.Schema != nil {
		var more []schema.Diagnostic
		a.plan, more = plan.Compile(a.Schema)
		a.Diagnostics.List = append(a.Diagnostics.List, more...)
		syntax.SortDiagnostics(a.Diagnostics.List)
	}
	return a
}

// doesImport reports whether a schema imports something.
func (a *analysis) doesImport() bool {
	return slices.ContainsFunc(a.own().Decls, func(d syntax.Decl) bool { _, is := d.(*syntax.ImportDecl); return is })
}

// own is the document's own file.
func (a *analysis) own() *syntax.File { return a.Diagnostics.Files[0] }

// lexemes are those of a file, the document's own or one that it imports.
func (a *analysis) lexemes(of *syntax.File) []syntax.Lexeme {
	all, known := a.words[of]
	if !known {
		if a.words == nil {
			a.words = map[*syntax.File][]syntax.Lexeme{}
		}
		all, _ = syntax.Scan(of.Src)
		a.words[of] = all
	}
	return all
}

// at is the thing that a place of the document names, and the place; nil where it names nothing.
func (a *analysis) at(offset int) (*schema.Named, schema.Span) {
	for i := range a.Names {
		n := &a.Names[i]
		for _, at := range slices.Concat(n.Declared, n.Used) {
			if int(at.Pos.Off) <= offset && offset <= int(at.End.Off) && a.Diagnostics.Files.At(at.Pos.Off) == a.own() {
				return n, at
			}
		}
	}
	return nil, schema.Span{}
}

// noted are what the documentation of the schema says of what is at a place.
func (a *analysis) noted(at schema.Pos) []schemadoc.Note {
	if a.plan == nil {
		return nil
	}
	if a.notes == nil {
		a.notes = map[int32][]schemadoc.Note{}
		for _, n := range schemadoc.Notes(a.plan) {
			if list := a.notes[n.Pos.Off]; !slices.Contains(list, n) {
				a.notes[n.Pos.Off] = append(list, n)
			}
		}
	}
	return a.notes[at.Off]
}

// publish says the diagnostics of the documents that changed, one after the other, until stop is true of the bytes that
// were checked for it, imports included. The others have theirs at the next call.
func (s *server) publish(stop func(checked int) bool) {
	for checked := 0; len(s.dirty) > 0 && !stop(checked); {
		d := s.dirty[0]
		s.dirty = s.dirty[1:]
		s.send(notice{"2.0", "textDocument/publishDiagnostics", published{d.uri, d.version, s.diagnostics(d)}})
		if d.analysis != nil {
			checked += d.Diagnostics.Files.Size()
		}
	}
}

// complaint is a diagnostic of a document as a whole.
func complaint(text string) diagnostic {
	return diagnostic{Severity: 1, Source: "pktscope", Message: text}
}

// diagnostics are what `schema check` says of the same text. What is said of a file that is imported is at the
// import, with its place there.
func (s *server) diagnostics(d *document) []diagnostic {
	if d.lost {
		return []diagnostic{complaint("this text is too long to be kept: a schema has at most 1 MiB")}
	}
	a := s.look(d)
	list := []diagnostic{}
	for _, one := range a.Diagnostics.List {
		list = append(list, s.diagnostic(d, one))
	}
	return list
}

// diagnostic is one of them.
func (s *server) diagnostic(d *document, one schema.Diagnostic) diagnostic {
	a := s.look(d)
	f, local := a.Diagnostics.Files.Local(one)
	at, text := local.Span, string(syntax.AppendEscaped(nil, one.Message))
	if one.Fix != "" {
		text += "; " + string(syntax.AppendEscaped(nil, one.Fix))
	}
	if f != a.own() {
		text = f.Name + ":" + at.Pos.String() + ": " + text
		at = a.importOf(f)
	}
	return diagnostic{d.span(int(at.Pos.Off), int(at.End.Off), s.wide), int(one.Severity) + 1, "pktscope", text}
}

// importOf is where the document imports a file, or something that does: its start where that is not known.
func (a *analysis) importOf(f *syntax.File) schema.Span {
	var first schema.Span
	for _, d := range a.own().Decls {
		if d, ok := d.(*syntax.ImportDecl); ok {
			if d.File.Text == f.Name {
				return d.File.Span
			}
			if first.End.Off == 0 {
				first = d.File.Span
			}
		}
	}
	return first
}

// format lays the text out as `schema fmt` does; a text with a syntax error stays as it is.
func (s *server) format(d *document, _ *request, _ int) (any, error) {
	text, _ := syntax.Format(d.name(), []byte(d.text))
	if text == nil || d.lost {
		return nil, errors.New("a text with a syntax error is not formatted")
	}
	edits := []textEdit{}
	if string(text) != d.text {
		edits = append(edits, textEdit{d.span(0, len(d.text), s.wide), string(text)})
	}
	return edits, nil
}

// beside is the directory of a document: texts first, then what is open of it, then the disk.
func (s *server) beside(path string, texts decode.Texts) fs.FS {
	b := &folder{open: decode.Texts{}}
	if path == "" {
		return nil
	}
	for _, d := range s.docs {
		if d.path != "" && filepath.Dir(d.path) == filepath.Dir(path) {
			b.open[d.name()] = d.text
		}
	}
	for name, text := range texts {
		b.open[name] = text
	}
	if s.o.Dir != nil {
		b.disk = s.o.Dir(filepath.Dir(path))
	}
	return b
}

// folder is a directory of which some files are texts in memory.
type folder struct {
	open decode.Texts
	disk fs.FS // nil for none
}

func (f *folder) Open(name string) (fs.File, error) {
	if _, ok := f.open[name]; ok || f.disk == nil {
		return f.open.Open(name)
	}
	return f.disk.Open(name)
}

// Stat opens nothing of the disk where that can be done.
func (f *folder) Stat(name string) (fs.FileInfo, error) {
	if _, ok := f.open[name]; !ok && f.disk != nil {
		return fs.Stat(f.disk, name)
	}
	return fs.Stat(f.open, name)
}

// What a directory is searched for: as many names, and bytes of schemas in it, those that are open included.
const (
	maxEntries = 1024
	maxBeside  = 4 << 20
)

var errTooMany = errors.New("the schemas of the directory cannot be read, or are too many")

// schemas are the names of the schemas of the directory of a document and their texts, those that are open first.
func (s *server) schemas(d *document) (names []string, texts decode.Texts, err error) {
	texts = decode.Texts{}
	f, ok := s.beside(d.path, nil).(*folder)
	if !ok {
		return []string{d.name()}, decode.Texts{d.name(): d.text}, nil
	}
	size := 0
	for name, text := range f.open {
		names, texts[name] = append(names, name), text
		size += len(text)
	}
	if size > maxBeside {
		return nil, nil, errTooMany
	}
	slices.Sort(names)
	if f.disk == nil {
		return names, texts, nil
	}
	list, err := entries(f.disk)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range list {
		if filepath.Ext(name) != ".pks" || slices.Contains(names, name) {
			continue
		}
		if info, err := fs.Stat(f.disk, name); err == nil && info.Size() > syntax.MaxSource {
			continue // too long for a schema: it names nothing
		}
		text, err := readPlain(f.disk, name, maxBeside-size)
		if err != nil {
			return nil, nil, errTooMany
		}
		size += len(text)
		names, texts[name] = append(names, name), string(text)
	}
	return names, texts, nil
}

// entries are the names of a directory's regular files.
func entries(dir fs.FS) (names []string, err error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, nil // it is not there yet
	}
	defer f.Close()
	list, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, nil
	}
	all, err := list.ReadDir(maxEntries)
	if len(all) == maxEntries {
		return nil, errors.New("the directory has too many files")
	}
	for _, e := range all {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// readPlain reads a regular file of at most some bytes.
func readPlain(dir fs.FS, name string, most int) ([]byte, error) {
	info, err := fs.Stat(dir, name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(text) > most {
		err = errors.New("too large")
	}
	return text, err
}
