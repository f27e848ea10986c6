// Command concurrent lists the packages of the module that start goroutines or share memory between them, as go test takes
// them. make race tests those.
//
// A package is concurrent if one of its files, tests included, has a go statement or calls a method Go (of a WaitGroup or
// an errgroup), or if its product code names a type of sync or anything of sync/atomic. sync.Once and its functions do
// not count: what begins late is not yet concurrent.
//
//	go run .ci/lint/concurrent.go [-v]     -v says which file and line
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	verbose := flag.Bool("v", false, "say where")
	flag.Parse()
	found := map[string]token.Position{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if _, module := os.Stat(filepath.Join(path, "go.mod")); path != "." && (module == nil || entry.Name() == "testdata" || entry.Name()[0] == '.') {
				return filepath.SkipDir
			}
			return nil
		}
		dir := filepath.Dir(path)
		if _, known := found[dir]; known || !strings.HasSuffix(path, ".go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if at := concurrent(file, strings.HasSuffix(path, "_test.go")); at.IsValid() {
			found[dir] = files.Position(at)
		}
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "concurrent:", err)
		os.Exit(1)
	}
	var dirs []string
	for dir := range found {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		if *verbose {
			fmt.Printf("%v: ", found[dir])
		}
		fmt.Println("./" + filepath.ToSlash(dir))
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
