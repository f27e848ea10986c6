// Command switches counts the switches over the families of the language and its plan, and holds the count to a pin.
//
// A switch, or a type switch, counts once for each family of which its cases name two members or more. Each of them is
// a place that a new type of the language has to visit, so the number may fall, and rises only with a reason. Tests and
// testdata do not count: a test that names two kinds breaks by itself when they change.
//
//	go run .ci/lint/switches.go [-v] PIN
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

const module = "github.com/pktscope/pktscope/"

// family is a set of names that switches choose among: the constants of some types, or the types with some method.
type family struct {
	name    string
	pkg     string   // below the module
	types   []string // whose constants are its members
	method  string   // whose receivers are its members
	members map[string]bool
}

var families = []*family{
	{name: "ops", pkg: "decode/internal/ops", types: []string{"Code"}},
	{name: "steps", pkg: "decode/plan", method: "work"},
	{name: "leaf kinds", pkg: "decode/plan", types: []string{"LeafKind"}},
	{name: "number kinds", pkg: "decode/plan", types: []string{"NumberKind"}},
	{name: "types", pkg: "decode/schema", method: "Row"},
	{name: "items", pkg: "decode/schema", method: "ItemPos"},
}

// place is a switch that counts.
type place struct {
	at     token.Position
	family string
}

func main() {
	verbose := flag.Bool("v", false, "list the switches")
	flag.Parse()
	pin, err := strconv.Atoi(flag.Arg(0))
	if err != nil || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: switches [-v] PIN")
		os.Exit(2)
	}
	places, err := count(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "switches:", err)
		os.Exit(2)
	}
	if *verbose {
		for _, p := range places {
			fmt.Printf("%s:%d: %s\n", p.at.Filename, p.at.Line, p.family)
		}
	}
	if len(places) != pin {
		fmt.Fprintf(os.Stderr, "%d switches over ops, leaf and number kinds, types and items, want %d: .ci/switches has the pin\n", len(places), pin)
		os.Exit(1)
	}
}

// count finds the switches of all product packages below root.
func count(root string) ([]place, error) {
	files := token.NewFileSet()
	packages := map[string][]*ast.File{} // by directory
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || nested(name)):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err == nil {
			dir := filepath.ToSlash(filepath.Dir(name))
			packages[dir] = append(packages[dir], f)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, f := range families {
		if f.learn(packages[f.pkg]); len(f.members) == 0 {
			return nil, fmt.Errorf("nothing in %s is of the family %q any more: mend the table", f.pkg, f.name)
		}
	}
	var places []place
	for dir, parsed := range packages {
		for _, f := range parsed {
			places = append(places, switches(files, dir, f)...)
		}
	}
	sort.Slice(places, func(i, j int) bool {
		a, b := places[i], places[j]
		if a.at.Filename != b.at.Filename {
			return a.at.Filename < b.at.Filename
		}
		return a.at.Line < b.at.Line
	})
	return places, nil
}

// nested reports whether a directory is a module of its own.
func nested(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// learn collects the members of a family from the package that declares them.
func (f *family) learn(parsed []*ast.File) {
	f.members = map[string]bool{}
	for _, file := range parsed {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				if d.Tok == token.CONST {
					f.constants(d)
				}
			case *ast.FuncDecl:
				if f.method != "" && d.Recv != nil && d.Name.Name == f.method {
					f.members[baseName(d.Recv.List[0].Type)] = true
				}
			}
		}
	}
}

// constants collects the exported constants of a block whose type is one of the family's; iota carries a type on.
func (f *family) constants(d *ast.GenDecl) {
	typed := false
	for _, s := range d.Specs {
		v := s.(*ast.ValueSpec)
		if v.Type != nil || len(v.Values) > 0 {
			typed = false
			for _, t := range f.types {
				typed = typed || v.Type != nil && baseName(v.Type) == t
			}
		}
		for _, name := range v.Names {
			if typed && name.IsExported() {
				f.members[name.Name] = true
			}
		}
	}
}

func baseName(e ast.Expr) string {
	if p, ok := e.(*ast.StarExpr); ok {
		e = p.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// switches lists those of one file.
func switches(files *token.FileSet, dir string, file *ast.File) []place {
	imports := map[string]string{} // package of this module by the name that the file has for it
	for _, i := range file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		if p, ok := strings.CutPrefix(p, module); ok {
			name := path.Base(p)
			if i.Name != nil {
				name = i.Name.Name
			}
			imports[name] = p
		}
	}
	member := func(f *family, e ast.Expr) bool {
		if p, ok := e.(*ast.StarExpr); ok {
			e = p.X
		}
		switch e := e.(type) {
		case *ast.Ident:
			return dir == f.pkg && f.members[e.Name]
		case *ast.SelectorExpr:
			id, ok := e.X.(*ast.Ident)
			return ok && imports[id.Name] == f.pkg && f.members[e.Sel.Name]
		}
		return false
	}
	var places []place
	ast.Inspect(file, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch s := n.(type) {
		case *ast.SwitchStmt:
			body = s.Body
		case *ast.TypeSwitchStmt:
			body = s.Body
		default:
			return true
		}
		for _, f := range families {
			named := 0
			for _, clause := range body.List {
				named += f.named(clause.(*ast.CaseClause), member)
			}
			if named >= 2 {
				places = append(places, place{files.Position(n.Pos()), f.name})
			}
		}
		return true
	})
	return places
}

// named counts the members that a clause names: itself, or inside a condition of a switch without a tag.
func (f *family) named(c *ast.CaseClause, member func(*family, ast.Expr) bool) int {
	n := 0
	for _, e := range c.List {
		ast.Inspect(e, func(x ast.Node) bool {
			if x, ok := x.(ast.Expr); ok && member(f, x) {
				n++
				return false
			}
			_, selector := x.(*ast.SelectorExpr) // its last part is no name of this package
			return !selector
		})
	}
	return n
}
