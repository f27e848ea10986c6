package gogen

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// The support code of a generated package is package runtime, of which each package gets a copy of what it uses: so it stands
// alone, and nothing in it is dead.

//go:embed runtime/reject.go runtime/reader.go runtime/number.go runtime/text.go runtime/writer.go runtime/length.go
var runtimeFS embed.FS

var runtimeFiles = []string{"reject.go", "reader.go", "number.go", "text.go", "writer.go", "length.go"}

// piece of support: a top-level declaration.
type decl struct {
	names  []string
	text   string
	uses   map[string]bool
	method bool
	always bool // a method that belongs to its type's interface
}

// runtimeDecls splits the support code.
func runtimeDecls() []decl {
	var all []decl
	for _, file := range runtimeFiles {
		src, err := runtimeFS.ReadFile("runtime/" + file)
		if err != nil {
			panic("pktscope: internal error: " + err.Error())
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file, src, parser.ParseComments)
		if err != nil {
			panic("pktscope: internal error: " + err.Error())
		}
		for _, d := range tree.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				continue
			}
			from, to := d.Pos(), d.End()
			var doc *ast.CommentGroup
			one := decl{uses: map[string]bool{}}
			switch d := d.(type) {
			case *ast.FuncDecl:
				doc = d.Doc
				one.names = []string{d.Name.Name}
				one.method = d.Recv != nil
				one.always = d.Recv != nil && d.Name.IsExported()
			case *ast.GenDecl:
				doc = d.Doc
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						one.names = append(one.names, s.Name.Name)
					case *ast.ValueSpec:
						for _, n := range s.Names {
							one.names = append(one.names, n.Name)
						}
					}
				}
			}
			if doc != nil {
				from = doc.Pos()
			}
			end := fset.Position(to).Offset
			if nl := bytes.IndexByte(src[end:], '\n'); nl > 0 {
				end += nl // a comment behind it
			}
			one.text = string(src[fset.Position(from).Offset:end])
			ast.Inspect(d, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					one.uses[id.Name] = true
				}
				return true
			})
			all = append(all, one)
		}
	}
	return all
}

// runtimeNames are the names that support code declares.
func runtimeNames() map[string]bool {
	all := map[string]bool{"shownPlace": true}
	for _, d := range runtimeDecls() {
		if d.method {
			continue
		}
		for _, n := range d.names {
			all[n] = true
		}
	}
	return all
}

// support is the support code that a source needs.
func (g *gen) support(source []byte, name string) ([]byte, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
	if err != nil {
		return nil, fmt.Errorf("generated code: %w\n%s", err, numbered(source))
	}
	used := map[string]bool{"PacketReject": true, "PacketReader": true, "RejectKind": true, "writer": true, "FromUnknown": true}
	ast.Inspect(tree, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	decls := runtimeDecls()
	in := make([]bool, len(decls))
	for again := true; again; {
		again = false
		for i := range decls {
			d := &decls[i]
			if in[i] || !d.always && !slices.ContainsFunc(d.names, func(n string) bool { return used[n] }) {
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
