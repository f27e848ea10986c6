package gogen

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/pktscope/pktscope/decode/wire"
)

// The support code of a generated package is packages runtime and wire, of which each package gets a copy of what it uses: so
// it stands alone, and nothing in it is dead. What wire exports has its name in lower case there.

//go:embed runtime/reject.go runtime/reader.go runtime/number.go runtime/text.go runtime/writer.go runtime/length.go runtime/room.go
var runtimeFS embed.FS

var runtimeFiles = []string{"reject.go", "reader.go", "number.go", "text.go", "writer.go", "length.go", "room.go"}

// wirePath is the path under which package runtime imports wire.
const wirePath = "github.com/pktscope/pktscope/decode/wire"

// decl is a piece of support: a top-level declaration.
type decl struct {
	names   []string // by which generated code can call it
	text    string
	objects []types.Object // that it declares
	uses    []types.Object // that it names
	method  bool
	always  bool // a method that belongs to its type's interface
}

// library is all support code. It is the importer of its own packages.
type library struct {
	decls []decl
	names map[string]bool // that are taken
	fset  *token.FileSet
	info  types.Info
	wire  *types.Package
	words *regexp.Regexp // what wire exports
}

// support is the support code, read once.
var support = sync.OnceValue(func() *library {
	l := &library{names: map[string]bool{"shownPlace": true}, fset: token.NewFileSet()}
	l.info = types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	wireFiles, err := fs.Glob(wire.Source, "*.go")
	if err != nil {
		panic("pktscope: internal error: " + err.Error())
	}
	primitives := l.parse(wire.Source, "", wireFiles)
	l.wire = l.check(wirePath, primitives)
	words := slices.DeleteFunc(l.wire.Scope().Names(), func(name string) bool { return !token.IsExported(name) })
	l.words = regexp.MustCompile(`\b(` + strings.Join(words, "|") + `)\b`)
	shared := l.parse(runtimeFS, "runtime/", runtimeFiles)
	l.check("runtime", shared)
	for i, file := range shared[:len(shared)-1] { // what the last declares is decided for each protocol
		l.add(file, runtimeFS, "runtime/"+runtimeFiles[i])
	}
	for i, file := range primitives {
		l.add(file, wire.Source, wireFiles[i])
	}
	return l
})

func (l *library) parse(from embed.FS, dir string, names []string) []*ast.File {
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(l.fset, name, source(from, dir+name), parser.ParseComments)
		if err != nil {
			panic("pktscope: internal error: " + err.Error())
		}
		files = append(files, file)
	}
	return files
}

func source(from embed.FS, name string) []byte {
	src, err := from.ReadFile(name)
	if err != nil {
		panic("pktscope: internal error: " + err.Error())
	}
	return src
}

// check finds what the names in a package stand for. It knows nothing of the standard library, which it may complain of.
func (l *library) check(path string, files []*ast.File) *types.Package {
	conf := types.Config{Importer: l, Error: func(error) {}}
	pkg, _ := conf.Check(path, l.fset, files, &l.info)
	return pkg
}

// Import gives package wire, and any other without what it declares.
func (l *library) Import(path string) (*types.Package, error) {
	if path == wirePath {
		return l.wire, nil
	}
	pkg := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	pkg.MarkComplete()
	return pkg, nil
}

// add splits a file into its declarations.
func (l *library) add(file *ast.File, from embed.FS, name string) {
	src := source(from, name)
	for _, d := range file.Decls {
		one := decl{}
		doc, ids := (*ast.CommentGroup)(nil), []*ast.Ident{}
		switch d := d.(type) {
		case *ast.FuncDecl:
			doc, ids, one.method = d.Doc, []*ast.Ident{d.Name}, d.Recv != nil
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			doc = d.Doc
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					ids = append(ids, s.Name)
				case *ast.ValueSpec:
					ids = append(ids, s.Names...)
				}
			}
		}
		for _, id := range ids {
			o := l.info.Defs[id]
			one.objects = append(one.objects, o)
			switch {
			case !one.method:
				name := l.name(o)
				if l.names[name] {
					panic("pktscope: internal error: two declarations of " + name + " in support code")
				}
				l.names[name] = true
				one.names = append(one.names, name)
			case o.Pkg() != l.wire: // generated code calls no method of wire
				one.names, one.always = append(one.names, o.Name()), o.Exported()
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && l.info.Uses[id] != nil {
				one.uses = append(one.uses, l.info.Uses[id])
			}
			return true
		})
		start := d.Pos()
		if doc != nil {
			start = doc.Pos()
		}
		end := l.fset.Position(d.End()).Offset
		if nl := bytes.IndexByte(src[end:], '\n'); nl > 0 {
			end += nl // a comment behind it
		}
		one.text = l.renamed(file, src, l.fset.Position(start).Offset, end)
		l.decls = append(l.decls, one)
	}
}

// name is what an object of wire or runtime is called in a generated package.
func (l *library) name(o types.Object) string {
	name := o.Name()
	if o.Pkg() != l.wire || o.Parent() != l.wire.Scope() {
		return name
	}
	n := 0
	for n < len(name) && unicode.IsUpper(rune(name[n])) {
		n++
	}
	if n > 1 && n < len(name) && unicode.IsLower(rune(name[n])) {
		n-- // the last begins a word
	}
	return strings.ToLower(name[:n]) + name[n:]
}

// renamed is the source from one offset to another, with the names that it has in a generated package.
func (l *library) renamed(file *ast.File, src []byte, from, to int) string {
	var b bytes.Buffer
	replace := func(n ast.Node, text string) {
		if at, end := l.fset.Position(n.Pos()).Offset, l.fset.Position(n.End()).Offset; from <= at && end <= to {
			b.Write(src[from:at])
			b.WriteString(text)
			from = end
		}
	}
	object := func(id *ast.Ident) types.Object {
		if o := l.info.Defs[id]; o != nil {
			return o
		}
		return l.info.Uses[id]
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Comment:
			if strings.HasPrefix(n.Text, "//go:") {
				replace(n, "") // it is for the compiler of wire
			} else if file.Name.Name == "wire" {
				replace(n, l.words.ReplaceAllStringFunc(n.Text, func(word string) string { return l.name(l.wire.Scope().Lookup(word)) }))
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				if p, ok := l.info.Uses[id].(*types.PkgName); ok && p.Imported() == l.wire {
					replace(n, l.name(l.info.Uses[n.Sel]))
					return false
				}
			}
		case *ast.Ident:
			if o := object(n); o != nil && l.name(o) != n.Name {
				replace(n, l.name(o))
			}
		}
		return true
	})
	b.Write(src[from:to])
	return b.String()
}

// support is the support code that a source needs.
func (g *gen) support(source []byte, name string) ([]byte, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
	if err != nil {
		return nil, fmt.Errorf("generated code: %w\n%s", err, numbered(source))
	}
	named := map[string]bool{"PacketReject": true, "PacketReader": true, "RejectKind": true, "writer": true, "FromUnknown": true}
	ast.Inspect(tree, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			named[id.Name] = true
		}
		return true
	})
	decls := support().decls
	in, used := make([]bool, len(decls)), map[types.Object]bool{}
	for again := true; again; {
		again = false
		for i := range decls {
			d := &decls[i]
			if in[i] || !d.always && !slices.ContainsFunc(d.names, func(n string) bool { return named[n] }) &&
				!slices.ContainsFunc(d.objects, func(o types.Object) bool { return used[o] }) {
				continue
			}
			in[i], again = true, true
			for _, o := range d.uses {
				used[o] = true
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", name)
	for i := range decls {
		if in[i] {
			b.WriteString("\n" + g.hideSecrets(decls[i].text) + "\n")
		}
	}
	return []byte(b.String()), nil
}

func numbered(source []byte) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(string(source)) {
		n++
		fmt.Fprintf(&b, "%d\t%s", n, line)
	}
	return b.String()
}

// standard are the packages that generated code may import.
var standard = map[string]string{
	"binary": "encoding/binary", "bits": "math/bits", "math": "math", "crc32": "hash/crc32", "utf8": "unicode/utf8",
	"utf16": "unicode/utf16", "strconv": "strconv", "testing": "testing", "bytes": "bytes", "errors": "errors",
}

// withImports adds the imports that a file needs.
func withImports(src []byte) ([]byte, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), "", src, 0)
	if err != nil {
		return nil, fmt.Errorf("generated code: %w\n%s", err, numbered(src))
	}
	need := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && standard[id.Name] != "" && id.Obj == nil {
				need[standard[id.Name]] = true
			}
		}
		return true
	})
	if len(need) == 0 {
		return src, nil
	}
	var paths []string
	for p := range need {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	var b bytes.Buffer
	at := int(tree.Name.End()) - int(tree.FileStart)
	b.Write(src[:at])
	b.WriteString("\n\nimport (\n")
	for _, p := range paths {
		fmt.Fprintf(&b, "\t%q\n", p)
	}
	b.WriteString(")\n")
	b.Write(src[at:])
	return b.Bytes(), nil
}
