// Command concurrent lists the packages of the module that start goroutines or share memory between them, as go test takes
// them. make race tests those.
//
// A package is concurrent if one of its files, tests included, has a go statement or calls a method Go (of a WaitGroup or
// an errgroup), or if its product code names a type of sync or anything of sync/atomic. sync.Once and its functions do
// not count: what begins late is not yet concurrent.
//
//	go run .ci/lint/concurrent.go .ci/lint/walk.go [-v]     -v says which file and line
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

func main() {
	verbose := flag.Bool("v", false, "say where")
	flag.Parse()
	found := map[string]token.Position{}
	walk(func(dir string, files *token.FileSet, file *ast.File, test bool) {
		if _, known := found[dir]; known {
			return
		}
		if at := concurrent(file, test); at.IsValid() {
			found[dir] = files.Position(at)
		}
	})
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		if *verbose {
			fmt.Printf("%v: ", found[dir])
		}
		fmt.Println(dir)
	}
}

// concurrent is the first place in a file that makes its package concurrent.
func concurrent(file *ast.File, test bool) (at token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		if at.IsValid() {
			return false
		}
		switch n := n.(type) {
		case *ast.GoStmt:
			at = n.Pos()
		case *ast.CallExpr:
			if method, ok := n.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "Go" {
				at = n.Pos()
			}
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && !test && (of.Name == "atomic" || of.Name == "sync" && !strings.HasPrefix(n.Sel.Name, "Once")) {
				at = n.Pos()
			}
		}
		return true
	})
	return at
}
