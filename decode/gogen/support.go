package gogen

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/pktscope/pktscope/decode/wire"
)

// The support code of a generated package is packages runtime and wire, of which each package gets a copy of what it
// uses: so it stands alone, and nothing in it is dead. What wire exports has its name in lower case there.

//go:embed runtime/reject.go runtime/reader.go runtime/number.go runtime/text.go runtime/name.go runtime/writer.go runtime/length.go runtime/pick.go
var runtimeFS embed.FS

var runtimeFiles = []string{"reject.go", "reader.go", "number.go", "text.go", "name.go", "writer.go", "length.go", "pick.go"}

// decl is a piece of support: a top-level declaration.
type decl struct {
	names  []string // by which it is called; a method's with a dot in front
	owner  string   // of a method: its type
	text   string
	uses   map[string]bool
	always bool // a method that belongs to its type's interface
}

// library is all support code.
type library struct {
	decls []decl
	names map[string]bool   // that are taken
	wire  map[string]string // what wire exports: its name in a generated package
}

// support is the support code, read once.
var support = sync.OnceValue(func() *library {
	l := &library{names: map[string]bool{"shownPlace": true}, wire: map[string]string{}}
	names, err := fs.Glob(wire.Source, "*.go")
	if err != nil {
		panic("pktscope: internal error: " + err.Error())
	}
	primitives := make([]sourceFile, len(names))
	for i, name := range names {
		primitives[i] = readSource(wire.Source, name)
		for name := range primitives[i].tree.Scope.Objects {
			if token.IsExported(name) {
				l.wire[name] = lowered(name)
			}
		}
	}
	l.wire["Bytewise"] = wire.Bytewise.String() // generated code has the language's words for orders
	for _, name := range runtimeFiles {
		l.add(readSource(runtimeFS, "runtime/"+name), nil)
	}
	for _, file := range primitives {
		l.add(file, l.wire)
	}
	return l
})

// sourceFile is a file of support code.
type sourceFile struct {
	fset *token.FileSet
	tree *ast.File
	src  []byte
}

func readSource(from embed.FS, name string) sourceFile {
	f := sourceFile{fset: token.NewFileSet()}
	var err error
	if f.src, err = from.ReadFile(name); err == nil {
		f.tree, err = parser.ParseFile(f.fset, name, f.src, parser.ParseComments)
	}
	if err != nil {
		panic("pktscope: internal error: " + err.Error())
	}
	return f
}

// at is the place of a position in the source.
func (s *sourceFile) at(pos token.Pos) int { return s.fset.Position(pos).Offset }

// global reports whether an identifier may be that of a top-level declaration, of this file or of another.
func (s *sourceFile) global(id *ast.Ident) bool {
	return id.Obj == nil || s.tree.Scope.Lookup(id.Name) == id.Obj
}

// lowered is a name that wire exports, with its first word in lower case.
func lowered(name string) string {
	n := 0
	for n < len(name) && unicode.IsUpper(rune(name[n])) {
		n++
	}
	if n > 1 && n < len(name) && unicode.IsLower(rune(name[n])) {
		n-- // the last begins a word
	}
	return strings.ToLower(name[:n]) + name[n:]
}

// add splits a file into its declarations. Of the names that it declares itself, those in rename are other ones in the
// copy.
func (l *library) add(file sourceFile, rename map[string]string) {
	for _, d := range file.tree.Decls {
		one, doc := decl{uses: map[string]bool{}}, (*ast.CommentGroup)(nil)
		declare := func(id *ast.Ident) {
			name := id.Name
			if to := rename[name]; to != "" {
				name = to
			}
			if l.names[name] {
				panic("pktscope: internal error: two declarations of " + name + " in support code")
			}
			l.names[name], one.names = true, append(one.names, name)
		}
		switch d := d.(type) {
		case *ast.FuncDecl:
			if doc = d.Doc; d.Recv == nil {
				declare(d.Name)
				break
			}
			typ := d.Recv.List[0].Type
			if star, ok := typ.(*ast.StarExpr); ok {
				typ = star.X
			}
			one.names, one.owner = []string{"." + d.Name.Name}, typ.(*ast.Ident).Name
			if to := rename[one.owner]; to != "" {
				one.owner = to
			}
			if one.always = rename == nil && d.Name.IsExported(); rename != nil && d.Name.Name == "String" {
				continue // nothing there prints what wire declares
			}
		case *ast.GenDecl:
			if doc = d.Doc; d.Tok == token.IMPORT {
				continue
			}
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					declare(s.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						declare(id)
					}
				}
			}
		}
		start := d.Pos()
		if doc != nil {
			start = doc.Pos()
		}
		from, to := file.at(start), file.at(d.End())
		if nl := bytes.IndexByte(file.src[to:], '\n'); nl > 0 {
			to += nl // a comment after it
		}
		one.text = l.copied(&file, d, from, to, rename, one.uses)
		l.decls = append(l.decls, one)
	}
}

// copied is the source of a declaration as it is copied. It adds what the declaration uses to uses.
func (l *library) copied(file *sourceFile, d ast.Decl, from, to int, rename map[string]string, uses map[string]bool) string {
	var b bytes.Buffer
	replace := func(n ast.Node, text string) {
		b.Write(file.src[from:file.at(n.Pos())])
		b.WriteString(text)
		from = file.at(n.End())
	}
	words := func(text string) string {
		return wordPattern.ReplaceAllStringFunc(text, func(word string) string { return cmp.Or(rename[word], word) })
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Comment:
			if strings.HasPrefix(n.Text, "//go:") {
				replace(n, "") // it is for the compiler of wire
			} else if rename != nil {
				replace(n, words(n.Text))
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && id.Name == "wire" && id.Obj == nil {
				uses[l.wire[n.Sel.Name]] = true
				replace(n, l.wire[n.Sel.Name])
				return false
			}
			uses["."+n.Sel.Name] = true
			n.Sel.Obj = ast.NewObj(ast.Bad, n.Sel.Name) // it is nothing that this package declares
		case *ast.Ident:
			if !file.global(n) {
				break
			}
			if to := rename[n.Name]; to != "" {
				replace(n, to)
				uses[to] = true
			} else {
				uses[n.Name] = true
			}
		}
		return true
	})
	b.Write(file.src[from:to])
	return b.String()
}

var wordPattern = regexp.MustCompile(`\w+`)

// support is the support code that a source needs.
func (g *gen) support(source []byte, name string) ([]byte, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
	if err != nil {
		return nil, fmt.Errorf("generated code: %w\n%s", err, numbered(source))
	}
	used := map[string]bool{"PacketReject": true, "PacketReader": true, "RejectKind": true, "writer": true, "FromUnknown": true}
	ast.Inspect(tree, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name], used["."+id.Name] = true, true
		}
		return true
	})
	decls := support().decls
	in := make([]bool, len(decls))
	for again := true; again; {
		again = false
		for i := range decls {
			d := &decls[i]
			if in[i] || !d.always && !(slices.ContainsFunc(d.names, func(n string) bool { return used[n] }) && (d.owner == "" || used[d.owner])) {
				continue
			}
			in[i], again = true, true
			for n := range d.uses {
				used[n] = true
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", name)
	for i := range decls {
		if in[i] {
			b.WriteString("\n" + decls[i].text + "\n")
		}
	}
	return []byte(g.hideSecrets(b.String())), nil
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
	"binary": "encoding/binary", "bits": "math/bits", "math": "math", "crc32": "hash/crc32", "crc64": "hash/crc64", "utf8": "unicode/utf8",
	"utf16": "unicode/utf16", "strconv": "strconv", "sync": "sync", "testing": "testing", "bytes": "bytes", "errors": "errors",
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
