// Command needs lists the tests that need what a job of .ci/all has, as arguments of go test: their names and their
// packages.
//
// A test needs it if it names need.NAME, or something of its package that does, whatever that is: so it may list a test
// too many, and misses none.
//
//	go run .ci/lint/needs.go .ci/lint/walk.go Tshark
package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "needs: want one name of corpus/need, such as Tshark")
		os.Exit(2)
	}
	packages := map[string]uses{}
	walk(func(dir string, _ *token.FileSet, file *ast.File, test bool) {
		if !test {
			return
		}
		if packages[dir] == nil {
			packages[dir] = uses{}
		}
		packages[dir].add(file)
	})
	tests, dirs := map[string]bool{}, []string{}
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		of := packages[dir].that("need." + os.Args[1])
		if len(of) == 0 {
			continue
		}
		dirs = append(dirs, dir)
		for _, name := range of {
			tests[name] = true
		}
	}
	if len(dirs) == 0 {
		fmt.Fprintf(os.Stderr, "needs: no test needs %s\n", os.Args[1])
		os.Exit(1)
	}
	fmt.Printf("-run=^(%s)$ %s\n", strings.Join(slices.Sorted(maps.Keys(tests)), "|"), strings.Join(dirs, " "))
}

// uses has the names that are in each declaration of a package's tests, by the name of the declaration: that of a method,
// and of what is behind a point, begins with one.
type uses map[string]map[string]bool

func (u uses) add(file *ast.File) {
	for _, declared := range file.Decls {
		switch d := declared.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				u.in("."+d.Name.Name, d) // of any type
			} else {
				u.in(d.Name.Name, d)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range s.Names {
						u.in(name.Name, s)
					}
				case *ast.TypeSpec:
					u.in(s.Name.Name, s)
				}
			}
		}
	}
}

// in adds the names in a declaration.
func (u uses) in(name string, declared ast.Node) {
	if u[name] == nil {
		u[name] = map[string]bool{}
	}
	var see func(n ast.Node) bool
	see = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			u[name][n.Name] = true
		case *ast.SelectorExpr:
			u[name]["."+n.Sel.Name] = true
			if of, ok := n.X.(*ast.Ident); ok {
				u[name][of.Name+"."+n.Sel.Name] = true
			}
			ast.Inspect(n.X, see)
			return false
		}
		return true
	}
	ast.Inspect(declared, see)
}

// that are the tests that use a name, themselves or by what they use.
func (u uses) that(name string) (tests []string) {
	reached, left := map[string]bool{}, []string{name}
	for len(left) > 0 {
		one := left[0]
		left = left[1:]
		for declared, names := range u {
			if names[one] && !reached[declared] {
				reached[declared] = true
				left = append(left, declared)
			}
		}
	}
	for declared := range reached {
		if strings.HasPrefix(declared, "Test") && declared != "TestMain" {
			tests = append(tests, declared)
		}
	}
	return tests
}
